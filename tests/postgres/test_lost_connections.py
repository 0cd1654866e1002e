"""A connection cut at any byte: nothing half-written, nothing acknowledged but missing, no wrong failure report."""

import asyncio
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import psycopg
import pytest

from foureyes.app.ports import Conflict, Unavailable
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from tests.conftest import EFFORT
from tests.postgres.commands import command, faults_in
from tests.postgres.proxy import Proxy, between, message_end
from tests.postgres.server import Server

LIMITS = Limits(writers=1, readers=1)
_FATAL_FIELDS = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
#: The message of a server to a session that it ends.
FATAL = b"E" + struct.pack("!I", 4 + len(_FATAL_FIELDS)) + _FATAL_FIELDS
#: In place of any of these the commit is unknown: bound, no rows, committed, ready. (Before the first, "parsed", the
#: session has ended before the commit was sent.)
COMMIT_MESSAGES = b"2nCZ"
READY = b"Z"
CUTS_MAX = {"test": 80, "all": 5000}[EFFORT]


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The answers of callers, and the contents of the store at that moment."""

    answers: dict[str, str] = field(default_factory=dict)
    failed: int = 0
    unknown_and_absent: int = 0
    unknown_and_there: int = 0


@pytest.fixture
def line(durable_postgres: Server) -> Iterator[tuple[str, Proxy]]:
    """Lend a database behind a proxy, on a server with a Unix socket, which the proxy needs."""
    with durable_postgres.fresh() as url, between(url) as proxy:
        yield url, proxy


def test_a_reply_lost_at_any_byte_is_asked_for_again_and_happened_once(line: tuple[str, Proxy]) -> None:
    """The commit may have arrived: the same key gets the reply that was lost (F7)."""
    outcome = asyncio.run(_cut_everywhere(*line, "from_server"))
    assert outcome.failed
    assert outcome.unknown_and_there


def test_a_command_lost_at_any_byte_is_told_as_not_written_until_its_commit_is_sent(line: tuple[str, Proxy]) -> None:
    outcome = asyncio.run(_cut_everywhere(*line, "to_server"))
    assert outcome.failed
    assert outcome.unknown_and_absent


@pytest.mark.parametrize("lingers", [False, True], ids=["the line ends at once", "the end of the line comes later"])
def test_a_session_ended_behind_any_message_never_tells_a_commit_as_not_written(
    line: tuple[str, Proxy], lingers: bool
) -> None:
    """The server's last word is read like an answer, also before the line is seen to have ended (F6, F7).

    Here the server has always done what it was sent: the last word comes in place of each of its messages in turn,
    among them the word that it has committed and the word that it is ready behind that.
    """
    url, proxy = line
    proxy.last_words, proxy.lingers = FATAL, lingers
    outcome = asyncio.run(_ended_everywhere(url, proxy))
    assert outcome.failed
    assert outcome.unknown_and_there >= len(COMMIT_MESSAGES)


def test_a_connection_lost_between_two_commands_is_replaced(line: tuple[str, Proxy]) -> None:
    async def scenario(url: str, proxy: Proxy) -> None:
        async with PostgresStore.open(proxy.url, LIMITS) as store:
            await _answered(store, "before")
            proxy.cut()
            with pytest.raises(Unavailable) as caught:
                await _answered(store, "between")
            assert not caught.value.unknown
            assert not _is_there(url, "between")
            assert await _answered(store, "between") == '{"revision":2}'

    asyncio.run(scenario(*line))


async def _cut_everywhere(url: str, proxy: Proxy, side: Literal["to_server", "from_server"]) -> Outcome:
    outcome = Outcome()
    async with PostgresStore.open(proxy.url, LIMITS) as store:
        await store.write(lambda tx: tx.known("", "", ""))
        proxy.count()
        outcome.answers["whole"] = await _answered(store, "whole")
        passed = proxy.passed_to_server if side == "to_server" else proxy.passed_from_server
        proxy.cut()
        for after in range(0, passed, -(-passed // CUTS_MAX)):
            await _cut(store, url, proxy, (side, after), outcome)
        assert await store.read(lambda look: faults_in(look, outcome.answers)) == []
    return outcome


async def _ended_everywhere(url: str, proxy: Proxy) -> Outcome:
    outcome = Outcome()
    async with PostgresStore.open(proxy.url, LIMITS) as store:
        # The first begins the stream, the second prepares the rest: what follows is answered in as many messages each.
        for key in ("first", "second"):
            outcome.answers[key] = await _answered(store, key)
        proxy.count()
        outcome.answers["whole"] = await _answered(store, "whole")
        for after in list(_ends(bytes(proxy.heard))):
            # A new connection has to prepare its statements first, else there are other answers.
            outcome.answers[f"new-{after}"] = await _answered(store, f"new-{after}")
            await _cut(store, url, proxy, ("messages", after), outcome)
        assert await store.read(lambda look: faults_in(look, outcome.answers)) == []
    return outcome


def _ends(heard: bytes) -> Iterator[int]:
    """The numbers of server messages that are followed by another one."""
    at = count = 0
    while at < len(heard):
        kind = heard[at : at + 1]
        at, count = message_end(heard, at), count + 1
        # Behind "ready" the server waits for the client, and a session that ends there is one lost between two trips.
        if kind != READY:
            yield count
    assert at == len(heard), "the count began or ended within a message"


async def _cut(store: PostgresStore, url: str, proxy: Proxy, where: tuple[str, int], outcome: Outcome) -> None:
    """Cut one command there, check its result, and retry with the same key."""
    side, after = where
    key = f"cut-{side}-{after}"
    await _connected(store)
    setattr(proxy, side, after)
    try:
        outcome.answers[key] = await _answered(store, key)
    except Unavailable as error:
        match error.unknown, _is_there(url, key):
            case False, True:
                raise AssertionError(f"{key} happened, and was told as not written") from error
            case False, False:
                outcome.failed += 1
            case True, True:
                outcome.unknown_and_there += 1
            case True, False:
                outcome.unknown_and_absent += 1
    setattr(proxy, side, None)
    await _connected(store)
    reply = await _answered(store, key)
    assert outcome.answers.setdefault(key, reply) == reply


async def _connected(store: PostgresStore) -> None:
    """Let the connection notice that it is broken, and reconnect."""
    for _ in range(3):
        with suppress(Unavailable):
            await store.write(lambda tx: tx.known("", "", ""))
            await store.read(lambda look: look.known("", "", ""))
            return
    raise AssertionError("The store does not come back.")


async def _answered(store: PostgresStore, key: str) -> str:
    for _ in range(3):
        with suppress(Conflict):
            return await store.write(lambda tx: command(tx, "one", key))
    raise AssertionError("Nobody else writes here.")


def _is_there(url: str, key: str) -> bool:
    """Ask the server itself, not through the proxy, once the lost connection's work is over."""
    with psycopg.connect(url, autocommit=True) as connection:
        busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL"
        while connection.execute(busy).fetchone() != (0,):
            pass
        return connection.execute("SELECT count(*) FROM log WHERE cause = %s", (key,)).fetchone() != (0,)
