"""A store moves between SQLite and PostgreSQL unchanged; a backup is a complete snapshot."""

import asyncio
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from operator import methodcaller
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest

from foureyes.app.ports import Reading, Store, Unavailable, Writing
from foureyes.app.rows import START, Changes, Head, Listing, OutboxRow, Stored
from foureyes.store import copying
from foureyes.store.copying import NOT_COPIED, TABLES, backup_postgres, restore_postgres
from foureyes.store.postgres import PostgresStore, migrate_postgres
from foureyes.store.sqlite import SqliteStore, reading
from foureyes.store.sqlite_backup import backup
from tests.crash.pg_writers import Writers
from tests.postgres.commands import AT, append, broken_links, command, faults_in, whole_log
from tests.postgres.server import Server
from tests.stores.making import everything, look

T = TypeVar("T")
NUMBERS = range(1, 6)


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Make a store in a file with something in every table, and give its backup."""
    store = SqliteStore.open(tmp_path / "store.db")
    _with(store, _fill)
    backup(tmp_path / "store.db", tmp_path / "first.backup")
    return tmp_path / "first.backup"


def _fill(tx: Writing) -> None:
    for number in NUMBERS:
        tx.apply(everything(number))
    for turn in range(7):
        command(tx, f"chained-{turn % 2}", f"key-of-{turn}")
    tx.claim("worker", AT, AT, limit=1)
    tx.delivered([parcel.id for parcel in tx.claim("worker", AT, AT, limit=100)][-1:])
    tx.purge(f"{2:064}", "a human asked for it")
    tx.follow("metrics", {"one": "1"}, (0, 3))


def _with(store: Store, work: Callable[[Writing], T]) -> T:
    async def story() -> T:
        try:
            return await store.write(work)
        finally:
            await store.close()

    return asyncio.run(story())


def _seen(look_at: Reading) -> tuple[object, ...]:
    """Everything there is, but for the numbers of transactions."""
    names = ["bob", "carl", "chained-0", "chained-1"]
    log = [_timeless(one) for one in whole_log(look_at)]
    streams = look_at.heads()
    return (
        log,
        streams,
        [look(look_at, number)[5:] for number in NUMBERS],
        [look_at.known(head.stream, "ann", f"key-{number}") for head in streams for number in NUMBERS],
        look_at.reviews(Listing(limit=100)),
        [look_at.inbox(name) for name in names],
        look_at.counts(names),
        tuple(look_at.trusts()),
        look_at.blob(f"{2:064}"),
    )


def _timeless(event: Stored) -> tuple[object, ...]:
    one = event
    return (one.seq, one.stream, one.version, one.type, one.schema, one.at, one.actor, one.cause, one.body, one.chain)


def test_a_store_moves_to_postgresql_and_back_and_is_the_same(filled: Path, url: str, tmp_path: Path) -> None:
    with reading(filled) as before:
        was = _seen(before)

    restore_postgres(filled, url, durable=False)
    assert _with(PostgresStore.open(url, durable=False), _seen) == was

    again = tmp_path / "second.backup"
    backup_postgres(url, again)
    with reading(again) as after:
        assert _seen(after) == was
        chained = tuple(after.events("review/chained-0"))
        assert len(chained) == 8
        assert broken_links(chained) == []
    assert again.stat().st_mode & 0o777 == 0o600
    assert _with(SqliteStore.open(again), lambda tx: command(tx, "chained-0", "later")) == '{"revision":5}'


def test_both_databases_have_the_same_tables_and_columns(filled: Path, url: str) -> None:
    """A column that only one of them has would be lost on the way."""
    migrate_postgres(url, durable=False)
    with closing(sqlite3.connect(filled)) as file, psycopg.connect(url) as connection:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        assert {row[0] for row in connection.execute(query).fetchall()} == {*TABLES, *NOT_COPIED}
        for table in (*TABLES, *NOT_COPIED):
            more = {"tx"} if table == "log" else set()
            assert set(copying._types(connection, table)) == set(copying._columns(file, table)) | more


def test_after_a_restore_new_events_come_behind_the_old_and_numbers_are_not_given_twice(filled: Path, url: str) -> None:
    restore_postgres(filled, url, durable=False)
    with reading(filled) as before:
        old = list(whole_log(before))
    with closing(sqlite3.connect(filled)) as file:
        (last_parcel,) = file.execute("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").fetchone()

    def go_on(tx: Writing) -> int:
        row = OutboxRow(stream="review/new", version=1, type="Happened", at=AT)
        tx.apply(Changes(appends=(append("review/new", (0, b""), "new"),), outbox=(row,)))
        return max(parcel.id for parcel in tx.claim("worker", "9", "9", limit=100))

    store = PostgresStore.open(url, durable=False)
    parcel = _with(store, go_on)
    assert parcel > last_parcel
    events = _with(PostgresStore.open(url, durable=False), lambda tx: tx.tail(START))
    assert [one.seq for one in events[: len(old)]] == [one.seq for one in old]
    assert {one.tx for one in events[: len(old)]} == {0}
    assert [one.stream for one in events[len(old) :]] == ["review/new"] * 2
    assert events[-1].seq > old[-1].seq


def test_a_restored_store_builds_its_following_projections_anew(filled: Path, url: str) -> None:
    restore_postgres(filled, url, durable=False)
    store = PostgresStore.open(url, durable=False)
    assert _with(store, lambda tx: (tx.cursor("metrics"), tx.rows("metrics"))) == (START, ())


def test_a_backup_made_while_others_write_is_one_moment(durable_postgres: Server, tmp_path: Path) -> None:
    with durable_postgres.fresh() as url, Writers(url) as writers:
        for number in range(5):
            writers.told.wait_for(len(writers.told.answers) + 10)
            target = tmp_path / f"{number}.backup"
            backup_postgres(url, target)
            with reading(target) as copy:
                keys = {event.cause for event in whole_log(copy)}
                assert len(keys) >= 10 * (number + 1)
                assert faults_in(copy, {key: copy.known("", "ann", key).reply for key in keys}) == []


def test_a_database_with_something_in_it_is_not_restored_over(filled: Path, url: str) -> None:
    _with(PostgresStore.open(url, durable=False), lambda tx: command(tx, "mine", "key"))
    with pytest.raises(Unavailable, match="not empty"):
        restore_postgres(filled, url, durable=False)
    assert _heads(url) == ["review/mine"]


def test_a_restore_that_is_cut_off_leaves_an_empty_database(
    filled: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(store: psycopg.Connection[tuple[object, ...]], *_: object) -> None:
        store.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patched:
        patched.setattr(copying, "_set_last_number", dies)
        with pytest.raises(Unavailable):
            restore_postgres(filled, url, durable=False)
    assert _heads(url) == []
    restore_postgres(filled, url, durable=False)
    assert "review/review-1" in _heads(url)


def test_a_backup_that_is_cut_off_leaves_no_file(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(PostgresStore.open(url, durable=False), lambda tx: command(tx, "mine", "key"))

    def dies(store: psycopg.Connection[tuple[object, ...]], *_: object) -> int:
        store.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return 0

    monkeypatch.setattr(copying, "_last_number", dies)
    with pytest.raises(Unavailable):
        backup_postgres(url, tmp_path / "cut.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_does_not_overwrite_a_file(url: str, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.write_text("precious", encoding="utf-8")
    with pytest.raises(Unavailable, match="there already"):
        backup_postgres(url, target)
    assert target.read_text(encoding="utf-8") == "precious"


def test_progress_ends_with_nothing_left(filled: Path, url: str, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    restore_postgres(filled, url, lambda total, left: told.append((total, left)), durable=False)
    backup_postgres(url, tmp_path / "again.backup", lambda total, left: told.append((total, left)))
    assert told[-1] == told[0]
    assert told[0][0] > 50
    assert told[0][1] == 0


def test_a_copy_never_has_many_rows_in_memory(url: str, tmp_path: Path) -> None:
    size, count = 2_000_000, 12
    for number in range(count):
        blobs = {f"{number:064}": number.to_bytes(4, "big") * (size // 4)}
        _with(PostgresStore.open(url, durable=False), methodcaller("apply", Changes(blobs=blobs)))
    tracemalloc.start()
    try:
        backup_postgres(url, tmp_path / "large.backup")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * size


def _heads(url: str) -> list[str]:
    heads: tuple[Head, ...] = _with(PostgresStore.open(url, durable=False), lambda tx: tx.heads())
    return [one.stream for one in heads]
