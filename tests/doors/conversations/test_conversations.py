"""Each of the five systems is the same conversation at every door."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from foureyes.app.calls.registry import answered
from foureyes.bootstrap import asking
from foureyes.http import calling
from foureyes.mcp import far, near
from tests.conftest import EFFORT
from tests.doors.conversations.doors import DOORS, PROCESSES, http
from tests.doors.conversations.more_stories import CHAIN, PANEL
from tests.doors.conversations.scene import Door, Played, played
from tests.doors.conversations.script import Story
from tests.doors.conversations.stories import FEEDBACK, PEERS, STORIES

#: Fields that must differ between two plays at any door, with the reason.
MUST_DIFFER: dict[str, str] = {
    "cause": "what is done without a key gets a random one: get_review begins a review, and has no key",
    "chain": "the link to the event before covers the cause",
}
#: Prefixes of the keys of the stories and of the enrolments.
KEYS = ("act-", "k")
#: The stories that run as separate programs; each act of the command line is a process there.
AS_PROGRAMS = {"cli": (CHAIN,), "mcp-stdio-modern": (FEEDBACK,), "mcp-stdio-older": (PEERS,)}


def ended(story: Story, door: Door, folder: Path) -> Played:
    return asyncio.run(played(story, door, folder))


@cache
def by_http(story: str) -> Played:
    """The play that the others are compared with."""
    return ended(next(one for one in STORIES if one.name == story), http, Path(mkdtemp(prefix="foureyes-play-")))


def written(play: Played) -> list[dict[str, Any]]:
    """Every event as the log holds it; what must differ is left out where something was done without a key."""
    unlike = MUST_DIFFER if any(not one.cause.startswith(KEYS) for one in play.events) else {}
    return [
        {name: value for name, value in asdict(one).items() if name not in unlike} | {"body": json.loads(one.body)}
        for one in play.events
    ]


def the_same(found: Played, story: Story) -> None:
    """Every event and every answer is that of the play over HTTP."""
    wanted = by_http(story.name)
    assert written(found) == written(wanted)
    assert found.answers == wanted.answers


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_over_http_happens_what_the_story_says(story: Story) -> None:
    """000-05, 000-08, 001-38, 001-39, 002-02, 002-23, 003-01, 003-09: each system from its beginning to its end."""
    types = dict[str, list[str]]()
    for one in by_http(story.name).events:
        types.setdefault(one.stream, []).append(one.type)
    assert {stream: " ".join(one) for stream, one in types.items() if stream.partition("/")[0] != "principal"} == dict(
        story.happens
    )


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("story", STORIES, ids=str)
def test_at_every_door_the_same_is_written_and_answered(story: Story, door: str, tmp_path: Path) -> None:
    """Types, bodies, actors, times and causes of every event, and the answer to every act."""
    the_same(ended(story, DOORS[door], tmp_path), story)


def _programs() -> list[Any]:
    return [
        pytest.param(door, story, id=f"{door}-{story}")
        for door in PROCESSES
        for story in (STORIES if EFFORT == "all" else AS_PROGRAMS[door])
    ]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("door", "story"), _programs())
def test_as_programs_of_their_own_they_write_and_answer_the_same(door: str, story: Story, tmp_path: Path) -> None:
    """T5: `foureyes mcp` and `foureyes call` as they are installed, beside a server."""
    the_same(ended(story, PROCESSES[door], tmp_path), story)


def over_http(patch: pytest.MonkeyPatch) -> None:
    """Planted bug: one field of an HTTP body is lost."""
    read = calling._with_path
    patch.setattr(calling, "_with_path", lambda *sent: _without(read(*sent)))


def over_mcp(patch: pytest.MonkeyPatch) -> None:
    """The arguments of a tool."""
    patch.setattr(near, "answered", lambda office, caller, call, data: answered(office, caller, call, _without(data)))


def handed_on(patch: pytest.MonkeyPatch) -> None:
    """The request that a stdio process forwards to the server."""
    asked = far.Far._asked

    def lost(bridge: far.Far, method: str, params: Any) -> Any:
        return asked(bridge, method, {**params, "arguments": _without(params.get("arguments", {}))})

    patch.setattr(far.Far, "_asked", lost)


def at_the_command_line(patch: pytest.MonkeyPatch) -> None:
    """The typed arguments."""
    request_of = asking.request_of
    patch.setattr(asking, "request_of", lambda call, data: request_of(call, _without(data)))


def _without(data: Any) -> dict[str, Any]:
    """The arguments without the cost, whose loss nothing refuses."""
    return {name: one for name, one in data.items() if name != "cost"}


PLANTED: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "mcp-http-modern": over_mcp,
    "mcp-http-older": over_mcp,
    "mcp-stdio-embedded-modern": over_mcp,
    "mcp-stdio-embedded-older": over_mcp,
    "mcp-stdio-modern": handed_on,
    "mcp-stdio-older": handed_on,
    "cli": at_the_command_line,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_that_loses_an_argument_is_found(door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything goes well there all the same, and the same happens; only the bodies have less."""
    by_http(PANEL.name)
    PLANTED[door](monkeypatch)
    found = ended(PANEL, DOORS[door], tmp_path)
    assert [one.type for one in found.events] == [one.type for one in by_http(PANEL.name).events]
    with pytest.raises(AssertionError):
        the_same(found, PANEL)


def test_the_api_that_loses_an_argument_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The play that the others are compared with is no better than they are."""
    wanted = ended(PANEL, DOORS["mcp-http-modern"], tmp_path)
    over_http(monkeypatch)
    assert written(ended(PANEL, http, tmp_path)) != written(wanted)
