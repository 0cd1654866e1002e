"""Detects an interrupted restore, so that the store is not used before the restore was repeated.

Light on purpose: `check` asks before every answer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.home.lock import Places

NAME, SUFFIX = "restore.json", ".restore.json"
#: The notes that this process has written: its own restore opens the store.
OURS: set[str] = set()


def note_path(settings: Places) -> str:
    """Return the path of the note: beside a database file, by its real path, else in the data folder."""
    if settings.is_postgres:
        return os.path.join(settings.home, NAME)
    return os.path.realpath(settings.database) + SUFFIX


def check_whole(settings: Places) -> None:
    """Refuse a store that an interrupted restore may have replaced in part."""
    path = note_path(settings)
    if path in OURS or not os.path.lexists(path):
        return
    import shlex  # noqa: PLC0415 - only who is refused pays for it

    from foureyes.home.restoring import cut_off  # noqa: PLC0415 - likewise

    found = cut_off(settings)
    backup = shlex.quote(found.backup) if found else "BACKUP"
    raise Trouble(
        "A restore was cut off, so the store may be half of one.",
        f"Do it again, which first puts everything back: foureyes restore --replace {backup}",
        blocked=True,
    )
