"""Reads files of the work tree without ever following a link or leaving the tree."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from foureyes.app.reviewers import LINK_MODE
from foureyes.app.work import BLOB_BYTES_MAX

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Opened with O_NONBLOCK, a pipe does not wait for its other end.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class NotRead(Exception):  # noqa: N818 - said to people, not a fault of ours
    """A path whose content is not read; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file or a link: its mode as git writes it, and its bytes."""

    mode: str
    content: bytes


class Tree:
    """A folder whose files are read one after the other."""

    def __init__(self, top: Path) -> None:
        self._top = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        # Paths come sorted, so the folder of the last file is mostly that of the next.
        self._folder: tuple[tuple[bytes, ...], int] | None = None

    def close(self) -> None:
        self._leave()
        os.close(self._top)

    def find(self, path: bytes) -> Found | None:
        """Return the file or link at this path; None if there is none; raises NotRead."""
        *folders, name = path.split(b"/")
        try:
            folder = self._enter(tuple(folders))
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            return _read(folder, name, found)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                return None
            raise NotRead(f"it cannot be read: {error.strerror}") from None

    def _enter(self, folders: tuple[bytes, ...]) -> int:
        if not folders:
            return self._top
        if self._folder and self._folder[0] == folders:
            return self._folder[1]
        at = os.dup(self._top)
        try:
            for step in folders:
                below = os.open(step, _FOLDER, dir_fd=at)
                os.close(at)
                at = below
        except OSError:
            os.close(at)
            raise
        self._leave()
        self._folder = folders, at
        return at

    def _leave(self) -> None:
        if self._folder:
            os.close(self._folder[1])
            self._folder = None


@contextmanager
def opened(top: Path) -> Iterator[Tree]:
    """Open a folder as a Tree, and close it in the end."""
    tree = Tree(top)
    try:
        yield tree
    finally:
        tree.close()


def bounded(path: Path, most: int) -> bytes:
    """Return the beginning of a plain file, empty if there is none; never blocks."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - opened so that a pipe does not block
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(most)
    return b""


def _read(folder: int, name: bytes, found: os.stat_result) -> Found | None:
    if stat.S_ISLNK(found.st_mode):
        return Found(mode=LINK_MODE, content=os.readlink(name, dir_fd=folder))
    if stat.S_ISDIR(found.st_mode):
        return None
    if not stat.S_ISREG(found.st_mode):
        raise NotRead("it is no file but a pipe, a socket or a device")
    with open(os.open(name, _FILE, dir_fd=folder), "rb") as file:  # noqa: PTH123 - relative to a folder that is held
        now = os.fstat(file.fileno())
        if not stat.S_ISREG(now.st_mode):
            raise NotRead("it was exchanged while it was read")
        if now.st_size > BLOB_BYTES_MAX:
            raise NotRead(f"it is larger than {BLOB_BYTES_MAX // (1024 * 1024)} MiB")
        # Read by the file's own size: asking for the maximum would allocate that much each time.
        content = file.read(now.st_size + 1)
    if len(content) != now.st_size:
        raise NotRead("it changed while it was read")
    return Found(mode="100755" if now.st_mode & 0o100 else "100644", content=content)
