"""U-23, U-25: every refusal shows its reason everywhere, under the critic's name in the chain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.use.served import DOORS, Served

pytestmark = pytest.mark.door("http", "mcp", policy="server")

CLAIM = 'The claim about "95% accuracy" has no cited source.'


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A plain server, an author, and accounts in the seats without a program."""
    with Running(tmp_path_factory.mktemp("reasons") / "home") as server:
        found = Served(server=server, browser=asyncio.run(signed_in(server)))
        for name, role in (("alice", "core_developer"), ("auditor", "auditor"), ("magnifico", "magnifico")):
            found.account(name, role)
        yield found


@pytest.mark.parametrize("door", DOORS)
def test_a_program_speaks_under_the_name_of_the_critic(up: Served, door: str) -> None:
    """U-25, U-23: hardin and gaal are named in layers, message and decision log, with what was found."""
    alice = up.callers["alice"].at(door)
    done = alice.call("validate", output=f"echo {door}\nrm -rf /\n", chain="security", step="security_review")
    assert done["message"].startswith(":octagonal_sign: hardin (veto)\nVETO on step: security_review\n- hardin: This")
    assert [one["critic_agent_id"] for one in done["layers"]] == ["seldon", "hardin"]
    (_, logged) = up.human.call("decisions", review=done["review"])["decisions"]
    assert (logged["critic_agent_id"], logged["decision"]) == ("hardin", "veto")
    assert logged["reason"] == done["layers"][1]["reason"] != ""
    well = alice.call("validate", output=f"A plain note over {door}.", chain="security", step="security_review")
    assert well["message"] == ":thumbsup: hardin (approval)\nStep completed: security_review"


@pytest.mark.parametrize("door", DOORS)
def test_a_repeated_finding_is_a_reason_again(up: Served, door: str) -> None:
    """U-23: the author fixed nothing, the critic says the same once more without a summary, and it is shown again."""
    alice, critic = up.callers["alice"].at(door), up.callers["magnifico"].at(door)
    review = alice.call("validate", output=f"A story over {door}: 95% accuracy.", chain="content", step="write")[
        "review"
    ]
    for number in (1, 2):
        finding = {"severity": "important", "text": CLAIM, "category": "creative"}
        evidence = [{"what": "the whole work", "why": "I read every line of it twice."}]
        said = critic.call(
            "report", review=review, revision=number, verdict="reject", findings=[finding], evidence=evidence
        )
        assert said.is_ok, said.text
        seen = alice.call("read_validation", review=review)
        assert f"- magnifico: {CLAIM}" in seen["message"], seen.text
        logged = up.human.call("decisions", review=review)["decisions"]
        assert [CLAIM in one["reason"] for one in logged] == [True] * number, logged
        if number == 1:
            again = f"A story over {door}: 95% accuracy, still."
            assert alice.call("validate", output=again, review=review).is_ok


@pytest.mark.parametrize("door", DOORS)
def test_a_repeated_concern_is_shown_to_the_creator_again(up: Served, door: str) -> None:
    """U-23: get_review names the concern also where the reviewer only repeats it."""
    alice, reviewer = up.callers["alice"].at(door), up.callers["auditor"].at(door)
    concern = f"Missing error handling around network reads, {door}"
    code = {"code": f"def read():\n    return get()  # {door}\n"}
    review = alice.call("request_review", type="create_core", title=f"core {door}", artifacts=code)["id"]
    for number in (1, 2):
        reviewer.call("get_review", reviewId=review)
        feedback = {"overall": f"Round {number} of it.", "concerns": [concern]}
        said = reviewer.call(
            "submit_review", reviewId=review, status="CHANGES_REQUESTED", feedback=feedback, confidence=90, checklist={}
        )
        assert said.is_ok, said.text
        assert alice.call("get_review", reviewId=review)["feedback"]["concerns"] == [concern], number
        if number == 1:
            code = {"code": f"def read():\n    return get()  # {door}, again\n"}
            assert alice.call("request_re_review", reviewId=review, changes_made="Nothing yet.", artifacts=code).is_ok
