"""Check that the database triggers that keep the log append-only are there and unaltered, and restore them.

The owner of the tables can drop the triggers. The hash chain and the checkpoints still show then what was changed, but
nothing prevents the next mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foureyes.store import tables
from foureyes.store.rows import Row

_MADE = "CREATE TRIGGER "
_FUNCTION = "CREATE FUNCTION "

#: Gives the name and the definition of each trigger.
SQLITE = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
POSTGRES = """SELECT t.tgname::text,
lower(translate(pg_get_triggerdef(t.oid, true), '()', '')) || ' ' || t.tgenabled::text || p.prosrc
FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND t.tgrelid IN ('log'::regclass, 'streams'::regclass)"""

_BODY = next(one for one in tables.POSTGRES if one.startswith(_FUNCTION)).split("$$")[1]
#: The definitions as PostgreSQL spells them, without brackets. A trigger that is switched off has another letter than O
#: (or A, always).
_SPELLED = {
    "log_is_never_changed": "before delete or update or truncate on log for each statement",
    "streams_are_never_removed": "before delete or truncate on streams for each statement",
    "streams_only_grow": (
        "before update on streams for each row when new.id <> old.id or new.name <> old.name or "
        "new.version <= old.version"
    ),
}


def missing_in_sqlite(found: Iterable[Row]) -> tuple[str, ...]:
    """Return the names of the guards that are missing or altered, from the rows that `SQLITE` gives."""
    there = {str(name): str(made) for name, made in found}
    return tuple(name for name, made in _made(tables.SQLITE) if there.get(name) != made)


def missing_in_postgres(found: Iterable[Row]) -> tuple[str, ...]:
    """Return the names of the guards that are missing or altered, from the rows that `POSTGRES` gives."""
    there = {str(name): str(said) for name, said in found}
    return tuple(
        name
        for name, spelled in _SPELLED.items()
        if there.get(name)
        not in {f"create trigger {name} {spelled} execute function append_only {letter}{_BODY}" for letter in "OA"}
    )


def made_anew_in_sqlite() -> Iterator[str]:
    """Return the SQLite statements that put every guard back."""
    for name, made in _made(tables.SQLITE):
        yield f"DROP TRIGGER IF EXISTS {name}"
        yield made


def made_anew_in_postgres() -> Iterator[str]:
    """Return the PostgreSQL statements that put every guard back; each trigger's text names its table."""
    yield next(one for one in tables.POSTGRES if one.startswith(_FUNCTION)).replace("CREATE", "CREATE OR REPLACE", 1)
    for _, made in _made(tables.POSTGRES):
        yield made.replace("CREATE", "CREATE OR REPLACE", 1)
        name, table = made.split()[2], made.partition(" ON ")[2].split()[0]
        yield f"ALTER TABLE {table} ENABLE TRIGGER {name}"


def _made(statements: Iterable[str]) -> Iterator[tuple[str, str]]:
    for one in statements:
        if one.startswith(_MADE):
            yield one.split()[2], one
