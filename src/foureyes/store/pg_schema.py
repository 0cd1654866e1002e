"""Checks a PostgreSQL server's version and durability settings, and makes or migrates the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from foureyes.app.ports import Unavailable
from foureyes.store import pg_statements as pg
from foureyes.store.migrations import STEPS, Step
from foureyes.store.pg_transaction import lock_number
from foureyes.store.sql import percents
from foureyes.store.versions import refuse_newer

Connection = psycopg.Connection[tuple[Any, ...]]

VERSION_MIN = 140000


def prepared(connection: Connection, *, durable: bool = True, steps: Sequence[Step] = STEPS) -> None:
    """Refuse a server that could lose acknowledged data; make or migrate the tables where needed.

    Called for every new connection, because a failover may lead to another server than before.
    """
    settings = connection.execute(percents(pg.SETTINGS)).fetchone()
    check_settings(settings or (), durable=durable)
    version = version_of(connection)
    refuse_newer(version, len(steps))
    if version < len(steps):
        _migrate(connection, steps)
    if _one(connection, pg.FOREIGN_TX):
        raise Unavailable(
            "This database was copied from another server by other means than `foureyes backup`.",
            "Back up the original with `foureyes backup` and restore that.",
        )


def version_of(connection: Connection) -> int:
    """Return the store's version; 0 when there are no tables yet."""
    return int(_one(connection, pg.SCHEMA) or 0) if _one(connection, pg.EXISTS) else 0


def check_settings(settings: Sequence[Any], *, durable: bool) -> None:
    """Refuse a server by its settings; only data that may be lost need not be durable."""
    version, encoding, fsync, pages, commit, standby = settings
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


def _migrate(connection: Connection, steps: Sequence[Step]) -> None:
    """Run all steps in one transaction, by one process at a time: others wait, and then find it done."""
    with connection.transaction():
        # How long a step takes depends on how much data there is.
        connection.execute("SET TRANSACTION READ WRITE")
        connection.execute("SET LOCAL lock_timeout = 0")
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute(percents(pg.LOCK), (lock_number("schema"),))
        version = version_of(connection)
        refuse_newer(version, len(steps))
        for step in steps[version:]:
            for statement in step.postgres:
                connection.execute(statement.encode(), prepare=False)
        connection.execute(percents(pg.SET_SCHEMA), (str(len(steps)),))


def _one(connection: Connection, sql: str) -> Any:
    row = connection.execute(percents(sql)).fetchone()
    return row[0] if row else None
