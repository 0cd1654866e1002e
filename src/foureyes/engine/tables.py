"""How do the tables of DBOS come into the database? Made or brought forward by one process at a time."""

from __future__ import annotations

import logging
import time

import psycopg
from dbos import DBOS

from foureyes.app.ports import Unavailable

#: Our own lock in the database; any number that nobody else uses.
LOCK = 0x466F_7572_4579_6573
WAIT_SECONDS_MAX = 120.0
LOOK_SECONDS = 0.2
CONNECT_SECONDS_MAX = 10


def migrate(url: str) -> None:
    """Make them, or bring them forward; whoever comes meanwhile waits, and finds it done."""
    quieted()
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS_MAX) as connection:
            _lock(connection)
            DBOS.migrate(url)
    except psycopg.Error as error:
        raise Unavailable(f"PostgreSQL: {error}".strip(), "Check the URL and the server.") from error


def quieted() -> None:
    """What DBOS says goes where our own words go, and only what is wrong."""
    theirs = logging.getLogger("dbos")
    if not theirs.handlers:
        theirs.addHandler(logging.NullHandler())
        theirs.propagate = True
    theirs.setLevel(logging.ERROR)


def _lock(connection: psycopg.Connection[tuple[bool]]) -> None:
    """Try again and again: whoever waits inside the database keeps it from building an index beside its work."""
    until = time.monotonic() + WAIT_SECONDS_MAX
    while connection.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone() != (True,):
        if time.monotonic() > until:
            raise Unavailable("Another process makes the tables of DBOS, and does not come to an end.", "Start again.")
        time.sleep(LOOK_SECONDS)
