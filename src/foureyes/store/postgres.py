"""The PostgreSQL store, which many processes share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Self, TypeVar

import psycopg

from foureyes.app.ports import Reading, Unavailable, Writing
from foureyes.store import pg_groups
from foureyes.store.pg_connecting import Connecting, Limits
from foureyes.store.pg_lines import Lines, Play
from foureyes.store.pg_schema import prepared

T = TypeVar("T")


class PostgresStore:
    """The store on PostgreSQL. Nothing is retried here: the caller knows whether to ask again."""

    def __init__(self, url: str, limits: Limits | None = None, *, durable: bool = True) -> None:
        """Connect to nothing yet; `durable=False` is for data that may be lost, like that of a test."""
        limits = limits or Limits()
        check = partial(prepared, durable=durable)

        def lines(play: Play, *, read_only: bool) -> Lines:
            connecting = Connecting(url, limits, check=check, read_only=read_only)
            return Lines(connecting, play, limits, read_only=read_only)

        self._writers = lines(pg_groups.write, read_only=False)
        self._readers = lines(pg_groups.read, read_only=True)

    @classmethod
    def open(cls, url: str, limits: Limits | None = None, *, durable: bool = True) -> Self:
        """Open the store if the server can be reached and trusted; makes or migrates the tables."""
        store = cls(url, limits, durable=durable)
        try:
            store._writers.reach()
        except Unavailable as error:
            store._close()
            # The person who starts the program may read what the server or the network said; those who use it later may
            # not.
            if isinstance(error.__cause__, psycopg.Error):
                raise Unavailable(f"PostgreSQL: {error.__cause__}".strip(), "Check the URL and the server.") from error
            raise
        return store

    async def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` on one consistent snapshot."""
        seen: T = await self._readers.run(work)
        return seen

    async def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in one transaction; durable when this returns. What `work` raises undoes it and is raised here.

        Quick work may share the transaction with other quick work, and be run again after all of it was undone. Raises
        Conflict when it should be decided again, Unavailable when the store cannot write; its `unknown` says that the
        connection was lost while the commit was on its way.
        """
        written: T = await self._writers.run(work)
        return written

    async def close(self) -> None:
        """Finish work that is under way and close the connections."""
        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _close(self) -> None:
        self._writers.close()
        self._readers.close()


def migrate_postgres(url: str, *, durable: bool = True) -> None:
    """Make the tables, or migrate them to this version, if the server can be reached and trusted."""
    PostgresStore.open(url, Limits(writers=1, readers=1), durable=durable)._close()  # noqa: SLF001 - our own
