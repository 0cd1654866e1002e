"""The SQL statements of a store, each written once for SQLite and PostgreSQL, with `?` for a value."""

# ruff: noqa: S608 - what is put into a statement here are our own names of columns, never a value

from __future__ import annotations

from functools import cache

_REVIEW = "review, kind, title, author, state, waits, revision, digest, opened, updated"
_INBOX = "review, request, who, kind, held, queued, revision, due, lease"
_LOG = "l.seq, s.name, l.version, l.type, l.schema, l.at, l.actor, l.cause, l.body, l.chain"

KNOWN = """SELECT s.version, s.chain, a.body_hash, a.reply FROM (SELECT 1 AS one) o
LEFT JOIN streams s ON s.name = ? LEFT JOIN answered a ON a.asker = ? AND a.key = ?"""
#: The stream's end alone, where there is no key to look up.
END = "SELECT version, chain FROM streams WHERE name = ?"
EVENTS = f"""SELECT {_LOG}, 0 FROM streams s JOIN log l ON l.stream = s.id
WHERE s.name = ? AND l.version > ? ORDER BY l.version"""
HEADS = "SELECT name, version, chain FROM streams WHERE name > ? ORDER BY name LIMIT ?"
#: Where there is one writer at a time, events appear in the order of their numbers and `tx` is 0.
TAIL = f"""SELECT {_LOG}, 0 FROM log l JOIN streams s ON s.id = l.stream
WHERE l.seq > ? ORDER BY l.seq LIMIT ?"""
REVIEW = f"SELECT {_REVIEW} FROM reviews WHERE review = ?"
REVIEWS_BY = f"SELECT {_REVIEW} FROM reviews WHERE author LIKE '%' || ? ORDER BY opened, review LIMIT ?"
DIGESTS = """SELECT digest, review, cleared, vetoed FROM digests WHERE digest = ?
UNION ALL SELECT d.digest, d.review, d.cleared, d.vetoed FROM aliases a JOIN digests d ON d.digest = a.digest
WHERE a.alias = ?"""
INBOX = f"""SELECT {_INBOX} FROM inbox WHERE who = ? AND (due, review, request) > (?, ?, ?)
ORDER BY due, review, request LIMIT ?"""
INBOX_OF = f"SELECT {_INBOX} FROM inbox WHERE review = ? ORDER BY request, who"
#: One statement for any number of names.
OWES_REPORT = """SELECT 1 FROM inbox WHERE who IN (SELECT value FROM json_each(?)) AND kind = 'report' LIMIT 1"""
COUNTS = """SELECT who, SUM(1 - queued), SUM(queued) FROM inbox
WHERE who IN (SELECT value FROM json_each(?)) AND held = 1 AND kind = 'report' GROUP BY who"""
#: The empty text keeps SQLite from walking the whole inbox in the order of its key.
DUE = (
    """SELECT review || '', request || '', MIN(due) FROM inbox WHERE due <= ? GROUP BY 1, 2 ORDER BY 3, 1, 2 LIMIT ?"""
)
#: In the order of the key; a request has one row for each principal who may answer it.
PENDING = """SELECT kind, COUNT(*), SUM(held), SUM(queued), SUM(overdue), SUM(leased), SUM(lapsed) FROM (
SELECT MIN(kind) AS kind, MAX(held) AS held, MAX(queued) AS queued,
MAX(CASE WHEN due <= ? THEN 1 ELSE 0 END) AS overdue, MAX(CASE WHEN lease > ? THEN 1 ELSE 0 END) AS leased,
MAX(CASE WHEN lease <> '' AND lease <= ? THEN 1 ELSE 0 END) AS lapsed
FROM inbox GROUP BY review, request) AS each_once GROUP BY kind ORDER BY kind"""
TRUST = "SELECT kind, author, body, checksum FROM trust WHERE kind = ? AND author = ?"
TRUSTS = "SELECT kind, author, body, checksum FROM trust ORDER BY kind, author"
BLOB = "SELECT size, content, purged FROM blobs WHERE digest = ?"
CURSOR = "SELECT tx, seq FROM cursors WHERE projection = ?"
ROW = "SELECT body FROM rows WHERE projection = ? AND key = ?"
ROWS = "SELECT key, body FROM rows WHERE projection = ? AND key >= ? AND key > ? ORDER BY key LIMIT ?"
#: The character behind a slash is a zero; the names are looked up one by one by the key of the table.
ROWS_UNDER = """SELECT found.key, found.body FROM json_each(?) AS name CROSS JOIN rows AS found
ON found.projection = ? AND found.key >= name.value || '/' AND found.key < name.value || '0'
ORDER BY found.key LIMIT ?"""
ROWS_BEFORE = """SELECT key, body FROM rows WHERE projection = ? AND key >= ? AND key > ? AND key < ?
ORDER BY key LIMIT ?"""

BEGIN = "INSERT INTO streams (version, chain, name) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING id"
GROW = "UPDATE streams SET version = ?, chain = ? WHERE name = ? AND version = ? RETURNING id"
PUT_LOG = """INSERT INTO log (stream, version, type, schema, at, actor, cause, body, chain)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
PUT_ANSWERED = "INSERT INTO answered (asker, key, body_hash, reply, at) VALUES (?, ?, ?, ?, ?)"
PUT_REVIEW = f"""INSERT INTO reviews ({_REVIEW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (review) DO UPDATE SET kind = excluded.kind, title = excluded.title, author = excluded.author,
state = excluded.state, waits = excluded.waits, revision = excluded.revision, digest = excluded.digest,
opened = excluded.opened, updated = excluded.updated"""
#: Updates only columns that no index has.
TOUCH_REVIEW = """UPDATE reviews SET title = ?, waits = ?, revision = ?, digest = ?, updated = ?
WHERE review = ? AND kind = ? AND author = ? AND state = ? AND opened = ?"""
#: The same update for a review whose state changes: of the indexes, only that of the state is touched.
MOVE_REVIEW = """UPDATE reviews SET title = ?, waits = ?, revision = ?, digest = ?, updated = ?, state = ?
WHERE review = ? AND kind = ? AND author = ? AND opened = ?"""
PUT_DIGEST = """INSERT INTO digests (digest, review, cleared, vetoed) VALUES (?, ?, ?, ?)
ON CONFLICT (digest, review) DO UPDATE SET cleared = excluded.cleared, vetoed = excluded.vetoed"""
UNLIST = ("DELETE FROM reviews WHERE review = ?", "DELETE FROM inbox WHERE review = ?")
DROP_DIGEST = "DELETE FROM digests WHERE digest = ? AND review = ?"
DROP_BLOB = "DELETE FROM blobs WHERE digest = ?"
DROP_OUTBOX_OF = "DELETE FROM outbox WHERE stream = ?"
DROP_INBOX = "DELETE FROM inbox WHERE review = ? AND request = ?"
PUT_INBOX = f"""INSERT INTO inbox ({_INBOX}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (review, request, who) DO UPDATE SET kind = excluded.kind, held = excluded.held,
queued = excluded.queued, revision = excluded.revision, due = excluded.due, lease = excluded.lease"""
PUT_OUTBOX = "INSERT INTO outbox (stream, version, type, at) VALUES (?, ?, ?, ?)"
PUT_TRUST = """INSERT INTO trust (kind, author, body, checksum) VALUES (?, ?, ?, ?)
ON CONFLICT (kind, author) DO UPDATE SET body = excluded.body, checksum = excluded.checksum"""
DROP_TRUST = "DELETE FROM trust"
PUT_ALIAS = "INSERT INTO aliases (alias, digest) VALUES (?, ?) ON CONFLICT (alias, digest) DO NOTHING"
#: Purged bytes stay purged, also when the same bytes come again.
PUT_BLOB = "INSERT INTO blobs (digest, size, content) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING"
PURGE = "UPDATE blobs SET content = NULL, purged = ? WHERE digest = ?"
#: SQLite only: noted with a purge, until its journal is empty. Each purge has a random value of its own, so that nobody
#: removes the note of a later one.
SCRUB = "SELECT body FROM meta WHERE name = 'scrub'"
PUT_SCRUB = """INSERT INTO meta (name, body) VALUES ('scrub', hex(randomblob(8)))
ON CONFLICT (name) DO UPDATE SET body = excluded.body"""
DROP_SCRUB = "DELETE FROM meta WHERE name = 'scrub' AND body = ?"
IN_JOURNAL = (
    "The store's journal still holds purged bytes, because another program reads an older moment. They go as soon as "
    "that one has ended and anything opens the store to write."
)
PUT_ROW = """INSERT INTO rows (projection, key, body) VALUES (?, ?, ?)
ON CONFLICT (projection, key) DO UPDATE SET body = excluded.body"""
DROP_ROW = "DELETE FROM rows WHERE projection = ? AND key = ?"
DROP_ROWS = "DELETE FROM rows WHERE projection = ?"
PUT_CURSOR = """INSERT INTO cursors (projection, tx, seq) VALUES (?, ?, ?)
ON CONFLICT (projection) DO UPDATE SET tx = excluded.tx, seq = excluded.seq"""
DROP_CURSOR = "DELETE FROM cursors WHERE projection = ?"
#: PostgreSQL adds FOR UPDATE SKIP LOCKED behind the limit.
CLAIM = """UPDATE outbox SET worker = ?, until = ?, attempts = attempts + 1
WHERE id IN (SELECT id FROM outbox WHERE until <= ? ORDER BY id LIMIT ?)
RETURNING id, stream, version, type, at, attempts"""
QUEUED = "SELECT type, COUNT(*), MIN(at) FROM outbox GROUP BY type ORDER BY type"
DROP_OUTBOX = "DELETE FROM outbox WHERE id = ?"
POSTPONE = "UPDATE outbox SET until = ? WHERE id = ?"
RECALL = "UPDATE outbox SET until = '' WHERE until > ?"


@cache
def listing(given: tuple[str, ...], best: str, *, paged: bool) -> str:
    """Return the statement that lists reviews by these columns; it forces the index of the best one on the planner.

    Sorted by the time of opening, which never changes: so a command on a review touches no index of its row.
    """
    wanted = [f"{name} = ?" if name == best or len(given) == 1 else f"{name} || '' = ?" for name in given]
    if paged:
        wanted.append("(opened, review) < (?, ?)")
    where = f"WHERE {' AND '.join(wanted)} " if wanted else ""
    return f"SELECT {_REVIEW} FROM reviews {where}ORDER BY opened DESC, review DESC LIMIT ?"
