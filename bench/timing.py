"""Timing leak of refused secrets: compare guesses that are nearly right with wrong ones.

Usage: python -m bench.timing [--samples N]. An account has a token, a session and a link on SQLite. Some guesses are
right but for their last three characters, others wrong from the first secret character on; both in turns, each new. The
distance of the two means is given by Welch's t, without the slowest hundredth of all samples, which were interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import string
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from bench.lines import Figure, keep
from foureyes.app.accounts import hash_of, new_token, stream_of
from foureyes.app.credentials import Credential, look_up
from foureyes.app.ports import Reading, Writing
from foureyes.app.signing_in import human_of, new_link, redeemed
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House
from tests.calls.counter import SUE

COMMAND = "python -m bench.timing"
SAMPLES = 10_000
T_MAX = 4.5
KEPT_SHARE = 0.99
CHANGED = 3
SIGNS = string.ascii_letters + string.digits + "-_"
#: Length of the public beginning of a token: its mark and its id.
OPEN_CHARS = len(new_token().secret) - 43

Find = Callable[[Reading, str, datetime], object]


def _by_token(reading: Reading, secret: str, now: datetime) -> object:
    return look_up(reading, Credential(token=secret), now)


def _by_session(reading: Reading, secret: str, now: datetime) -> object:
    return look_up(reading, Credential(session=secret), now)


async def secrets_of(house: House) -> dict[str, tuple[str, int, Find]]:
    """A secret of each kind, the offset of its secret part, and the function that looks it up."""
    made = new_token()
    await house.do(SUE, EnrolPrincipal(kind="agent"), stream_of("ann"))
    await house.do(SUE, IssueToken(token=made.id, hash=made.hash), stream_of("ann"))
    await house.do(SUE, EnrolPrincipal(kind="human"), stream_of("hana"))

    def links(tx: Writing) -> tuple[str, str]:
        link, used = (new_link(tx, "hana", house.now) or "" for _ in range(2))
        return link, redeemed(tx, used, house.now) or ""

    link, session = await house.store.write(links)
    return {
        "token": (made.secret, OPEN_CHARS, _by_token),
        "session": (session, 0, _by_session),
        "link": (link, 0, human_of),
    }


def guessed(secret: str, begins: int, draw: random.Random, *, near: bool) -> str:
    """A wrong secret: wrong at its end, or from the offset on."""
    wrong = "".join(draw.choices(SIGNS, k=CHANGED if near else len(secret) - begins))
    guess = secret[: len(secret) - len(wrong)] + wrong
    return guess if hash_of(guess) != hash_of(secret) else guessed(secret, begins, draw, near=near)


def samples(
    reading: Reading, about: tuple[str, int, Find], now: datetime, count: int
) -> tuple[list[int], list[int], bool]:
    """Nanoseconds of near and far guesses in random order, and whether all of them were refused."""
    secret, begins, find = about
    draw, times = random.Random(14), (list[int](), list[int]())
    # Made before the first attempt: making a guess in between would leave traces in the processor's caches.
    turns = [(near, guessed(secret, begins, draw, near=near)) for near in (True, False) for _ in range(count)]
    draw.shuffle(turns)
    all_wrong = find(reading, secret, now) is not None
    for near, guess in turns:
        since = time.perf_counter_ns()
        found = find(reading, guess, now)
        times[near].append(time.perf_counter_ns() - since)
        all_wrong = all_wrong and found is None
    far, close = times
    return close, far, all_wrong


def welch(one: list[int], other: list[int]) -> float:
    """Welch's t of two samples."""
    limit = sorted((*one, *other))[int(KEPT_SHARE * (len(one) + len(other)))]
    kept = [[value for value in values if value <= limit] for values in (one, other)]
    apart = statistics.fmean(kept[0]) - statistics.fmean(kept[1])
    return abs(apart) / math.sqrt(sum(statistics.variance(values) / len(values) for values in kept))


async def measure(count: int) -> None:
    """Measure a figure for each kind of secret."""
    with tempfile.TemporaryDirectory() as folder:
        async with SqliteStore.open(Path(folder) / "foureyes.db") as store:
            house = House(store=store)
            for name, about in (await secrets_of(house)).items():
                near, far, right = await store.read(partial(samples, about=about, now=house.now, count=count))
                figure = Figure(
                    figure=f"timing.{name}",
                    what=f"{count:,} guesses at a {name} that are nearly right against as many that are all wrong",
                    measured=round(welch(near, far), 2),
                    unit="t",
                    demand=T_MAX,
                    correct=right,
                    command=COMMAND,
                    more={"near_us": statistics.median(near) / 1000, "far_us": statistics.median(far) / 1000},
                )
                keep(figure)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    asyncio.run(measure(parser.parse_args().samples))


if __name__ == "__main__":
    main()
