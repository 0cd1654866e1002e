"""Reads the files of a work tree and compares them as git would store them, without running filters.

Line ends are converted as git would; no clean filter runs, because it is a program that others chose. A file that a
filter stores elsewhere (LFS) and that did not change is recognised by its pointer; one that did change is read as it
is.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from foureyes.app.reviewers import GONE_MODE, LINK_MODE, SUBMODULE_MODE
from foureyes.app.work import BLOB_BYTES_MAX
from foureyes.git.disk import Found, NotRead, Tree, opened
from foureyes.git.gathering import TOO_MANY, Left, Room
from foureyes.git.names import why_not
from foureyes.git.repositories import Repository, find
from foureyes.git.scratch import Entry, Scratch, listed
from foureyes.home.trouble import Trouble

NESTED = "it is a repository of its own: review it there"
SUBMODULES_MAX = 50
_NOTHING = Entry(path=b"", mode=GONE_MODE, mode_before=GONE_MODE, object="", object_before="", status="A")
_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """What attributes and settings say of a file's line ends."""

    text: str = "unspecified"
    eol: str = "unspecified"
    automatic: bool = False

    @property
    def convert(self) -> str:
        """`always`, `auto` (unless it is binary, or was stored with carriage returns) or `never`."""
        if self.text == "set" or (self.text == "unspecified" and self.eol in ("lf", "crlf")):
            return "always"
        return "auto" if self.text == "auto" or (self.text == "unspecified" and self.automatic) else "never"


def staged_index(here: Repository) -> Path:
    """Return the path of the index.

    Inside a commit hook it is the one git names, which is what will be committed, if it lies in the repository.
    """
    named = os.environ.get("GIT_INDEX_FILE", "")
    place = ((here.top or here.git_dir) / named).resolve() if named else here.git_dir / "index"
    return place if place.is_relative_to(here.git_dir.resolve()) else here.git_dir / "index"


def write_index(here: Repository, bench: Scratch, left: Left) -> None:
    """Write the state of the work tree into the scratch index, as far as it can be read."""
    top = here.top or here.git_dir
    known = _tracked(here, bench)
    untracked = _untracked(bench, left)
    paths = sorted(known.keys() | untracked)
    ends = _ends(here, bench, paths)
    if here.head:
        bench.answer("read-tree", here.head)
    with opened(top) as tree:
        reading = _Reading(here=here, bench=bench, tree=tree, left=left)
        for path in paths:
            reading.add(path, known.get(path, _NOTHING), ends.get(path, Ends()))
        reading.decide()
    bench.keep(reading.blobs.values())
    # Removed paths come first: a file may have become a folder, or the other way round.
    lines = (*reading.gone, *reading.there)
    if lines:
        bench.answer("update-index", "-z", "--add", "--replace", "--index-info", given=b"".join(lines))


@dataclass(slots=True, kw_only=True)
class _Reading:
    """Reads one path after the other and collects the lines for the index."""

    here: Repository
    bench: Scratch
    tree: Tree
    left: Left
    room: Room = field(default_factory=Room)
    submodules: int = SUBMODULES_MAX
    gone: list[bytes] = field(default_factory=list)
    there: list[bytes] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    #: Files whose line ends are converted or not depending on how they were stored before.
    undecided: list[tuple[bytes, Entry, Found]] = field(default_factory=list)

    def add(self, path: bytes, entry: Entry, ends: Ends) -> None:
        why = why_not(path)
        if why:
            self.left.out(path, why)
        elif entry.mode == SUBMODULE_MODE and entry.status != "D":
            self._submodule(path, entry)
        elif entry.object.strip("0"):
            self._put(path, entry.mode, entry.object)
        else:
            self._file(path, entry, ends)

    def decide(self) -> None:
        """Decide on the line ends that depend on the earlier version, all at once."""
        names = {entry.object_before for _, entry, _ in self.undecided if entry.object_before.strip("0")}
        sizes = self.bench.sizes(names)
        few = [name for name, size in sizes.items() if size <= BLOB_BYTES_MAX]
        stored = self.bench.contents(few, at_most=sum(sizes[name] for name in few))
        for path, entry, found in self.undecided:
            if b"\r\n" in stored.get(entry.object_before, b""):
                self._keep(path, found)
            else:
                self._keep(path, replace(found, content=unix(found.content)))

    def _file(self, path: bytes, entry: Entry, ends: Ends) -> None:
        is_new = not entry.object_before.strip("0")
        if is_new and self.room.files < 1:
            # A folder full of files that nobody ignored: they are not even opened.
            self.left.out(path, TOO_MANY)
            return
        try:
            found = self.tree.find(path)
        except NotRead as error:
            self.left.out(path, str(error))
            return
        if found is None:
            self.gone.append(b"0 %s\t%s\0" % (b"0" * len(self.bench.empty_tree), path))
            return
        found = self._as_here(found, entry)
        if not is_new and self._is_same(found, entry, ends):
            self._put(path, found.mode, entry.object_before)
        elif why := self.room.why_not(len(found.content)):
            self.left.out(path, why)
        elif found.mode == LINK_MODE or b"\r\n" not in found.content or ends.convert == "never":
            self._keep(path, found)
        elif ends.convert == "always":
            self._keep(path, replace(found, content=unix(found.content)))
        elif b"\0" in found.content:
            self._keep(path, found)
        else:
            self.undecided.append((path, entry, found))

    def _as_here(self, found: Found, entry: Entry) -> Found:
        """Return the file with the mode it had, on a disk that does not keep modes or links."""
        mode = entry.mode_before
        if mode == LINK_MODE and _is_off(self.here, "symlinks"):
            return replace(found, mode=LINK_MODE)
        if found.mode != LINK_MODE and _is_off(self.here, "filemode"):
            return replace(found, mode=mode if mode == "100755" else "100644")
        return found

    def _is_same(self, found: Found, entry: Entry, ends: Ends) -> bool:
        """True if these are the bytes of the last commit: as they are, with other line ends, or as an LFS pointer."""
        content, stored = found.content, entry.object_before
        if self.bench.name_of(content) == stored or self.bench.name_of(pointer(content)) == stored:
            return True
        return ends.convert != "never" and b"\r\n" in content and self.bench.name_of(unix(content)) == stored

    def _submodule(self, path: bytes, entry: Entry) -> None:
        """Record the commit that is checked out in a submodule; its own files are not read."""
        self.submodules -= 1
        if entry.object.strip("0"):
            self._put(path, SUBMODULE_MODE, entry.object)
        elif self.submodules < 0:
            self.left.out(path, f"more than {SUBMODULES_MAX} submodules changed")
        else:
            commit = _checked_out(self.here.place / os.fsdecode(path))
            if commit:
                self._put(path, SUBMODULE_MODE, commit)
            else:
                self.left.out(path, "it is a submodule whose commit cannot be read")

    def _keep(self, path: bytes, found: Found) -> None:
        name = self.bench.name_of(found.content)
        self.blobs[name] = found.content
        self._put(path, found.mode, name)

    def _put(self, path: bytes, mode: str, name: str) -> None:
        self.there.append(b"%s %s\t%s\0" % (mode.encode(), name.encode(), path))


def unix(content: bytes) -> bytes:
    """Return the content with line ends as git stores them."""
    return content.replace(b"\r\n", b"\n")


def pointer(content: bytes) -> bytes:
    """Return the pointer that git stores for a file that LFS keeps elsewhere."""
    return _POINTER.format(hashlib.sha256(content).hexdigest(), len(content)).encode()


def _checked_out(place: Path) -> str:
    """Return the commit of the repository at exactly this path; empty if there is none, or git does not trust it."""
    try:
        inner = None if place.is_symlink() else find(place)
    except Trouble:
        return ""
    return inner.head if inner and inner.top == place.resolve() else ""


def _is_off(here: Repository, setting: str) -> bool:
    return here.settings.get(setting, "").lower() in ("false", "no", "off", "0")


def _tracked(here: Repository, bench: Scratch) -> dict[bytes, Entry]:
    """Return what git tracks and what may differ from the last commit, with files that git was told not to look at."""
    index = here.git_dir / "index"
    words = ("diff-index", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty")
    out = bench.answer(*words, here.head or bench.empty_tree, index=index)
    known = {entry.path: entry for entry in listed(out)}
    hidden = [
        line[2:]
        for line in bench.answer("ls-files", "-v", "-z", index=index).split(b"\0")
        # A small letter: assumed to be unchanged. S: not checked out, yet it may exist on the disk.
        if line[:1] == b"S" or line[:1].islower()
    ]
    for path in hidden:
        if path not in known and os.path.lexists(os.path.join(os.fsencode(here.place), path)):  # noqa: PTH118 - bytes
            known[path] = replace(_NOTHING, path=path)
    return known


def _untracked(bench: Scratch, left: Left) -> set[bytes]:
    """Return files that git does not track and does not ignore."""
    index = bench.repository.git_dir / "index"
    out = bench.answer("ls-files", "--others", "--exclude-standard", "-z", index=index)
    found = {path for path in out.split(b"\0") if path}
    for path in sorted(found):
        if path.endswith(b"/"):
            left.out(path, NESTED)
    return {path for path in found if not path.endswith(b"/")}


def _ends(here: Repository, bench: Scratch, paths: Iterable[bytes]) -> dict[bytes, Ends]:
    """Return what the attributes say of the line ends of these files."""
    automatic = here.settings.get("autocrlf", "").lower() in ("true", "yes", "on", "1", "input")
    given = b"".join(path + b"\0" for path in paths)
    if not given:
        return {}
    words = bench.answer("check-attr", "-z", "--stdin", "text", "eol", given=given).split(b"\0")
    found: dict[bytes, dict[bytes, str]] = {}
    for path, name, value in zip(words[0::3], words[1::3], words[2::3], strict=False):
        found.setdefault(path, {})[name] = value.decode(errors="replace")
    return {
        path: Ends(text=said.get(b"text", ""), eol=said.get(b"eol", ""), automatic=automatic)
        for path, said in found.items()
    }
