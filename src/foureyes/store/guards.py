"""Does the database itself still keep the log append-only? Its triggers must be there, as they were made.

Whoever owns the tables can take them away. Then the links and the checkpoints still tell what was changed; but nothing
holds back the next mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foureyes.store import tables
from foureyes.store.rows import Row

_MADE = "CREATE TRIGGER "
_FUNCTION = "CREATE FUNCTION "

#: Their names, and what each of them is.
SQLITE = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
POSTGRES = """SELECT t.tgname::text,
lower(translate(pg_get_triggerdef(t.oid, true), '()', '')) || ' ' || t.tgenabled::text || p.prosrc
FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND t.tgrelid IN ('log'::regclass, 'streams'::regclass)"""

_BODY = next(one for one in tables.POSTGRES if one.startswith(_FUNCTION)).split("$$")[1]
#: As PostgreSQL spells them, without brackets. One that is switched off has another letter than O (or A, always).
_SPELLED = {
    "log_is_never_changed": "before delete or update or truncate on log for each statement",
    "streams_are_never_removed": "before delete or truncate on streams for each statement",
    "streams_only_grow": (
        "before update on streams for each row when new.id <> old.id or new.name <> old.name or "
        "new.version <= old.version"
    ),
}


def missing_in_sqlite(found: Iterable[Row]) -> tuple[str, ...]:
    """The guards that are gone or altered, by what `SQLITE` gives."""
    there = {str(name): str(made) for name, made in found}
    return tuple(name for name, made in _made(tables.SQLITE) if there.get(name) != made)


def missing_in_postgres(found: Iterable[Row]) -> tuple[str, ...]:
    """The same, by what `POSTGRES` gives."""
    there = {str(name): str(said) for name, said in found}
    return tuple(
        name
        for name, spelled in _SPELLED.items()
        if there.get(name)
        not in {f"create trigger {name} {spelled} execute function append_only {letter}{_BODY}" for letter in "OA"}
    )


def made_anew_in_sqlite() -> Iterator[str]:
    """The statements that put every guard back."""
    for name, made in _made(tables.SQLITE):
        yield f"DROP TRIGGER IF EXISTS {name}"
        yield made


def made_anew_in_postgres() -> Iterator[str]:
    """The same; the tables are named in the triggers' own text."""
    yield next(one for one in tables.POSTGRES if one.startswith(_FUNCTION)).replace("CREATE", "CREATE OR REPLACE", 1)
    for _, made in _made(tables.POSTGRES):
        yield made.replace("CREATE", "CREATE OR REPLACE", 1)
        name, table = made.split()[2], made.partition(" ON ")[2].split()[0]
        yield f"ALTER TABLE {table} ENABLE TRIGGER {name}"


def _made(statements: Iterable[str]) -> Iterator[tuple[str, str]]:
    for one in statements:
        if one.startswith(_MADE):
            yield one.split()[2], one
