"""A killed restore leaves a store that starts, or one sentence that says how to go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from foureyes.bootstrap.fitness import check_fit
from foureyes.home import restores
from foureyes.home.trouble import Trouble
from tests.cli.desk import CLEARED, Desk, furnish
from tests.crash.checking import quick_folder
from tests.crash.restore_play import SAFE, URL, desk_at, restore

OK, BLOCKED, PENDING = 0, 2, 3
#: The sentence that says how to go on names this command.
GO_ON = "foureyes restore --replace"


@cache
def _prepared() -> tuple[Mapping[str, bytes], str]:
    """A signed store with changes after its backup, and the digest of those changes."""
    with quick_folder() as folder:
        home = folder / "home"
        furnish(home)
        desk = Desk(home=home)
        assert desk.run("log", "checkpoint").code == OK
        assert desk.run("backup", str(home / SAFE), "--with-keys").code == OK
        later = desk.add("later")
        assert desk.run("log", "checkpoint").code == OK
        files = {
            str(one.relative_to(home)): one.read_bytes()
            for one in home.rglob("*")
            if one.is_file() and not one.name.endswith(("-shm", ".lock"))
        }
        return files, later


def before_replacing() -> Mapping[str, bytes]:
    """A store with contents, and an older backup."""
    return _prepared()[0]


def before_moving_in() -> Mapping[str, bytes]:
    """Only a backup."""
    return {name: content for name, content in _prepared()[0].items() if name.startswith(SAFE)}


def wrong_restore(folder: Path, _: Sequence[str]) -> str:
    """The error: a store that neither starts nor says how to go on, or whose instruction does not work."""
    restores.OURS.clear()  # the killed process was another one
    said = _start(folder)
    if said and GO_ON not in said:
        return f"does not start, and says: {said}"
    if said and desk_at(folder).run("check", CLEARED).code == OK:
        return "a store that may be half of one says yes"
    if not said and (folder / URL).exists() and desk_at(folder).run("check", CLEARED).code == OK:
        return _unlike(folder)  # it was done; a database that has a store takes no other
    code = restore(folder)
    if code != OK:
        return f"going on ended with {code}"
    said = _start(folder)
    if said:
        return f"does not start after going on, and says: {said}"
    return _unlike(folder)


def _unlike(folder: Path) -> str:
    """The differences of the store from the backup, and files left behind."""
    desk, later = desk_at(folder), _prepared()[1]
    codes = tuple(desk.run(*words).code for words in (("check", CLEARED), ("check", later), ("log", "verify")))
    if codes != (OK, BLOCKED, OK):
        return f"after going on the answers are {codes}"
    left = [one.name for one in folder.iterdir() if one.name.endswith((".restoring", restores.SUFFIX, restores.NAME))]
    return f"left behind: {left}" if left else ""


def _start(home: Path) -> str:
    """The sentence a server prints instead of starting; empty if it starts."""

    async def begin() -> None:
        assembly = desk_at(home).assembly()
        async with assembly.new_store() as store:
            await check_fit(assembly, store, "server")

    try:
        asyncio.run(begin())
    except Trouble as error:
        return f"{error.sentence} {error.next_step}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no sentence that says how to go on
        return f"{type(error).__name__}: {error}"
    return ""
