"""Writes the work as plain read-only files into an empty folder, for an agent to read.

Nothing there is executable, no link leads out of it, and instruction files for agents are those of the base, not the
author's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.reviewers import GONE_MODE, LINK_MODE, SUBMODULE_MODE, File
from foureyes.app.work import BLOB_BYTES_MAX
from foureyes.core.risk.instruction_files import is_loaded_by_agents
from foureyes.git.names import shown, why_not
from foureyes.git.repositories import Repository
from foureyes.git.scratch import Scratch, scratch
from foureyes.home.trouble import Trouble

FILES_MAX = 20_000
BYTES_MAX = 256 * 1024 * 1024
NOTES_MAX = 1_000
#: How many bytes of files are held in memory at once.
BATCH_BYTES = 16 * 1024 * 1024
NOTE_NAME = "FOUREYES-LEFT-OUT.txt"
FILE_MODE = 0o444


def lay_out(
    folder: Path, *, here: Repository | None = None, base: str = "", files: tuple[File, ...], without: frozenset[bytes]
) -> None:
    """Write the whole state under review: the base with the changed files over it, without files that were not read."""
    if any(folder.iterdir()):
        raise Trouble(f"The folder {shown(os.fsencode(folder))} is not empty.", "Name an empty one.")
    laying = _Laying(folder=folder, files=FILES_MAX, room=BYTES_MAX)
    own = {file.path: file for file in files}
    for path in sorted(own):
        laying.changed(own[path])
    touched = without.union((path.encode() for path in own), (file.was.encode() for file in files if file.was))
    if here is not None and base:
        with scratch(here) as bench:
            kept = (one for one in _tree(bench, base) if _is_kept(one.path, touched))
            laying.base(bench, kept)
    for unread in sorted(without):
        laying.left(unread, "it was not read")
    laying.finish()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    path: bytes
    mode: str
    name: str
    size: int


@dataclass(slots=True, kw_only=True)
class _Laying:
    """Writes files as long as there is room, and notes what it leaves out."""

    folder: Path
    files: int
    room: int
    notes: list[str] = field(default_factory=list)
    more: int = 0
    #: The folders that exist already.
    made: set[bytes] = field(default_factory=set)

    def changed(self, file: File) -> None:
        path = file.path.encode()
        if file.mode == GONE_MODE:
            return
        if is_loaded_by_agents(file.path):
            self.left(path, "it gives orders to agents: it lies here as it was before this change, if it was there")
        elif file.mode == SUBMODULE_MODE:
            self.left(path, "it is a submodule")
        else:
            self._write(path, file.mode, file.content or b"")

    def base(self, bench: Scratch, stored: Iterable[_Stored]) -> None:
        """Write the unchanged files, a few megabytes at a time."""
        for batch in _batches(self._chosen(stored)):
            contents = bench.contents((one.name for one in batch), at_most=sum(one.size for one in batch))
            for one in batch:
                if one.name in contents:
                    self._write(one.path, one.mode, contents[one.name])
                else:
                    self.left(one.path, "its bytes are not in this clone")

    def left(self, path: bytes, why: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(f"{shown(path)}: {why}")
        else:
            self.more += 1

    def finish(self) -> None:
        """List what is missing, in a file beside the others."""
        if not self.notes:
            return
        rest = [f"{self.more} more"] if self.more else []
        text = "\n".join(("Not in this folder, or not as in the work:", *self.notes, *rest, ""))
        name = next(one for one in _note_names() if not (self.folder / one).exists())
        self._put(name.encode(), text.encode())

    def _chosen(self, stored: Iterable[_Stored]) -> Iterator[_Stored]:
        files, room = self.files, self.room
        for one in stored:
            why = why_not(one.path)
            if one.mode == SUBMODULE_MODE:
                why = "it is a submodule"
            elif not why and one.size > BLOB_BYTES_MAX:
                why = "it is too large"
            elif not why and (files < 1 or one.size > room):
                why = "there is no room for it"
            if why:
                self.left(one.path, why)
            else:
                files, room = files - 1, room - one.size
                yield one

    def _write(self, path: bytes, mode: str, content: bytes) -> None:
        if self.files < 1 or len(content) > self.room:
            self.left(path, "there is no room for it")
            return
        self.files, self.room = self.files - 1, self.room - len(content)
        if mode == LINK_MODE:
            self.left(path, "it is a link; here it is a file that holds the path it points to")
        try:
            self._put(path, content)
        except FileExistsError:
            self.left(path, "this disk does not tell its name from another one's")
        except OSError as error:
            self.left(path, f"it could not be written: {error.strerror}")

    def _put(self, path: bytes, content: bytes) -> None:
        below, _, _ = path.rpartition(b"/")
        if below not in self.made:
            (self.folder / os.fsdecode(below)).mkdir(parents=True, exist_ok=True)
            self.made.add(below)
        place = os.path.join(os.fsencode(self.folder), path)  # noqa: PTH118 - bytes, as in the repository
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(place, flags, FILE_MODE), "wb") as file:  # noqa: PTH123 - never over something else
            file.write(content)


def _is_kept(path: bytes, touched: frozenset[bytes]) -> bool:
    """True if the base's file stays: it did not change, or it instructs agents, which the change may never do."""
    return path not in touched or is_loaded_by_agents(path.decode(errors="replace"))


def _tree(bench: Scratch, commit: str) -> Iterator[_Stored]:
    for line in bench.answer("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0"):
        head, _, path = line.partition(b"\t")
        if path:
            mode, _, name, size = head.decode().split()
            # A submodule has no size, and git does not know the size of what is not in this clone.
            yield _Stored(path=path, mode=mode, name=name, size=int(size) if size.isdigit() else 0)


def _batches(stored: Iterable[_Stored]) -> Iterator[list[_Stored]]:
    batch, size = list[_Stored](), 0
    for one in stored:
        if batch and size + one.size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size
    if batch:
        yield batch


def _note_names() -> Iterator[str]:
    yield NOTE_NAME
    for number in range(2, 1_000):
        yield f"FOUREYES-LEFT-OUT-{number}.txt"
