"""The store of local reviews: one file in the data folder that no server opens.

Opening it to write moves in, once, what an earlier release kept in the server's store, and removes reviews that nobody
touched for 14 days. One read-only connection checks for both; when there is nothing to do, that is the only cost.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from foureyes.app.ports import Unavailable
from foureyes.app.rows import MOVED_IN, START
from foureyes.bootstrap.assembly import Assembly
from foureyes.bootstrap.looking import NO_CHECKPOINTS
from foureyes.home import folder
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.app.gate import Gate
    from foureyes.app.ports import Directory, Reading, Store
    from foureyes.core.values import Who
    from foureyes.policy.policy import Policy

#: A review without a run or a dismissal for this long is removed with its bytes.
QUIET_MAX = timedelta(days=14)


class LocalAssembly(Assembly):
    """The parts on the store of local reviews."""

    def __init__(self, server: Assembly) -> None:
        """Use the same data folder as these parts of the server."""
        home = server.settings.home
        own = replace(
            server.settings,
            database=server.settings.local_database,
            checkpoints=os.path.join(home, NO_CHECKPOINTS),
        )
        super().__init__(own, server.console)
        self._server = server

    @property
    def is_local(self) -> bool:
        """Always True."""
        return True

    @property
    def local(self) -> Assembly:
        """These parts themselves."""
        return self

    def has(self, review: str) -> bool:
        """True if this store has a review of this name."""
        from foureyes.store import sqlite

        path = Path(self.settings.database)
        if not path.exists():
            return False
        with sqlite.reading(path) as reading:
            return reading.review(review) is not None

    async def move_in(self) -> None:
        """Move in what an earlier release kept in the server's store, for a command that only reads."""
        if not self._is_moved() and self._server.has_store:
            async with self.new_store():
                pass

    async def leave(self, server: Store) -> None:
        """Move local reviews out of the server's store before it answers, also any that a restore brought back."""
        from foureyes.app.policies import Policies
        from foureyes.app.reviewing.migration import is_fetched, move, set_aside
        from foureyes.core.local import local_author

        policies, author = Policies(self.policy()), local_author(_user())
        await set_aside(server, policies)
        if await server.read(partial(is_fetched, author)):
            return
        async with super().new_store() as store:
            await move(server, store, author, policies)
            await self._mark_moved(store)

    @asynccontextmanager
    async def new_store(self) -> AsyncIterator[Store]:
        """Open the store for writing: create it if needed, move earlier reviews in, and expire old ones."""
        folder.make(self.settings.home)
        quiet = self._write_time(-QUIET_MAX)
        if self._is_anything_due(quiet):
            from foureyes.store.expiring import expire

            expire(Path(self.settings.database), quiet)
        async with super().new_store() as store:
            if not await store.read(self._is_marked):
                await self._moved(store)
            yield store

    def gate(
        self,
        store: Store,
        policy: Policy | None = None,
        directory: Directory | None = None,
        *,
        tells: bool = False,
    ) -> Gate:
        """The gate on this store. It notifies nobody, believes what was read here, and knows dismissals."""
        from foureyes.app.books import BOOKS
        from foureyes.app.gate import Gate
        from foureyes.app.reviewing.dismissals import suppressions
        from foureyes.app.world import World
        from foureyes.bootstrap.assembly import Nobody
        from foureyes.bootstrap.bases import bases
        from foureyes.home.where import repository

        books = replace(BOOKS, suppressions=partial(suppressions, where=repository()))
        return Gate(
            store,
            directory or Nobody(),
            policy=policy or self.policy(),
            books=books,
            world=World(clock=self.now),
            tells=tells,
            bases=bases(self.settings, local=True),
            local=True,
        )

    async def dismiss(self, review: str, finding: str, because: str, by: Who | None = None) -> None:
        """Waive a finding of a local review."""
        await self._server.dismiss(review, finding, because, by)

    def _is_anything_due(self, quiet: str) -> bool:
        from foureyes.store import sqlite
        from foureyes.store.expiring import due
        from foureyes.store.versions import version_of

        path = Path(self.settings.database)
        if not path.exists():
            return False
        with sqlite.speaking(), closing(sqlite.connect_reader(path)) as connection:
            return version_of(connection) == self.wanted_schema() and bool(due(connection, quiet))

    def _write_time(self, shift: timedelta) -> str:
        from foureyes.app.operations import write_time

        return str(write_time(self.now() + shift))

    @property
    def _mark(self) -> str:
        """Identifies the server's store that reviews were moved in from."""
        return hashlib.sha256(self._server.settings.database.encode(errors="surrogateescape")).hexdigest()[:32]

    def _is_marked(self, reading: Reading) -> bool:
        return reading.row(MOVED_IN, self._mark) is not None

    def _is_moved(self) -> bool:
        from foureyes.store import sqlite

        path = Path(self.settings.database)
        if not path.exists():
            return False
        with sqlite.reading(path) as reading:
            return self._is_marked(reading)

    async def _moved(self, store: Store) -> None:
        """Move in what an earlier release kept in the server's store, if there is one that can be opened."""
        if self._server.has_store:
            from foureyes.app.policies import Policies
            from foureyes.app.reviewing.migration import move
            from foureyes.core.local import local_author

            try:
                async with self._server.store(write=True) as server:
                    await move(server, store, local_author(_user()), Policies(self.policy()))
            except (Trouble, Unavailable):
                return  # a store of another release, or one that cannot be reached: the next run tries again
        await self._mark_moved(store)

    async def _mark_moved(self, store: Store) -> None:
        now = self._write_time(timedelta())
        await store.write(lambda tx: tx.follow(MOVED_IN, {self._mark: now}, START))


def _user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name
