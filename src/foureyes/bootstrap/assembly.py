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
    """The parts that a command works with, each assembled when it is used."""

    @property
    def is_local(self) -> bool:
        """True if these parts use the store of local reviews."""
        return False

    def __init__(self, settings: config.Settings, console: Console | None = None) -> None:
        """Use these settings; tests pass a console of their own."""
        from foureyes.cli.console import Console

        self.settings = settings
        self.console = console or Console()

    @property
    def local(self) -> Assembly:
        """These parts on the store of local reviews, which no server opens."""
        from foureyes.bootstrap.local import LocalAssembly

        return LocalAssembly(self)

    @property
    def has_store(self) -> bool:
        """True if there is a server's store; a PostgreSQL database is assumed to exist."""
        return self.settings.is_postgres or os.path.exists(self.settings.database)

    @property
    def at_hand(self) -> Assembly:
        """These parts; or, without a server's store, the parts on the store of local reviews."""
        return self.local if not self.has_store and os.path.exists(self.settings.local_database) else self

    async def having(self, review: str) -> Assembly:
        """The parts on the store that has this review, local or the server's; without a name, the local ones."""
        from foureyes.bootstrap.local import LocalAssembly

        local = LocalAssembly(self)
        await local.move_in()
        return local if not review or local.has(review) else self

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)

    def human(self) -> Who:
        """The person at the terminal: a user who can run this as the owner of the data folder is trusted to be one."""
        import pwd

        from foureyes.core.values import Who, WhoKind

        name = pwd.getpwuid(os.getuid()).pw_name
        return Who(name=name, kind=WhoKind.HUMAN, operator=name)

    def schema(self) -> Schema:
        """The schema version of the store, and the one that this program needs."""
        from foureyes.cli.parts import Schema

        if self.settings.is_postgres:
            return Schema(found=_postgres_schema(self.settings.database), wanted=self.wanted_schema())
        return Schema(found=self.copy_schema(self.settings.database), wanted=self.wanted_schema())

    def wanted_schema(self) -> int:
        """The schema version that this program needs."""
        from foureyes.store.migrations import STEPS

        return len(STEPS)

    def copy_schema(self, path: str) -> int:
        """The schema version of an SQLite file; 0 if there is none."""
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
        """Open the store of these settings; refused if it does not exist or has another schema version."""
        if not self.settings.is_postgres:
            check_there(self.settings)
        restores.check_whole(self.settings)
        found = self.schema()
        check_schema(found.found, found.wanted)
        async with _closing(self._opened(write=write)) as store:
            yield store

    @asynccontextmanager
    async def new_store(self) -> AsyncIterator[Store]:
        """Open the store of these settings for writing, and create it if it does not exist."""
        folder.make(self.settings.home)
        restores.check_whole(self.settings)
        found = self.schema()
        if found.found:
            check_schema(found.found, found.wanted)
        async with _closing(self._opened(write=True)) as store:
            yield store

    @asynccontextmanager
    async def copied(self, path: str) -> AsyncIterator[Store]:
        """Open a copy of a store in an SQLite file for reading."""
        yield LookingStore(path)

    def policy(self) -> Policy:
        """The policy in force before any is activated: the file of these settings, else the shipped default."""
        return default_policy(self.settings)

    def gate(
        self,
        store: Store,
        policy: Policy | None = None,
        directory: Directory | None = None,
        *,
        tells: bool = True,
    ) -> Gate:
        """The gate on this store. By default it has no reviewers and uses the policy of these settings."""
        from foureyes.app.books import BOOKS
        from foureyes.app.gate import Gate
        from foureyes.app.world import World
        from foureyes.bootstrap.bases import bases

        who = directory or Nobody()
        world = World(clock=self.now)
        known, rules = bases(self.settings, local=False), policy or self.policy()
        return Gate(store, who, policy=rules, books=BOOKS, world=world, tells=tells, bases=known)

    def read_change(self, wanted: Wanted) -> Change:
        """Read the work that the command line names, from git, a file or stdin."""
        from foureyes.bootstrap.reviewing import read_change

        return read_change(wanted)

    def reviewing(self) -> Rounds:
        """What runs a round on the store of local reviews, which is created if it does not exist."""
        from foureyes.bootstrap.reviewing import rounds

        return rounds(self.local, os.environ)

    async def stands(self, review: str = "") -> Outcome:
        """The current state of a review, in whichever store it is; without a name, the last local one from here."""
        from foureyes.app.reviewing.at_the_gate import as_the_gate_says
        from foureyes.bootstrap.reviewing import rounds

        there = await self.having(review)
        found = replace(await rounds(there, os.environ).stands(review), is_local=there.is_local)
        if not there.is_local and found.state == "cleared":
            async with there.store() as store:
                found = await as_the_gate_says(there.gate(store), found, there.human())
        return await self.scrub(found, found.review)

    async def scrub(self, value: T, *reviews: str) -> T:
        """The value with secrets removed from all of its texts.

        Texts of a local review were redacted when they were written. For any other review, the bytes of all its
        versions are searched for secrets.
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
        """Ask on a page that opens in the browser, or is written to a new file; None if it was not answered."""
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
        """Every rule of every critic, with its measurements."""
        from foureyes.bootstrap.reviewing import LocalDesk

        return tuple(LocalDesk(self, os.environ).rulebook().values())

    async def health(self) -> tuple[Health | Missing, ...]:
        """Make one real call to each available reviewer, and list the missing ones."""
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
        """The policy for a change in this folder, and where it comes from."""
        from foureyes.bootstrap.health import policy_here

        found = policy_here(self, os.environ)
        return found.policy, found.came_from

    def serve(self, serving: Serving, told: Callable[[Begun], None]) -> None:
        """Serve until the process is stopped."""
        import gc

        gc.disable()  # until the server answers: collections find nothing then, and would take a third of the start
        from foureyes.bootstrap.serving import serve

        serve(self, serving, told)

    def work(self, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
        """Carry out runs until the process is stopped."""
        if not self.settings.is_postgres:
            raise Trouble(
                f"A worker shares a PostgreSQL database with servers; {self.settings.database} is a file.",
                "Name one with --database postgresql://…; alone, `foureyes up` carries runs out by itself.",
                usage=True,
            )
        from foureyes.bootstrap.working import work

        work(self, yes_send, told)

    def copy_store(self, target: str, progress: Progress) -> None:
        """Copy the store as of one moment into a new SQLite file, while others go on working."""
        from pathlib import Path

        if self.settings.is_postgres:
            from foureyes.store.copying import backup_postgres

            backup_postgres(self.settings.database, Path(target), _turned(progress))
            return
        from foureyes.store.sqlite_backup import backup

        backup(Path(self.settings.database), Path(target), _turned(progress))

    def placing(self) -> Placing:
        """The place of the store, where a restored copy goes."""
        from foureyes.bootstrap.placing import StorePlace

        return StorePlace(settings=self.settings)

    def migrate(self, path: str = "") -> None:
        """Migrate the store, or a copy of one in a file, to the schema of this program."""
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
    """A directory without accounts: no reviewer can be asked until a door provides one."""

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
    """Convert progress: the stores report how much remains, and people want to know how much is done."""
    return lambda total, left: progress(total - left, total)
