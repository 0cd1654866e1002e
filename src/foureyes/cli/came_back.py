"""Bytes that were purged and come back with a backup: they are purged again, or named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.purging import known_purges, purge_again
from foureyes.cli.answer import Line
from foureyes.cli.parts import Parts
from foureyes.home.trouble import Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was purged and why, as far as it is known here."""

    purges: Mapping[str, str]
    #: Whether a store was read for this; the notes in the checkpoint folder may lack purges made on another machine.
    by_store: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CameBack:
    """The purged bytes that are in the backup: those purged again, and those that could not be."""

    gone: Sequence[str]
    back: Sequence[str]
    remains: str


async def purged_before(parts: Parts) -> Known:
    """What was purged in the store that will be replaced, read while it is still there."""
    notes = Path(parts.settings.checkpoints)
    try:
        async with parts.store() as store:
            is_used = bool(await store.read(lambda reading: reading.heads("", 1)))
            return Known(purges=await known_purges(store, notes), by_store=is_used)
    except (Unavailable, Trouble, Damaged):
        return Known(purges=await known_purges(None, notes), by_store=False)


async def purged_again(parts: Parts, known: Known) -> CameBack:
    """Purge the bytes that came back once more, with the known reason, and record it."""
    if not known.purges:
        return CameBack(gone=(), back=(), remains="")
    async with parts.store(write=True) as store:
        gone, back = await purge_again(store, known.purges, parts.human(), parts.now())
    async with parts.store() as store:
        remains = await store.read(lambda reading: reading.remains()) if gone else ""
    return CameBack(gone=gone, back=back, remains=remains)


def told(found: CameBack, known: Known, made: str) -> Iterator[Line]:
    """The lines about purged bytes; none if it is certain that no purged bytes came back."""
    if found.gone:
        yield Line(f"Purged again, as it was purged after this backup: {', '.join(found.gone)}.", "care")
    if found.remains:
        yield Line(found.remains, "care")
    if found.back:
        text = f"These bytes were purged and CAME BACK: {', '.join(found.back)}. Run `foureyes purge DIGEST` for each."
        yield Line(text, "bad")
    if not known.by_store:
        text = f"No store was here that knows what was purged after this backup was made ({made})."
        yield Line(f"{text} If you purged anything since, run `foureyes purge DIGEST` for it again.")
