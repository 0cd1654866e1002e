"""Read-only stores: the fast path of `check`, and a store that is opened for a single read.

Modules that are not always needed are imported where they are used: `check` runs before every step of an agent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeVar

from foureyes import __version__, config
from foureyes.home import folder, restores
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.app.book_end import BookMark
    from foureyes.app.ports import Reading, Writing
    from foureyes.policy.policy import Policy

T = TypeVar("T")
Flags = Mapping[str, str | None]
#: The store of local reviews proves nothing to others, so it has no checkpoints and this folder does not exist.
NO_CHECKPOINTS = "local-checkpoints"


@contextmanager
def look(flags: Flags) -> Iterator[tuple[Reading, Callable[[], Policy | None], BookMark]]:
    """Open an SQLite store for one read, with its default policy and checkpoints, importing as little as possible.

    If there is no server's store, the store of local reviews is opened.
    """
    settings = config.read(flags, os.environ)
    if not os.path.exists(settings.database) and os.path.exists(settings.local_database):
        with look_local(flags) as found:
            assert found is not None  # noqa: S101 - it is there
            yield found
        return
    check_there(settings)
    restores.check_whole(settings)
    with _looked(settings, settings.database, settings.checkpoints) as found:
        yield found


@contextmanager
def look_local(flags: Flags) -> Iterator[tuple[Reading, Callable[[], Policy | None], BookMark] | None]:
    """Open the store of local reviews for one read; it has no checkpoints. None if there is no such store."""
    settings = config.read(flags, os.environ)
    if not os.path.exists(settings.local_database):
        yield None
        return
    with _looked(settings, settings.local_database, os.path.join(settings.home, NO_CHECKPOINTS)) as found:
        yield found


@contextmanager
def _looked(
    settings: config.Settings, database: str, checkpoints: str
) -> Iterator[tuple[Reading, Callable[[], Policy | None], BookMark]]:
    from contextlib import closing
    from pathlib import Path

    from foureyes.app.book_end import bookmark
    from foureyes.store import sqlite
    from foureyes.store.migrate import version_of
    from foureyes.store.migrations import STEPS

    mark = bookmark(checkpoints)
    with sqlite.speaking(), closing(sqlite.connect_reader(Path(database))) as connection:
        check_schema(version_of(connection), len(STEPS))
        with sqlite.snapshot(connection) as reading:
            yield reading, lambda: _own_policy(settings), mark


def on_postgres(flags: Flags) -> bool:
    """True if the store is on PostgreSQL, which the fast path cannot read; invalid settings count as False."""
    try:
        return config.read(flags, os.environ).is_postgres
    except Trouble:
        return False


class LookingStore:
    """An SQLite store that is only read, and changes nothing beside a running server."""

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
        """Do nothing: no connection stays open between reads."""


def default_policy(settings: config.Settings) -> Policy:
    from pathlib import Path

    from foureyes.policy.load import SERVER_DEFAULT, load

    return load(Path(settings.policy), default=SERVER_DEFAULT).policy


def _own_policy(settings: config.Settings) -> Policy | None:
    """The policy of the settings; None if no file exists, as the shipped default demands nothing of any target."""
    for name in (settings.policy, f"{os.path.splitext(settings.policy)[0]}.yml"):  # the second is refused by its name
        try:
            os.lstat(name)
        except FileNotFoundError:
            continue
        return default_policy(settings)
    return None


def check_there(settings: config.Settings) -> None:
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


def check_schema(found: int, wanted: int) -> None:
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
