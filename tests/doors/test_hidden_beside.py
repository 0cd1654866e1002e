"""Neither the live feed nor a preview reveals to a blind reviewer what others did."""

from random import Random
from typing import Any, cast

import pytest

from foureyes.app import feeding
from foureyes.app.bell import end_of
from foureyes.app.calls.about_reviews import calls
from foureyes.app.calls.bodies import schema
from foureyes.app.calls.registry import CALLS
from foureyes.app.credentials import caller_of, credential_of
from foureyes.app.feeding import Following, News, feed
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import GROUNDS, Ground, at_the_end, differing, ground
from tests.doors.hidden import _hidden_names as hidden_names
from tests.doors.requests import REQUESTS, play, sent
from tests.doors.states import FILES, found_in
from tests.doors.worlds import World

#: Pairs of worlds for each style and viewer.
PAIRS = {"test": 2, "all": 30}
PREVIEWED = [one.name for one in calls()]
HERE = "here"
#: Names that are tried out in each pair.
PROBES = 12


async def always() -> bool:
    return True


async def heard(start: Ground, other: World) -> list[News]:
    """The events of a viewer who stopped listening before the hidden acts and resumes now."""
    office, now = other.office, other.house.now
    session = start.headers.get("cookie", "").partition("=")[2]
    caller = await caller_of(office.store, credential_of(start.headers, session), now)
    assert caller is not None
    office.places.keep(caller.who.name, HERE, await start.world.house.store.read(end_of))
    news, found = feed(office, caller, Following(last=HERE), always, heartbeat_seconds=0.001), list[News]()
    while (one := await anext(news)) is not None:
        found.append(one)
    await news.aclose()
    return found


def tried(start: Ground, names: dict[str, list[str]], random: Random) -> list[dict[str, Any]]:
    """Each call in its valid form, and some with the name of a hidden thing."""
    forms = [{"call": name, "form": REQUESTS[name](start.facts)} for name in PREVIEWED]
    forms.append({"call": "open_review", "form": {**REQUESTS["open_review"](start.facts), "files": FILES}})
    probes = [
        {"call": name, "form": REQUESTS[name](start.facts) | {kind: one}}
        for name in PREVIEWED
        for kind, found in names.items()
        if kind in schema(cast("Any", CALLS[name].form))["properties"]
        for one in found
    ]
    return [*forms, *random.sample(probes, min(len(probes), PROBES))]


async def told(start: Ground, world: World, previews: list[dict[str, Any]]) -> list[tuple[str, int, bytes]]:
    """The answers of previews."""
    found = []
    for body in previews:
        world.house.ids = start.world.house.ids
        answer = await play(world, sent("preview", body), start.headers)
        found.append((str(body), answer.status, answer.body))
    return found


async def published(start: Ground, world: World) -> tuple[str, int, bytes]:
    """The answer to a viewer who records that the bytes go live."""
    answer = await play(world.copy(), sent("record_live", REQUESTS["record_live"](start.facts)), start.headers)
    return "record_live", answer.status, answer.body


async def pairs(kind: str, viewer: str) -> list[str]:
    """What the viewer learns over some pairs of worlds."""
    start, random, left, found = await ground(kind, viewer), Random(f"{kind} {viewer}"), PAIRS[EFFORT], list[str]()
    before = at_the_end(start.world)
    while left:
        other = await differing(start, random)
        if other is None:
            continue
        left -= 1
        found += [f"the feed told of {one}" for one in await heard(start, other)]
        previews = tried(start, await hidden_names(other), random)
        known, got = await told(start, before, previews), await told(start, other, previews)
        known, got = [*known, await published(start, before)], [*got, await published(start, other)]
        found += [f"{one} is told, and else {two}" for one, two in zip(known, got, strict=True) if one != two]
    return found


@pytest.mark.parametrize(("kind", "viewer"), GROUNDS, ids=[" ".join(one).replace(" ", "-") for one in GROUNDS])
def test_what_is_hidden_is_neither_heard_nor_found_by_trying(kind: str, viewer: str) -> None:
    """T13, S15: number, verdicts, lengths and times of hidden reports."""

    @played
    async def story() -> None:
        found = await pairs(kind, viewer)
        assert not found, "\n".join(found)

    story()


def test_a_feed_that_tells_of_every_event_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairs themselves are tried on a leak that is there."""
    monkeypatch.setattr(feeding, "mark_of", lambda _: str(Random().random()))

    @played
    async def story() -> None:
        assert await pairs("story", "ann")

    story()


@played
async def test_a_publisher_who_sees_no_reports_is_told_that_it_is_not_cleared_and_not_who_vetoed() -> None:
    """T13: a veto is part of a report."""
    made, facts = await found_in("vetoed")
    request = sent("record_live", REQUESTS["record_live"](facts))
    answers = {name: await play(made.copy(), request, made.headers[name]) for name in ("robot", "hugo")}
    assert not any(answer.data["allowed"] for answer in answers.values())
    assert "veto" not in answers["robot"].data["reason"].lower()
    assert "veto" in answers["hugo"].data["reason"].lower()


@pytest.mark.parametrize("state", ["vetoed", "open"])
@pytest.mark.parametrize("name", ["eve", "bob", "dweller"])
def test_who_comes_with_the_same_bytes_hears_the_same_whether_a_veto_stands_on_them_or_not(
    state: str, name: str
) -> None:
    """T13: a refusal because of a veto would reveal it; a viewer who may see the veto is told."""

    @played
    async def story() -> None:
        made, facts = await found_in(state)
        form = {**REQUESTS["open_review"](facts), "files": FILES}
        for call, body in (("open_review", form), ("preview", {"call": "open_review", "form": form})):
            answer = await play(made.copy(), sent(call, body), made.headers[name])
            assert (answer.status, answer.data["type"].rpartition(":")[2]) == (409, "under_review"), answer.data
        answer = await play(made.copy(), sent("open_review", form), made.headers["hugo"])
        assert (answer.status == 409 and "vetoed" in answer.data["type"]) if state == "vetoed" else answer.status == 201

    story()
