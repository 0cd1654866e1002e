"""Reads work that is not a comparison of commits: files, folders or stdin; all of it counts as new."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from foureyes.app.looks import kind_of
from foureyes.app.reviewers import Change, File
from foureyes.core.kinds import with_article
from foureyes.git.base import Base, nearby, policy_at
from foureyes.git.disk import NotRead, Tree, opened
from foureyes.git.gathering import Left, Room, all_lines
from foureyes.git.laying_out import lay_out
from foureyes.git.names import is_git, shown, why_not
from foureyes.git.repositories import Repository
from foureyes.git.scratch import scratch
from foureyes.home.trouble import Trouble

#: A folder with more entries than this is not walked to its end.
ENTRIES_MAX = 20_000
TITLE_CHARS_MAX = 120
NAMED_MAX = 3
#: File name suffixes of prose.
PROSE = (".md", ".markdown", ".txt", ".rst")


def read_paths(paths: Sequence[Path], *, kind: str = "") -> Change:
    """Read these files, and those in these folders, as if all of them were new; no link is followed.

    In a repository their names are their paths there, and the policy of its last commit judges them: naming a path does
    not avoid the policy.
    """
    if not paths:
        raise Trouble("No file was named.", "Name files or folders.", usage=True)
    here = next(filter(None, map(_repository, paths)), None)
    collecting = _Collecting(entries=ENTRIES_MAX, top=here.top if here and here.top else Path.cwd())
    for path in paths:
        collecting.add(path)
    files, left = collecting.files, collecting.left
    found = tuple(files[name] for name in sorted(files))
    named = ", ".join(shown(os.fsencode(path)) for path in paths[:NAMED_MAX]) + (" …" if len(paths) > NAMED_MAX else "")
    policy = None
    if here is not None:
        with scratch(here) as bench:
            policy = policy_at(bench, here.head)
    return Change(
        title=named[:TITLE_CHARS_MAX] if found else f"Nothing to review in {named}"[:TITLE_CHARS_MAX],
        policy=policy,
        at_base=Base(here=here, commit=here.head) if here is not None else None,
        kind=kind or _kind_of(found),
        files=found,
        unread=left.all,
        place=place("paths", *(os.path.realpath(path) for path in paths)),
        lay_out=partial(lay_out, files=found, without=frozenset(left.paths)),
    )


def _kind_of(found: tuple[File, ...]) -> str:
    """Return the kind of named files: a plan if it is one prose document with "plan" in its name, else code."""
    name = found[0].path if len(found) == 1 else ""
    is_plan = name.lower().endswith(PROSE) and "plan" in re.findall(r"[a-z]+", Path(name).stem.lower())
    return "plan" if is_plan else "code"


def read_stdin(data: bytes, name: str = "stdin", *, kind: str = "") -> Change:
    """Read work from stdin: a command, a plan or a text, detected from the content unless the caller names the kind."""
    left = Left()
    why = why_not(name.encode()) or Room().why_not(len(data))
    if why:
        left.out(name.encode(), why)
    found = () if why or not data else (File(path=name, content=data, changed=all_lines(data)),)
    sort = kind or kind_of(data)
    what = with_article(sort) if found or why else "Nothing came in"
    title = f"{what} from {shown(name.encode())}"
    return Change(
        title=title[:TITLE_CHARS_MAX],
        kind=sort,
        files=found,
        unread=left.all,
        # Each command is work of its own; a plan or a text comes again in a better version.
        place=place("stdin", sort, *([data.hex()] if sort == "command" else [name, os.path.realpath(os.curdir)])),
        lay_out=partial(lay_out, files=found, without=frozenset(left.paths)),
    )


def place(*words: str) -> str:
    """Return an identifier for the origin of work, the same in the next round."""
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:32]


@dataclass(slots=True, kw_only=True)
class _Collecting:
    files: dict[str, File] = field(default_factory=dict)
    left: Left = field(default_factory=Left)
    room: Room = field(default_factory=Room)
    entries: int
    #: Files are named by their path from here.
    top: Path

    def add(self, path: Path) -> None:
        if not os.path.lexists(path):
            raise Trouble(
                f"There is no {shown(os.fsencode(path))}.", "Name a file or folder that is there.", usage=True
            )
        label = _label(path, self.top)
        if path.is_dir():
            with opened(path.resolve()) as tree:
                for below in self._walk(path.resolve(), b""):
                    self._one(tree, below, label + b"/" + below if label else below)
            return
        with opened(path.parent.resolve()) as tree:
            self._one(tree, os.fsencode(path.name), label)

    def _one(self, tree: Tree, path: bytes, label: bytes) -> None:
        try:
            found = tree.find(path)
            why = why_not(label)
        except NotRead as error:
            found, why = None, str(error)
        if not why and found is None:
            why = "it went away while it was read"
        if not why and label.decode() in self.files:
            why = "another file of this review has the same name"
        if not why and found is not None:
            why = self.room.why_not(len(found.content))
        if why or found is None:
            self.left.out(label, why)
            return
        name = label.decode()
        self.files[name] = File(path=name, mode=found.mode, content=found.content, changed=all_lines(found.content))

    def _walk(self, folder: Path, under: bytes) -> Iterator[bytes]:
        """Yield the files below a folder, sorted by name, up to the limit of entries."""
        waiting = [under]
        while waiting:
            at = waiting.pop()
            try:
                with os.scandir(os.path.join(os.fsencode(folder), at)) as found:  # noqa: PTH118 - bytes, as on the disk
                    entries = sorted(islice(found, self.entries + 1), key=_name)
            except OSError as error:
                self.left.out(at, f"it cannot be read: {error.strerror}")
                continue
            folders: list[bytes] = []
            for entry in entries:
                self.entries -= 1
                if self.entries < 0:
                    self.left.out(
                        at, f"there are more than {ENTRIES_MAX} files and folders; from here on nothing was looked at"
                    )
                    return
                path = at + b"/" + entry.name if at else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    yield path
                elif not is_git(os.fsdecode(entry.name)):
                    folders.append(path)
            waiting.extend(reversed(folders))


def _name(entry: os.DirEntry[bytes]) -> bytes:
    return entry.name


def _repository(path: Path) -> Repository | None:
    """Return the repository a path lies in."""
    return nearby(path if path.is_dir() else path.parent)


def _label(path: Path, top: Path) -> bytes:
    """Return a file's name in the review: its path from the top, or its own name if it lies outside."""
    real = path.parent.resolve() / path.name if path.name and path.name != ".." else path.resolve()
    if real == top:
        return b""
    return os.fsencode(real.relative_to(top) if real.is_relative_to(top) else real.name)
