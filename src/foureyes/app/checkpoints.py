"""Signs the state of the log: every minute while it grows, over the events since the last checkpoint.

A checkpoint reads only the events after the previous one, so its cost depends on what was written, not on what is
stored. Events are durable before anybody can read them, so a checkpoint never covers what a power cut could remove.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from foureyes.app.book import (
    BadLine,
    Checkpoint,
    Covered,
    Line,
    Pen,
    Reached,
    Restored,
    Rotated,
    heads_hash,
    line_of,
    newest_first,
    take_pen,
)
from foureyes.app.book_end import RECORD, holds, in_place
from foureyes.app.envelopes import BadEnvelope, check_signature
from foureyes.app.keys import KeyTrouble, Signer
from foureyes.app.moments import is_time_again
from foureyes.app.ports import Damaged, Reading, Store
from foureyes.app.rows import Head, Stored

EVERY = timedelta(seconds=60)
AT_ONCE = timedelta(0)
EVENTS_MAX = 50_000
PAGE = 1_000
#: Enough for fifty million events that no checkpoint has seen yet.
CATCH_UP_MAX = 1_000
STORE_ID_BYTES = 16


def due(last: Checkpoint | None, now: datetime, every: timedelta = EVERY) -> bool:
    """True if it is time for a checkpoint."""
    return is_time_again(last.at if last else None, now, every)


async def checkpoint_if_due(
    store: Store, folder: Path, signer: Signer, now: datetime, every: timedelta = EVERY
) -> Checkpoint | None:
    """Sign what has grown, if it is due and no other process is signing; returns the newest checkpoint made, if any.

    With `every=AT_ONCE` it is always due: at shutdown and before a backup.
    """
    async with _pen(folder, signer) as pen:
        if pen is None or (pen.last and not due(pen.last.checkpoint, now, every)):
            return None
        made: Checkpoint | None = None
        for _ in range(CATCH_UP_MAX):
            found = await store.read(partial(grown, last=pen.last))
            if found is None:
                break
            line = line_of(_next(pen.last, now, found[0], Covered(heads=heads_hash(found[1]))), found[1], signer)
            await asyncio.to_thread(pen.write, line)
            made = line.checkpoint
        return made


def grown(reading: Reading, last: Line | None) -> tuple[Reached, tuple[Head, ...]] | None:
    """Return how far the log has come since the last checkpoint, and which streams have grown; None if none has."""
    reached = last.checkpoint.reached if last else Reached()
    check_held(reading, last)
    heads: dict[str, Head] = {}
    begun, count, order, newest = 0, 0, bytes.fromhex(reached.order), None
    for one in _behind(reading, reached):
        begun += one.version == 1
        count += 1
        order = next_order(order, one)
        newest = one
        known = heads.get(one.stream)
        # On PostgreSQL the order of transactions and of versions may differ within a stream.
        if known is None or known.version < one.version:
            heads[one.stream] = Head(stream=one.stream, version=one.version, chain=one.chain)
    if newest is None:
        return None
    now = Reached(
        cursor=newest.cursor,
        stream=newest.stream,
        version=newest.version,
        link=newest.chain.hex(),
        streams=reached.streams + begun,
        events=reached.events + count,
        order=order.hex(),
    )
    return now, tuple(heads[name] for name in sorted(heads))


def next_order(order: bytes, event: Stored) -> bytes:
    """Extend the hash over the links of all events, in the order in which readers of the log meet them."""
    return hashlib.sha256(order + event.chain).digest()


def check_held(reading: Reading, last: Line | None) -> None:
    """Refuse to continue from a log that lost the last event a checkpoint has seen, or has it at another cursor."""
    if last is None or not last.checkpoint.reached.events:
        return
    number, reached = last.checkpoint.number, last.checkpoint.reached
    if not holds(reading, Head(stream=reached.stream, version=reached.version, chain=bytes.fromhex(reached.link))):
        raise Damaged(f"The log no longer ends behind checkpoint {number}: events that were signed are gone. {RECORD}")
    if not in_place(reading, reached.cursor, bytes.fromhex(reached.link)):
        raise Damaged(f"The log is numbered otherwise than when checkpoint {number} was signed. {RECORD}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a log, perhaps a backup's, stands to the book."""

    #: The newest checkpoint that lists heads, and the newest of which the log still has every head.
    last: Line | None
    held: Line | None
    #: True if the same events have other numbers, as after a move to another database.
    renumbered: bool

    @property
    def older(self) -> bool:
        """True if the log lacks something that was signed."""
        return self.last is not None and (self.held is None or self.held.digest != self.last.digest)

    @property
    def fits(self) -> bool:
        """True if the next checkpoint can simply continue; else a human must record a restore first."""
        return not self.older and not self.renumbered


def standing(reading: Reading, folder: Path) -> Standing:
    """Compare a log with the journal before it replaces another one."""
    last = held = None
    for line in covering(folder):
        last = last or line
        if all(holds(reading, head) for head in line.heads):
            held = line
            break
    reached = held.checkpoint.reached if held else None
    renumbered = reached is not None and not in_place(reading, reached.cursor, bytes.fromhex(reached.link))
    return Standing(last=last, held=held, renumbered=renumbered)


def last_line(folder: Path) -> Line | None:
    """Return the last checkpoint in the journal."""
    return next(newest_first(folder), None)


async def record_rotation(
    folder: Path, old: Signer, new: Signer, now: datetime, *, by: str, reason: str
) -> Checkpoint | None:
    """Introduce a new key, signed by both; None if the journal already continues with the new key."""
    async with _pen(folder) as pen:
        if pen is None:
            raise _busy()
        if pen.last and _goes_on_with(pen.last, new):
            return None
        if pen.last:
            _check_signer(pen.last, old)
        said = Rotated(old=old.public.text, new=new.public.text, by=by, reason=reason)
        reached = pen.last.checkpoint.reached if pen.last else Reached()
        line = line_of(_next(pen.last, now, reached, said), (), old, new)
        await asyncio.to_thread(pen.write, line)
        return line.checkpoint


async def record_restore(
    folder: Path, signer: Signer, now: datetime, held: Line | None, *, by: str, reason: str
) -> Checkpoint:
    """Record that the log continues from this checkpoint: what later ones say is void.

    The next checkpoint starts from the beginning, because a restored log may be numbered differently.
    """
    async with _pen(folder, signer) as pen:
        if pen is None:
            raise _busy()
        said = Restored(to=held.checkpoint.number if held else 0, by=by, reason=reason)
        line = line_of(_next(pen.last, now, Reached(), said), (), signer)
        await asyncio.to_thread(pen.write, line)
        return line.checkpoint


def covering(folder: Path) -> Iterator[Line]:
    """Yield the checkpoints that list heads, newest first, without those that a restore has voided."""
    void_behind = None
    for line in newest_first(folder):
        number, said = line.checkpoint.number, line.checkpoint.said
        if void_behind is not None and number > void_behind:
            continue
        if isinstance(said, Restored):
            void_behind = said.to
        elif isinstance(said, Covered):
            yield line


def _behind(reading: Reading, reached: Reached) -> Iterable[Stored]:
    cursor = reached.cursor
    for _ in range(EVENTS_MAX // PAGE):
        page = reading.tail(cursor, PAGE)
        yield from page
        if len(page) < PAGE:
            return
        cursor = page[-1].cursor


def _next(last: Line | None, now: datetime, reached: Reached, said: Covered | Rotated | Restored) -> Checkpoint:
    return Checkpoint(
        store=last.checkpoint.store if last else secrets.token_hex(STORE_ID_BYTES),
        number=last.checkpoint.number + 1 if last else 1,
        previous=last.digest if last else "",
        at=now,
        reached=reached,
        said=said,
    )


@asynccontextmanager
async def _pen(folder: Path, signer: Signer | None = None) -> AsyncIterator[Pen | None]:
    """Open the journal if no other process has it; the signer must be the key that the journal continues with."""
    try:
        pen = await asyncio.to_thread(take_pen, folder)
    except BadLine as error:
        raise Damaged(f"The last checkpoint in {folder} cannot be read: {error}. Run `foureyes log verify`.") from error
    try:
        if pen and pen.last and signer:
            _check_signer(pen.last, signer)
        yield pen
    finally:
        if pen:
            pen.close()


def _check_signer(last: Line, signer: Signer) -> None:
    if not _goes_on_with(last, signer):
        raise KeyTrouble(
            f"Checkpoint {last.checkpoint.number} is not signed by key {signer.public.id}, which is to sign the next.",
            "Sign with the key in use, or rotate to this one.",
        )


def _goes_on_with(last: Line, signer: Signer) -> bool:
    """True if this key signs what follows: the last line introduces it, or is signed by it and introduces no other."""
    if last.next_key:
        return last.next_key == signer.public.text
    try:
        check_signature(last.envelope, signer.public)
    except BadEnvelope:
        return False
    return True


def _busy() -> KeyTrouble:
    return KeyTrouble("Somebody else is writing a checkpoint at this moment.", "Try again.")
