"""What is a command handed to work with? The bootstrap assembles it; the door itself knows no adapter."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from foureyes.cli.console import Console

if TYPE_CHECKING:  # `--help` and `config show` need none of the core
    from foureyes.app.gate import Gate
    from foureyes.app.ports import Store
    from foureyes.core.values import Who
    from foureyes.policy.policy import Policy


#: How much is done, of how much.
Progress = Callable[[int, int], None]


class Settings(Protocol):
    """The settings a command reads."""

    @property
    def home(self) -> str: ...
    @property
    def database(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def checkpoints(self) -> str: ...
    @property
    def checkpoint_seconds(self) -> int: ...
    @property
    def keys(self) -> str: ...
    @property
    def spool(self) -> str: ...
    @property
    def backups(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def is_postgres(self) -> bool: ...

    def shown(self) -> tuple[tuple[str, str | int, str], ...]:
        """Name, value and source of each setting, without secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Which schema the store has, and which this program wants; 0 where there is no store."""

    found: int
    wanted: int


class Parts(Protocol):
    """Everything a command may ask for; opened only when it does."""

    @property
    def settings(self) -> Settings: ...
    @property
    def console(self) -> Console: ...

    def now(self) -> datetime:
        """The time, in UTC."""

    def human(self) -> Who:
        """The person in front of it: on this machine the user of the operating system."""

    def schema(self) -> Schema:
        """What the store is like; opens nothing that would change it."""

    def wanted_schema(self) -> int:
        """The schema of this program."""

    def copy_schema(self, path: str) -> int:
        """Which schema a copy of a store has; 0 where there is none."""

    def store(self, *, write: bool = False) -> AbstractAsyncContextManager[Store]:
        """The store, open; refused where there is none, or where its schema is not this program's."""

    def new_store(self) -> AbstractAsyncContextManager[Store]:
        """The store to write to; made where there is none."""

    def copied(self, path: str) -> AbstractAsyncContextManager[Store]:
        """A copy of a store, to read."""

    def policy(self) -> Policy:
        """What judges before any policy is activated: the file of the settings, else the shipped default."""

    def gate(self, store: Store) -> Gate:
        """The gate on this store."""

    def copy_store(self, target: str, progress: Progress) -> None:
        """Write a consistent copy of the store into a new SQLite file, while others go on working."""

    def put_store(self, copy: str, progress: Progress) -> str:
        """Put a copy in the place of the store; what was there is kept, and where is told."""

    def migrate(self, path: str = "") -> None:
        """Bring the store, or a copy of one, to the schema of this program."""
