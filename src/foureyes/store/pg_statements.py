"""SQL statements that PostgreSQL needs in another form than SQLite."""

# ruff: noqa: S608 - what is put into a statement here are our own names of columns, never a value

from __future__ import annotations

from functools import cache

from foureyes.store import statements as say

_LOG = "l.seq, s.name, l.version, l.type, l.schema, l.at, l.actor, l.cause, l.body, l.chain, l.tx"

EVENTS = f"""SELECT {_LOG} FROM streams s JOIN log l ON l.stream = s.id
WHERE s.name = ? AND l.version > ? ORDER BY l.version"""
#: Sequence numbers are handed out before the commit, so a smaller one may appear later. A transaction older than every
#: running one is over: what it wrote is there, and nothing can come before it any more.
TAIL = f"""SELECT {_LOG} FROM log l JOIN streams s ON s.id = l.stream
WHERE (l.tx, l.seq) > (?, ?) AND l.tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
ORDER BY l.tx, l.seq LIMIT ?"""
#: For a transaction that has locked every track record: nobody can write an event that counts, so none can come
#: between.
SETTLED = f"""SELECT {_LOG} FROM log l JOIN streams s ON s.id = l.stream
WHERE (l.tx, l.seq) > (?, ?) ORDER BY l.tx, l.seq LIMIT ?"""
LOG_END = "SELECT tx, seq FROM log ORDER BY tx DESC, seq DESC LIMIT 1"
COUNTS = """SELECT who, SUM(1 - queued)::bigint, SUM(queued)::bigint FROM inbox
WHERE who = ANY(?::text[]) AND held = 1 AND kind = 'report' GROUP BY who"""

OWES_REPORT = "SELECT 1 FROM inbox WHERE who = ANY(?::text[]) AND kind = 'report' LIMIT 1"

ROWS_UNDER = """SELECT found.key, found.body FROM unnest(?::text[]) AS name (value) JOIN rows AS found
ON found.projection = ? AND found.key >= name.value || '/' AND found.key < name.value || '0'
ORDER BY found.key LIMIT ?"""

LOCK = "SELECT pg_advisory_xact_lock(?::bigint)"
#: Waits for every transaction that holds or changes a track record, not for those that only read.
LOCK_TRUST = "LOCK TABLE trust IN EXCLUSIVE MODE"
BEGIN = "INSERT INTO streams (version, chain, name) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING version"
GROW = "UPDATE streams SET version = ?, chain = ? WHERE name = ? AND version = ? RETURNING version"
HOLD = "SELECT version FROM streams WHERE name = ? FOR SHARE"
#: The number of this transaction, or of the newest one that is visible here: commands that share a transaction got its
#: number before they waited for their turn, and what they write must not come before what they have seen.
_TX = "GREATEST(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)"
_PUT_LOG = "INSERT INTO log (tx, stream, version, type, schema, at, actor, cause, body, chain) VALUES "
_LOG_ROW = f"({_TX}, (SELECT id FROM streams WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?)"
#: The most events in one statement: a statement is prepared for each count.
LOG_ROWS_MAX = 16
CLAIM = say.CLAIM.replace("LIMIT ?)", "LIMIT ? FOR UPDATE SKIP LOCKED)")
DROP_OUTBOX = "DELETE FROM outbox WHERE id = ANY(?::bigint[])"

#: Overwritten bytes stay in PostgreSQL's files for a while.
ON_DISK = (
    "PostgreSQL keeps purged bytes on its disk until it vacuums the table blobs and its write-ahead log moves on; "
    "`VACUUM blobs` does the first now."
)

#: Not `to_regclass`: the connection caches its negative answer, also after another connection has made the table.
EXISTS = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'meta')"
SCHEMA = "SELECT body FROM meta WHERE name = 'schema'"
SET_SCHEMA = """INSERT INTO meta (name, body) VALUES ('schema', ?)
ON CONFLICT (name) DO UPDATE SET body = excluded.body"""
#: The settings that durability depends on.
SETTINGS = """SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
pg_is_in_recovery()"""
#: A copy made by other tools keeps the transaction numbers of another server.
FOREIGN_TX = "SELECT COALESCE((SELECT MAX(tx) FROM log), 0) >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint"


@cache
def put_log(count: int) -> str:
    """Return the statement that writes this many events; they are numbered in their order."""
    return _PUT_LOG + ", ".join([_LOG_ROW] * count)
