"""No author clears their own work: not with another token, under another name, or as the human who rules."""

import pytest

from foureyes.app.calls.call import Need
from foureyes.app.calls.registry import CALLS
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.doors.requests import REQUESTS, asked_for
from tests.doors.states import found_in
from tests.doors.worlds import told

#: Reporting, confirming and everything that is a reviewer's.
REVIEWING = tuple(name for name, one in CALLS.items() if one.needs is Need.REVIEW and one.changes)
#: Ruling, overriding and everything that is a human's.
OVERRIDING = tuple(name for name, one in CALLS.items() if one.needs is Need.HUMAN and one.changes)
UNDER_WAY = ("open", "taken", "blind", "asked", "revised", "ruling", "vetoed")
#: Refused before the caller is checked: work of another style, or a seat that does not exist.
NOT_THERE = frozenset({"review_missing"})
NO_SEAT = {"verify_finding": "no_free_seat", "confirm_content": "unknown_seat"}


@pytest.mark.parametrize("state", UNDER_WAY)
def test_no_token_of_the_authors_reports_confirms_or_overrides(state: str) -> None:
    """D-04: their own, another one of theirs made meanwhile, by every call of every system; the log stays as it was."""
    assert {"report", "settle_finding", "submit_review", "give_feedback", "resolve_feedback"} <= set(REVIEWING)
    assert {"rule", "override", "waive"} <= set(OVERRIDING)

    @played
    async def story() -> None:
        made, facts = await found_in(state)
        world = made.copy()
        another = await world.token("dev", f"t-dev-{state}")
        before = world.events
        for name in (*REVIEWING, *OVERRIDING):
            for headers in (world.headers["dev"], another):
                answer = await asked_for(world, name, REQUESTS[name](facts), headers)
                expected = {*NOT_THERE, NO_SEAT.get(name)}
                assert answer.status == 403 or told(answer) in expected, (name, answer.status, told(answer))
        assert world.events == before
        gate = await asked_for(world, "gate", {"digest": facts.digest}, another)
        assert gate.data["allowed"] is False

    story()


@played
async def test_a_name_in_the_json_is_no_identity() -> None:
    """D-04: the author says that a reviewer is speaking, in every field in which one can be named."""
    made, facts = await found_in("asked")
    world = made.copy()
    named = {
        "submit_review": "reviewer",
        "submit_result": "reviewer",
        "report": "reviewer",
        "settle_finding": "reviewer",
        "give_feedback": "reviewer_id",
        "resolve_feedback": "reviewer_id",
    }
    for name, field in named.items():
        answer = await asked_for(world, name, REQUESTS[name](facts) | {field: "ann"}, world.headers["dev"])
        assert 400 <= answer.status < 500, (name, answer.status, told(answer))
        assert told(answer) in {"identity_mismatch", "bad_value"}, (name, told(answer))
    forged = world.headers["dev"] | {"foureyes-agent": "ann"}
    assert (await asked_for(world, "report", REQUESTS["report"](facts), forged)).status == 401
    assert world.events == made.events


@played
async def test_a_human_passes_no_step_of_the_own_work() -> None:
    """D-04: signed in a moment ago, with no veto in the way, by every word that opens."""
    made, _ = await found_in("open")
    world = made.copy()
    files = [{"path": "mine.py", "text": "print('mine')\n"}]
    review = (await world.done("hugo", "/reviews", kind="story", title="Mine", files=files))["review"]
    finding = {"severity": "important", "text": "Nobody is greeted.", "evidence": "It prints mine."}
    for name in ("ann", "bob"):
        await world.done(name, f"/reviews/{review}/reports", revision=1, findings=[finding])
    await world.done("hugo", f"/reviews/{review}/escalations", reason="I disagree.")
    seen = (await world.get(f"{BASE}/reviews/{review}", world.headers["hugo"])).data["review"]
    ruling, found = seen["ruling"], seen["findings"][0]["finding"]
    opening = next(one["id"] for one in ruling["options"] if one["effect"] == "pass_stage")
    step = {"stage": "resolve", "revision": 1, "digest": seen["digest"], "reason": "Mine."}
    before = world.events
    for path, body in (
        ("overrides", step),
        (f"findings/{found}/waiver", {"reason": "Mine."}),
        (f"rulings/{ruling['request']}", {"option": opening, "reason": "Mine."}),
    ):
        answer = await world.post(f"{BASE}/reviews/{review}/{path}", world.headers["hugo"], **body)
        assert (answer.status, told(answer)) == (403, "author_may_not"), path
    assert world.events == before
