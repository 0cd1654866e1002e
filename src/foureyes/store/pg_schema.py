"""May this PostgreSQL be trusted with the record, and does it have our tables?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

from foureyes.app.ports import Unavailable
from foureyes.store import pg_statements as pg
from foureyes.store.pg_transaction import lock_number
from foureyes.store.sql import percents
from foureyes.store.tables import POSTGRES, SCHEMA_VERSION

Connection = psycopg.Connection[tuple[Any, ...]]

VERSION_MIN = 140000
#: What leads from the version before to this one.
MIGRATIONS: Mapping[int, tuple[str, ...]] = {}


def prepared(connection: Connection, *, durable: bool = True) -> None:
    """Refuse a server that could lose what was acknowledged; make or migrate the tables if need be.

    Asked of every new connection, because a failover may lead to another server than before.
    """
    _trusted(connection, durable=durable)
    version = _version(connection)
    if version < SCHEMA_VERSION:
        _migrate(connection)
    elif version > SCHEMA_VERSION:
        raise _newer(version)
    if _one(connection, pg.FOREIGN_TX):
        raise Unavailable(
            "This database was copied from another server by other means than `foureyes backup`.",
            "Back up the original with `foureyes backup` and restore that.",
        )


def _trusted(connection: Connection, *, durable: bool) -> None:
    row = connection.execute(percents(pg.SETTINGS)).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    version, encoding, fsync, pages, commit, standby = row
    wrong = {
        f"PostgreSQL {version // 10000} is too old.": (version < VERSION_MIN, "Use PostgreSQL 14 or newer."),
        f"The database's encoding is {encoding}.": (encoding != "UTF8", "Create it with the encoding UTF8."),
        "The database is a standby and takes no writes.": (standby, "Name the primary in the URL."),
    }
    if durable:
        wrong |= {
            "PostgreSQL runs with fsync off: a power cut destroys the record.": (fsync != "on", "Set fsync = on."),
            "PostgreSQL runs with full_page_writes off: a power cut may destroy the record.": (
                pages != "on",
                "Set full_page_writes = on.",
            ),
            "synchronous_commit is off: a crash loses what was acknowledged.": (
                commit == "off",
                "Set synchronous_commit = on for this database and user.",
            ),
        }
    for sentence, (holds, next_step) in wrong.items():
        if holds:
            raise Unavailable(sentence, next_step)


def _version(connection: Connection) -> int:
    return int(_one(connection, pg.SCHEMA) or 0) if _one(connection, pg.EXISTS) else 0


def _migrate(connection: Connection) -> None:
    """All of it in one transaction, by one process at a time: others wait, and then find it done."""
    with connection.transaction():
        connection.execute("SET LOCAL lock_timeout = 0")
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SET TRANSACTION READ WRITE")
        connection.execute(percents(pg.LOCK), (lock_number("schema"),))
        version = _version(connection)
        if version > SCHEMA_VERSION:
            raise _newer(version)
        if version == 0:
            for statement in POSTGRES:
                connection.execute(statement.encode(), prepare=False)
        for step in range(version + 1, SCHEMA_VERSION + 1) if version else ():
            for statement in MIGRATIONS[step]:
                connection.execute(statement.encode(), prepare=False)
        connection.execute(percents(pg.SET_SCHEMA), (str(SCHEMA_VERSION),))


def _newer(version: int) -> Unavailable:
    return Unavailable(
        f"The database was written by a newer foureyes (schema {version}, this one knows {SCHEMA_VERSION}).",
        "Install that version or a newer one.",
    )


def _one(connection: Connection, sql: str) -> Any:
    row = connection.execute(percents(sql)).fetchone()
    return row[0] if row else None
