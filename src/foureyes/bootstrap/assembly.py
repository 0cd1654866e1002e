"""Assemble the parts that commands use: the one place that chooses the adapter behind each.

Modules that not every command needs are imported where they are used: `check` runs before every step of an agent.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from foureyes import config
from foureyes.bootstrap.looking import LookingStore, check_schema, check_there, default_policy
from foureyes.home import folder, restores
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.app.gate import Gate
    from foureyes.app.ports import Directory, Reading, Store
    from foureyes.app.reviewers import Change, Health, Missing
    from foureyes.app.reviewing.outcome import Outcome
    from foureyes.app.reviewing.rounds import Rounds
    from foureyes.app.reviewing.rulebook import RuleEntry
    from foureyes.cli.console import Console
    from foureyes.cli.parts import Asking, Heard, PageQuestion, Placing, Progress, Schema, Speaking, Wanted
    from foureyes.cli.serving import AtWork, Begun, Serving
    from foureyes.core.facts import Principal
    from foureyes.core.values import Who
    from foureyes.policy.policy import Policy

T = TypeVar("T")
CONNECT_SECONDS_MAX = 10


class Assembly:
    """What a command is handed: everything it may ask for, put together when it does."""

    @property
    def is_local(self) -> bool:
        """Whether these are the parts on the store of local reviews."""
        return False

    def __init__(self, settings: config.Settings, console: Console | None = None) -> None:
        """Stand on these settings; tests put their own person at the console."""
        from foureyes.cli.console import Console

        self.settings = settings
        self.console = console or Console()

    @property
    def local(self) -> Assembly:
        """The same parts on the store of local reviews, which is no server's."""
        from foureyes.bootstrap.local import LocalAssembly

        return LocalAssembly(self)

    @property
    def has_store(self) -> bool:
        """Whether there is a server's store: a database that is shared is never looked for."""
        return self.settings.is_postgres or os.path.exists(self.settings.database)

    @property
    def at_hand(self) -> Assembly:
        """These parts; where there is no server's store, those on the one of local reviews."""
        return self.local if not self.has_store and os.path.exists(self.settings.local_database) else self

    async def having(self, review: str) -> Assembly:
        """The parts on the store that has this review: the local one, or the server's; without a name the local one."""
        from foureyes.bootstrap.local import LocalAssembly

        local = LocalAssembly(self)
        await local.move_in()
        return local if not review or local.has(review) else self

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)

    def human(self) -> Who:
        """The person in front of it: whoever can run this as the owner of the data folder is trusted to be one."""
        import pwd

        from foureyes.core.values import Who, WhoKind

        name = pwd.getpwuid(os.getuid()).pw_name
        return Who(name=name, kind=WhoKind.HUMAN, operator=name)

    def schema(self) -> Schema:
        """Which schema the store has and which this program wants."""
        from foureyes.cli.parts import Schema

        if self.settings.is_postgres:
            return Schema(found=_postgres_schema(self.settings.database), wanted=self.wanted_schema())
        return Schema(found=self.copy_schema(self.settings.database), wanted=self.wanted_schema())

    def wanted_schema(self) -> int:
        """The schema of this program."""
        from foureyes.store.migrations import STEPS

        return len(STEPS)

    def copy_schema(self, path: str) -> int:
        """Which schema an SQLite file has; 0 where there is none."""
        if not os.path.exists(path):
            return 0
        from contextlib import closing
        from pathlib import Path

        from foureyes.store import sqlite
        from foureyes.store.migrate import version_of

        with sqlite.speaking(), closing(sqlite.connect_reader(Path(path))) as connection:
            return version_of(connection)

    @asynccontextmanager
    async def store(self, *, write: bool = False) -> AsyncIterator[Store]:
        """The store of these settings; one of another schema is not opened, let alone changed."""
        if not self.settings.is_postgres:
            check_there(self.settings)
        restores.check_whole(self.settings)
        found = self.schema()
        check_schema(found.found, found.wanted)
        async with _closing(self._opened(write=write)) as store:
            yield store

    @asynccontextmanager
    async def new_store(self) -> AsyncIterator[Store]:
        """The store of these settings to write to; made where there is none."""
        folder.make(self.settings.home)
        restores.check_whole(self.settings)
        found = self.schema()
        if found.found:
            check_schema(found.found, found.wanted)
        async with _closing(self._opened(write=True)) as store:
            yield store

    @asynccontextmanager
    async def copied(self, path: str) -> AsyncIterator[Store]:
        """A copy of a store in an SQLite file, to read."""
        yield LookingStore(path)

    def policy(self) -> Policy:
        """What judges before any policy is activated: the file of these settings, else the shipped default."""
        return default_policy(self.settings)

    def gate(
        self,
        store: Store,
        policy: Policy | None = None,
        directory: Directory | None = None,
        *,
        tells: bool = True,
    ) -> Gate:
        """The gate on this store; with nobody to ask and the policy of these settings, unless others are given."""
        from foureyes.app.books import BOOKS
        from foureyes.app.gate import Gate
        from foureyes.app.world import World
        from foureyes.bootstrap.bases import bases

        who = directory or Nobody()
        world = World(clock=self.now)
        known, rules = bases(self.settings, local=False), policy or self.policy()
        return Gate(store, who, policy=rules, books=BOOKS, world=world, tells=tells, bases=known)

    def read_change(self, wanted: Wanted) -> Change:
        """The work that is named, from git, a file or stdin."""
        from foureyes.bootstrap.reviewing import read_change

        return read_change(wanted)

    def reviewing(self) -> Rounds:
        """What runs a round, on the store of local reviews; makes it where there is none."""
        from foureyes.bootstrap.reviewing import rounds

        return rounds(self.local, os.environ)

    async def stands(self, review: str = "") -> Outcome:
        """A review as it stands now, wherever it is; without a name, the last local one from here."""
        from foureyes.app.reviewing.at_the_gate import as_the_gate_says
        from foureyes.bootstrap.reviewing import rounds

        there = await self.having(review)
        found = replace(await rounds(there, os.environ).stands(review), is_local=there.is_local)
        if not there.is_local and found.state == "cleared":
            async with there.store() as store:
                found = await as_the_gate_says(there.gate(store), found, there.human())
        return await self.scrub(found, found.review)

    async def scrub(self, value: T, *reviews: str) -> T:
        """The same value without secrets in any of its texts.

        What is said of a local review was freed of them when it was written down; of another, the bytes of all its
        versions are searched.
        """
        from foureyes.app.redaction import stored
        from foureyes.core.refusals import Refusal
        from foureyes.reviewers.boundary import scrubbed

        works = list[dict[str, bytes]]()
        for review in reviews:
            there = await self.having(review)
            if there.is_local:
                continue
            async with there.store() as store:
                with suppress(Refusal):
                    seen = await there.gate(store).read(review, there.human())
                    for one in seen.view.review.revisions:
                        files, before = await store.read(partial(stored, one))
                        works += (files, dict(before.values()))
        return scrubbed(value, works)

    def ask_signed_in(self, question: PageQuestion, to: str = "") -> bool | None:
        """Ask on a page that opens in the browser, or is written into a new file; None where nobody answered."""
        from pathlib import Path

        from foureyes.app.signing_in import LINK_LIFE
        from foureyes.bootstrap.sign_in_here import SignInPage
        from foureyes.cli import browser

        folder.make(self.settings.home)
        page = Path(to).absolute() if to else Path(self.settings.home, browser.DECISION)
        shows = (lambda _: True) if to else self.console.opens
        return SignInPage(question).ask(shows, page, LINK_LIFE.total_seconds())

    async def dismiss(self, review: str, finding: str, because: str, by: Who | None = None) -> None:
        """Waive a finding of a local review."""
        await self.reviewing().dismiss(review, finding, because, by)

    def rules(self) -> tuple[RuleEntry, ...]:
        """Every rule of every critic, with what was measured of it."""
        from foureyes.bootstrap.reviewing import LocalDesk

        return tuple(LocalDesk(self, os.environ).rulebook().values())

    async def health(self) -> tuple[Health | Missing, ...]:
        """One real call to everybody who is at hand; and who is not."""
        from foureyes.bootstrap.health import health

        return await health(self, os.environ)

    def ask(self, asking: Asking) -> Heard:
        """Make a call at a running server."""
        from foureyes.bootstrap.asking import ask

        return ask(self, asking)

    async def speak(self, how: Speaking) -> None:
        """Speak MCP on stdin and stdout until stdin ends."""
        from foureyes.bootstrap.speaking import speak

        await speak(self, how)

    def policy_here(self) -> tuple[Policy, str]:
        """What would judge a change in this folder, and where that comes from."""
        from foureyes.bootstrap.health import policy_here

        found = policy_here(self, os.environ)
        return found.policy, found.came_from

    def serve(self, serving: Serving, told: Callable[[Begun], None]) -> None:
        """Serve until somebody ends it."""
        import gc

        gc.disable()  # until it answers: a third of a start would be spent on looking for what is not there
        from foureyes.bootstrap.serving import serve

        serve(self, serving, told)

    def work(self, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
        """Carry runs out until somebody ends it."""
        if not self.settings.is_postgres:
            raise Trouble(
                f"A worker shares a PostgreSQL database with servers; {self.settings.database} is a file.",
                "Name one with --database postgresql://…; alone, `foureyes up` carries runs out by itself.",
                usage=True,
            )
        from foureyes.bootstrap.working import work

        work(self, yes_send, told)

    def copy_store(self, target: str, progress: Progress) -> None:
        """Copy the store into a new SQLite file as it is at one moment, while others go on working."""
        from pathlib import Path

        if self.settings.is_postgres:
            from foureyes.store.copying import backup_postgres

            backup_postgres(self.settings.database, Path(target), _turned(progress))
            return
        from foureyes.store.sqlite_backup import backup

        backup(Path(self.settings.database), Path(target), _turned(progress))

    def placing(self) -> Placing:
        """The place of the store, where a copy goes."""
        from foureyes.bootstrap.placing import StorePlace

        return StorePlace(settings=self.settings)

    def migrate(self, path: str = "") -> None:
        """Bring the store, or a copy of one in a file, to the schema of this program."""
        from pathlib import Path

        if self.settings.is_postgres and not path:
            from foureyes.store.postgres import migrate_postgres

            migrate_postgres(self.settings.database)
            return
        from foureyes.store.migrate import migrate

        migrate(Path(path or self.settings.database))

    def _opened(self, *, write: bool) -> Store:
        if self.settings.is_postgres:
            from foureyes.store.pg_connecting import Limits
            from foureyes.store.postgres import PostgresStore

            limits = Limits(writers=self.settings.writers, readers=self.settings.readers)
            return PostgresStore.open(self.settings.database, limits)
        if not write:
            return LookingStore(self.settings.database)
        from foureyes.store.sqlite_store import SqliteStore

        return SqliteStore.open(self.settings.database, readers=self.settings.readers)


class Nobody:
    """A directory without accounts: nobody can be asked to review until the doors know who there is."""

    def pool(self, _: Reading) -> tuple[Principal, ...]:
        return ()


@asynccontextmanager
async def _closing(store: Store) -> AsyncIterator[Store]:
    try:
        yield store
    finally:
        await store.close()


def _postgres_schema(url: str) -> int:
    import psycopg

    from foureyes.app.ports import Unavailable
    from foureyes.store.pg_schema import version_of

    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS_MAX) as connection:
            return version_of(connection)
    except psycopg.Error as error:
        raise Unavailable(f"PostgreSQL: {error}".strip(), "Check the URL and the server.") from error


def _turned(progress: Progress) -> Callable[[int, int], None]:
    """The stores say how much remains; people want to know how much is done."""
    return lambda total, left: progress(total - left, total)
