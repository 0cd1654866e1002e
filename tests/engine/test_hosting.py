"""Which reviewers are hosted, and how they are told from others."""

from __future__ import annotations

import pytest

from foureyes.app.bell import Bell
from foureyes.cli.consent import is_given
from foureyes.core.principals import EnrolPrincipal
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import SUE
from tests.cast import agent
from tests.engine.hall import Scripted, hall


@pytest.mark.parametrize(
    ("given", "name", "is_so"),
    [
        (("codex",), "codex", True),
        (("Codex",), "codex", True),
        (("codex",), "claude", False),
        (("all",), "claude", True),
        (("all",), "run: make test", False),
        (("run: make test",), "run: make test", True),
        (("run: make test",), "run: rm -rf /", False),
        ((), "codex", False),
    ],
)
def test_a_yes_is_for_whom_it_names(given: tuple[str, ...], name: str, is_so: bool) -> None:
    assert is_given(given, name) is is_so


@played
async def test_an_account_does_not_speak_for_a_hosted_reviewer_nor_bear_its_name() -> None:
    """A seat is held by a name: the reviewer gets one that no account can have, or keeps its own for good."""
    one = Scripted("codex")
    play = await hall({"agent": (one,)})
    await play.enrol(agent("codex"), roles=("agent",))
    await play.open()
    await play.quiet()
    pool = await play.home.store.read(play.gate.pool)
    assert {"codex", "codex (here)"} <= {who.who.name for who in pool}
    other = await hall({"agent": (Scripted("gemini"),)})
    await other.dispatcher.once()
    late = EnrolPrincipal(kind="agent", operator="eve", roles=("agent",))
    assert (await other.home.refused(SUE, late, "principal/gemini")).code is Code.DUPLICATE


@played
async def test_whoever_wants_to_hear_every_ring_hears_it_and_nothing_is_read() -> None:
    heard = list[int]()
    bell = Bell()
    bell.heard_by(lambda: heard.append(1))
    bell.ring()
    bell.ring()
    assert len(heard) == 2
