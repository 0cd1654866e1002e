"""The states in which a review can be found at the doors: nine worlds, each played to its state once, then copied."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.doors.worlds import World, empty

FILES = [{"path": "hello.py", "text": "print('hello')\n"}]
OTHER_FILES = [{"path": "hello.py", "text": "print('hello, world')\n"}]
#: The session in which the author works with others.
SESSION = "s1"
CHECKED = [{"what": "hello.py", "why": "it prints what the title says"}]
FINDING = {
    "severity": "important",
    "text": "Nobody is greeted by name.",
    "place": {"path": "hello.py", "start": 1},
    "evidence": "It prints hello and nothing else.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The names for a request in this state: the review, its version, its seats, findings and rulings."""

    review: str
    state: str
    revision: int
    digest: str
    stage: str
    seat: str
    finding: str
    request: str


async def facts_of(world: World) -> Facts:
    """The names as a human sees them; a well-formed name where nothing exists."""
    seen = await world.shown("hugo")
    seat = next((one for one in seen["seats"] if (one["reviewer"] or {}).get("name") == "ann"), seen["seats"][0])
    own = [one["finding"] for one in seen["findings"] if one["seat"] == seat["seat"]]
    return Facts(
        review=world.review,
        state=seen["state"],
        revision=seen["revision"],
        digest=seen["digest"],
        stage=seat["stage"],
        seat=seat["seat"],
        finding=next(iter(own), f"{seat['seat']}-F1"),
        request=seen["ruling"]["request"] if seen["ruling"] else "ruling-1",
    )


async def review_of(world: World, kind: str) -> str:
    """Put the author's work into review: by a signal in a session, otherwise by a request."""
    if kind == "milestone":
        said = {"type": kind, "summary": "It says hello.", "files": FILES}
        return str((await world.done("dev", f"/sessions/{SESSION}/signals", **said))["review"])
    await world.done("dev", f"/sessions/{SESSION}/signals", type="progress", summary="It will say hello.")
    return str((await world.done("dev", "/reviews", kind=kind, title="Say hello", files=FILES))["review"])


async def opened(kind: str = "story") -> World:
    """A review that waits for its reviewers: two are asked, and later accounts may join if there is room."""
    world = await empty()
    world.review = await review_of(world, kind)
    for name, sort in (("eve", "agent"), ("robot", "program"), ("dsf", "service"), ("hugo", "human")):
        await world.done("hugo", "/accounts", name=name, kind=sort, operator=f"{name}-co", roles=["second"])
    await world.done("dsf", "/accounts", name="dweller", kind="agent", roles=["second"])
    return world


async def _does(world: World, who: str, what: str, **body: Any) -> None:
    await world.done(who, f"/reviews/{world.review}/{what}", **body)


async def taken() -> World:
    """Both reviewers have begun, and no seat is free."""
    world = await opened("milestone")
    await _does(world, "ann", "seats")
    await _does(world, "bob", "seats")
    return world


async def blind() -> World:
    """A reviewer has begun, and another one's report is in, which the first must not know of."""
    world = await opened()
    await _does(world, "ann", "seats")
    await _does(world, "bob", "reports", revision=1, findings=[FINDING])
    return world


async def asked() -> World:
    """Both have reported, and the author owes answers."""
    world = await blind()
    await _does(world, "ann", "reports", revision=1, findings=[FINDING | {"text": "It greets nobody at all."}])
    return world


async def ruling() -> World:
    """The author has asked for a human's decision."""
    world = await asked()
    await _does(world, "dev", "escalations", reason="They disagree with each other.")
    return world


async def revised() -> World:
    """The author has answered with a second version, and the reviewers owe a report on it."""
    world = await asked()
    found = [one["finding"] for one in (await world.shown("dev"))["findings"]]
    answers = [{"finding": one, "text": "Greets the world now."} for one in found]
    await _does(world, "dev", "revisions", files=OTHER_FILES, answers=answers)
    return world


async def vetoed() -> World:
    """The reviewer whose seat has a veto has rejected the work."""
    world = await opened("security_step")
    await _does(world, "bob", "reports", revision=1, verdict="approve", evidence=CHECKED)
    body = {"verdict": "reject", "summary": "It prints a secret.", "findings": [FINDING | {"severity": "critical"}]}
    await _does(world, "ann", "reports", revision=1, **body)
    return world


async def cleared() -> World:
    """The one required reviewer has approved."""
    world = await opened("script")
    await _does(world, "ann", "reports", revision=1, verdict="approve", evidence=CHECKED)
    return world


async def closed() -> World:
    """The author has withdrawn the work."""
    world = await blind()
    await _does(world, "dev", "withdrawal", reason="Not needed any more.")
    return world


#: The states by name, in the order of the columns of the table.
STATES: dict[str, Callable[[], Awaitable[World]]] = {
    "open": opened,
    "taken": taken,
    "blind": blind,
    "asked": asked,
    "revised": revised,
    "ruling": ruling,
    "vetoed": vetoed,
    "cleared": cleared,
    "closed": closed,
}
_FOUND: dict[str, tuple[World, Facts]] = {}


async def found_in(state: str) -> tuple[World, Facts]:
    """A world in this state, played once, and the names for a request; copy it before changing it."""
    if state not in _FOUND:
        world = await STATES[state]()
        _FOUND[state] = (world, await facts_of(world))
    return _FOUND[state]
