"""The actor comes from the credential, the review from the server, and only a clearance opens the gate."""

import re
from typing import Any, cast

import pytest

from foureyes.app.calls.bodies import schema
from foureyes.app.calls.registry import CALLS
from foureyes.http.calling import FORM_HEADER
from foureyes.http.routes import GET, WAYS
from tests.app.house import played
from tests.doors.requests import REQUESTS, asked_for
from tests.doors.states import STATES, found_in
from tests.doors.worlds import World, told

#: Fields in which a caller claims an identity.
IDENTITIES = ("author", "creator", "reviewer", "proposer", "agent", "actor", "by", "reviewer_id", "agent_id")
#: Calls in which such a field is a filter, not the caller.
LOOKED_FOR = frozenset({"list_reviews", "get_review_metrics", "enable_skip", "disable_skip"})
#: Calls that begin a review.
OPENING = tuple(name for name in ("open_review", "request_review", "submit_content", "validate") if name in CALLS)
TRICKS = ("../../etc/passwd", "r1", "review/r1", "mine", "r99")


async def believed() -> list[str]:
    """Every call that believes a claimed identity."""
    made, facts = await found_in("open")
    found = []
    for name, call in CALLS.items():
        for field in IDENTITIES:
            if field in schema(cast("Any", call.form))["properties"] and name not in LOOKED_FOR and name in REQUESTS:
                world = made.copy()
                answer = await asked_for(world, name, REQUESTS[name](facts) | {field: "eve"}, world.headers["ann"])
                if told(answer) != "identity_mismatch" or world.events > made.events:
                    found.append(f"{name} {field}: {told(answer)}")
    return found


@played
async def test_who_somebody_says_they_are_must_be_who_they_are() -> None:
    """S1, T4: in every field of every call that names the caller."""
    assert await believed() == []


async def ids_chosen() -> list[str]:
    """Names of reviews that the caller chose."""
    made, facts = await found_in("open")
    found = []
    for name in OPENING:
        for trick in TRICKS:
            world, body = made.copy(), REQUESTS[name](facts)
            extra = {
                one: trick
                for one in ("id", "review", "title")
                if one in schema(cast("Any", CALLS[name].form))["properties"]
            }
            await asked_for(world, name, body | extra, world.headers["eve"])
            refused = await asked_for(world, name, body | {"review_id": trick}, world.headers["eve"])
            streams = await world.house.store.read(lambda reading: [one.stream for one in reading.heads()])
            found += [one for one in streams if one.startswith("review/") and not re.fullmatch(r"review/r\d+", one)]
            found += [name] if told(refused) == "ok" else []
            found += ["r1 again"] if (await world.house.log("review/r1")) != (await made.house.log("review/r1")) else []
    return found


@played
async def test_which_name_a_review_has_is_ours_to_say() -> None:
    """S2: whatever name comes with the work, nothing of another review is touched."""
    assert await ids_chosen() == []


async def opened_without_clearance() -> list[str]:
    """States in which the gate opens for work that is not cleared."""
    found = []
    for state in STATES:
        made, facts = await found_in(state)
        for name in ("dev", "ann", "eve", "robot", "hugo"):
            world = made.copy()
            answer = await asked_for(world, "gate", {"digest": facts.digest}, world.headers[name])
            if answer.data["allowed"] != (state == "cleared"):
                found.append(f"{state} {name}")
    return found


@played
async def test_the_gate_opens_for_what_is_cleared_and_for_nothing_else() -> None:
    """S9: asking whether a review is needed opens nothing; only the gate does."""
    assert await opened_without_clearance() == []


async def forged(made: World) -> list[str]:
    """Calls that a foreign page can make in a signed-in human's name."""
    world, (_, facts) = made.copy(), await found_in("open")
    stolen = {name: value for name, value in world.headers["hugo"].items() if name != FORM_HEADER}
    found = []
    for name, way in WAYS.items():
        if way.method != GET and name in REQUESTS:
            answer = await asked_for(world, name, REQUESTS[name](facts), stolen)
            found += [name] if told(answer) != "sign_in_needed" else []
    return found


@played
async def test_no_page_but_ours_acts_for_who_is_signed_in() -> None:
    """T22: every way that changes something asks for the mark of our own page."""
    assert await forged((await found_in("open"))[0]) == []


async def vouched_falsely() -> list[str]:
    """Whom a service can act for without vouching for them."""
    world, found = (await found_in("open"))[0].copy(), []
    for name in ("dev", "ann", "hugo", "robot", "dsf", "nobody"):
        answer = await asked_for(world, "me", {}, world.headers["dsf"] | {"foureyes-agent": name})
        found += [name] if answer.status != 401 else []
    answer = await asked_for(world, "me", {}, world.headers["dev"] | {"foureyes-agent": "dweller"})
    return found + (["dev for dweller"] if answer.status != 401 else [])


@played
async def test_a_service_acts_for_its_own_agents_alone() -> None:
    """T24."""
    assert await vouched_falsely() == []


@pytest.mark.parametrize("name", sorted(WAYS))
def test_a_way_has_a_call_and_a_request_to_try_it_with(name: str) -> None:
    """What is not tried is not proven."""
    assert name in CALLS
    assert name in REQUESTS
