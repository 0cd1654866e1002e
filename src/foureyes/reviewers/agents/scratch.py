"""Scratch folders for agents: private (mode 0700) and removed after the run, with the copied login."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "foureyes-agent-"
MODE = 0o700
FILE_MODE = 0o600
#: The most old scratch folders that one run looks at.
STALE_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """The folders of one run."""

    folder: Path
    home: Path
    work: Path
    temporary: Path

    def put(self, place: str, content: bytes) -> Path:
        """Write a file below the folder that only this user can read."""
        path = self.folder / place
        path.parent.mkdir(mode=MODE, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(path, flags, FILE_MODE), "wb") as file:  # noqa: PTH123 - private from its first byte on
            file.write(content)
        return path


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Make a scratch folder; it is removed in any case."""
    clear_stale()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")).resolve()
    made = Scratch(folder=folder, home=folder / "home", work=folder / "work", temporary=folder / "tmp")
    try:
        for place in (made.home, made.work, made.temporary):
            place.mkdir(mode=MODE)
        # A program that searches parent folders for a `.env` file finds this empty one first.
        made.put(".env", b"")
        yield made
    finally:
        remove(folder)


def clear_stale() -> None:
    """Remove the scratch folders of runs that were killed: there may be a login in them."""
    around = Path(tempfile.gettempdir())
    for old in sorted(around.glob(f"{PREFIX}*"))[:STALE_MAX]:
        owner = old.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and _is_ours(old) and not _is_alive(int(owner)):
            with suppress(OSError):
                remove(old)


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, whatever modes its files have."""
    for at, folders, _ in os.walk(folder):
        Path(at).chmod(MODE)
        for name in folders:
            below = Path(at, name)
            if not below.is_symlink():
                below.chmod(MODE)
    shutil.rmtree(folder)


def _is_ours(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
