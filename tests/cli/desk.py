"""A user at a command line: their own data folder, their input, and the output they see."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from foureyes import config
from foureyes.app.work import work_of
from foureyes.bootstrap.assembly import Assembly
from foureyes.bootstrap.looking import look, look_local
from foureyes.cli import check
from foureyes.cli.console import Console
from foureyes.cli.program import run
from foureyes.core import commands as c
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import FIRST, SECOND, House
from tests.cast import DEV

THIRD = {"hello.py": b"print('third')\n"}
CLEARED, PENDING, WITHDRAWN = (work_of(files).digest for files in (FIRST, SECOND, THIRD))


@dataclass(frozen=True, kw_only=True)
class Ran:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The JSON output."""
        return json.loads(self.out)


@dataclass
class Desk:
    """A data folder and a person who may sit at a terminal."""

    home: Path
    #: What the person types, line by line; None means no terminal.
    types: list[str] | None = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> Path:
        return self.home / "foureyes.db"

    def assembly(self, flags: dict[str, str | None] | None = None) -> Assembly:
        """The real parts, on this folder."""
        environment = {"FOUREYES_HOME": str(self.home), **self.environment}
        console = Console(is_terminal=lambda: self.types is not None, typed=self._typed)
        return Assembly(config.read(flags or {}, environment), console)

    def run(self, *arguments: str) -> Ran:
        """A command through click."""
        return self._caught(lambda: run(arguments, lambda flags: self.assembly(dict(flags)), lambda: str(self.home)))

    def check(self, *arguments: str) -> Ran:
        """`check` on its light way."""
        question = check.asked(["check", *arguments, "--home", str(self.home)])
        assert question is not None
        return self._caught(lambda: check.run(question, look, lambda: str(self.home), look_local))

    def house(self, store: SqliteStore, start: int = 100) -> House:
        """A gate on this folder's store, for what the command line cannot do yet."""
        return House(store=store, ids=start, name=f"k{start}-")

    def add(self, text: str) -> str:
        """Add one more open review and return its digest."""
        files = {"more.py": text.encode()}

        async def play() -> None:
            async with SqliteStore.open(self.database) as store:
                house = self.house(store, start=1000 + len(text))
                await house.open(files)

        asyncio.run(play())
        return work_of(files).digest

    def _typed(self) -> str:
        assert self.types, "somebody was asked and had nothing to say"
        return self.types.pop(0)

    @staticmethod
    def _caught(act: Any) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = act()
        return Ran(code=code, out=out.getvalue(), err=err.getvalue())


def furnish(home: Path) -> None:
    """Put a store with a cleared, a pending and a withdrawn review into a folder."""
    shutil.copytree(_furnished(), home, dirs_exist_ok=True)
    home.chmod(0o700)


@cache
def _furnished() -> Path:
    home = Path(mkdtemp(prefix="foureyes-desk-"))

    async def play() -> None:
        async with SqliteStore.open(home / "foureyes.db") as store:
            house = House(store=store)
            await house.cleared(FIRST)
            await house.open(SECOND, title="Second \x1b]0;evil\x07 try\u202e")
            stream = await house.open(THIRD)
            await house.do(DEV, c.WithdrawReview(reason="no"), stream)

    asyncio.run(play())
    return home


def lines(text: str) -> Iterator[str]:
    """The lines that are not blank."""
    return (line for line in text.splitlines() if line.strip())
