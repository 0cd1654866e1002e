"""Which adapter stands behind each part that a command is handed? Nothing else knows.

Whatever a command may not need is imported where it is used: `check` runs before every step of an agent.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn, TypeVar

from foureyes import __version__, config
from foureyes.home import folder
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.app.gate import Gate
    from foureyes.app.ports import Directory, Reading, Store, Writing
    from foureyes.app.reviewers import Change, Health, Missing
    from foureyes.app.reviewing.outcome import Outcome
    from foureyes.app.reviewing.rounds import Rounds
    from foureyes.app.reviewing.rulebook import RuleEntry
    from foureyes.cli.console import Console
    from foureyes.cli.parts import Asking, Heard, Progress, Schema, Speaking, Wanted
    from foureyes.cli.serving import AtWork, Begun, Serving
    from foureyes.core.facts import Principal
    from foureyes.core.values import Who
    from foureyes.policy.policy import Policy

T = TypeVar("T")
Flags = Mapping[str, str | None]
CONNECT_SECONDS_MAX = 10


@contextmanager
def look(flags: Flags) -> Iterator[tuple[Reading, Callable[[], Policy | None]]]:
    """One look at an SQLite store and the way to its default policy, with as little of the program as will do."""
    settings = config.read(flags, os.environ)
    _check_there(settings)
    from contextlib import closing
    from pathlib import Path

    from foureyes.store import sqlite
    from foureyes.store.migrate import version_of
    from foureyes.store.migrations import STEPS

    with sqlite.speaking(), closing(sqlite.connect_reader(Path(settings.database))) as connection:
        _check_schema(version_of(connection), len(STEPS))
        with sqlite.snapshot(connection) as reading:
            yield reading, lambda: _own_policy(settings)


class Assembly:
    """What a command is handed: everything it may ask for, put together when it does."""

    def __init__(self, settings: config.Settings, console: Console | None = None) -> None:
        """Stand on these settings; tests put their own person at the console."""
        from foureyes.cli.console import Console

        self.settings = settings
        self.console = console or Console()

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
            _check_there(self.settings)
        found = self.schema()
        _check_schema(found.found, found.wanted)
        async with _closing(self._opened(write=write)) as store:
            yield store

    @asynccontextmanager
    async def new_store(self) -> AsyncIterator[Store]:
        """The store of these settings to write to; made where there is none."""
        folder.make(self.settings.home)
        found = self.schema()
        if found.found:
            _check_schema(found.found, found.wanted)
        async with _closing(self._opened(write=True)) as store:
            yield store

    @asynccontextmanager
    async def copied(self, path: str) -> AsyncIterator[Store]:
        """A copy of a store in an SQLite file, to read."""
        yield _LookingStore(path)

    def policy(self) -> Policy:
        """What judges before any policy is activated: the file of these settings, else the shipped default."""
        return _default_policy(self.settings)

    def gate(
        self, store: Store, policy: Policy | None = None, directory: Directory | None = None, *, tells: bool = True
    ) -> Gate:
        """The gate on this store; with nobody to ask and the policy of these settings, unless others are given."""
        from foureyes.app.books import BOOKS
        from foureyes.app.gate import Gate, World

        who = directory or _Nobody()
        world = World(clock=self.now)
        return Gate(store, who, policy=policy or self.policy(), books=BOOKS, world=world, tells=tells)

    def read_change(self, wanted: Wanted) -> Change:
        """The work that is named, from git, a file or stdin."""
        from foureyes.bootstrap.reviewing import read_change

        return read_change(wanted)

    def reviewing(self) -> Rounds:
        """What runs a round; makes the store where there is none."""
        from foureyes.bootstrap.reviewing import rounds

        return rounds(self, os.environ)

    async def stands(self, review: str = "") -> Outcome:
        """A review as it stands in the store now; without a name, the last one from here."""
        return await self.reviewing().stands(review)

    async def dismiss(self, review: str, finding: str, because: str) -> None:
        """Waive a finding in the name of the person in front of it."""
        await self.reviewing().dismiss(review, finding, because)

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
        try:
            from foureyes.bootstrap.serving import serve
        except ModuleNotFoundError as error:
            if error.name in ("starlette", "uvicorn", "mcp"):
                raise Trouble("A server needs extra packages.", "Run: pip install 'foureyes[server]'") from None
            raise
        serve(self, serving, told)

    def work(self, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
        """Carry runs out until somebody ends it."""
        if not self.settings.is_postgres:
            raise Trouble(
                f"A worker shares a PostgreSQL database with servers; {self.settings.database} is a file.",
                "Name one with --database postgresql://…; alone, `foureyes up` carries runs out by itself.",
                usage=True,
            )
        try:
            from foureyes.bootstrap.working import work
        except ModuleNotFoundError as error:
            if error.name in ("dbos", "psycopg"):
                raise Trouble("A worker needs extra packages.", "Run: pip install 'foureyes[cluster]'") from None
            raise
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

    def put_store(self, copy: str, progress: Progress) -> str:
        """Put a copy in the place of the store; gives where the one that was there is kept."""
        from pathlib import Path

        folder.make(self.settings.home)
        if self.settings.is_postgres:
            from foureyes.store.copying import restore_postgres

            restore_postgres(Path(copy), self.settings.database, _turned(progress))
            return ""
        from foureyes.store.sqlite_backup import restore

        kept = restore(Path(copy), Path(self.settings.database), _turned(progress))
        return str(kept) if kept else ""

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
            return _LookingStore(self.settings.database)
        from foureyes.store.sqlite_store import SqliteStore

        return SqliteStore.open(self.settings.database, readers=self.settings.readers)


class _LookingStore:
    """An SQLite store that is only read: beside a server nothing of it is touched."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def read(self, work: Callable[[Reading], T]) -> T:
        from pathlib import Path

        from foureyes.store import sqlite

        with sqlite.reading(Path(self._path)) as reading:
            return work(reading)

    async def write(self, work: Callable[[Writing], T]) -> NoReturn:
        message = f"a command that only reads wants to write: {work}"
        raise TypeError(message)

    async def close(self) -> None:
        """Nothing stays open between two looks."""


class _Nobody:
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


def on_postgres(flags: Flags) -> bool:
    """Whether the light way is of no use; settings that cannot be read are told about on it."""
    try:
        return config.read(flags, os.environ).is_postgres
    except Trouble:
        return False


def _default_policy(settings: config.Settings) -> Policy:
    from pathlib import Path

    from foureyes.policy.load import load

    return load(Path(settings.policy)).policy


def _own_policy(settings: config.Settings) -> Policy | None:
    """The same, but None where nobody wrote one: the shipped default demands nothing of any target."""
    for name in (settings.policy, f"{os.path.splitext(settings.policy)[0]}.yml"):  # the second is refused by its name
        try:
            os.lstat(name)
        except FileNotFoundError:
            continue
        return _default_policy(settings)
    return None


def _check_there(settings: config.Settings) -> None:
    if not folder.exists(settings.home):
        raise Trouble(
            f"There is no data folder {settings.home} yet.",
            "Name the right one with --home or FOUREYES_HOME; the first review or `foureyes restore` makes it.",
        )
    if not os.path.exists(settings.database):
        raise Trouble(
            f"There is no store at {settings.database} yet.",
            "Name the right one with --database; the first review or `foureyes restore` makes it.",
        )


def _check_schema(found: int, wanted: int) -> None:
    if found > wanted:
        raise Trouble(
            f"The store has schema {found}; foureyes {__version__} knows {wanted}.",
            f"Use the foureyes that wrote it, or a newer one: it must know schema {found}.",
            blocked=True,
        )
    if found < wanted:
        raise Trouble(
            f"The store has schema {found}; foureyes {__version__} needs {wanted}.",
            "Run `foureyes upgrade`: it makes a backup first.",
            blocked=True,
        )
