"""Cost of checkpoints and of verifying: `python -m bench.tamper [STREAMS]` on a real SQLite file.

Times are processor times, so that a busy machine does not change them; the store's threads are counted too.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from foureyes.app.book_end import NAME
from foureyes.app.chain import ROOT, appended
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due, last_line
from foureyes.app.keys import new_key
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import Changes, Stored
from foureyes.app.verify import verify
from foureyes.app.verify_start import check_start
from foureyes.codec import decode
from foureyes.core.events import Event, ReviewOpened
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House

BATCH = 1_000


async def measure(streams: int, folder: Path) -> None:
    """Fill a store with copies of one cleared review, sign it, verify it."""
    async with SqliteStore.open(folder / "store.db") as store:
        house = House(store=store)
        model = await store.read(partial(_events, stream=await house.cleared()))
        for start in range(0, streams, BATCH):
            await store.write(partial(_fill, model=model, start=start))
        book, signer, now = folder / "book", new_key(folder / "keys"), datetime.now(UTC)
        with timed(f"first checkpoint over {streams} streams"):
            await checkpoint_if_due(store, book, signer, now, AT_ONCE)
        print(f"  the book has {(book / NAME).stat().st_size / streams:.0f} bytes a stream")
        house.ids = 10 * streams
        await house.cleared({"other.py": b"1"})
        with timed("next checkpoint, one review grown"):
            await checkpoint_if_due(store, book, signer, now, AT_ONCE)
        with timed("check at the start"):
            assert await store.read(lambda reading: check_start(reading, last_line(book))) == []
        with timed("verify"):
            found = await verify(store, book, signer.public)
        assert found.sound
        assert not found.uncovered
        print(f"  {found.events} events, {found.checkpoints} checkpoints")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long something takes."""
    began, clock = time.process_time(), time.perf_counter()
    yield
    print(f"{what}: {time.process_time() - began:.3f} s of processor, {time.perf_counter() - clock:.3f} s of clock")


def _events(reading: Reading, stream: str) -> list[tuple[Stored, Event]]:
    found = list(reading.events(stream))
    return [(one, decode({"type": one.type, "schema": one.schema, "body": json.loads(one.body)})) for one in found]


def _fill(tx: Writing, model: list[tuple[Stored, Event]], start: int) -> None:
    for number in range(start, start + BATCH):
        review = f"copy{number:08}"
        events = [replace(one, review=review) if isinstance(one, ReviewOpened) else one for _, one in model]
        at = model[0][0].at
        tx.apply(Changes(appends=(appended(f"review/{review}", (0, ROOT), events, at=at, actor="dev", cause=review),)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as place:
        asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, Path(place)))
