"""A restore in progress: what it replaces, noted before the first change and removed after the last one.

A restore that was killed leaves the note; the next restore puts everything back first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from foureyes.home import files
from foureyes.home.lock import Places
from foureyes.home.restores import OURS, note_path


@dataclass(slots=True, kw_only=True)
class Restoring:
    """A backup that is being put in the place of a store."""

    backup: str
    #: Where the store that was there is kept; empty if there was none.
    kept: str = ""
    #: Whether the store was replaced already.
    begun: bool = False


def cut_off(settings: Places) -> Restoring | None:
    """Return the restore that was begun here and not ended, or None."""
    try:
        with open(note_path(settings), encoding="utf-8") as file:
            found = json.load(file)
        return Restoring(backup=str(found["backup"]), kept=str(found["kept"]))
    except (FileNotFoundError, NotADirectoryError):
        return None


def go_on(settings: Places) -> None:
    """Let this process open the store after an interrupted restore, because it repeats that restore."""
    OURS.add(note_path(settings))


@contextmanager
def noted(settings: Places, restoring: Restoring) -> Iterator[None]:
    """Note a restore while it runs; one that fails after it has begun leaves the note."""
    path = note_path(settings)
    note = {"backup": restoring.backup, "kept": restoring.kept}
    files.write_whole(path, json.dumps(note, ensure_ascii=False).encode())
    OURS.add(path)
    try:
        yield
    except BaseException:
        if not _has_begun(settings, restoring):
            _strike_out(path)
        raise
    else:
        _strike_out(path)
    finally:
        OURS.discard(path)


def _has_begun(settings: Places, restoring: Restoring) -> bool:
    if restoring.begun or settings.is_postgres:
        return restoring.begun
    return os.path.lexists(restoring.kept or settings.database)


def _strike_out(path: str) -> None:
    os.unlink(path)
    files.sync_folder(os.path.dirname(path))
