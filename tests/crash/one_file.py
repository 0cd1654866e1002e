"""S23: one JSON file rewritten by many writers, in the hasty way and in the safe way."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from foureyes.store.spool import sync_folder

FILE = "metrics.json"
WRITERS = 3
EACH = 8


async def hasty(folder: Path, mark: Callable[[str], None]) -> bool:
    """Each writer reads the file, changes it, and overwrites it."""

    def change(key: str) -> None:
        file = folder / FILE
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        known[key] = f"what {key} counted " * 40
        file.write_text(json.dumps(known), encoding="utf-8")

    return await _many(change, mark)


async def careful(folder: Path, mark: Callable[[str], None]) -> bool:
    """Rewrite one at a time, into a new file that is synced before it is renamed, and sync the folder."""
    guard = threading.Lock()

    def change(key: str) -> None:
        file, new = folder / FILE, folder / "new"
        with guard:
            known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            known[key] = f"what {key} counted " * 40
            with new.open("w", encoding="utf-8") as stream:
                stream.write(json.dumps(known))
                stream.flush()
                os.fsync(stream.fileno())
            new.rename(file)
            sync_folder(folder)

    return await _many(change, mark)


def wrong_file(folder: Path, marks: Sequence[str]) -> str:
    """The error, if any: the file cannot be read, or lacks acknowledged data."""
    file = folder / FILE
    try:
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except ValueError as error:
        return f"not readable: {error}"
    lost = [one for one in marks if one not in known]
    return f"lost: {lost}" if lost else ""


async def _many(change: Callable[[str], None], mark: Callable[[str], None]) -> bool:
    async def one(writer: int) -> None:
        for number in range(EACH):
            key = f"{writer}-{number}"
            await asyncio.to_thread(change, key)
            mark(key)

    # A reader may find a half-written file: that writer stops, which is one more way to lose.
    await asyncio.gather(*map(one, range(WRITERS)), return_exceptions=True)
    return True
