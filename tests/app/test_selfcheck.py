"""A server that could break its promise does not serve, and says what to fix."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import psycopg
import pytest

from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due
from foureyes.app.keys import PRIVATE, new_key
from foureyes.app.ports import Unavailable
from foureyes.app.selfcheck import (
    Bind,
    Check,
    Found,
    Unfit,
    check_bind,
    checks_of,
    is_local,
    refusals,
    self_check,
)
from foureyes.core.rules import Rules
from foureyes.home.folder import make
from foureyes.store import sqlite
from foureyes.store.pg_schema import prepared
from foureyes.store.spool import FileSpool
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played, policy, tamper
from tests.cast import RULES
from tests.postgres.server import Server
from tests.stores.test_spool import filled


class Site:
    """A whole installation in one folder: a store with a review, a key, a checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o700)
        self.file = folder / "foureyes.db"
        self.keys, self.book, self.spool = folder / "keys", folder / "checkpoints", folder / "spool"

    async def lived(self) -> None:
        """A store with some work and a signed checkpoint."""
        async with SqliteStore.open(self.file) as store:
            house = House(store=store)
            await house.cleared()
            await checkpoint_if_due(store, self.book, new_key(self.keys), house.now, AT_ONCE)

    async def refused(self, rules: Rules = RULES, bind: Bind | None = None) -> tuple[str, ...]:
        """Why a server does not start here."""
        async with SqliteStore.open(self.file) as store:
            more = (
                Check(name="folder", look=partial(make, str(self.folder))),
                Check(name="spool", look=lambda: FileSpool(self.spool).close()),
            )
            checks = checks_of(
                store,
                policy=policy(rules),
                checkpoints=self.book,
                keys=self.keys,
                bind=bind or Bind(host="127.0.0.1"),
                more=more,
            )
            found = await self_check(checks)
            assert [one.name for one in found] == [
                "checkpoint",
                "guards",
                "policy",
                "keys",
                "address",
                "folder",
                "spool",
            ]
            return refusals(found)


@played
async def test_a_sound_installation_may_serve(tmp_path: Path) -> None:
    site = Site(tmp_path)
    await site.lived()
    assert await site.refused() == ()


def _cut(site: Site) -> None:
    tamper(site.file, "DELETE FROM log WHERE version > 2", "UPDATE streams SET version = 2")


def _unguarded(site: Site) -> None:
    with closing(sqlite3.connect(site.file, isolation_level=None)) as database:
        database.execute("DROP TRIGGER log_is_never_changed")


def _open_key(site: Site) -> None:
    next(site.keys.glob(f"*{PRIVATE}")).chmod(0o644)


def _open_folder(site: Site) -> None:
    site.folder.chmod(0o755)


def _damaged_spool(site: Site) -> None:
    file = filled(site.spool)
    content = bytearray(file.read_bytes())
    content[50] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "name", "sentence"),
    [
        (_cut, "checkpoint", "truncated: checkpoint 1 saw"),
        (_unguarded, "guards", "log_is_never_changed: removed or altered"),
        (_open_key, "keys", "is open to others (mode 0644)"),
        (_open_folder, "folder", "is open to others (mode 0755). Run: chmod 700"),
        (_damaged_spool, "spool", "was promised and cannot be read"),
    ],
)
@played
async def test_what_was_damaged_is_named_and_nothing_is_served(
    tmp_path: Path, damage: Callable[[Site], None], name: str, sentence: str
) -> None:
    """F8, F16, T34: one sentence with the next step for each."""
    site = Site(tmp_path)
    await site.lived()
    damage(site)
    (line,) = await site.refused()
    assert line.startswith(f"{name}: ")
    assert sentence in line


@played
async def test_a_policy_below_the_floor_is_not_served(tmp_path: Path) -> None:
    """T12: also when it came another way than through `policy check`."""
    site = Site(tmp_path)
    await site.lived()
    first, *others = RULES.protocols
    open_stage = replace(first.stages[0], gates=())
    weak = replace(RULES, protocols=(replace(first, stages=(open_stage,)), *others))
    (line,) = await site.refused(rules=weak)
    assert line.startswith("policy: The policy tests is below the floor: ")
    assert line.endswith("Activate a policy that `foureyes policy check` accepts.")


@pytest.mark.parametrize(
    ("bind", "sentence"),
    [
        (Bind(host="127.0.0.1"), ""),
        (Bind(host="::1"), ""),
        (Bind(host="[::1]"), ""),
        (Bind(host="localhost"), ""),
        (Bind(host="unix:/run/foureyes"), ""),
        (Bind(host="0.0.0.0"), "nothing protects"),  # noqa: S104 - that it is refused is the point
        (Bind(host="::"), "nothing protects"),
        (Bind(host=""), "nothing protects"),
        (Bind(host="127.0.0.1.example.org"), "nothing protects"),
        (Bind(host="192.168.0.7", hosts=("gate.example",)), "nothing protects"),
        (Bind(host="192.168.0.7", tls=True), "under any name"),
        (Bind(host="192.168.0.7", proxy=True), "under any name"),
        (Bind(host="192.168.0.7", proxy=True, hosts=("gate.example",)), ""),
        (Bind(host="gate.example", tls=True, hosts=("gate.example",)), ""),
    ],
)
def test_others_are_only_heard_over_something_that_protects_them(bind: Bind, sentence: str) -> None:
    """T23: loopback, or TLS or a declared proxy and the names listed."""
    if not sentence:
        check_bind(bind)
        return
    assert not is_local(bind.host)
    with pytest.raises(Unfit, match=sentence):
        check_bind(bind)


def test_a_check_that_cannot_be_made_has_failed_and_hides_no_other() -> None:
    async def late() -> None:
        raise Unavailable("It is down.", "Start it.")

    def broken() -> None:
        raise ZeroDivisionError("by zero")

    names = ("first", "second", "third")
    checks = [Check(name=name, look=look) for name, look in zip(names, (late, broken, lambda: None), strict=True)]
    found = asyncio.run(self_check(checks))
    assert [one.is_ok for one in found] == [False, False, True]
    assert refusals(found) == (
        "first: It is down. Start it.",
        "second: ZeroDivisionError: by zero. Mend this, then start again.",
    )
    assert refusals((Found(name="third"),)) == ()
    assert len(refusals(())) == 1, "nothing looked at is nothing known"


def test_a_store_that_does_not_sync_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F2: journal and sync mode are looked at on the connection that writes, not taken from what was asked for."""

    class Deaf(sqlite3.Connection):
        """Takes the setting and keeps its own."""

        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
            return super().execute(sql.replace("synchronous = FULL", "synchronous = NORMAL"), *values)  # type: ignore[arg-type]

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(real, factory=Deaf))
    checks = [Check(name="store", look=lambda: sqlite.connect_writer(tmp_path / "f.db").close())]
    (line,) = refusals(asyncio.run(self_check(checks)))
    assert line.startswith("store: SQLite did not take our settings: ")


def test_a_postgresql_that_acknowledges_before_it_is_safe_is_not_used(durable_postgres: Server) -> None:
    """F6: synchronous_commit off loses acknowledged commits when the server crashes."""
    with durable_postgres.fresh() as url:
        for setting, refused in (("on", False), ("off", True)):
            options = f"-c synchronous_commit={setting}"
            with psycopg.connect(url, options=options, autocommit=True) as connection:
                checks = [Check(name="store", look=partial(prepared, connection))]
                lines = refusals(asyncio.run(self_check(checks)))
            assert bool(lines) is refused, lines
            assert not refused or "synchronous_commit is off" in lines[0]
