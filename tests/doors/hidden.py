"""Hidden acts, drawn at random, and everything a viewer who must not learn of them could ask.

Two worlds differ in what others did who reported before the viewer: how many, which verdicts, how long, when. Both must
answer every request of the viewer with the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random
from typing import Any, cast

from starlette.routing import Route

from foureyes.app.calls.bodies import schema
from foureyes.app.calls.registry import CALLS
from foureyes.core import protocols
from foureyes.core.model import Review
from foureyes.http.routes import BASE, GET, WAYS
from tests.conftest import EFFORT
from tests.doors.requests import REQUESTS, Sent, play, sent
from tests.doors.seed_requests import SEED_OWN_WORD
from tests.doors.states import Facts, facts_of, review_of
from tests.doors.worlds import RULES_HERE, World, empty
from tests.http.web import Answer

#: Work of a second review without hidden acts, so that a list has an order.
ELSE = [{"path": "else.txt", "text": "Something else."}]
#: All hidden acts happen within this time, and the viewer looks at its end.
WINDOW = timedelta(minutes=20)
#: Reviewers who do hidden acts; they join the reviewer who was asked.
JOINING = ("carl", "dora")
HUMAN_ROLES = ["first", "second", "agent", "reviewer", "hardin", "seldon", "haiku", "sonnet"]
#: The styles. The viewer is a reviewer before their own report (asked, or begun), or a caller without a seat.
KINDS = ("story", "script", "milestone", "task", "security_step")
VIEWERS = ("ann", "ann begun", "eve", "dweller", "robot")
#: Styles with open stages, which add viewers: a human in an unasked seat, and a volunteer who has not begun.
OPEN_KINDS = ("story", "script")
LATECOMER = "zoe"
#: Styles played also with the same bytes in an earlier review, and with bytes of the same text in another one.
SHOPPED_KINDS = ("story", "script", "task")
AGAIN = [{"path": "hello.py", "text": "print('hello')\n\n\nONE = 1\n"}]
GROUNDS = [
    *((kind, viewer) for kind in KINDS for viewer in VIEWERS),
    *((kind, viewer) for kind in OPEN_KINDS for viewer in ("hugo begun", LATECOMER)),
    *((kind, viewer) for kind in SHOPPED_KINDS for viewer in ("ann begun again", "eve again")),
]
#: The viewer's own acts that submit no report, after which the viewer looks again.
STEPS = ("take_seat",)
#: Calls that submit or give up the viewer's own report: the answer, such as cleared, may depend on the reports of the
#: others.
OWN_WORD = frozenset({"report", "keep_report", "settle_finding", "report_inconclusive", "leave_seat", *SEED_OWN_WORD})
#: Calls whose answer is random each time.
DRAWN = frozenset({"issue_token", "enrol_many"})
ACTS_MAX = 6
#: Number of changing calls tried in each pair; over all pairs every call is tried.
ACTS_ASKED = {"test": 12, "all": 60}
_SOLO = protocols.solo(programs=(), agents=("first", "second"))
RULES_HIDDEN = replace(
    RULES_HERE, protocols=tuple(_SOLO if one.name == "solo" else one for one in RULES_HERE.protocols)
)


@dataclass
class Ground:
    """A world before any hidden act, its viewer, and the answers the viewer gets there."""

    world: World
    facts: Facts
    viewer: str
    seats: set[str]
    answers: dict[Sent, Answer] = field(default_factory=dict)
    looked: World | None = None
    #: The world after each of the viewer's own acts, without hidden acts.
    after: dict[Sent, Ground] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        """The viewer's credential."""
        return self.world.headers[self.viewer]

    async def answer(self, request: Sent) -> Answer:
        """The answer without hidden acts."""
        if request not in self.answers:
            self.looked = self.looked or at_the_end(self.world)
            before = self.looked.events
            # A preview mints ids too; which id comes next is no secret.
            self.looked.house.ids = self.world.house.ids
            self.answers[request] = await play(self.looked, request, self.headers)
            if self.looked.events > before:
                self.looked = None
        return self.answers[request]

    async def stepped(self, request: Sent) -> Ground:
        """Perform the viewer's own act and return the resulting ground."""
        if request not in self.after:
            world = at_the_end(self.world)
            await play(world, request, self.headers)
            world.house.now = self.world.house.now
            self.after[request] = replace(self, world=world, answers={}, looked=None, after={})
        return self.after[request]


async def ground(kind: str, viewer: str) -> Ground:
    """A review that waits for its reviewers, and its viewer."""
    world = await empty(RULES_HIDDEN)
    is_again = viewer.endswith(" again")
    if is_again:
        before = await review_of(world, kind)
        await world.done("dev", f"/reviews/{before}/withdrawal", reason="Once more.")
    world.review = await review_of(world, kind)
    if is_again:
        await world.done("dev", "/reviews", kind=kind, title="Say hello twice", files=AGAIN)
    world.house.wait(minutes=1)
    await world.done("eve", "/reviews", kind="script", title="Something else", files=ELSE)
    for name in JOINING:
        await world.enrol(name, "agent", ("second", "agent"))
    facts = await facts_of(world)
    name, _, begun = viewer.removesuffix(" again").partition(" ")
    if name == LATECOMER:
        await world.enrol(name, "agent", ("second", "agent"))
    if name == "hugo":
        await world.done("hugo", "/accounts", name="hugo", kind="human", operator="hugo-co", roles=HUMAN_ROLES)
        world.headers["sue"] = await world.session("sue")
    if begun:
        await world.post(f"{BASE}/reviews/{world.review}/seats", world.headers[name])
    seen = await world.house.review(f"review/{world.review}")
    own = [one for one in seen.seats.values() if one.reviewer and one.reviewer.name == name]
    if name == "hugo":
        assert own, kind
        facts = replace(facts, stage=own[0].stage, seat=own[0].id, finding=f"{own[0].id}-F1")
    return Ground(world=world, facts=facts, viewer=name, seats=_seats_of(seen, name))


def at_the_end(world: World) -> World:
    """The world at the time when the viewer looks."""
    twin = world.copy()
    twin.house.now = world.house.now + WINDOW
    return twin


async def differing(start: Ground, random: Random, world: World | None = None) -> World | None:
    """The world with hidden acts; None if they changed what the viewer may know: version, end, or own seats."""
    world = world or start.world.copy()
    begin = world.house.now
    times = sorted(random.uniform(1, WINDOW.total_seconds() - 1) for _ in range(random.randint(1, ACTS_MAX)))
    for seconds in times:
        world.house.now = begin + timedelta(seconds=seconds)
        await act(world, start, random)
    world.house.now = begin + WINDOW
    seen = await world.house.review(f"review/{world.review}")
    known = seen.outcome is None and seen.revision == 1 and _seats_of(seen, start.viewer) == start.seats
    return world if known else None


def _seats_of(review: Review, name: str) -> set[str]:
    """The seats that a reviewer holds or is asked for; they may know of these and of free seats."""
    free = {one.id for one in review.seats.values() if one.reviewer is None}
    wanted = {one for one in free if review.seats[one].required or one in review.requests}
    return wanted | {one.id for one in review.seats.values() if one.reviewer and one.reviewer.name == name}


async def act(world: World, start: Ground, random: Random) -> None:
    """Perform one act that the viewer must not know of; a refusal changes nothing."""
    seen = await world.house.review(f"review/{world.review}")
    holders = [one.reviewer.name for one in seen.seats.values() if one.reviewer and seen.report_request(one.id)]
    who = random.choice([one for one in (*holders * 3, "bob", *JOINING) if one != start.viewer])
    seats = [one for one in seen.seats.values() if one.reviewer and one.reviewer.name == who]
    seat = random.choice(seats).id if seats else ""
    found = random.choice([*seen.findings, "none"])
    human = "sue" if start.viewer == "hugo" else "hugo"
    name, by, body = random.choice(
        (
            *(("report", who, _report(start.facts, seat, random)),) * 5,
            ("take_seat", who, {}),
            ("renew_seat", who, {"seat": seat, "draft": _text(random)}),
            ("leave_seat", who, {"seat": seat, "draft": _text(random)}),
            ("report_inconclusive", who, {"seat": seat, "revision": 1, "reason": "crashed", "text": _text(random)}),
            ("settle_finding", who, {"finding": found, "revision": 1, "resolved": True, "note": _text(random)}),
            ("escalate", random.choice((who, "dev")), {"reason": _text(random), "argument": _text(random)}),
            ("add_note", random.choice((who, "dev")), {"text": _text(random)}),
            ("answer_finding", "dev", {"finding": found, "text": _text(random), "rebuttal": random.random() < 0.5}),
            ("waive", human, {"finding": found, "reason": _text(random)}),
            ("read_review", human, {}),
        )
    )
    await play(world, sent(name, {"review": world.review, **body}), world.headers[by])


def _report(facts: Facts, seat: str, random: Random) -> dict[str, Any]:
    severities = ("critical", "important", "minor")
    found = [
        {"severity": random.choice(severities), "text": _text(random), "evidence": _text(random)}
        for _ in range(random.randint(0, 3))
    ]
    body: dict[str, Any] = {"revision": 1, "seat": seat, "findings": found, "summary": _text(random)}
    body["evidence"] = [{"what": _text(random), "why": _text(random)}]
    if facts.stage != "resolve":
        body["verdict"] = random.choice(("approve", "concerns", "reject"))
        body["confidence"] = random.randint(0, 100)
    return body


def _text(random: Random) -> str:
    words = ("the", "greeting", "is", "wrong", "missing", "dangerous", "fine", "late", "secret", "copied")
    return " ".join(random.choice(words) for _ in range(random.choice((3, 9, 40, 200))))


async def questions(start: Ground, other: World, random: Random) -> list[Sent]:
    """All reads and some of the changing calls of a viewer, including guesses at the names of hidden things."""
    acts = [sent(name, REQUESTS[name](start.facts)) for name in REQUESTS if CALLS[name].changes]
    acts += list(_probes(start, await _hidden_names(other)))
    return [*_looks(start), *_served(start.world), *random.sample(acts, min(len(acts), ACTS_ASKED[EFFORT]))]


def _looks(start: Ground) -> Iterator[Sent]:
    for name in REQUESTS:
        if CALLS[name].changes:
            continue
        yield sent(name, REQUESTS[name](start.facts))
        if "limit" in schema(cast("Any", CALLS[name].form))["properties"]:
            yield sent(name, REQUESTS[name](start.facts) | {"limit": 1})
    for states in ("open", "cleared"):
        yield sent("list_reviews", {"state": states})


def _served(world: World) -> Iterator[Sent]:
    """Paths served beside the calls, and a path that does not exist."""
    known = {path for way in WAYS.values() for path in way.paths}
    for route in world.routes:
        if isinstance(route, Route) and route.path not in known and "{" not in route.path:
            yield Sent(method=GET, path=route.path)
    yield Sent(method=GET, path=f"{BASE}/nothing")


async def _hidden_names(other: World) -> dict[str, list[str]]:
    review = await other.house.review(f"review/{other.review}")
    stages = sorted({one.stage for one in review.seats.values()})
    seats = sorted({*review.seats, *(f"{stage}.{number}" for stage in stages for number in (1, 2, 3, 4))})
    findings = sorted({*review.findings, *(f"{seat}-F{number}" for seat in seats for number in (1, 2))})
    requests = sorted({*review.requests, "ruling-1", "resolve.ruling.1"})
    return {"seat": seats, "finding": findings, "request": requests, "stage": [*stages, "quality", "none"]}


def _probes(start: Ground, names: dict[str, list[str]]) -> Iterator[Sent]:
    """Each name of a hidden thing, in each field that takes such a name."""
    for call in REQUESTS:
        properties = schema(cast("Any", CALLS[call].form))["properties"]
        for kind, tried in names.items():
            if kind in properties and "review" in properties:
                yield from (sent(call, REQUESTS[call](start.facts) | {kind: one}) for one in tried)
        if "settled" in properties:
            body = REQUESTS[call](start.facts)
            for one in names["finding"]:
                yield sent(call, body | {"settled": [{"finding": one, "resolved": True, "note": "x"}]})


async def leaks(start: Ground, other: World, random: Random) -> list[str]:
    """What this viewer learns of hidden acts: every answer that differs by a byte."""
    found = await _told_apart(start, other, await questions(start, other, random))
    for name in STEPS:
        step = sent(name, REQUESTS[name](start.facts))
        after, stepped = await start.stepped(step), other.copy()
        stepped.house.ids = start.world.house.ids
        await play(stepped, step, start.headers)
        found += [f"after {name}: {one}" for one in await _told_apart(after, stepped, [*_looks(after)])]
    return found


async def _told_apart(start: Ground, other: World, asked: list[Sent]) -> list[str]:
    found, looked = list[str](), other.copy()
    for request in asked:
        known = await start.answer(request)
        before, looked.house.ids = looked.events, start.world.house.ids
        got = await play(looked, request, start.headers)
        if looked.events > before:
            looked = other.copy()
        if not _same(request, known, got):
            found.append(
                f"{request.method} {request.path}?{request.query} {request.body[:300]!r}\n  {_both(known, got)}"
            )
    return found


def _same(request: Sent, known: Answer, got: Answer) -> bool:
    if known == got or _paused(request, known) == _paused(request, got):
        return True
    both_done = max(known.status, got.status) < 300
    return both_done and any(_is_way(request, name) for name in OWN_WORD | DRAWN)


def _paused(request: Sent, answer: Answer) -> tuple[int, bytes]:
    """The answer about a session without the one fact that is exempt from blindness: that it is paused (U-21)."""
    if "/sessions" not in request.path:
        return answer.status, b"%d" % id(answer)
    plain = answer.body.replace(b'"status":"PAUSED"', b'"status":"RUNNING"')
    return answer.status, plain.replace(b'"paused_because":"paused"', b'"paused_because":""')


def _is_way(request: Sent, name: str) -> bool:
    tail = WAYS[name].path.rpartition("/")[2]
    return request.method == WAYS[name].method and request.path.endswith(f"/{tail}")


def _both(known: Answer, got: Answer) -> str:
    return json.dumps([[one.status, one.headers, one.body.decode()[:900]] for one in (known, got)], indent=1)
