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
#: The store of local reviews is nobody's evidence: no checkpoints are signed of it, so nothing lies under this name.
NO_CHECKPOINTS = "local-checkpoints"


@contextmanager
def look(flags: Flags) -> Iterator[tuple[Reading, Callable[[], Policy | None], BookMark]]:
    """One look at an SQLite store, its default policy and its checkpoints, with as little of the program as will do.

    Where there is no server's store, it is the one of local reviews.
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
    """The same on the store of local reviews, of which no checkpoints are signed; nothing where there is none."""
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
    """Whether the light way is of no use; settings that cannot be read are told about on it."""
    try:
        return config.read(flags, os.environ).is_postgres
    except Trouble:
        return False


class LookingStore:
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


def default_policy(settings: config.Settings) -> Policy:
    from pathlib import Path

    from foureyes.policy.load import SERVER_DEFAULT, load

    return load(Path(settings.policy), default=SERVER_DEFAULT).policy


def _own_policy(settings: config.Settings) -> Policy | None:
    """The same, but None where nobody wrote one: the shipped default demands nothing of any target."""
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
