"""The database itself keeps the log append-only; removed guards are detected and can be restored."""

from __future__ import annotations

import pytest

from foureyes.app.ports import Store
from foureyes.store.memory import MemoryStore
from foureyes.store.sqlite_store import SqliteStore
from tests.stores.making import Box, append

Ways = dict[str, tuple[str, ...]]

NAMES = ("log_is_never_changed", "streams_are_never_removed", "streams_only_grow")
#: Attacks by an owner of the tables, on each database.
SQLITE: Ways = {
    "removed": ("DROP TRIGGER {name}",),
    "altered": ("DROP TRIGGER {name}", "CREATE TRIGGER {name} BEFORE UPDATE ON {table} BEGIN SELECT 1; END"),
}
POSTGRES: Ways = {
    "removed": ("DROP TRIGGER {name} ON {table}",),
    "switched off": ("ALTER TABLE {table} DISABLE TRIGGER {name}",),
    "altered": (
        """CREATE OR REPLACE TRIGGER {name} BEFORE UPDATE ON {table}
        FOR EACH ROW WHEN (NEW.version < 0) EXECUTE FUNCTION append_only ()""",
    ),
}
EMPTIED = "CREATE OR REPLACE FUNCTION append_only () RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"


def test_a_new_store_guards_its_log(box: Box) -> None:
    """T34: all of it, on every store."""
    assert box.read(lambda reading: reading.unguarded()) == ()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", sorted({*SQLITE, *POSTGRES}))
def test_a_guard_that_somebody_took_away_is_named_and_can_be_put_back(box: Box, name: str, how: str) -> None:
    """T34: gone, switched off, or the same name for something that lets everything pass."""
    ways = ways_of(box.store)
    if how not in ways:
        return  # this database has no such guard
    table = name.partition("_")[0]
    for statement in ways[how]:
        tamper(box, statement.format(name=name, table=table))
    assert box.read(lambda reading: reading.unguarded()) == (name,)
    box.write(lambda tx: tx.guard())
    assert box.read(lambda reading: reading.unguarded()) == ()
    refuses_changes(box)


def test_a_function_that_was_emptied_guards_nothing(box: Box) -> None:
    """T34: PostgreSQL's triggers call a function, and that one may be replaced without touching them."""
    if ways_of(box.store) is not POSTGRES:
        return  # SQLite's triggers have no other text than their own
    tamper(box, EMPTIED)
    assert box.read(lambda reading: reading.unguarded()) == NAMES
    box.write(lambda tx: tx.guard())
    assert box.read(lambda reading: reading.unguarded()) == ()
    refuses_changes(box)


def ways_of(store: Store) -> Ways:
    if isinstance(store, MemoryStore):
        return {}
    return SQLITE if isinstance(store, SqliteStore) else POSTGRES


def tamper(box: Box, statement: str) -> None:
    assert box.raw
    box.raw(statement)


def refuses_changes(box: Box) -> None:
    box.put(appends=(append("s/1", 0, "{}"),))
    for statement in ("UPDATE log SET actor = 'eve'", "DELETE FROM log", "DELETE FROM streams"):
        with pytest.raises(Exception, match=r"append-only|never removed"):
            tamper(box, statement)
