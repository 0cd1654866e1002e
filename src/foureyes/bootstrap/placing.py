"""How a copy takes the place of the store, for each kind of database, and how what it replaced comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from foureyes import config
from foureyes.home import folder


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """The place of the store of these settings."""

    settings: config.Settings

    def kept(self) -> str:
        """Where the store that is to be replaced is kept; empty if there is none, or if the database is not a file."""
        if self.settings.is_postgres or not Path(self.settings.database).exists():
            return ""
        from foureyes.store.sqlite_backup import free_name

        return str(free_name(self._path))

    def put(self, copy: str, kept: str, progress: Callable[[int, int], None]) -> str:
        """Put a copy in the place of the store; returns where the previous one is kept."""

        def left(total: int, remaining: int) -> None:
            progress(total - remaining, total)

        folder.make(self.settings.home)
        if self.settings.is_postgres:
            from foureyes.store.copying import restore_postgres

            restore_postgres(Path(copy), self.settings.database, left)
            return ""
        from foureyes.store.sqlite_backup import restore

        there = restore(Path(copy), self._path, left, Path(kept) if kept else None)
        return str(there) if there else ""

    def undo(self, kept: str) -> None:
        """Put back what a restore set aside, or remove what it made. PostgreSQL restores in one transaction."""
        if not self.settings.is_postgres:
            from foureyes.store.sqlite_backup import undo

            undo(self._path, Path(kept) if kept else None)

    @property
    def _path(self) -> Path:
        return Path(self.settings.database).resolve()
