"""Seed 000 over HTTP: feedback first, at its own paths, and no feedback is shown before the viewer's own is in."""

from typing import Any

from foureyes.core.protocols import CATEGORIES
from foureyes.core.rules import KindRule
from foureyes.http.openapi import described
from tests.app.house import played
from tests.cast import RULES
from tests.http.five import Five, house, of_document, refused

GAP = {"category": "causal_gap", "description": "Why did the sea rise?", "severity": "critical"}
VAGUE = {"category": "actor_vagueness", "description": "Who governs the port?", "severity": "minor"}
CHECKED = [{"what": "the chronology of chapter one", "why": "each year follows from the one before"}]
TYPES = ("proposal", "aspect", "dweller_proposal", "story")
KINDS = tuple(KindRule(kind=one, protocols=("resolve",)) for one in TYPES)


def web_of_worlds() -> Five:
    """A house in which all four types of content are reviewed alike."""
    return Five(house=house(kinds=(*KINDS, *RULES.kinds)))


async def submitted() -> tuple[Five, dict[str, str], dict[str, str], dict[str, str], str]:
    """A story in review, its author and two reviewers who have read it."""
    web = web_of_worlds()
    haku, ann, bob = [await web.role(name, "agent") for name in ("haku", "ann", "bob")]
    story = await web.done("/review/story", haku, title="The port", content="The sea rose.\n")
    for who in (ann, bob):
        await web.found(f"/review/{story['content_id']}", who)
    return web, haku, ann, bob, story["content_id"]


@played
async def test_content_of_every_type_is_in_review_until_the_gate_clears_it() -> None:
    """000-01, 000-18, 000-22: proposals, aspects, dweller proposals and stories alike."""
    web = web_of_worlds()
    haku = await web.role("haku", "agent")
    for number, kind in enumerate(TYPES, start=1):
        answer = await web.post(f"/review/{kind}", haku, title="New", content={"name": kind, "size": number})
        assert answer.status == 201
        seen = of_document(answer.data)
        assert seen.pop("situation")["reasons"][0] == "Need 2 reviewers, have 0"
        assert seen == {
            "content_type": kind,
            "content_id": f"r{number}",
            "title": "New",
            "proposer_id": "haku",
            "state": "review",
            "revision": 1,
            "created_at": "2026-01-05T09:00:00.000000Z",
            "content": {"name": kind, "size": number},
            "can_graduate": False,
            "reason": "Need 2 reviewers, have 0",
            "feedback": [],
        }
    assert (await web.post("/review/poem", haku, content="x")).data["code"] == "unknown_word"
    assert (await web.post("/review/story", haku, content="")).data["code"] == "parts_missing"
    other = await web.post("/review/story", haku, content="x", proposer_id="ann")
    assert (other.status, other.data["code"]) == (403, "identity_mismatch")


@played
async def test_an_item_is_raised_answered_reopened_answered_and_resolved() -> None:
    """000-03, 000-05, 000-08, 000-09, 000-17, 000-22: with every answer and when it was confirmed, and why."""
    web, haku, ann, _, story = await submitted()
    answer = await web.post(f"/review/{story}/feedback", ann, items=[GAP, VAGUE])
    assert answer.status == 201
    gap, vague = answer.data["items"]
    assert of_document(answer.data) | {"items": []} == {
        "id": gap["review_feedback_id"],
        "content_type": "story",
        "content_id": story,
        "reviewer_id": "ann",
        "created_at": "2026-01-05T09:00:00.000000Z",
        "items": [],
        "checked": [],
    }
    assert gap == GAP | {
        "id": gap["id"],
        "review_feedback_id": answer.data["id"],
        "status": "open",
        "resolved_at": None,
        "resolution_note": None,
        "responses": [],
        "advisory": "",
        "cycle": 1,
    }
    path = f"/feedback/{gap['id']}"
    web.house.wait(minutes=1)
    said = await web.post(f"{path}/respond", haku, response_text="The ice melted.")
    assert (said.status, said.data) == (
        201,
        {
            "id": f"{gap['id']}:1",
            "feedback_item_id": gap["id"],
            "responder_id": "haku",
            "response_text": "The ice melted.",
            "created_at": "2026-01-05T09:01:00.000000Z",
        },
    )
    assert (await web.found(path, ann))["status"] == "addressed"
    again = await web.done(f"{path}/resolve", ann, resolved=False, resolution_note="Which ice?")
    assert (again["status"], again["resolved_at"], again["resolution_note"]) == ("open", None, "Which ice?")
    await web.done(f"{path}/respond", haku, response_text="The ice of the pole.", rebuttal=True)
    web.house.wait(minutes=1)
    end = await web.done(f"{path}/resolve", ann, resolution_note="Clear now.")
    assert (end["status"], end["resolved_at"]) == ("resolved", "2026-01-05T09:02:00.000000Z")
    assert end["resolution_note"] == "Clear now."
    assert [one["response_text"] for one in end["responses"]] == ["The ice melted.", "The ice of the pole."]
    assert (await web.found(f"/feedback/{vague['id']}", haku))["status"] == "open"


@played
async def test_the_gate_says_what_is_missing_reviewers_first_in_the_seeds_sentences() -> None:
    """000-10, 000-11, 000-12, 000-13, 000-04: and the log has what happened."""
    web, haku, ann, bob, story = await submitted()
    gate = f"/review/{story}/gate"

    async def graduation(path: str, who: dict[str, str]) -> dict[str, object]:
        return {name: one for name, one in (await web.found(path, who)).items() if name != "next_step"}

    assert await graduation(gate, haku) == {"can_graduate": False, "reason": "Need 2 reviewers, have 0"}
    first = await web.done(f"/review/{story}/feedback", ann, items=[VAGUE])
    assert await graduation(gate, haku) == {"can_graduate": False, "reason": "Need 2 reviewers, have 1"}
    bare = await web.post(f"/review/{story}/feedback", bob)
    assert (bare.status, bare.data["code"]) == (422, "evidence_missing")
    await web.done(f"/review/{story}/feedback", bob, checked=CHECKED)
    assert await graduation(gate, haku) == {"can_graduate": False, "reason": "1 feedback items unresolved"}
    item = first["items"][0]["id"]
    await web.done(f"/feedback/{item}/respond", haku, response_text="The guild does.")
    assert (await web.found(gate, haku))["reason"] == "1 feedback items unresolved"
    await web.done(f"/feedback/{item}/resolve", ann, resolution_note="Good.")
    assert await graduation(gate, haku) == {"can_graduate": True, "reason": "All feedback resolved by all reviewers"}
    assert (await web.found(f"/review/{story}", haku))["state"] == "live"
    log = await web.log(story)
    assert [one for one in log if not one.startswith(("Report", "Seat", "Revision"))] == [
        "ReviewOpened",
        "FindingRaised",
        "FindingAnswered",
        "FindingResolved",
        "ReviewCleared",
    ]


@played
async def test_nobody_sees_the_others_feedback_before_their_own_is_in() -> None:
    """000-14, A6: not its items, its answers, its count, nor the gate's words about it; then all of it."""
    web, haku, ann, bob, story = await submitted()
    paths = (f"/review/{story}", f"/review/{story}/gate")
    before = [(await web.get(path, bob)).body for path in paths]
    item = (await web.done(f"/review/{story}/feedback", ann, items=[GAP, VAGUE]))["items"][0]["id"]
    await web.done(f"/feedback/{item}/respond", haku, response_text="The ice melted.")
    assert [(await web.get(path, bob)).body for path in paths] == before
    hidden, none = [await web.get(f"/feedback/{one}", bob) for one in (item, f"{story}:resolve.9-F9")]
    assert (hidden.status, hidden.data["code"]) == (none.status, none.data["code"])
    settled = await web.post(f"/feedback/{item}/resolve", bob)
    unknown = await web.post(f"/feedback/{story}:resolve.1-F99/resolve", bob)
    assert (settled.status, settled.data["code"]) == (unknown.status, unknown.data["code"])
    await web.done(f"/review/{story}/feedback", bob, checked=CHECKED)
    assert (await web.found(f"/feedback/{item}", bob))["status"] == "addressed"
    assert len((await web.found(f"/review/{story}", bob))["feedback"]) == 2


@played
async def test_only_the_proposer_answers_and_only_the_raiser_confirms() -> None:
    """000-06, 000-07, 000-02: and there is neither a verdict nor a word for one."""
    web, haku, ann, bob, story = await submitted()
    item = (await web.done(f"/review/{story}/feedback", ann, items=[GAP]))["items"][0]["id"]
    await web.done(f"/review/{story}/feedback", bob, checked=CHECKED)
    for who in (ann, bob):
        assert (await web.post(f"/feedback/{item}/respond", who, response_text="x")).data["code"] == "not_the_author"
    await web.done(f"/feedback/{item}/respond", haku, response_text="The ice melted.")
    for who in (haku, bob):
        assert (await web.post(f"/feedback/{item}/resolve", who)).data["code"] == "not_the_holder"
    assert (await web.post(f"/review/{story}/feedback", haku, items=[GAP], revision=1)).status == 403
    voted = await web.post(f"/review/{story}/feedback", bob, items=[GAP], verdict="approve")
    assert (voted.status, voted.data["code"]) == (422, "bad_value")


@played
async def test_categories_and_severities_are_the_seeds_and_each_gates() -> None:
    """000-15, 000-16."""
    web, _, ann, _, story = await submitted()
    for wrong in ({"category": "style"}, {"severity": "blocking"}, {"description": " "}):
        assert (await web.post(f"/review/{story}/feedback", ann, items=[GAP | wrong])).status == 422
    items = [
        {"category": one, "description": f"An issue about {one}", "severity": severity}
        for one, severity in zip(CATEGORIES, ("critical", "important", "minor") * 2, strict=True)
    ]
    found = await web.done(f"/review/{story}/feedback", ann, items=items)
    assert [(one["category"], one["severity"]) for one in found["items"]] == [
        (one["category"], one["severity"]) for one in items
    ]


@played
async def test_a_revision_answers_items_and_its_reviewers_look_again() -> None:
    """000-19, 000-05, I16: reviewers raise what is new, and nobody confirms a version they were not given."""
    web, haku, ann, bob, story = await submitted()
    item = (await web.done(f"/review/{story}/feedback", ann, items=[GAP]))["items"][0]["id"]
    await web.done(f"/review/{story}/feedback", bob, checked=CHECKED)
    answers = [{"feedback_item_id": item, "response_text": "Said in line two."}]
    new = "The sea rose.\nThe ice had melted.\n"
    revised = await web.done(f"/review/{story}/revise", haku, content=new, responses=answers)
    assert (revised["revision"], revised["content"], revised["state"]) == (2, new, "review")
    stale = await web.post(f"/feedback/{item}/resolve", ann)
    assert (stale.status, stale.data["code"]) == (409, "stale")
    await web.found(f"/review/{story}", ann)
    fresh: dict[str, Any] = {"category": "timeline", "description": "When did it melt?", "severity": "important"}
    settled = [{"feedback_item_id": item, "resolution_note": "Good."}]
    second = await web.done(f"/review/{story}/feedback", ann, items=[fresh], resolved=settled)
    assert [one["status"] for one in second["items"]] == ["resolved", "open"]
    await web.done(f"/feedback/{second['items'][1]['id']}/respond", haku, response_text="In 2090.")
    await web.done(f"/feedback/{second['items'][1]['id']}/resolve", ann)
    assert (await web.found(f"/review/{story}/gate", haku))["reason"] == "Need 2 reviewers, have 1"
    await web.found(f"/review/{story}", bob)
    await web.done(f"/review/{story}/confirm", bob)
    assert (await web.found(f"/review/{story}/gate", haku))["can_graduate"] is True


@played
async def test_a_proposer_withdraws_and_a_critical_item_that_stays_open_shelves() -> None:
    """000-20, 000-21, A5: there is no reject."""
    web, haku, ann, _, story = await submitted()
    assert (await web.post(f"/review/{story}/withdraw", ann, reason="Not mine")).status == 403
    other = (await web.done("/review/story", haku, content="Another.\n"))["content_id"]
    gone = await web.done(f"/review/{other}/withdraw", haku, reason="It bores me.")
    assert (gone["state"], gone["can_graduate"]) == ("withdrawn", False)
    item = (await web.done(f"/review/{story}/feedback", ann, items=[GAP]))["items"][0]["id"]
    for attempt in range(3):
        await web.done(f"/feedback/{item}/respond", haku, response_text=f"Answer {attempt}")
        await web.done(f"/feedback/{item}/resolve", ann, resolved=False, resolution_note="No.")
    assert (await web.found(f"/review/{story}", haku))["state"] == "shelved"


@played
async def test_an_item_that_is_argued_about_is_disputed_until_a_human_decides() -> None:
    """A1, 000-17: it blocks; a human's waiver settles it."""
    web, haku, ann, bob, story = await submitted()
    sue = await web.human()
    item = (await web.done(f"/review/{story}/feedback", ann, items=[GAP | {"severity": "important"}]))["items"][0]["id"]
    await web.done(f"/review/{story}/feedback", bob, checked=CHECKED)
    for attempt in range(3):
        await web.done(f"/feedback/{item}/respond", haku, response_text=f"Answer {attempt}")
        await web.done(f"/feedback/{item}/resolve", ann, resolved=False, resolution_note="No.")
    assert (await web.found(f"/feedback/{item}", haku))["status"] == "disputed"
    assert (await web.found(f"/review/{story}/gate", haku))["can_graduate"] is False
    finding = item.partition(":")[2]
    await web.done(f"/api/v1/reviews/{story}/findings/{finding}/waiver", sue, reason="It is on page 1.")
    end = await web.found(f"/feedback/{item}", haku)
    assert (end["status"], end["resolution_note"]) == ("resolved", "It is on page 1.")
    assert (await web.found(f"/review/{story}", haku))["state"] == "live"


@played
async def test_what_is_not_there_is_a_problem_and_a_key_may_be_left_out_or_sent() -> None:
    web, haku, ann, _, story = await submitted()
    refused(await web.get("/review/none", haku), 404, "There is no such review.")
    for item in ("none", "none:x", f"{story}:x", "x" * 500):
        assert (await web.get(f"/feedback/{item}", haku)).status in (404, 422)
    key = {"idempotency-key": "once"}
    first = await web.done(f"/review/{story}/feedback", ann | key, items=[GAP])
    assert await web.done(f"/review/{story}/feedback", ann | key, items=[GAP]) == first
    script = await web.done("/api/v1/reviews", haku, kind="script", title="x", files=[{"path": "a", "text": "b"}])
    assert (await web.get(f"/review/{script['review']}", haku)).status == 404


@played
async def test_content_that_was_being_validated_elsewhere_moves_in_and_is_reviewed_anew() -> None:
    """000-23: by the service that vouches for its agents; nothing twice, and one bad piece stops no other."""
    web = web_of_worlds()
    dsf = await web.agent("dsf", kind="service")
    await web.role("stranger", "agent")
    await web.done("/api/v1/accounts", dsf, name="dweller-42")
    old = {"content_type": "story", "content_id": "77", "proposer_id": "dweller-42", "content": "An old story.\n"}
    wrong = [old | {"proposer_id": "stranger"}, old | {"content_type": "poem"}, old | {"proposer_id": "nobody-9"}]
    found = (await web.done("/review/import", dsf, contents=[*wrong, old]))["moved"]
    assert [one["content_id"] for one in found[:3]] == [None, None, None]
    assert all(one["problem"] for one in found[:3])
    assert (found[3]["old_id"], found[3]["state"], found[3]["problem"]) == ("77", "review", "")
    again = (await web.done("/review/import", dsf, contents=[old]))["moved"]
    assert again == [found[3]]
    seen = await web.found(f"/review/{found[3]['content_id']}", dsf | {"foureyes-agent": "dweller-42"})
    assert (seen["proposer_id"], seen["reason"]) == ("dweller-42", "Need 2 reviewers, have 0")
    assert len((await web.found("/api/v1/reviews", dsf))["reviews"]) == 1
    agent = await web.role("haku", "agent")
    assert (await web.post("/review/import", agent, contents=[old])).data["code"] == "not_eligible"
    many = await web.post("/review/import", dsf, contents=[old] * 101)
    assert (many.status, many.data["code"]) == (422, "too_many")
    for name in ("content_type", "content_id", "proposer_id", "title"):
        nul = await web.post("/review/import", dsf, contents=[old, old | {name: "a\0b"}])
        assert (nul.status, nul.data["code"], f"contents[1].{name}" in nul.data["title"]) == (422, "bad_value", True)


@played
async def test_the_old_endpoint_of_votes_is_deprecated_and_says_what_to_do_instead() -> None:
    """000-23: for any verdict and sender; nothing is counted, and the description marks it as deprecated."""
    web, _, ann, _, story = await submitted()
    log = await web.log(story)
    for verdict in ("approve", "reject", "strengthen"):
        answer = await web.post(f"/review/{story}/validate", ann, verdict=verdict)
        assert (answer.status, answer.data["code"]) == (410, "gone")
        assert answer.headers["deprecation"] == "@1770940800"
        assert answer.headers["link"] == f'</review/{story}/feedback>; rel="successor-version"'
        assert f"POST /review/{story}/feedback" in answer.data["next_step"]
    assert await web.log(story) == log
    hostile = await web.request("POST", "/review/a%22%3E%0d%0aX-Evil:%201/validate", ann, b"{}")
    assert hostile.status in (404, 410)
    assert "x-evil" not in hostile.headers
    assert '"' not in hostile.headers.get("link", "").partition(">")[0]
    assert described()["paths"]["/review/{content_id}/validate"]["post"]["deprecated"] is True
