"""Callers that write while PostgreSQL is killed, and retry with the same key as the promise requires."""

import asyncio
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from foureyes.app.ports import Conflict, Quick, Unavailable, Writing
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from tests.postgres.commands import command

WRITERS = 4
LIMITS = Limits(writers=WRITERS, readers=1, statement_seconds=30, lock_seconds=30)
#: A caller without an answer for this long gives up, and the test fails.
ANSWER_SECONDS_MAX = 60
#: Pause between two attempts of a caller, which would otherwise take the server's processor.
PAUSE_SECONDS = 0.02


@dataclass(slots=True)
class Told:
    """The answers that the callers received."""

    answers: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def answered(self, key: str, reply: str) -> None:
        with self._changed:
            self.answers[key] = reply
            self._changed.notify_all()

    def wait_for(self, answers: int, seconds_max: float = 60) -> None:
        """Wait until so many were answered, so that every failure hits work in progress."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.answers) >= answers, seconds_max), "nobody is answered"


class Writers:
    """Some callers in their own thread, until they are told to stop."""

    def __init__(self, url: str, *, durable: bool = True) -> None:
        self.told = Told()
        self._url = url
        self._durable = durable
        self._enough = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join()
        if self._failure:
            raise self._failure

    def _run(self) -> None:
        try:
            asyncio.run(self._write())
        except BaseException as error:  # noqa: BLE001 - raised where the thread is joined
            self._failure = error

    async def _write(self) -> None:
        store = PostgresStore.open(self._url, LIMITS, durable=self._durable)
        async with store, asyncio.TaskGroup() as group:
            for number in range(WRITERS):
                group.create_task(self._caller(store, number))

    async def _caller(self, store: PostgresStore, number: int) -> None:
        """Send commands, half of which compete with those of others for one review."""
        dice = random.Random(number)
        turn = 0
        while not self._enough.is_set():
            turn += 1
            await self._ask(store, f"{number}-{turn}", dice.choice(("shared", f"own-{number}")))

    async def _ask(self, store: PostgresStore, key: str, review: str) -> None:
        work = partial(_answered, review=review, key=key)
        unknown = False
        until = time.monotonic() + ANSWER_SECONDS_MAX
        while time.monotonic() < until:
            try:
                # Half of the commands may share a transaction with others.
                reply, found = await store.write(Quick(work) if len(self.told.answers) % 2 else work)
            except Conflict:
                self.told.counts["conflicts"] += 1
            except Unavailable as error:
                unknown = unknown or error.unknown
                self.told.counts["unknown" if error.unknown else "failed"] += 1
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                assert unknown or not found, f"{key} had happened, and was told as not written"
                self.told.counts["happened unknown"] += found
                self.told.answered(key, reply)
                return
        raise AssertionError(f"{key} was never answered")


def _answered(tx: Writing, review: str, key: str) -> tuple[str, bool]:
    """Return the reply, and whether it existed before."""
    found = bool(tx.known("", "ann", key).reply)
    return command(tx, review, key), found
