"""Seed 002 over HTTP: output is validated by a chain, layer by layer, and only a human lifts a veto."""

import asyncio
from typing import Any

import pytest

from foureyes.app.calls.seed_002 import message_of
from foureyes.core import protocols
from foureyes.core.chains import GAAL, MALLOW, SELDON
from foureyes.core.rules import Exhausted, KindRule
from foureyes.core.values import Outcome
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.cast import rules_with
from tests.http.five import Five, house
from tests.seeds.chain_play import CHAINS, Seven, approve, opened, reject

TASK = "6f1c1d52-0c0a-4f0e-9c55-9d3b1a1f2a10"
OUTPUT: dict[str, Any] = {"output": "deploy --prod\n", "step": "write", "task_id": TASK, "agent": "daneel-1"}
#: Far less than an answer is waited for unasked.
SOON = 10
REASON = 'Statistics in paragraph 3 are unverified. Claim about "95% accuracy" has no cited source.'


async def critics(*names: str) -> tuple[Five, dict[str, str], dict[str, dict[str, str]]]:
    """An agent, and critics that each hold their own role; the policy's own chain is the default one."""
    web = Five(house=house(default=("default",)))
    agent = await web.role("daneel-1", "agent")
    return web, agent, {name: await web.role(name, family=f"of {name}") for name in names}


async def say(
    web: Five, critic: dict[str, str], review: str, verdict: str, summary: str = "In order.", *, stage: str = ""
) -> None:
    """A critic reports on the current version; an approval resolves its earlier findings."""
    seen = (await web.found(f"{BASE}/reviews/{review}", critic))["review"]
    mine = [one["finding"] for one in seen["findings"] if one["standing"] != "resolved"]
    settled = [{"finding": one, "resolved": True, "note": "gone"} for one in mine if verdict == "approve"]
    body = {"revision": seen["revision"], "verdict": verdict, "summary": summary, "settled": settled, "stage": stage}
    await web.done(f"{BASE}/reviews/{review}/reports", critic, **body)


@pytest.mark.parametrize("path", ["/validate", "/seldon/validate"])
def test_output_goes_through_the_named_chain_and_the_task_proceeds(path: str) -> None:
    """002-16, 002-01, 002-19, 002-21, C7: both paths, every layer in order, and one row for each decision."""

    @played
    async def story() -> None:
        web, agent, who = await critics("seldon", "hardin")
        first = await web.done(path, agent, **OUTPUT, chain="security")
        assert first.pop("situation")["result"] == "pending"
        assert first == {
            "task_id": TASK,
            "review": "r1",
            "status": "pending",
            "step": "write",
            "action": "",
            "chains": ["default", "security"],
            "retry": 0,
            "retries_left": None,
            "layers": [],
            "message": "",
        }
        await say(web, who["seldon"], "r1", "approve", stage="default.format")
        await say(web, who["seldon"], "r1", "approve", stage="security.format")
        assert (await web.found(f"{BASE}/reviews/r1", agent))["review"]["state"] == "open"
        await say(web, who["hardin"], "r1", "approve", "Nothing dangerous.")
        again = await web.post(path, agent | {"idempotency-key": "x"}, **OUTPUT | {"review": "r1"})
        assert again.data["code"] == "same_digest"
        assert (await web.log("r1"))[-1] == "ReviewCleared"

    story()


@played
async def test_a_workflow_step_is_judged_by_the_chain_that_it_names_or_the_policy_names_for_it() -> None:
    """002-15: by `critic_chain`, or by the name of a step of the policy; what it says of a veto must be true."""
    web, agent, _ = await critics("seldon", "hardin", "gaal")
    named = await web.done("/validate", agent, **OUTPUT, critic_chain="security")
    assert named["chains"] == ["default", "security"]
    known = await web.done("/validate", agent, **{**OUTPUT, "output": "a paper\n", "step": "research-step"})
    assert known["chains"] == ["research"]
    nowhere = await web.post("/validate", agent, **{**OUTPUT, "output": "a note\n"})
    assert (nowhere.status, nowhere.data["code"]) == (422, "unknown_word")
    assert "research_step" in nowhere.data["fields"]["allowed"]
    other = await web.done("/validate", agent, **{**OUTPUT, "output": "a note\n", "step": ""})
    assert other["chains"] == ["default"]
    for body in ({"critic_chain": "security"}, {"step": "security_step"}):
        wrong = await web.post("/validate", agent, **{**OUTPUT, "output": "x\n", "can_veto": True, **body})
        assert (wrong.status, wrong.data["code"]) == (422, "bad_value")
        assert "daneel-1 has no veto in the chain security" in wrong.data["detail"]
    right = await web.done("/validate", agent, **{**OUTPUT, "output": "y\n", "can_veto": False, "chain": "security"})
    assert right["status"] == "pending"


@played
async def test_a_veto_returns_the_work_with_its_text_and_counts_the_retry() -> None:
    """002-02, 002-03, 002-18, 002-25, C3, C4: after the last retry a human is asked; the whole chain looks again."""
    web, agent, who = await critics("seldon", "hardin")
    await web.done("/validate", agent, **OUTPUT, kind="security_step", critic_chain="security")
    for number in (1, 2, 3):
        await say(web, who["seldon"], "r1", "approve")
        await say(web, who["hardin"], "r1", "reject", REASON)
        if number < 3:
            body = {"output": f"deploy --prod {number}\n", "review": "r1"}
            shown = await web.done("/validate", agent, **body)
            assert (shown["status"], shown["retry"]) == ("pending", number)
            assert [(one["critic_agent_id"], one["decision"]) for one in shown["layers"]] == [
                ("seldon", "approve"),
                ("hardin", "veto"),
            ] * number
            assert shown["layers"][1] == {
                "task_id": TASK,
                "critic_agent_id": "hardin",
                "decision": "veto",
                "reason": REASON,
                "chain_name": "security",
                "layer_index": 1,
            }
    log = await web.log("r1")
    assert (log.count("RevisionRequested"), log[-1]) == (2, "RulingRequested")
    late = await web.post("/validate", agent, output="once more\n", review="r1")
    assert (late.status, late.data["code"]) == (409, "ruling_pending")


@played
async def test_the_words_of_a_veto_and_of_an_approval_are_the_seeds() -> None:
    """002-18, 002-19, 002-25: as the thread of the task would show them."""
    web, agent, who = await critics("magnifico", "gaal")
    await web.done("/validate", agent, **OUTPUT, kind="content_step")
    await say(web, who["magnifico"], "r1", "approve")
    await say(web, who["gaal"], "r1", "reject", REASON)
    seen = await web.found("/validate/r1", agent)
    assert (seen["status"], seen["retries_left"]) == ("returned", 3)
    assert seen["message"] == (
        f":octagonal_sign: gaal (veto)\nVETO on step: write\n- gaal: {REASON}\n\n"
        "Returning to agent for revision (retry 1/3)"
    )
    await web.done("/validate", agent, output="Cited now.\n", review="r1")
    await say(web, who["magnifico"], "r1", "approve", "Lovely.")
    await say(web, who["gaal"], "r1", "approve", "Sourced.")
    end = await web.found("/validate/r1", agent)
    assert (end["status"], end["message"]) == ("approved", ":thumbsup: gaal (approval)\nStep completed: write")


@played
async def test_only_a_human_who_has_just_signed_in_lifts_a_veto() -> None:
    """002-23, C6, Y21: no agent, whatever it says; and the same bytes are refused everywhere while it stands."""
    web, agent, who = await critics("seldon", "hardin")
    await web.done("/validate", agent, **OUTPUT, kind="security_step")
    await say(web, who["seldon"], "r1", "approve")
    await say(web, who["hardin"], "r1", "reject", "It deletes the disk.")
    other = await web.post("/validate", agent, **OUTPUT, kind="default_step")
    assert (other.status, other.data["code"]) == (409, "vetoed")
    seen = (await web.found(f"{BASE}/reviews/r1", agent))["review"]
    body = {"stage": "security.security", "revision": 1, "digest": seen["digest"], "reason": "I looked."}
    for who_else in (agent, who["hardin"], who["seldon"]):
        refused = await web.post(f"{BASE}/reviews/r1/overrides", who_else, **body)
        assert (refused.status, refused.data["code"]) == (403, "sign_in_needed")
    sue = await web.human()
    await web.done(f"{BASE}/reviews/r1/overrides", sue, **body)
    end = await web.found("/validate/r1", agent)
    assert (end["status"], end["message"]) == ("approved", ":thumbsup: human (override)\nStep completed: write")
    assert "StageOverridden" in await web.log("r1")


def test_a_critic_that_was_outvoted_does_not_have_the_last_word() -> None:
    """002-19, C2: where most layers decide, the message is that of the last critic that approved."""
    layers = (SELDON, GAAL, MALLOW)
    chain = protocols.chain("mixed", layers, unanimous=False, retries_max=1, exhausted=Exhausted.SHELVE)
    play = opened("mixed", rules_with(chain, kinds=(KindRule(kind="mixed_step", protocols=("mixed",)),)))
    approve(play, "seldon")
    approve(play, "gaal")
    reject(play, "mallow", "The sum is wrong")
    assert play.review.outcome is Outcome.CLEARED
    assert message_of(play.review) == f":thumbsup: gaal (approval)\nStep completed: {play.review.title}"


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_each_of_the_seven_chains_asks_its_layers_in_order_and_ends_as_it_says(chain: Seven) -> None:
    """002-07, 002-08, 002-09, 002-10, 002-11, 002-12, 002-13, 002-04, 002-17, C9."""
    ends = {"return_error": "failed", "return_to_author": "returned_to_author"}

    @played
    async def story() -> None:
        names = [critic for critic, _, _ in chain.layers]
        web, agent, who = await critics(*names)
        await web.done("/validate", agent, **OUTPUT, kind=f"{chain.name}_step")
        for number in range(chain.retries + 1):
            for critic in names[:-1]:
                await say(web, who[critic], "r1", "approve", f"{critic} approves version {number}")
            await say(web, who[names[-1]], "r1", "reject", f"Not good enough, version {number}")
            if number < chain.retries:
                shown = await web.done("/validate", agent, output=f"Version {number}.\n", review="r1")
                assert shown["retry"] == number + 1
        end = await web.found("/validate/r1", agent)
        assert end["status"] == ends.get(chain.end, "escalated_to_human")
        last = "veto" if chain.layers[-1][2] else "reject"
        assert [one["decision"] for one in end["layers"][-len(names) :]] == ["approve"] * (len(names) - 1) + [last]
        assert [one["layer_index"] for one in end["layers"][-len(names) :]] == list(range(len(names)))

    story()


@played
async def test_an_agent_whose_output_no_critic_answered_on_is_told_why_a_human_is_asked() -> None:
    """D-03, 002-16: neither yes nor no, and the reason is shown."""
    web, agent, who = await critics("seldon")
    await web.done("/validate", agent, **OUTPUT, chain="default")
    body = {"revision": 1, "reason": "crashed", "text": "no key for the model"}
    for _ in range(3):
        await web.done(f"{BASE}/reviews/r1/reports/inconclusive", who["seldon"], seat="default.format.1", **body)
    end = await web.found("/validate/r1", agent)
    said = "Nobody gave an answer on the seat default.format.1; last asked: seldon (crashed): no key for the model"
    assert (end["status"], end["message"], end["layers"]) == ("escalated_to_human", said, [])
    shown = (await web.found(f"{BASE}/reviews/r1", await web.human()))["review"]
    assert shown["ruling"]["text"] == said


@played
async def test_a_caller_adds_strictness_and_never_takes_it_away() -> None:
    """Y19, 002-16: the policy's chain stays; an unknown chain, a stranger's name and a bad wait are refused."""
    web, agent, _ = await critics("seldon", "hardin", "gaal")
    shown = await web.done("/validate", agent, **OUTPUT, kind="security_step", chain="default")
    assert shown["chains"] == ["security", "default"]
    for wrong, code in (
        ({"chain": "lenient"}, "unknown_word"),
        ({"chain": "panel"}, "unknown_word"),
        ({"chain": "default", "critic_chain": "security"}, "bad_value"),
        ({"agent": "hardin"}, "identity_mismatch"),
        ({"output": ""}, "parts_missing"),
        ({"review": "none"}, "review_missing"),
        ({"wait": 46}, "bad_number"),
    ):
        answer = await web.post("/validate", agent, **OUTPUT | {"kind": "default_step"} | wrong)
        assert (answer.data["code"], 400 <= answer.status < 500) == (code, True), wrong
    body = b'{"output": "x"}'
    for query, status in (("wait=0", 200), ("wait=x", 422), ("force=1", 422), ("wait=0&wait=0", 422)):
        assert (await web.request("POST", "/validate", agent, body, query=query)).status == status


@played
async def test_a_named_number_of_seconds_is_waited_for_and_no_longer() -> None:
    """002-16: `?wait=` ends when the critics have spoken."""
    web, agent, who = await critics("seldon")
    body = b'{"output": "hello", "kind": "default_step"}'
    asked = asyncio.create_task(web.request("POST", "/seldon/validate", agent, body, query="wait=30"))
    for _ in range(100):
        if (await web.found(f"{BASE}/reviews", agent))["reviews"]:
            break
        await asyncio.sleep(0)
    await say(web, who["seldon"], "r1", "approve")
    assert (await asked).data["status"] == "approved"


@played
async def test_every_decision_of_a_layer_is_a_row_of_the_log() -> None:
    """002-21, C1: approve, reject, veto, and error where a critic could not judge; in the order they were made."""
    web, agent, who = await critics("seldon", "hardin", "daneel")
    await web.done("/validate", agent, **OUTPUT, kind="infrastructure_step")
    await say(web, who["seldon"], "r1", "approve", "Well formed.")
    body = {"revision": 1, "seat": "infrastructure.security.1", "reason": "crashed", "text": "Out of memory."}
    await web.done(f"{BASE}/reviews/r1/reports/inconclusive", who["hardin"], **body)
    await say(web, who["hardin"], "r1", "approve", "Nothing dangerous.")
    await say(web, who["daneel"], "r1", "concerns", "No way back.")
    await web.done("/validate", agent, output="deploy --canary\n", review="r1")
    await say(web, who["seldon"], "r1", "approve", "Well formed.")
    await say(web, who["hardin"], "r1", "reject", "It deletes the disk.")
    rows = (await web.found(f"{BASE}/reviews/r1/decisions", agent))["decisions"]
    assert [(one["critic_agent_id"], one["decision"], one["layer_index"]) for one in rows] == [
        ("seldon", "approve", 0),
        ("hardin", "error", 1),
        ("hardin", "approve", 1),
        ("daneel", "reject", 2),
        ("seldon", "approve", 0),
        ("hardin", "veto", 1),
    ]
    assert {(one["task_id"], one["chain_name"]) for one in rows} == {(TASK, "infrastructure")}
    assert [one["reason"] for one in rows][1:4] == [
        "inconclusive: crashed: Out of memory.",
        "Nothing dangerous.",
        "No way back.",
    ]


@played
async def test_an_answer_that_waits_for_programs_alone_does_not_wait_for_a_mind_that_comes_meanwhile() -> None:
    """C7, U-20: who held the next seat may take hours; the author is told where the output stands."""
    web = Five(house=house(default=("default",)))
    agent = await web.role("daneel-1", "agent")
    seldon = await web.role("seldon", kind="program")
    asked = asyncio.create_task(web.done("/validate", agent, **OUTPUT, kind="security_step"))
    async with asyncio.timeout(SOON):
        while "ReportRequested" not in await web.log("r1"):  # noqa: ASYNC110 - only the log shows it
            await asyncio.sleep(0.02)
        assert not asked.done()
        await web.role("hardin", family="of hardin")
        await say(web, seldon, "r1", "approve")
        shown = await asked
    assert (shown["status"], [one["critic_agent_id"] for one in shown["layers"]]) == ("pending", ["seldon"])
