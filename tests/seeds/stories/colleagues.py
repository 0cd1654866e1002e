"""The colleagues of seed 001 under its own review-policy.yaml: requesters, reviewers, and their reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from foureyes.core.peer_data import CRITERIA
from tests.http.test_seed_001 import CHANGES, GOOD, WORK
from tests.postgres.server import Server
from tests.seeds.stories.chats import Chats, chats
from tests.seeds.stories.stage import Stage, found, posted, stage
from tests.stories.process import CHATS
from tests.use.served import Caller, Reply

PEER = "/api/v1/peer"
POLICY = "seed-001"
ROLES = ("architect", "core_developer", "app_developer", "optimizer", "tester", "auditor", "idea_refiner")
#: The document's own file is included by it; the document has no addresses.
WRAPPER = """\
version: 1
kinds: {default: peer}
peer: {file: review-policy.yaml}
notify:
  author: "discord://1/${CREATOR}"
  reviewer: "discord://2/${REVIEWER}"
  human: "discord://3/${HUMAN}"
  people: {auditor: {to: "discord://4/${AUDITOR}"}, tester: {to: "discord://5/${TESTER}"}}
"""
DOCUMENT = Path(__file__).with_name("review-policy.yaml")
_numbers = count(1)


@contextmanager
def colleagues(folder: Path, place: str, postgres: Callable[[], Server]) -> Iterator[tuple[Stage, Chats]]:
    """A server with that policy, an agent for each role of the matrix, and the notification channels."""
    (folder / "review-policy.yaml").write_bytes(DOCUMENT.read_bytes())
    policy = folder / f"{POLICY}.yaml"
    policy.write_text(WRAPPER, encoding="utf-8")
    keys = {name: name.lower() for name in ("CREATOR", "REVIEWER", "HUMAN", "AUDITOR", "TESTER")}
    with ExitStack() as stack:
        told = stack.enter_context(chats(POLICY))
        environment = {CHATS: told.url, "FOUREYES_NOTIFY_PRIVATE": "127.0.0.0/8", **keys}
        here = stack.enter_context(stage(folder, place, postgres, policy=policy, environment=environment))
        for role in ROLES:
            here.agent(role.replace("_", "-"), role)
        yield here, told


def request(creator: Caller, **more: Any) -> Reply:
    """Call `request_review` for a new work of this creator, without questions."""
    number = next(_numbers)
    me = creator.call("me")["who"]["name"]
    artifacts = {name: f"{name} {number}\n" for name in WORK["artifacts"]} | {"code": f"export {number}\n"}
    work = {**WORK, "creator": me, "id": f"rev_{number}", "questions": [], "artifacts": artifacts, **more}
    return posted(creator, f"{PEER}/request_review", **work)


def asked(creator: Caller, **more: Any) -> str:
    """The id of a new review."""
    reply = request(creator, **more)
    assert reply.is_ok, reply.text
    return str(reply["id"])


def shown(caller: Caller, review: str) -> Any:
    """The answer of `get_review`."""
    return found(caller, f"{PEER}/get_review", reviewId=review)


def judge(reviewer: Caller, review: str, said: dict[str, Any], **more: Any) -> Reply:
    """Read the work, which begins the review, and submit."""
    shown(reviewer, review)
    me = reviewer.call("me")["who"]["name"]
    body = {**said, "reviewer": me, **more}
    body["feedback"] = {**body["feedback"], "question_answers": []}
    return posted(reviewer, f"{PEER}/submit_review", reviewId=review, **body)


def approve(reviewer: Caller, review: str, kind: str = "create_core", **more: Any) -> None:
    """Approve a work of a kind by its checklist."""
    reply = judge(reviewer, review, GOOD, **{"checklist": checklist(kind), **more})
    assert reply.is_ok, reply.text


def doubt(reviewer: Caller, review: str, concern: str = "critical: an empty address is valid", **more: Any) -> None:
    """Request changes."""
    feedback = {**CHANGES["feedback"], "concerns": [concern]}
    reply = judge(reviewer, review, CHANGES, **{"feedback": feedback, **more})
    assert reply.is_ok, reply.text


def checklist(kind: str, *, passed: bool = True) -> dict[str, bool]:
    """Every required criterion of a kind."""
    criteria = next((one.required for one in CRITERIA if one.kind == kind), ())
    return {name: passed for name, _ in criteria}


def resubmit(creator: Caller, review: str, number: int, code: str = "") -> Reply:
    """Ask for a re-review with new code."""
    artifacts = {**WORK["artifacts"], "code": code or f"export {next(_numbers)}\n"}
    body = {"changes_made": "Empty addresses are refused.", "revision_number": number, "artifacts": artifacts}
    return posted(creator, f"{PEER}/request_re_review", reviewId=review, **body)


def over(creator: Caller, *reviews: str) -> None:
    """Withdraw an open review, so that it takes no reviewer's capacity."""
    for review in reviews:
        posted(creator, f"/api/v1/reviews/{review}/withdrawal", reason="The story is over.")


def ruled(human: Caller, review: str, effect: str, reason: str = "So it shall be.") -> Reply:
    """A human gives the requested ruling."""
    ruling = found(human, f"/api/v1/reviews/{review}")["review"]["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == effect)
    return posted(human, f"/api/v1/reviews/{review}/rulings/{ruling['request']}", option=option, reason=reason)


def is_escalated(here: Stage, creator: Caller, review: str) -> Any:
    """Wait until a human must decide, and return the creator's view of the review."""
    seen = shown(creator, review)
    assert seen["status"] == "escalated", seen
    assert review in [one["review"] for one in found(here.human(), "/api/v1/inbox")["waiting"]]
    return seen
