"""The best request of each call in each state, so that only the caller can be the reason of a refusal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from foureyes.http.routes import GET, WAYS
from tests.doors.seed_requests import SEED_REQUESTS
from tests.doors.states import CHECKED, FINDING, Facts
from tests.doors.worlds import World
from tests.http.web import Answer

Body = dict[str, Any]
AHEAD = b"Bytes that were sent ahead."
NEW_FILES = [{"path": "hello.py", "text": "print('hello, everybody')\n"}]
#: The body of each call in a state.
REQUESTS: dict[str, Callable[[Facts], Body]] = {
    "open_review": lambda _: {"kind": "script", "title": "Another", "files": [{"path": "a.txt", "text": "Another."}]},
    "revise": lambda f: {"review": f.review, "files": NEW_FILES, "note": "Greets everybody."},
    "answer_finding": lambda f: {"review": f.review, "finding": f.finding, "text": "It greets the world."},
    "withdraw": lambda f: {"review": f.review, "reason": "Not needed."},
    "take_seat": lambda f: {"review": f.review},
    "renew_seat": lambda f: {"review": f.review, "seat": f.seat},
    "leave_seat": lambda f: {"review": f.review, "seat": f.seat},
    "report": lambda f: {"review": f.review, "revision": f.revision, **_said(f)},
    "report_inconclusive": lambda f: {
        "review": f.review,
        "revision": f.revision,
        "seat": f.seat,
        "reason": "crashed",
    },
    "keep_report": lambda f: {"review": f.review, "revision": f.revision, "seat": f.seat},
    "settle_finding": lambda f: {
        "review": f.review,
        "revision": f.revision,
        "finding": f.finding,
        "resolved": True,
        "note": "My mistake.",
    },
    "verify_finding": lambda f: {
        "review": f.review,
        "revision": f.revision,
        "finding": f.finding,
        "result": "confirmed",
        "evidence": "I ran it and saw it.",
    },
    "escalate": lambda f: {"review": f.review, "reason": "We do not agree."},
    "report_escape": lambda f: {"review": f.review, "text": "It broke.", "severity": "minor"},
    "add_note": lambda f: {"review": f.review, "text": "A word."},
    "rule": lambda f: {"review": f.review, "request": f.request, "option": "reject", "reason": "Too risky."},
    "override": lambda f: {
        "review": f.review,
        "stage": f.stage,
        "revision": f.revision,
        "digest": f.digest,
        "reason": "I looked at it myself.",
    },
    "waive": lambda f: {"review": f.review, "finding": f.finding, "reason": "It is meant so."},
    "reopen": lambda f: {"review": f.review, "reason": "We need it.", "undoes": _ended(f)},
    "read_review": lambda f: {"review": f.review},
    "read_work": lambda f: {"review": f.review},
    "wait": lambda f: {"review": f.review, "seconds": 0},
    "explain": lambda f: {"review": f.review},
    "decisions": lambda f: {"review": f.review},
    "audit": lambda f: {"review": f.review},
    "open_reviews": lambda _: {
        "reviews": [{"kind": "script", "title": "Another", "files": [{"path": "a.txt", "text": "Another."}]}]
    },
    "preview": lambda f: {"call": "add_note", "form": {"review": f.review, "text": "A word."}},
    "send_file": lambda _: {"text": "Sent ahead."},
    "put_blob": lambda _: {"digest": hashlib.sha256(AHEAD).hexdigest(), "content": AHEAD},
    "attest_base": lambda _: {"target": "production", "files": [{"path": "a.txt", "text": "What is there.\n"}]},
    "record_live": lambda f: {"target": "production", "review": f.review, "digest": f.digest},
    "policy": lambda _: {},
    "activate_policy": lambda _: {"shipped": "team"},
    "enable_skip": lambda _: {"kind": "story", "author": "dev"},
    "disable_skip": lambda _: {"kind": "story", "author": "dev", "reason": "Seen enough."},
    "track_records": lambda _: {},
    "list_lessons": lambda _: {"scope": "all"},
    "metrics": lambda _: {},
    "list_reviews": lambda _: {},
    "list_content": lambda _: {},
    "list_sessions": lambda _: {},
    "inbox": lambda _: {},
    "gate": lambda f: {"digest": f.digest},
    "enrol": lambda _: {"name": "newcomer", "kind": "agent"},
    "enrol_many": lambda _: {"accounts": [{"name": "newcomer", "kind": "agent"}]},
    "remove_account": lambda _: {"name": "dweller", "reason": "Gone."},
    "issue_token": lambda _: {"name": "robot"},
    "revoke_token": lambda _: {"name": "robot", "token": "t-robot", "reason": "Lost."},
    "list_accounts": lambda _: {},
    "me": lambda _: {},
    **SEED_REQUESTS,
}


def _said(facts: Facts) -> Body:
    """A report that fits the style: findings if it has no verdicts, otherwise concerns with a finding."""
    found = [FINDING | {"text": "The greeting is not translated."}]
    if facts.stage == "resolve":
        return {"findings": found}
    return {"verdict": "concerns", "findings": found, "summary": "Not for everybody.", "evidence": CHECKED}


def _ended(facts: Facts) -> str:
    return "cleared" if facts.state == "open" else facts.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request, ready to go over HTTP."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""


def sent(call: str, body: Body) -> Sent:
    """The request of a call, with its path parameters and query parameters filled in from the body."""
    way = WAYS[call]
    path, rest = way.paths[0], dict(body)
    for name, value in body.items():
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
            del rest[name]
    if way.method == GET:
        return Sent(method=GET, path=path, query=urlencode(rest))
    if way.streamed:
        return Sent(method=way.method, path=path, body=rest["content"])
    query = urlencode({name: rest.pop(name) for name in way.query if name in rest})
    return Sent(method=way.method, path=path, query=query, body=json.dumps(rest).encode())


async def play(world: World, request: Sent, headers: dict[str, str]) -> Answer:
    """Send a request."""
    return await world.request(request.method, request.path, headers, request.body, query=request.query)


async def asked_for(world: World, call: str, body: Body, headers: dict[str, str]) -> Answer:
    """Make a call and return its answer."""
    return await play(world, sent(call, body), headers)
