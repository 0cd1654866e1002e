"""Remove reviews that nobody touched for a while from the store of local reviews: their log, rows and bytes.

Only that store is shortened: it is one person's working memory and nobody's evidence. Deleted pages are overwritten
(`secure_delete`) and the journal is emptied, so that the bytes do not stay in the files. Dismissed findings are kept in
rows of their own, which stay.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from foureyes.app.rows import INHERITABLE, LOCAL_RUNS, OBJECTIONS, SERVED, TOLD
from foureyes.store import guards
from foureyes.store import rows as row
from foureyes.store import sqlite as file

#: The most reviews that one run removes; the next run goes on.
REVIEWS_MAX = 50
_GUARDS = ("log_is_never_shortened", "streams_are_never_removed")
_DIGEST = re.compile(r"[0-9a-f]{64}")
#: A run on a review counts as activity even where it changed nothing.
_DUE = """SELECT review FROM reviews WHERE updated < ? AND review NOT IN (
SELECT key FROM rows WHERE projection = ? AND body >= ?) ORDER BY updated LIMIT ?"""
_BY_REVIEW = (
    "DELETE FROM reviews WHERE review = ?",
    "DELETE FROM digests WHERE review = ?",
    "DELETE FROM inbox WHERE review = ?",
)
_ROWS = "DELETE FROM rows WHERE projection = ? AND key LIKE ?"
_ROW_OF = "DELETE FROM rows WHERE key = ?"
_LAST_HERE = "DELETE FROM rows WHERE projection = ? AND body = ?"
#: The stored reply to a command must not name a review that is gone: the same work opens a new review.
_ANSWERED = "DELETE FROM answered WHERE reply LIKE ?"
_ALIASES = "DELETE FROM aliases WHERE digest NOT IN (SELECT digest FROM digests)"
_CURSORS = "UPDATE cursors SET seq = min(seq, (SELECT coalesce(max(seq), 0) FROM log))"


def due(reading: sqlite3.Connection, before: str) -> list[str]:
    """Return the reviews of a store that nobody touched since this time, the longest idle first."""
    found = reading.execute(_DUE, (before, LOCAL_RUNS, before, REVIEWS_MAX))
    return [str(one[0]) for one in found]


def expire(path: Path, before: str) -> int:
    """Remove the reviews that are due for good, in one transaction, and return how many there were."""
    with file.speaking(), closing(file.connect_writer(path)) as connection:
        file.begin(connection)
        try:
            names = due(connection, before)
            if names:
                _remove(connection, names, before)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        if names:
            # Another run that reads meanwhile keeps the journal; the next process that writes empties it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(names)


def _remove(connection: sqlite3.Connection, names: list[str], before: str) -> None:
    for guard in _GUARDS:
        connection.execute(f"DROP TRIGGER IF EXISTS {guard}")
    for name in names:
        stream = connection.execute("SELECT id FROM streams WHERE name = ?", (f"review/{name}",)).fetchone()
        if stream is not None:
            connection.execute("DELETE FROM log WHERE stream = ?", stream)
            connection.execute("DELETE FROM streams WHERE id = ?", stream)
        for statement in _BY_REVIEW:
            connection.execute(statement, (name,))
        for projection in (TOLD, SERVED):
            connection.execute(_ROWS, (projection, f"{name}/%"))
        for projection in (OBJECTIONS, INHERITABLE):
            connection.execute(_ROWS, (projection, f"%/{name}"))
        connection.execute(_ROWS, (INHERITABLE, f"%/{name}/%"))
        connection.execute(_ROW_OF, (f"review/{name}",))
        connection.execute(_LAST_HERE, (TOLD, name))
        connection.execute("DELETE FROM rows WHERE projection = ? AND key = ?", (LOCAL_RUNS, name))
        connection.execute(_ANSWERED, (f"%review/{name}%",))
    connection.execute("DELETE FROM answered WHERE at < ?", (before,))
    connection.execute(_ALIASES)
    _remove_bytes(connection)
    # Numbers behind the end of the log are given anew: no cursor may claim to have read those already.
    connection.execute(_CURSORS)
    for statement in guards.made_anew_in_sqlite():
        connection.execute(statement)


def _remove_bytes(connection: sqlite3.Connection) -> None:
    """Remove the bytes that no review names any more."""
    named = {one for (body,) in connection.execute("SELECT body FROM log") for one in _DIGEST.findall(body)}
    kept = [digest for (digest,) in connection.execute("SELECT digest FROM blobs")]
    gone = [(digest,) for digest in kept if row.unpacked(digest) not in named]
    connection.executemany("DELETE FROM blobs WHERE digest = ?", gone)
