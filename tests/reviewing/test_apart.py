"""No account speaks for the local reviewer of the same name."""

from __future__ import annotations

import pytest

from foureyes.app.accounts import decide, keep_names, stream_of
from foureyes.app.asks import Ask
from foureyes.app.gate import new_key
from foureyes.app.ports import Writing
from foureyes.app.reviewers import AtHand
from foureyes.app.reviewing.apart import apart
from foureyes.app.reviewing.jobs import Pool
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who, WhoKind
from tests.app.house import played
from tests.reviewing.desk import Desk, agent, change, finds, issue, reviewed, solo

SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="acme")
AGENT = EnrolPrincipal(kind="agent", roles=("agent",))


async def enrol(desk: Desk, name: str) -> None:
    ask = Ask(actor=SUE, key=new_key(), command=AGENT, stream=stream_of(name))
    await desk.gate(desk.kept, desk.policy, Pool(AtHand())).handle(ask)


@played
async def test_nobody_is_enrolled_as_a_reviewer_that_a_server_hosts_without_an_account() -> None:
    """D-04: the account would hold the seat that the other one took."""
    desk = solo()
    await desk.kept.write(lambda tx: keep_names(tx, ["codex"]))
    with pytest.raises(Refusal, match=r"codex is a reviewer that .* such as codex-1") as refused:
        await enrol(desk, "codex")
    assert refused.value.code is Code.DUPLICATE
    with pytest.raises(Refusal, match="c0dex looks like codex, a reviewer that"):
        await enrol(desk, "c0dex")
    await enrol(desk, "codex-1")


@played
async def test_a_token_for_nobody_is_refused_as_that() -> None:
    desk = solo(agent("codex", finds(issue("wrong"))))
    await reviewed(desk, change("x = 1\n"), may_send=lambda *_: True)
    command = IssueToken(token="t1", hash="0" * 64)

    def issued(tx: Writing) -> object:
        return decide(tx, stream_of("codex"), command, SUE, desk.now)

    with pytest.raises(Refusal, match="Nobody is enrolled"):
        await desk.kept.write(issued)


def test_models_are_known_as_models_under_their_other_name() -> None:
    hand = AtHand(reviewers={"agent": (agent("opus"), agent("codex"))}, models=frozenset({"opus"}))
    told = apart(hand, ["opus"])
    assert [one.who.name for one in told.reviewers["agent"]] == ["opus (here)", "codex"]
    assert told.models == {"opus (here)"}
    assert told.reviewers["agent"][0].sends == "the provider of opus"
    assert apart(hand, []) is hand
