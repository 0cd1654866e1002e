"""`why` says whether hooks block a kind of work or only watch it; the gate ignores the mode."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from foureyes.app.work import work_of
from foureyes.core.rules import PathRule
from foureyes.policy.policy import KindMode, Mode
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import RULES, House, policy
from tests.cli.desk import CLEARED, PENDING, Desk

NOTE = "mode: watch (hooks warn, never block)"
WATCHED, GUARDED = {"notes/a.txt": b"a\n"}, {"notes/a.txt": b"a\n", "auth/b.py": b"b = 1\n"}


@pytest.fixture
def watching(desk: Desk) -> Desk:
    """Two reviews under a policy that watches all but what touches one folder: r901 and r902."""
    rules = replace(RULES, paths=(PathRule(pattern="auth/", kind="security_change"),))
    modes = (KindMode(kind="security_change", mode=Mode.ENFORCE),)

    async def play() -> None:
        async with SqliteStore.open(desk.database) as store:
            house = House(store=store, ids=900, name="k900-", policy=policy(rules, mode=Mode.WATCH, modes=modes))
            await house.open(WATCHED)
            await house.open(GUARDED)

    asyncio.run(play())
    return desk


def test_why_says_what_is_only_watched_and_what_a_path_makes_enforced(watching: Desk) -> None:
    watched, guarded = watching.run("why", "r901"), watching.run("why", "r902")
    assert (NOTE in watched.out, NOTE in guarded.out) == (True, False)
    assert watching.run("why", "r901", "--json").data["mode"] == "watch"
    assert watching.run("why", "r902", "--json").data["mode"] == "enforce"
    assert watched.code == guarded.code == 3


def test_watched_work_is_cleared_by_nothing_but_the_gate(watching: Desk) -> None:
    """D-03: watching is for hooks; the same bytes get the same answer as enforced ones."""
    for digest in (PENDING, work_of(WATCHED).digest, work_of(GUARDED).digest):
        assert watching.check(digest).code == 3
    assert watching.check(CLEARED).code == 0
