"""Any request gets an answer that is described: no server errors, nothing half done."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest

from foureyes.http.openapi import described
from foureyes.http.problems import MEDIA_TYPE
from foureyes.http.routes import WAYS
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.fuzz import TOO_MUCH, Shooter, Shot
from tests.doors.requests import REQUESTS as GOOD
from tests.doors.states import STATES, found_in
from tests.doors.worlds import World
from tests.http.web import Answer

SENT = {"test": 2_500, "all": 20_000}
#: Statuses of paths that are not described.
NOWHERE = {404, 405, 421, 403}
PROBLEM = {"type", "title", "status", "detail", "code", "next_step"}


def wrong_with(shot: Shot, answer: Answer, grown: int) -> Iterator[str]:
    """The errors in an answer."""
    operation = next(
        one for ways in described()["paths"].values() for one in ways.values() if one["operationId"] == shot.operation
    )
    allowed = {int(status) for status in operation["responses"]} | NOWHERE
    if answer.status not in allowed and (shot.method, answer.status) != ("HEAD", 200):
        yield f"status {answer.status} is not described"
    if answer.status >= 400:
        if (
            answer.status == 500
            or answer.headers.get("content-type") != MEDIA_TYPE
            or not (shot.method == "HEAD" or answer.data.keys() >= PROBLEM)
        ):
            yield "it is no problem document"
        elif shot.method != "HEAD" and not (answer.data["code"] and answer.data["next_step"]):
            yield "it has no code or no next step"
        if grown:
            yield f"it was refused, and {grown} events were written"


def said(shot: Shot) -> str:
    """A short description of a request."""
    return f"{shot.operation}: {shot.method} {shot.path[:300]}?{shot.query[:300]} {shot.headers} {shot.body[:300]!r}"


def callers(world: World) -> dict[str, dict[str, str]]:
    """All callers, with one for all those without a valid credential."""
    return {name: one for name, one in world.headers.items() if name not in ("revoked", "person")}


async def shoot(world: World, shot: Shot) -> Answer:
    """Send a request as a server forwards it, with a decoded path; an error shows its request."""
    try:
        return await world.request(shot.method, unquote(shot.path), shot.headers, shot.body, query=shot.query)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        return Answer(status=500, headers={}, body=repr(error).encode())


@pytest.mark.parametrize("state", STATES)
def test_nothing_that_is_sent_breaks_the_door_or_is_half_done(state: str) -> None:
    """T19, T20, T23, T24, T29, T30: by every kind of caller, in every state."""

    @played
    async def story() -> None:
        made, facts = await found_in(state)
        world = made.copy()
        usual = {name: good(facts) for name, good in GOOD.items()}
        drawn = Random(state)
        shooter = Shooter(described=described(), facts=facts, callers=callers(world), random=drawn, usual=usual)
        wrong = list[str]()
        for number in range(SENT[EFFORT] // len(STATES) + 1):
            shot = shooter.shot()
            before = world.acts
            answer = await shoot(world, shot)
            found = wrong_with(shot, answer, world.acts - before)
            wrong += [f"{one}: {said(shot)} {answer.status} {answer.body[:300]!r}" for one in found]
            if number % 200 == 199:
                world = made.copy()
        assert not wrong, "\n\n".join(wrong[:10])

    story()


@played
async def test_a_body_that_is_too_long_is_refused_everywhere() -> None:
    """T19."""
    made, facts = await found_in("open")
    world = made.copy()
    shooter = Shooter(described=described(), facts=facts, callers={"dev": world.headers["dev"]}, random=Random(1))
    for path, method, one in shooter.operations:
        if method == "post" and "{" not in path:
            shot = Shot(
                operation=one["operationId"], method="POST", path=path, body=TOO_MUCH, headers=world.headers["dev"]
            )
            assert (await shoot(world, shot)).status == 413


def refs(value: Any) -> Iterator[str]:
    """Every reference in a description."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for one in value.values():
            yield from refs(one)
    elif isinstance(value, list):
        for one in value:
            yield from refs(one)


def test_the_description_holds_together() -> None:
    """References lead somewhere, what stands in a path is described and required, every id is there once."""
    found = described()
    assert found["openapi"].startswith("3.1.")
    for ref in refs(found):
        place: Any = found
        for name in ref.removeprefix("#/").split("/"):
            place = place[name]
        assert place
    ids = [one["operationId"] for ways in found["paths"].values() for one in ways.values()]
    assert len(ids) == len(set(ids)) >= len(WAYS)
    schemes = found["components"]["securitySchemes"]
    for path, ways in found["paths"].items():
        for method, one in ways.items():
            assert method in {"get", "post", "put", "delete", "patch"}
            in_path = {p["name"] for p in one.get("parameters", ()) if p["in"] == "path" and p["required"]}
            assert in_path == set(re.findall(r"\{(\w+)\}", path)), path
            named = [(p["name"], p["in"]) for p in one.get("parameters", ())]
            assert len(named) == len(set(named)), path
            assert all("schema" in p for p in one.get("parameters", ()))
            assert one["summary"]
            assert all(response.get("description") or response.get("$ref") for response in one["responses"].values())
            assert all(name in schemes for each in one.get("security", ()) for name in each)
