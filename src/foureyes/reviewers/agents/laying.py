"""Prepares the folder an agent reads: the work and files near it, without instruction files, links or secrets.

An agent reads there what it likes, and what it reads leaves this machine: so everything in the folder passes the secret
boundary, and only as much is laid out as can be searched quickly, the files nearest to the work first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from foureyes.app.laying import has_step, plain, put
from foureyes.app.reviewers import Change

FILES_MAX = 2_000
BYTES_MAX = 8 * 1024 * 1024
FILE_BYTES_MAX = 512 * 1024
READ_ONLY_FILE = 0o444
READ_ONLY_FOLDER = 0o555

LayOut = Callable[[Path], None]


def laying(change: Change, acts_on: frozenset[str]) -> LayOut:
    """Return a function that fills an empty folder for an agent.

    `acts_on` names the files that this agent would act on unasked; they are left out.
    """

    def lay(folder: Path) -> None:
        if change.lay_out is None:
            for path, content in plain(change.files):
                # The work is in the prompt too: a file that this disk cannot hold is only missing for looking things
                # up.
                with suppress(OSError):
                    put(folder, path, content)
        else:
            change.lay_out(folder)
        kept = set(_kept(folder, change, acts_on))
        for path in list(_laid(folder)):
            if path not in kept:
                (folder / path).unlink()

    return lay


def make_read_only(folder: Path) -> None:
    """Make everything in the folder read-only and not executable."""
    for at, _, names in os.walk(folder):
        for name in names:
            Path(at, name).chmod(READ_ONLY_FILE)
        Path(at).chmod(READ_ONLY_FOLDER)


def _kept(folder: Path, change: Change, acts_on: frozenset[str]) -> Iterator[str]:
    """Yield regular text files, as long as there is room."""
    files, room = FILES_MAX, BYTES_MAX
    for path in _nearest(_laid(folder), change):
        size = _text_bytes(folder / path)
        if size is None or has_step(path, acts_on) or files < 1 or size > room:
            continue
        files, room = files - 1, room - size
        yield path


def _nearest(paths: Iterable[str], change: Change) -> list[str]:
    own = {file.path for file in change.files}
    beside = {PurePosixPath(path).parent.as_posix() for path in own}
    return sorted(paths, key=lambda one: (one not in own, PurePosixPath(one).parent.as_posix() not in beside, one))


def _laid(folder: Path) -> Iterator[str]:
    """Yield the path of everything below the folder except folders; links to folders are included."""
    for at, folders, names in os.walk(folder):
        links = [name for name in folders if Path(at, name).is_symlink()]
        for name in (*names, *links):
            yield Path(at, name).relative_to(folder).as_posix()


def _text_bytes(path: Path) -> int | None:
    """Return the size of a regular text file; None for everything else."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > FILE_BYTES_MAX or b"\0" in path.read_bytes():
        return None
    return found.st_size
