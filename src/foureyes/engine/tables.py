"""Creates and migrates the tables of DBOS in the database, by one process at a time."""

from __future__ import annotations

import logging
import time

import psycopg
from dbos import DBOS

from foureyes.app.ports import Unavailable

#: Our advisory lock in the database; any number that no other program uses.
LOCK = 0x466F_7572_4579_6573
WAIT_SECONDS_MAX = 120.0
LOOK_SECONDS = 0.2
CONNECT_SECONDS_MAX = 10


def migrate(url: str) -> None:
    """Create or migrate the tables; another process that calls this meanwhile waits, and finds it done."""
    quieted()
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS_MAX) as connection:
            _lock(connection)
            DBOS.migrate(url)
    except psycopg.Error as error:
        raise Unavailable(f"PostgreSQL: {error}".strip(), "Check the URL and the server.") from error


def quieted() -> None:
    """Send the log of DBOS to our own loggers, errors only."""
    theirs = logging.getLogger("dbos")
    if not theirs.handlers:
        theirs.addHandler(logging.NullHandler())
        theirs.propagate = True
    theirs.setLevel(logging.ERROR)


def _lock(connection: psycopg.Connection[tuple[bool]]) -> None:
    """Poll for the lock: a connection that waits inside the database keeps DBOS from building an index concurrently."""
    until = time.monotonic() + WAIT_SECONDS_MAX
    while connection.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone() != (True,):
        if time.monotonic() > until:
            raise Unavailable("Another process makes the tables of DBOS, and does not come to an end.", "Start again.")
        time.sleep(LOOK_SECONDS)
