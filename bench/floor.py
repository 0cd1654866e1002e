"""The least that a durable lifecycle can cost: four commits and a read by the bare driver.

The floor has three small tables, no policy, no audit chain and no idempotency keys. `recording.py` measures the
statements of foureyes without foureyes. Both run in the caller's thread: nothing is cheaper.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any, Protocol

import psycopg

from bench.story import FOUND, LINES, WORK_BYTES

_TABLES = """
CREATE TABLE IF NOT EXISTS review (id {id}, work TEXT NOT NULL, state TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1, open INTEGER NOT NULL DEFAULT 0, made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX IF NOT EXISTS review_state ON review (state) WHERE state <> 'approved';
CREATE TABLE IF NOT EXISTS finding (id {id}, review BIGINT NOT NULL, severity TEXT NOT NULL, body TEXT NOT NULL,
  resolved INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS finding_review ON finding (review);
CREATE TABLE IF NOT EXISTS event (id {id}, review BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX IF NOT EXISTS event_review ON event (review)
"""
WORK = LINES[:WORK_BYTES]
_EVENT = "INSERT INTO event (review, kind, body) VALUES (?, ?, ?)"


class Floor(Protocol):
    """A store that plays a lifecycle."""

    def lifecycle(self) -> None:
        """Make four commits and check that the gate says yes."""

    def close(self) -> None:
        """Close the store."""


class LeastSqlite:
    """The floor on SQLite: one connection, synced at every commit."""

    def __init__(self, path: str) -> None:
        """Make the tables."""
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_TABLES.format(id="INTEGER PRIMARY KEY"))

    def lifecycle(self) -> None:
        """Open, three findings, a revision that answers them, an approval, the gate."""
        review = self.open(WORK)
        found = self.report(review, FOUND, approves=False)
        self.revise(review, f"{WORK}# 2", found)
        self.report(review, (), approves=True)
        assert self.is_approved(review), review

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def is_approved(self, review: int) -> bool:
        """Return whether the review is approved."""
        found: tuple[str] = self._db.execute("SELECT state FROM review WHERE id = ?", (review,)).fetchone()
        return found[0] == "approved"

    def open(self, work: str) -> int:
        """First commit: open a review."""
        do = self._db.execute
        do("BEGIN IMMEDIATE")
        review = do("INSERT INTO review (work, state) VALUES (?, 'open')", (work,)).lastrowid
        do(_EVENT, (review, "opened", "{}"))
        do("COMMIT")
        return review or 0

    def read(self, review: int) -> str:
        """Return the work and record that it was served."""
        do = self._db.execute
        do("BEGIN IMMEDIATE")
        found: tuple[str] = do("SELECT work FROM review WHERE id = ?", (review,)).fetchone()
        do(_EVENT, (review, "served", "{}"))
        do("COMMIT")
        return found[0]

    def report(self, review: int, findings: Sequence[tuple[str, str]], *, approves: bool) -> list[int]:
        """Second and last commit: store a report."""
        do = self._db.execute
        do("BEGIN IMMEDIATE")
        sql = "INSERT INTO finding (review, severity, body) VALUES (?, ?, ?)"
        found = [do(sql, (review, *one)).lastrowid or 0 for one in findings]
        do(
            """UPDATE review SET open = open + ?, state = CASE WHEN ? AND open = 0 THEN 'approved' ELSE 'revise' END
            WHERE id = ?""",
            (len(found), approves, review),
        )
        do(_EVENT, (review, "reported", json.dumps(found)))
        do("COMMIT")
        return found

    def revise(self, review: int, work: str, answered: list[int]) -> None:
        """Third commit: store a revision that answers the findings."""
        do = self._db.execute
        do("BEGIN IMMEDIATE")
        self._db.executemany("UPDATE finding SET resolved = 1 WHERE id = ?", [(one,) for one in answered])
        do(
            "UPDATE review SET work = ?, revision = revision + 1, open = open - ?, state = 'open' WHERE id = ?",
            (work, len(answered), review),
        )
        do(_EVENT, (review, "revised", json.dumps(answered)))
        do("COMMIT")


class LeastPostgres:
    """The floor on PostgreSQL: every commit is one statement, so one round trip."""

    def __init__(self, url: str) -> None:
        """Make the tables."""
        self._db = psycopg.connect(url, autocommit=True, prepare_threshold=0)
        for one in _TABLES.format(id="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY").split(";"):
            self._db.execute(one.encode())

    def lifecycle(self) -> None:
        """Open, three findings, a revision that answers them, an approval, the gate."""
        review = self._one(
            """WITH new AS (INSERT INTO review (work, state) VALUES (%s, 'open') RETURNING id)
            INSERT INTO event (review, kind, body) SELECT id, 'opened', '{}' FROM new RETURNING review""",
            WORK,
        )[0][0]
        found = self._report(review, FOUND, approves=False)
        self._one(
            """WITH answered AS (UPDATE finding SET resolved = 1 WHERE id = ANY (%s)),
            revised AS (UPDATE review SET work = %s, revision = revision + 1, open = open - %s, state = 'open'
                WHERE id = %s)
            INSERT INTO event (review, kind, body) VALUES (%s, 'revised', '{}') RETURNING id""",
            found,
            f"{WORK}# 2",
            len(found),
            review,
            review,
        )
        self._report(review, (), approves=True)
        state = self._one("SELECT state FROM review WHERE id = %s", review)[0][0]
        assert state == "approved", state

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def _report(self, review: int, findings: Sequence[tuple[str, str]], *, approves: bool) -> list[int]:
        rows = self._one(
            """WITH found AS (INSERT INTO finding (review, severity, body)
                SELECT %s, one->>0, one->>1 FROM jsonb_array_elements(%s::jsonb) one RETURNING id),
            judged AS (UPDATE review SET open = open + %s,
                state = CASE WHEN %s AND open = 0 THEN 'approved' ELSE 'revise' END WHERE id = %s),
            told AS (INSERT INTO event (review, kind, body) VALUES (%s, 'reported', '{}'))
            SELECT id FROM found""",
            review,
            json.dumps(findings),
            len(findings),
            approves,
            review,
            review,
        )
        return [one[0] for one in rows]

    def _one(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self._db.execute(sql.encode(), values).fetchall()
