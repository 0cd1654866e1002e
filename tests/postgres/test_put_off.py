"""A command that was put off, because another transaction holds a lock, waits for it alone."""

import asyncio
from collections.abc import Iterator
from functools import partial

import psycopg
import pytest

from foureyes.app.ports import Quick, Writing
from foureyes.store import pg_groups, pg_lines
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from tests.postgres.commands import command, reply_to
from tests.postgres.server import Server
from tests.postgres.test_groups import Held

#: Long enough for commands that must not wait on a busy machine; a failing test takes as long.
TWO = Limits(writers=2, readers=1, lock_seconds=10, wait_seconds=30)
#: An uncommitted reply to a key: another writer of the same key must wait for its transaction.
_ANSWERED = "INSERT INTO answered (asker, key, body_hash, reply, at) VALUES ('ann', 'held', '', '{}', '')"
_WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not close a group early on a busy machine."""
    monkeypatch.setattr(pg_groups, "GROUP_SECONDS_MAX", 60)


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


class Story:
    """Two busy connections; behind the first wait a command that needs the held lock and one that does not."""

    def __init__(self, store: PostgresStore, *, is_held: bool) -> None:
        self._store = store
        self.first, self.second, self.innocent = Held(), Held(), Held()
        if not is_held:
            self.innocent.go.set()

    async def begin(self) -> None:
        self.holds = [asyncio.create_task(self._store.write(Quick(self.first)))]
        await asyncio.to_thread(self.first.begun.wait)
        # It is not quick, so it shares its transaction with no other command.
        self.holds.append(asyncio.create_task(self._store.write(self.second)))
        await asyncio.to_thread(self.second.begun.wait)
        wants = Quick(partial(command, review="1", key="held"))
        self.wants = asyncio.create_task(self._store.write(wants))
        self.other = asyncio.create_task(self._store.write(Quick(self._not_wanting)))
        await asyncio.sleep(0)

    async def end(self, somebody: psycopg.Connection) -> None:
        """Check that the one ends while the other waits, and the other after the lock is released."""
        assert await self.other == reply_to(1)
        assert not self.wants.done(), "it had to wait for the other one's lock"
        somebody.rollback()
        assert await self.wants == reply_to(1)
        await asyncio.gather(*self.holds)

    def _not_wanting(self, tx: Writing) -> str:
        self.innocent(tx)
        return command(tx, review="2", key="free")


def _seen_waiting(url: str) -> None:
    """Return once a session waits for a lock on the server."""
    with psycopg.connect(url, autocommit=True) as connection:
        while not connection.execute(_WAITING).fetchall():
            pass


def test_a_command_that_was_put_off_takes_nobody_along_before_it_has_its_lock(url: str) -> None:
    async def tell() -> None:
        async with PostgresStore.open(url, TWO, durable=False) as store:
            with psycopg.connect(url) as somebody:
                somebody.execute(_ANSWERED)
                story = Story(store, is_held=False)
                await story.begin()
                story.first.go.set()
                await story.holds[0]
                await asyncio.to_thread(_seen_waiting, url)
                story.second.go.set()
                await story.end(somebody)

    asyncio.run(tell())


async def _watched_from_afar(store: PostgresStore) -> None:
    """Return once the last command of a connection has the timer of a running command."""
    (job,) = (line.jobs[-1] for line in store._writers._lines if len(line.jobs) > 1)
    while job.timer is None or job.timer.when() - job.loop.time() < TWO.wait_seconds / 2:  # noqa: ASYNC110 - a timer tells nobody
        await asyncio.sleep(0)


async def _put_back_while_a_line_is_idle(url: str, *, is_watched: bool) -> None:
    async with PostgresStore.open(url, TWO, durable=False) as store:
        with psycopg.connect(url) as somebody:
            somebody.execute(_ANSWERED)
            story = Story(store, is_held=True)
            await story.begin()
            story.first.go.set()
            await asyncio.to_thread(story.innocent.begun.wait)
            if is_watched:
                await _watched_from_afar(store)
            story.second.go.set()
            await story.holds[1]
            story.innocent.go.set()
            await story.end(somebody)


def test_a_line_that_does_nothing_is_called_for_a_command_that_was_put_back(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pg_lines, "PATIENCE_SECONDS", 60)
    asyncio.run(_put_back_while_a_line_is_idle(url, is_watched=False))


def test_a_command_that_was_put_back_is_looked_after_like_one_that_came_now(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one line that takes quick commands is held up, so another one helps, after a while."""
    monkeypatch.setattr(pg_lines, "SHARING_MAX", 1)
    asyncio.run(_put_back_while_a_line_is_idle(url, is_watched=True))
