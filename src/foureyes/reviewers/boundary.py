"""The secret boundary: redacts secrets from everything that leaves this machine, and holds back whole files.

What was removed is recorded by its kind and place, never by its value. Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TypeVar

from foureyes.app.encodings import wide
from foureyes.app.redaction import Cleaned, Cut
from foureyes.app.reviewers import GONE_MODE, SUBMODULE_MODE, Change, File, Look, Task, Unread
from foureyes.reviewers.critics.secrets.critic import decoded
from foureyes.reviewers.critics.secrets.find import TEXT_MAX, find
from foureyes.reviewers.critics.secrets.keyfiles import whole_secret
from foureyes.reviewers.known import NOTHING_KNOWN, Known, known_in, together

__all__ = ["Outgoing", "Removed", "boundary", "clean_folder", "redacted", "scrub"]

#: Removing one secret may reveal another one; after this many passes the text is held back instead.
_TIMES_MAX = 4
#: More places than this are counted, not listed.
_REMOVED_MAX = 1_000
UNSEARCHED = "[text withheld: it cannot be searched for secrets]"

#: The most bytes in a folder laid out for an agent; the rest is held back, because it was not searched.
FOLDER_BYTES_MAX = 48 * 1024 * 1024
FILE_BYTES_MAX = TEXT_MAX

T = TypeVar("T")
#: Files by path, those of the base by digest with their paths, and the secrets that are known already.
Version = tuple[Mapping[str, bytes], Mapping[str, tuple[str, bytes]], Known]
#: The form of a plain value within its line: nothing in it could be executed.
_IS_VALUE = re.compile(r"[^\s;|&`$(){}<>]*").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A secret that was removed: where and of which kind. There is no field for its value."""

    path: str
    line: int
    kind: str
    #: True if more than a value in its line was removed: code could have been there.
    is_long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """The task as it may leave, what was removed from it, and which files are held back."""

    task: Task
    removed: tuple[Removed, ...] = ()
    withheld: tuple[Unread, ...] = ()
    #: The values, for `scrub`; they never show in the repr.
    known: Known = NOTHING_KNOWN


def redacted(text: str, path: str = "", *, known: Known = NOTHING_KNOWN) -> tuple[str, int]:
    """Return the text without its secrets, with the same lines, and how many were removed."""
    clean, removed = _clean(text, path, known)
    return clean, len(removed)


def boundary(task: Task) -> Outgoing:
    """Return the task without secrets, for a reviewer outside this machine."""
    guard = _Guard(known=known_in(_texts(task)))
    change = guard.change(task.change)
    rest = guard.walk(replace(task, change=_NO_CHANGE))
    return Outgoing(
        task=replace(rest, change=change),
        removed=tuple(guard.removed),
        withheld=tuple(guard.withheld),
        known=guard.known,
    )


def scrub(look: Look, known: Known = NOTHING_KNOWN) -> Look:
    """Return a reviewer's look without secrets it quotes; `known` are those of the work, see Outgoing."""
    return _Guard(known=known).walk(look)


def scrubbed(value: T, works: Iterable[Mapping[str, bytes]] = ()) -> T:
    """Return a value without secrets in its texts, for a command that prints it: an agent may read the terminal.

    The secrets of the `works`, given by path, are removed wherever they are repeated.
    """
    files = [one for work in works for one in work.items() if len(one[1]) <= FILE_BYTES_MAX]
    known = known_in([(path, decoded(content)) for path, content in files]) if files else NOTHING_KNOWN
    return _Guard(known=known).walk(value)


def told(look: Look, outgoing: Outgoing) -> Look:
    """Add to a look what was kept from the reviewer: the number and kinds of secrets, and the files held back."""
    if not outgoing.removed and not outgoing.withheld:
        return look
    kinds = ", ".join(sorted({one.kind for one in outgoing.removed}))
    count = len(outgoing.removed)
    said = f" ({count} secret{'s' if count > 1 else ''} taken out before it was sent: {kinds})" if count else ""
    return replace(look, summary=f"{look.summary}{said}".strip(), unread=(*look.unread, *outgoing.withheld))


def secrets_of(work: Version) -> Known:
    """Return the secrets of a version, of its base, and those that were known before."""
    files, before, known = work
    texts = [(path, decoded(one)) for path, one in (*files.items(), *before.values()) if len(one) <= FILE_BYTES_MAX]
    # A path may mark its content as no secret; under another path the same bytes would be judged differently.
    return together((known_in([*texts, *(("", text) for _, text in texts)]), known))


def cleaned(work: Version) -> Cleaned:
    """Return a version as it may be served: files by path and those of the base by digest, without secrets."""
    files, before, _ = work
    guard = _Guard(known=secrets_of(work))
    clean = {path: guard.served(path, content) for path, content in files.items()}
    own, hidden = tuple(guard.removed), guard.hidden
    return Cleaned(
        files=clean,
        before={digest: guard.served(path, content) for digest, (path, content) in before.items()},
        cuts=tuple(Cut(path=one.path, line=one.line, kind=one.kind) for one in own),
        known=guard.known,
        withheld=hidden,
    )


_NO_CHANGE = Change(title="", kind="", files=())


class _Guard:
    """Walks through one task or look, and records what it removes."""

    def __init__(self, *, known: Known) -> None:
        self.known = known
        self.removed: list[Removed] = []
        self.withheld: list[Unread] = []
        #: Whether more than values in their lines was removed from the last texts, and the first file where it was.
        self._is_long = False
        self.hidden = ""

    def text(self, text: str, path: str = "") -> str:
        clean, removed = _clean(text, path, self.known)
        self._is_long |= any(one.is_long for one in removed)
        self.removed += removed[: max(0, _REMOVED_MAX - len(self.removed))]
        return clean

    def walk(self, value: T) -> T:
        """Return the same value with the secrets removed from every text in it."""
        out: object = value
        if isinstance(value, Enum):
            pass
        elif isinstance(value, str):
            out = self.text(value)
        elif isinstance(value, tuple):
            out = tuple(self.walk(one) for one in value)
        elif isinstance(value, list):
            out = [self.walk(one) for one in value]
        elif isinstance(value, dict):
            out = {name: self.walk(one) for name, one in value.items()}
        elif is_dataclass(value) and not isinstance(value, type):
            changed = {one.name: self.walk(getattr(value, one.name)) for one in fields(value) if one.init}
            differ = {name: new for name, new in changed.items() if new is not getattr(value, name)}
            out = replace(value, **differ) if differ else value
        return out  # type: ignore[return-value]  # of the same type by construction

    def change(self, change: Change) -> Change:
        files = tuple(kept for one in change.files if (kept := self.file(one)) is not None)
        told = self.walk(replace(change, files=(), policy=None, lay_out=None, whole=None))
        policy = change.policy
        if policy is not None:
            policy = (self.text(policy[0]), self.content(policy[1], policy[0]) or b"")
        lay_out = None if change.lay_out is None else _guarded(change.lay_out, self.known)
        unread = (*told.unread, *self.withheld)
        return replace(told, files=files, unread=unread, policy=policy, lay_out=lay_out)

    def file(self, file: File) -> File | None:
        """Return the file as it may leave; None if it is held back."""
        path = self.text(file.path)
        why = next((why for one in (file.content, file.before) if one and (why := whole_secret(file.path, one))), "")
        if path != file.path:
            why = "its name contains a secret"
        if why:
            self.withheld.append(Unread(path=path, why=f"held back, never sent to a reviewer: {why}"))
            return None
        content = file.content if file.mode in (GONE_MODE, SUBMODULE_MODE) else self.content(file.content, path)
        before = self.content(file.before, path)
        if (content is None) != (file.content is None) or (before is None) != (file.before is None):
            self.withheld.append(Unread(path=path, why="held back: it cannot be searched for secrets to its end"))
            return None
        was = self.text(file.was)
        if content == file.content and before == file.before and was == file.was:
            return file
        return replace(file, content=content, before=before, was=was)

    def served(self, path: str, content: bytes) -> bytes:
        """Return the bytes as they are served; if they are one secret, or cannot be searched, the reason instead."""
        why = whole_secret(path, content)
        self._is_long = False
        clean = None if why else self.content(content, path)
        if clean is None:
            self.removed.append(Removed(path=path, line=0, kind=why or "unsearched"))
            self.hidden = self.hidden or path
            return f"[withheld: {why or 'it cannot be searched for secrets to its end'}]\n".encode()
        again = self.content(clean, "")
        if self._is_long:
            self.hidden = self.hidden or path
        return clean if again is None else again

    def content(self, content: bytes | None, path: str) -> bytes | None:
        """Return the bytes without secrets; None if they cannot be searched."""
        if content is None or len(content) > FILE_BYTES_MAX:
            return None
        text = decoded(content)
        clean = self.text(text, path)
        if clean == text:
            return content
        return None if clean.startswith(UNSEARCHED) else _encoded(clean, content)


def _clean(text: str, path: str, known: Known) -> tuple[str, list[Removed]]:
    """Return the text without secrets, and what they were."""
    removed: list[Removed] = []
    for _ in range(_TIMES_MAX):
        search = find(text, path)
        if search.cut:
            break
        places = _apart(
            [(one.start, one.end, one.rule.id.rsplit(".", 1)[-1]) for one in search.found], known.places(text)
        )
        if not places:
            return text, removed
        text = _cut_out(text, path, places, removed)
    return UNSEARCHED + "\n" * text.count("\n"), [*removed, Removed(path=path, line=0, kind="unsearched")]


def _apart(*lists: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return all places in order, with those that overlap merged."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(place for places in lists for place in places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, kind))
    return merged


def _cut_out(text: str, path: str, places: list[tuple[int, int, str]], removed: list[Removed]) -> str:
    parts: list[str] = []
    at, line = 0, 1
    for start, end, kind in places:
        line += text.count("\n", at, start)
        lines = text.count("\n", start, end)
        is_long = not _IS_VALUE(text, start, end)
        removed.append(Removed(path=path, line=line, kind=kind, is_long=is_long))
        parts += (text[at:start], f"[secret removed: {kind.replace('-', ' ')}]", "\n" * lines)
        at, line = end, line + lines
    parts.append(text[at:])
    return "".join(parts)


def _encoded(clean: str, like: bytes) -> bytes:
    """Return the text as bytes in the encoding in which `like` was read."""
    if said := wide(like):
        return said.encoded(clean)
    try:
        like.decode()
    except UnicodeDecodeError:
        return clean.encode("latin-1", "replace")
    return clean.encode()


def _guarded(lay_out: Callable[[Path], None], known: Known) -> Callable[[Path], None]:
    """Return a function that lays out the same folder, without secrets in any of its files."""

    def lay(folder: Path) -> None:
        lay_out(folder)
        clean_folder((folder, known))

    return lay


def clean_folder(laid: tuple[Path, Known]) -> None:
    """Remove the secrets of a work, and any others, from every file below a folder."""
    folder, known = laid
    room = FOLDER_BYTES_MAX
    for place in sorted(folder.rglob("*")):
        if place.is_symlink():
            _cut_ways_out(place, folder)
            continue
        if not place.is_file():
            continue
        size = place.stat().st_size
        room -= size
        _clean_on_disk(place, place.relative_to(folder).as_posix(), known, fits=room >= 0 and size <= FILE_BYTES_MAX)


def _cut_ways_out(link: Path, folder: Path) -> None:
    """Remove a link that leads out of the folder, to files that were not searched; others stay."""
    try:
        inside = link.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        inside = False
    if not inside:
        link.unlink()


def _clean_on_disk(place: Path, path: str, known: Known, *, fits: bool) -> None:
    """Replace a file that holds secrets, keeping its mode.

    The content of one that may not be searched becomes the reason.
    """
    guard = _Guard(known=known)
    if guard.text(path) != path:
        place.unlink()
        return
    clean: bytes | None = None
    why = "it was not searched for secrets"
    if fits:
        content = place.read_bytes()
        why = whole_secret(path, content) or why
        clean = None if whole_secret(path, content) else guard.content(content, path)
        if clean == content:
            return
    mode = place.stat().st_mode & 0o777
    place.unlink()
    place.write_bytes(f"[withheld: {why}]\n".encode() if clean is None else clean)
    place.chmod(mode)


def _texts(task: Task) -> Iterable[tuple[str, str]]:
    """Yield the texts of a task in which secrets can be recognised, with their paths."""
    for file in task.change.files:
        for content in (file.content, file.before):
            if content is not None and len(content) <= FILE_BYTES_MAX:
                yield file.path, decoded(content)
    yield from (("", task.change.note), ("", task.draft))
    yield from (("", one) for one in task.questions)
