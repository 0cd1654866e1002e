"""An interrupted upgrade leaves a store of the old or of the new version, never one in between."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from foureyes.app.ports import Unavailable
from foureyes.store.migrate import migrate
from foureyes.store.migrations import STEPS
from tests.crash.checking import quick_folder
from tests.crash.plays import FILE, Tables, perform, tables_of
from tests.crash.stages import NEXT, acts_of

KEPT = f"{FILE}.version-{len(STEPS)}"


@cache
def before_upgrade() -> Mapping[str, bytes]:
    """The files of a store of the old version that holds reviews."""
    with quick_folder() as folder:
        assert asyncio.run(perform(folder / FILE, acts_of("reviews"), lambda _: None))
        return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.endswith("-shm")}


@cache
def old_and_new() -> tuple[Tables, Tables]:
    """The contents of the store before and after the upgrade."""
    with quick_folder() as folder:
        for name, content in before_upgrade().items():
            (folder / name).write_bytes(content)
        old = tables_of(folder / FILE)
        migrate(folder / FILE, steps=(*STEPS, NEXT))
        return old, tables_of(folder / FILE)


def wrong_upgrade(folder: Path, marks: Sequence[str]) -> str:
    """The error: neither old nor new, an acknowledged upgrade that is missing, or no backup of the old store."""
    old, new = old_and_new()
    found = tables_of(folder / FILE)
    if found not in (old, new):
        return "between: neither the old version nor the new one"
    if "ack 1" in marks and found != new:
        return "lost: the upgrade was told and is not there"
    if found == new and (not (folder / KEPT).exists() or tables_of(folder / KEPT) != old):
        return "the backup made before the upgrade is not there"
    try:
        migrate(folder / FILE, steps=(*STEPS, NEXT))
    except Unavailable as error:
        return f"cannot be upgraded after all: {error}"
    return "" if tables_of(folder / FILE) == new else "upgraded again, it is not the new version"
