"""Servers and databases refused at start, and the creation of the tables: once, completely, or not at all."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg import conninfo

from foureyes.app.ports import Unavailable
from foureyes.store import migrations, pg_connecting, pg_schema
from foureyes.store.pg_schema import prepared, version_of
from foureyes.store.postgres import PostgresStore, migrate_postgres
from tests.postgres.commands import command
from tests.postgres.server import Server


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


def refusal(url: str, *, durable: bool = False) -> str:
    with pytest.raises(Unavailable) as caught:
        PostgresStore.open(url, durable=durable)
    return str(caught.value)


def test_a_server_that_does_not_wait_for_the_disk_is_refused() -> None:
    """Whatever the server of the tests is like: the answer is what the server says of itself."""
    told = {"fsync": "off", "full_page_writes": "on", "synchronous_commit": "on"}
    assert "fsync off" in _refused(told)
    assert "full_page_writes off" in _refused(told | {"fsync": "on", "full_page_writes": "off"})


def _refused(settings: dict[str, str]) -> str:
    with pytest.raises(Unavailable) as caught:
        pg_schema.check_settings((170000, "UTF8", *settings.values(), False), durable=True)
    return str(caught.value)


def test_the_quick_server_of_the_tests_is_refused_when_durability_is_asked_for(postgres: Server, url: str) -> None:
    """A server named by the environment may be a durable one; then it is taken."""
    if postgres.folder is None:
        migrate_postgres(url, durable=False)
    else:
        assert "fsync off" in refusal(url, durable=True)


def test_a_server_that_acknowledges_before_the_disk_has_it_is_refused(durable_postgres: Server) -> None:
    with durable_postgres.fresh() as url:
        migrate_postgres(url)
        careless = conninfo.make_conninfo(url, options="-c synchronous_commit=off")
        assert "synchronous_commit is off" in refusal(careless, durable=True)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ((130010, "UTF8", "on", "on", "on", False), "PostgreSQL 13 is too old"),
        ((170000, "LATIN1", "on", "on", "on", False), "encoding is LATIN1"),
        ((170000, "UTF8", "on", "on", "on", True), "standby"),
    ],
)
def test_a_server_we_cannot_use_is_refused(settings: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(Unavailable, match=sentence):
        pg_schema.check_settings(settings, durable=False)


def test_a_database_that_is_not_there_is_named(postgres: Server) -> None:
    assert 'database "nowhere" does not exist' in refusal(postgres.at("nowhere"))


def test_a_newer_schema_is_refused(url: str) -> None:
    migrate_postgres(url, durable=False)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE meta SET body = '99' WHERE name = 'schema'")
    assert "version 99" in refusal(url)


def test_a_copy_by_other_tools_is_refused(url: str) -> None:
    """Its events carry the transaction numbers of another server: a reader of the log would skip new ones."""
    store = PostgresStore.open(url, durable=False)
    asyncio.run(_written(store))
    with psycopg.connect(url) as connection:
        connection.execute(
            "INSERT INTO log (tx, stream, version, type, schema, at, actor, cause, body, chain) "
            "SELECT 1000000000, stream, version + 10, type, schema, at, actor, cause, body, chain FROM log"
        )
    assert "foureyes backup" in refusal(url)


async def _written(store: PostgresStore) -> None:
    async with store:
        await store.write(lambda tx: command(tx, "one", "first"))


def test_many_servers_that_start_at_once_make_the_tables_once(url: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(lambda _: PostgresStore.open(url, durable=False), range(8)))
    for store in stores:
        asyncio.run(store.close())
    with psycopg.connect(url) as connection:
        assert version_of(connection) == len(migrations.STEPS)


@pytest.mark.parametrize("at", range(0, len(migrations.STEPS[0].postgres), 3))
def test_a_migration_killed_half_way_leaves_nothing_behind(url: str, at: int) -> None:
    """The connection dies between two of its statements."""
    kill = "SELECT pg_terminate_backend(pg_backend_pid())"
    statements = migrations.STEPS[0].postgres
    killed = migrations.Step(why="killed", sqlite=(), postgres=(*statements[:at], kill, *statements[at:]))
    with psycopg.connect(url, autocommit=True) as connection, pytest.raises(psycopg.OperationalError):
        prepared(connection, durable=False, steps=(killed,))
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        ).fetchall()
    assert found == []
    migrate_postgres(url, durable=False)


def test_a_later_step_is_added_to_what_is_there(url: str) -> None:
    asyncio.run(_written(PostgresStore.open(url, durable=False)))
    step = migrations.Step(why="more", sqlite=(), postgres=("CREATE TABLE more (x INTEGER)",))
    with psycopg.connect(url, autocommit=True) as connection:
        prepared(connection, durable=False, steps=(*migrations.STEPS, step))
        assert version_of(connection) == len(migrations.STEPS) + 1
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (2,)


def test_while_the_server_is_away_only_one_attempt_is_made_a_pause(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[str] = []

    def away(where: str, **_: object) -> object:
        attempts.append(where)
        raise psycopg.OperationalError

    monkeypatch.setattr(psycopg, "connect", away)
    monkeypatch.setattr(pg_connecting, "PAUSE_SECONDS_MIN", 600)
    connecting = pg_connecting.Connecting(postgres.url, pg_connecting.Limits(), check=prepared, read_only=True)
    for _ in range(5):
        with pytest.raises(Unavailable):
            connecting.connect()
    assert len(attempts) == 1
