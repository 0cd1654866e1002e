"""The lock of commands that change things: refused while a server or another such command runs in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foureyes.cli.parts import Parts
from foureyes.home import folder
from foureyes.home.lock import locked


@contextmanager
def alone(parts: Parts, command: str) -> Iterator[None]:
    """Hold the data folder's lock while the command runs; raises Trouble that names the process holding it."""
    folder.make(parts.settings.home)
    with locked(parts.settings, f"`foureyes {command}`", now=parts.now().isoformat()):
        yield
