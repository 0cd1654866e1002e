"""A play: a person at a terminal restores a backup in the place of the store."""

from __future__ import annotations

import asyncio
from pathlib import Path

from foureyes.cli.restoring import WORDS
from tests.cli.desk import Desk
from tests.crash.plays import Mark

SAFE = "safe"
#: A file with the address of the PostgreSQL database that is restored into; without it the store is a file.
URL = "url"


async def play(folder: Path, mark: Mark) -> bool:
    """Restore the one backup that lies in the data folder."""
    mark("ask 1")
    code = await asyncio.to_thread(restore, folder)
    mark("ack 1")
    return code == 0


def restore(home: Path) -> int:
    """Run the command and return its exit code; its output is printed on failure."""
    home.chmod(0o700)
    (backup,) = (home / SAFE).iterdir()
    ran = desk_at(home, types=[f"{WORDS}\n"] * 3).run("restore", str(backup), "--replace")
    if ran.code:
        print(ran.out, ran.err)
    return ran.code


def desk_at(home: Path, types: list[str] | None = None) -> Desk:
    """A user of this data folder, whose store may be in PostgreSQL."""
    url = home / URL
    return Desk(
        home=home,
        types=types,
        environment={"FOUREYES_DATABASE": url.read_text(encoding="utf-8")} if url.exists() else {},
    )
