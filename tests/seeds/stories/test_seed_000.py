"""Seed 000 on a plain `foureyes up`: four types of content, two reviewers who disagree, and every end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.postgres.server import Server
from tests.seeds.stories.stage import SQLITE, Stage, done, found, places, posted, stage
from tests.use.served import Caller

pytestmark = pytest.mark.door("http", policy="server")

TYPES = ("proposal", "aspect", "dweller_proposal", "story")
CATEGORIES = ("causal_gap", "scientific_issue", "actor_vagueness", "timeline", "internal_consistency", "other")
GAP = {"category": "causal_gap", "description": "Why did the sea rise?", "severity": "critical"}
VAGUE = {"category": "actor_vagueness", "description": "Who governs the port?", "severity": "minor"}
CHECKED = [{"what": "the chronology of chapter one", "why": "each year follows from the one before"}]
ALL_RESOLVED = {"can_graduate": True, "reason": "All feedback resolved by all reviewers"}
_numbers = count(1)


@pytest.fixture(scope="module", params=places(SQLITE))
def here(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[Stage]:
    """A server without any policy, a proposer and three reviewers of other parties."""
    with stage(tmp_path_factory.mktemp("seed-000"), request.param, on_postgres) as here:
        for name in ("haku", "ann", "bob", "eve"):
            here.agent(name)
        yield here


def cast(here: Stage) -> tuple[Caller, Caller, Caller]:
    """The proposer, and two reviewers."""
    return here.agent("haku"), here.agent("ann"), here.agent("bob")


def submitted(here: Stage, kind: str = "story") -> str:
    """The path of a new content of the proposer that both reviewers have read."""
    haku, ann, bob = cast(here)
    content = f"The sea rose.\nThe port of quarter {next(_numbers)} drowned.\n"
    path = f"/review/{done(haku, f'/review/{kind}', content=content)['content_id']}"
    for reviewer in (ann, bob):
        found(reviewer, path)
    return path


def raised(reviewer: Caller, path: str, *items: dict[str, Any]) -> list[str]:
    """The ids of the items that a reviewer raises."""
    return [item["id"] for item in done(reviewer, f"{path}/feedback", items=items)["items"]]


def argued(haku: Caller, raiser: Caller, item: str, times: int = 3) -> None:
    """Let the proposer answer and the raiser reopen, so many times."""
    for attempt in range(times):
        done(haku, f"/feedback/{item}/respond", response_text=f"Answer {attempt}")
        done(raiser, f"/feedback/{item}/resolve", resolved=False, resolution_note=f"Not by answer {attempt}.")


def test_content_of_each_type_goes_live_once_two_reviewers_who_disagree_are_content(here: Stage) -> None:
    """000-01, 000-05, 000-10, 000-11, 000-12, 000-13, 000-18, 000-22, A2: reviewers are missed before items."""
    haku, ann, bob = cast(here)
    for kind in TYPES:
        path = submitted(here, kind)
        gate, digest = f"{path}/gate", found(haku, f"/api/v1/reviews/{path[8:]}")["review"]["digest"]
        shown = found(haku, path)
        assert (shown["content_type"], shown["state"], shown["feedback"]) == (kind, "review", [])
        assert found(haku, gate) == {"can_graduate": False, "reason": "Need 2 reviewers, have 0"}
        (gap, vague) = raised(ann, path, GAP, VAGUE)
        assert found(haku, gate) == {"can_graduate": False, "reason": "Need 2 reviewers, have 1"}
        done(bob, f"{path}/feedback", checked=CHECKED)  # Bob finds nothing wrong with it.
        assert found(haku, gate) == {"can_graduate": False, "reason": "2 feedback items unresolved"}
        done(haku, f"/feedback/{gap}/respond", response_text="The ice of the pole melted.")
        done(haku, f"/feedback/{vague}/respond", response_text="The charter names the council.", rebuttal=True)
        assert found(haku, gate) == {"can_graduate": False, "reason": "2 feedback items unresolved"}
        done(ann, f"/feedback/{gap}/resolve", resolution_note="Clear now.")
        assert found(haku, gate) == {"can_graduate": False, "reason": "1 feedback items unresolved"}
        assert found(haku, path)["state"] == "review"
        assert found(haku, f"/api/v1/gate/{digest}")["allowed"] is False
        done(ann, f"/feedback/{vague}/resolve", resolution_note="So it does.")
        assert found(haku, gate) == ALL_RESOLVED
        assert found(haku, path)["state"] == "live"
        assert found(haku, f"/api/v1/gate/{digest}")["allowed"] is True


def test_each_item_has_its_own_history_in_cycles(here: Stage) -> None:
    """000-03, 000-05, 000-08, 000-09: answers of earlier cycles stay; when and why come with the resolution."""
    haku, ann, _ = cast(here)
    path = submitted(here)
    first, second = raised(ann, path, GAP, VAGUE)
    assert first != second
    bare = found(ann, f"/feedback/{first}")
    assert (bare["status"], bare["resolved_at"], bare["resolution_note"], bare["responses"]) == ("open", None, None, [])
    argued(haku, ann, first, times=2)
    reopened = found(haku, f"/feedback/{first}")
    assert (reopened["status"], reopened["resolved_at"]) == ("open", None)
    said = done(haku, f"/feedback/{first}/respond", response_text="The ice of the pole.")
    assert (said["responder_id"], said["feedback_item_id"]) == ("haku", first)
    assert found(ann, f"/feedback/{first}")["status"] == "addressed"
    done(ann, f"/feedback/{first}/resolve", resolution_note="Clear now.")
    ended = found(haku, f"/feedback/{first}")
    assert [one["response_text"] for one in ended["responses"]] == ["Answer 0", "Answer 1", "The ice of the pole."]
    assert (ended["status"], ended["resolution_note"], bool(ended["resolved_at"])) == ("resolved", "Clear now.", True)
    assert found(haku, f"/feedback/{second}")["status"] == "open"


def test_there_are_no_verdicts_and_finding_nothing_takes_words(here: Stage) -> None:
    """000-02, 000-04, A4: no approve or reject anywhere; "no issues" says what was looked at and why it holds."""
    _, ann, bob = cast(here)
    path = submitted(here)
    for word in ("approve", "reject", "strengthen"):
        voted = posted(ann, f"{path}/feedback", items=[GAP], verdict=word)
        assert (voted.code, "verdict" in voted.text) == ("bad_value", True)
        native = posted(ann, f"/api/v1/reviews/{path[8:]}/reports", revision=1, verdict=word)
        assert not native.is_ok
        assert not posted(ann, f"{path}/{word}").is_ok
    empty: list[dict[str, Any]] = [{}, {"checked": []}]
    hollow = [{"checked": [{"what": word, "why": word}]} for word in ("all", "." * 40)]
    for nothing in (*empty, *hollow):
        assert posted(bob, f"{path}/feedback", **nothing).code in {"evidence_missing", "bad_value"}, nothing
    assert found(here.agent("haku"), f"{path}/gate")["reason"] == "Need 2 reviewers, have 0"
    done(bob, f"{path}/feedback", checked=CHECKED)
    assert found(here.agent("haku"), f"{path}/gate")["reason"] == "Need 2 reviewers, have 1"


def test_reviewers_are_blind_until_their_own_feedback_is_in(here: Stage) -> None:
    """000-14, A6, A7: not an item, an answer, a count or a word of the gate; afterwards all of it."""
    haku, ann, bob = cast(here)
    path = submitted(here)
    native = f"/api/v1/reviews/{path[8:]}"
    paths = (path, f"{path}/gate", native, f"{native}/explanation", f"{native}/work", "/api/v1/inbox", "/review")
    before = [bob.raw("GET", one).body for one in paths]
    (item, _) = raised(ann, path, GAP, VAGUE)
    done(haku, f"/feedback/{item}/respond", response_text="The ice melted.")
    assert [bob.raw("GET", one).body for one in paths] == before
    hidden, invented = (bob.sent("GET", f"/feedback/{path[8:]}:resolve.{one}", {}) for one in ("1-F1", "9-F9"))
    assert hidden.text.replace("1-F1", "") == invented.text.replace("9-F9", "")
    done(bob, f"{path}/feedback", checked=CHECKED)
    assert found(bob, f"/feedback/{item}")["status"] == "addressed"
    assert GAP["description"] in json.dumps(found(bob, path))


def test_only_the_proposer_answers_and_only_the_raiser_confirms(here: Stage) -> None:
    """000-06, 000-07, A8: any other account is refused; a mistake is withdrawn by its raiser, with a note."""
    haku, ann, bob = cast(here)
    path = submitted(here)
    item, mistake = raised(ann, path, GAP, VAGUE)
    done(bob, f"{path}/feedback", checked=CHECKED)
    for caller in (ann, bob, here.human()):
        assert posted(caller, f"/feedback/{item}/respond", response_text="Mine.").code == "not_the_author"
    forged = posted(haku, f"/feedback/{item}/respond", response_text="Mine.", responder_id="ann")
    assert not forged.is_ok
    done(haku, f"/feedback/{item}/respond", response_text="The ice melted.")
    for resolved in (True, False):
        for caller in (haku, bob):
            refused = posted(caller, f"/feedback/{item}/resolve", resolved=resolved, resolution_note="Mine.")
            assert refused.code == "not_the_holder"
    assert not posted(ann, f"/feedback/{mistake}/resolve").is_ok, "open, and no note"
    done(ann, f"/feedback/{mistake}/resolve", resolution_note="I misread it.")
    assert found(haku, f"/feedback/{item}")["status"] == "addressed"


def test_categories_and_severities_are_these_and_each_item_gates(here: Stage) -> None:
    """000-15, 000-16, 000-11, A9: six categories, three severities; the least of them holds content back."""
    haku, ann, bob = cast(here)
    path = submitted(here)
    for wrong in ({"category": "style"}, {"severity": "blocking"}, {"description": " "}):
        refused = posted(ann, f"{path}/feedback", items=[GAP | wrong])
        assert not refused.is_ok
    items = [
        {"category": category, "description": f"An issue about {category}", "severity": severity}
        for category, severity in zip(CATEGORIES, ("critical", "important", "minor") * 2, strict=True)
    ]
    raising = done(ann, f"{path}/feedback", items=items)["items"]
    kept = [(one["category"], one["severity"]) for one in raising]
    assert kept == [(one["category"], one["severity"]) for one in items]
    done(bob, f"{path}/feedback", checked=CHECKED)
    for number, item in enumerate(raising):
        left = f"{len(items) - number} feedback items unresolved"
        assert found(haku, f"{path}/gate") == {"can_graduate": False, "reason": left}
        done(haku, f"/feedback/{item['id']}/respond", response_text="It is on page one.")
        done(ann, f"/feedback/{item['id']}/resolve", resolution_note="It is.")
    assert found(haku, f"{path}/gate") == ALL_RESOLVED


def test_a_revision_is_looked_at_again_and_may_raise_new_items(here: Stage) -> None:
    """000-05, 000-19: who has reported raises what the revision brought; nobody confirms what they have not read."""
    haku, ann, bob = cast(here)
    path = submitted(here)
    (item,) = raised(ann, path, GAP)
    done(bob, f"{path}/feedback", checked=CHECKED)
    answers = [{"feedback_item_id": item, "response_text": "Said in line three."}]
    text = f"{found(haku, path)['content']}The ice had melted.\n"
    revised = done(haku, f"{path}/revise", content=text, responses=answers)
    assert (revised["revision"], revised["state"]) == (2, "review")
    assert posted(ann, f"/feedback/{item}/resolve").code == "stale"
    for reviewer in (ann, bob):
        found(reviewer, path)
    fresh = {"category": "timeline", "description": "When did it melt?", "severity": "important"}
    settled = [{"feedback_item_id": item, "resolution_note": "Good."}]
    second = done(ann, f"{path}/feedback", items=[fresh], resolved=settled)["items"]
    assert [one["status"] for one in second] == ["resolved", "open"]
    done(bob, f"{path}/confirm")
    assert found(haku, f"{path}/gate")["reason"] == "1 feedback items unresolved"
    done(haku, f"/feedback/{second[1]['id']}/respond", response_text="In 2090.")
    done(ann, f"/feedback/{second[1]['id']}/resolve", resolution_note="Good.")
    assert found(haku, f"{path}/gate") == ALL_RESOLVED


def test_an_item_moves_along_the_flow_and_no_other_way(here: Stage) -> None:
    """000-17: what is resolved is neither answered nor resolved again, and nothing is invented."""
    haku, ann, bob = cast(here)
    path = submitted(here)
    (item, other) = raised(ann, path, GAP, VAGUE)
    done(bob, f"{path}/feedback", checked=CHECKED)
    done(haku, f"/feedback/{item}/respond", response_text="The ice melted.")
    done(ann, f"/feedback/{item}/resolve", resolution_note="Clear.")
    for resolved in (True, False):
        assert not posted(ann, f"/feedback/{item}/resolve", resolved=resolved, resolution_note="Again.").is_ok
    assert not posted(haku, f"/feedback/{item}/respond", response_text="Again.").is_ok
    assert not posted(haku, f"/feedback/{path[8:]}:resolve.7-F7/respond", response_text="What?").is_ok
    assert found(haku, f"/feedback/{item}")["status"] == "resolved"
    assert found(haku, f"/feedback/{other}")["status"] == "open"


def test_a_proposer_withdraws_and_nobody_rejects(here: Stage) -> None:
    """000-20: the end is final; a reviewer ends nothing."""
    haku, ann, _ = cast(here)
    path = submitted(here)
    assert not posted(ann, f"{path}/withdraw", reason="Not mine.").is_ok
    gone = done(haku, f"{path}/withdraw", reason="It bores me.")
    assert (gone["state"], gone["can_graduate"]) == ("withdrawn", False)
    assert not posted(haku, f"{path}/revise", content="Back again.\n").is_ok
    assert not posted(ann, f"{path}/feedback", items=[GAP]).is_ok
    assert found(haku, path)["state"] == "withdrawn"


def test_a_critical_item_that_stays_unresolved_shelves_the_content(here: Stage) -> None:
    """000-21, A5: the third answer in vain, not the second; a new version takes it off the shelf."""
    haku, ann, _ = cast(here)
    path = submitted(here)
    (item,) = raised(ann, path, GAP)
    argued(haku, ann, item, times=2)
    assert found(haku, path)["state"] == "review"
    argued(haku, ann, item, times=1)
    shelved = found(haku, path)
    assert (shelved["state"], shelved["can_graduate"]) == ("shelved", False)
    text = f"{shelved['content']}The ice had melted.\n"
    assert done(haku, f"{path}/revise", content=text)["state"] == "review"


def test_a_dispute_is_decided_by_a_human(here: Stage) -> None:
    """000-17, 000-24, A1: it blocks until the human's word, and neither record nor past disputes count for anybody."""
    haku, ann, bob = cast(here)
    human = here.human()
    for option in ("pass_stage", "revise"):
        path = submitted(here)
        native = f"/api/v1/reviews/{path[8:]}"
        (item,) = raised(ann, path, GAP | {"severity": "important"})
        done(bob, f"{path}/feedback", checked=CHECKED)
        argued(haku, ann, item)
        assert found(haku, f"/feedback/{item}")["status"] == "disputed"
        assert found(haku, f"{path}/gate")["can_graduate"] is False
        ruling = found(human, native)["review"]["ruling"]
        chosen = next(one["id"] for one in ruling["options"] if one["effect"] == option)
        decides = f"{native}/rulings/{ruling['request']}"
        for agent in (haku, ann):
            assert not posted(agent, decides, option=chosen, reason="Mine.").is_ok
        done(human, decides, option=chosen, reason="It is on page one.")
        assert found(haku, path)["state"] == ("live" if option == "pass_stage" else "review")
        assert found(haku, f"{path}/gate")["can_graduate"] is (option == "pass_stage")
    assert found(haku, f"{submitted(here)}/gate")["reason"] == "Need 2 reviewers, have 0"


def test_old_content_moves_in_and_the_old_endpoint_says_that_it_is_over(here: Stage) -> None:
    """000-23: by a service for the agents it vouches for, once; the votes of the past count for nothing."""
    service = here.agent("dsf", kind="service")
    done(service, "/api/v1/accounts", name="dweller-42")
    old = {"content_type": "story", "content_id": "77", "proposer_id": "dweller-42", "content": "An old story.\n"}
    wrong = [old | {"proposer_id": "ann"}, old | {"content_type": "poem"}]
    *refused, moved = done(service, "/review/import", contents=[*wrong, old])["moved"]
    assert [bool(one["problem"]) for one in refused] == [True, True]
    assert (moved["old_id"], moved["state"], moved["problem"]) == ("77", "review", "")
    assert done(service, "/review/import", contents=[old])["moved"] == [moved]
    path = f"/review/{moved['content_id']}"
    seen = found(service.speaking_for("dweller-42"), path)
    assert (seen["proposer_id"], seen["reason"]) == ("dweller-42", "Need 2 reviewers, have 0")
    for verdict in ("approve", "reject", "strengthen"):
        answer = here.agent("ann").raw("POST", f"{path}/validate", json.dumps({"verdict": verdict}).encode())
        assert (answer.status, "deprecation" in answer.headers) == (410, True)
        assert answer.headers["link"] == f'<{path}/feedback>; rel="successor-version"'
    assert found(service.speaking_for("dweller-42"), f"{path}/gate")["reason"] == "Need 2 reviewers, have 0"
