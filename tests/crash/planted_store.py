"""Bugs of the SQLite store that the crash tests must find."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import suppress
from dataclasses import replace
from typing import Any

from foureyes.app.ports import Quick, Unavailable
from foureyes.app.rows import Answered, Changes, InboxRow
from foureyes.store import sqlite as file
from foureyes.store.jobs import Job, release
from foureyes.store.memory import MemoryStore
from foureyes.store.sql import SqlWriting
from foureyes.store.sqlite_store import SqliteStore
from foureyes.store.sqlite_writer import Writer
from tests.crash.planting import bug, put


@bug
def the_disk_is_synced_now_and_then() -> None:
    _set("NORMAL")


@bug
def the_disk_is_never_synced() -> None:
    _set("OFF")


def _set(mode: str) -> None:
    real = file._set_up

    def set_up(connection: sqlite3.Connection) -> None:
        real(connection)
        connection.execute(f"PRAGMA synchronous = {mode}")

    put(file, "_set_up", set_up)


@bug
def acknowledged_before_the_commit() -> None:
    """All callers of a group are released when their work is done, before the commit."""
    real = Writer._fill

    def fill(self: Writer, connection: sqlite3.Connection, writing: Any, jobs: list[Job]) -> None:
        real(self, connection, writing, jobs)
        release(jobs)

    put(Writer, "_fill", fill)


@bug
def a_group_lets_go_one_by_one() -> None:
    """Each caller is released after its own savepoint, before the group's commit."""
    real = Writer._run

    def run(self: Writer, connection: sqlite3.Connection, writing: Any, job: Job) -> None:
        real(self, connection, writing, job)
        release([job])

    put(Writer, "_run", run)


@bug
def the_reply_is_kept_in_a_second_transaction() -> None:
    late: list[Answered] = []

    def without(changes: Changes) -> Changes:
        if changes.answered:
            late.append(changes.answered)
        return replace(changes, answered=None)

    _split(without, lambda: Changes(answered=late.pop()) if late else None)


@bug
def the_inbox_is_kept_in_a_second_transaction() -> None:
    late: list[tuple[InboxRow, ...]] = []

    def without(changes: Changes) -> Changes:
        late.append(changes.inbox)
        return replace(changes, inbox=())

    _split(without, lambda: Changes(inbox=late.pop()) if late else None)


def _split(without: Any, rest: Any) -> None:
    """Leave a part out of a transaction and write it in the next one, before the caller is told."""
    real_apply: Any = SqlWriting.apply
    real_write: Any = SqliteStore.write
    under_way = [False]

    def apply(self: SqlWriting, changes: Changes) -> None:
        real_apply(self, changes if under_way[0] else without(changes))

    async def write(self: SqliteStore, work: Any) -> Any:
        result = await real_write(self, work)
        if (changes := rest()) is not None:
            under_way[0] = True
            await real_write(self, Quick(lambda tx: tx.apply(changes)))
            under_way[0] = False
        return result

    put(SqlWriting, "apply", apply)
    put(SqliteStore, "write", write)


@bug
def memory_takes_what_the_disk_refuses() -> None:
    """S12: the fallback acknowledges what a crash loses."""
    real: Any = SqliteStore.write
    fallback = MemoryStore()

    async def write(self: SqliteStore, work: Any) -> Any:
        try:
            return await real(self, work)
        except Unavailable:
            with suppress(Exception):
                return await fallback.write(work)

    put(SqliteStore, "write", write)


@bug
def a_failed_commit_is_tried_again() -> None:
    """The sync failed; a second one succeeds, but the bytes of the first may be lost."""

    class Again(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            try:
                return super().execute(sql, *values)
            except sqlite3.OperationalError:
                if sql != "COMMIT":
                    raise
                return super().execute(sql if self.in_transaction else "SELECT 1")

    real = sqlite3.connect
    put(sqlite3, "connect", lambda *names, **options: real(*names, factory=Again, **options))


@bug
def an_error_is_taken_for_a_yes() -> None:
    """The caller is told that its command is done even when the disk failed."""
    put(Writer, "_fail", lambda self, *_, **__: setattr(self, "_connection", None))


@bug
def the_journal_is_believed_after_a_failed_sync() -> None:
    """What is in the kernel's page cache is taken for what is on the disk."""
    put(file, "_rewrite_journal", lambda *_: None)


@bug
def the_journals_name_is_left_to_sqlite() -> None:
    """SQLite syncs the folder once and does not check whether that worked."""
    put(file, "sync_folder", lambda _: None)


@bug
def it_dies_when_the_disk_fails() -> None:
    put(Writer, "_fail", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
