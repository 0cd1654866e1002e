"""PostgreSQL is killed while four callers write: its processes one by one, and all at once."""

import asyncio
import random

import psycopg

from foureyes.store.postgres import PostgresStore
from tests.conftest import EFFORT
from tests.crash.pg_writers import LIMITS, Told, Writers
from tests.postgres.commands import faults_in
from tests.postgres.server import Server

KILLS = {"test": 20, "all": 100}[EFFORT]
RESTARTS = {"test": 2, "all": 5}[EFFORT]
#: So many are answered between two hits.
BETWEEN = 15
VICTIMS = """SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'foureyes' AND pid <> pg_backend_pid()"""


def test_killed_connections_lose_nothing_that_was_acknowledged(durable_postgres: Server) -> None:
    """Every unknown reply resolves to one effect, told by the same key (F6, F7)."""
    dice = random.Random(7)
    with durable_postgres.fresh() as url:
        with Writers(url) as writers:
            for number in range(KILLS):
                writers.told.wait_for(number * BETWEEN + dice.randrange(BETWEEN))
                while not _one_killed(url, dice):
                    pass
            writers.told.wait_for(len(writers.told.answers) + BETWEEN)
        assert writers.told.counts["failed"] + writers.told.counts["unknown"] >= KILLS / 2
        _check(url, writers.told, "kills", KILLS)


def test_a_server_that_crashes_loses_nothing_that_was_acknowledged(durable_postgres: Server) -> None:
    """Stopped at once, without a checkpoint: what was acknowledged comes back from its log (F6)."""
    with durable_postgres.fresh() as url:
        with Writers(url) as writers:
            for _ in range(RESTARTS):
                writers.told.wait_for(len(writers.told.answers) + 10 * BETWEEN)
                durable_postgres.stop_immediately()
                durable_postgres.start()
            writers.told.wait_for(len(writers.told.answers) + BETWEEN)
        assert writers.told.counts["failed"] + writers.told.counts["unknown"] >= RESTARTS
        _check(url, writers.told, "crashes", RESTARTS)


def _one_killed(url: str, dice: random.Random) -> bool:
    with psycopg.connect(url, autocommit=True) as connection:
        victims = [row[0] for row in connection.execute(VICTIMS).fetchall()]
        if not victims:
            return False
        killed = connection.execute("SELECT pg_terminate_backend(%s)", (dice.choice(victims),)).fetchone()
        return killed == (True,)


def _check(url: str, told: Told, what: str, hits: int) -> None:
    async def look() -> list[str]:
        async with PostgresStore.open(url, LIMITS) as store:
            return await store.read(lambda look: faults_in(look, told.answers))

    print(f"PostgreSQL, {hits} {what}: {len(told.answers)} acknowledged, {dict(told.counts)}")
    assert asyncio.run(look()) == []
