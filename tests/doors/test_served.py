"""The version a reviewer is told of, served and recorded for is the same one, whenever the next version arrives."""

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest

from foureyes.app.rows import SERVED
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.doors.states import CHECKED, FILES, SESSION, opened
from tests.doors.worlds import World, told
from tests.http.web import Answer

NEXT = [{"path": "hello.py", "text": "print('hello again')\n"}, {"path": "new.py", "text": "import os\n"}]
#: Every version with exactly its files.
VERSIONS = {number: {one["path"]: one["text"] for one in files} for number, files in ((1, FILES), (2, NEXT))}
Told = Callable[[Any], tuple[int, dict[str, str]]]
#: The paths that serve a work, with the version that their answer names.
PLACES: dict[str, tuple[str, str, Told]] = {
    "read_work": (
        "script",
        f"{BASE}/reviews/{{review}}/work",
        lambda said: (said["revision"], {one["path"]: one["text"] for one in said["files"]}),
    ),
    "read_content": ("story", "/review/{review}", lambda said: (said["revision"], said["content"])),
    "get_review": (
        "script",
        f"{BASE}/peer/get_review?reviewId={{review}}",
        lambda said: (said["revision_count"] + 1, said["artifacts"]),
    ),
    "review_requests": (
        "milestone",
        f"{BASE}/sessions/{SESSION}/requests",
        lambda said: (said["requests"][0]["revision"], said["requests"][0]["work"]),
    ),
}


async def interrupted(world: World, place: str, after: int) -> tuple[Answer, bool]:
    """The answer when the next version arrives after so many reads of the store."""
    store, looks, busy = world.house.store, count(1), False

    def counted(done: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        async def work(asked: Any) -> Any:
            nonlocal busy
            found = await done(asked)
            if not busy and next(looks) == after:
                busy = True
                await world.done("dev", f"/reviews/{world.review}/revisions", files=NEXT)
            return found

        return work

    with pytest.MonkeyPatch.context() as patch:
        for name in ("read", "write"):
            patch.setattr(store, name, counted(getattr(store, name)))
        path, _, query = place.partition("?")
        return await world.request("GET", path, world.headers["ann"], query=query), busy


@pytest.mark.parametrize("name", PLACES)
def test_a_version_that_comes_meanwhile_is_given_whole_or_not_at_all(name: str) -> None:
    """I16: what the answer calls version 1 is version 1, and so it is noted; whenever the author hands in the next."""
    kind, place, told_of = PLACES[name]

    @played
    async def story() -> None:
        start = await opened(kind)
        versions = set[int]()
        for after in count(1):
            world = start.copy()
            answer, came = await interrupted(world, place.format(review=world.review), after)
            if not came:
                break
            version, files = told_of(answer.data)
            assert files == VERSIONS[version], after
            noted = await world.house.store.read(lambda look: look.row(SERVED, f"{world.review}/ann"))  # noqa: B023
            review = await world.house.review(f"review/{world.review}")
            assert noted == review.revisions[version - 1].digest, after
            versions.add(version)
        assert versions == {1, 2}

    story()


@played
async def test_nobody_vouches_for_bytes_they_were_not_shown() -> None:
    """I16: the version that came behind the last look is refused, whatever number the report names."""
    start = await opened("script")
    _, place, told_of = PLACES["read_work"]
    for after in count(1):
        world = start.copy()
        answer, came = await interrupted(world, place.format(review=world.review), after)
        if not came:
            break
        version, _ = told_of(answer.data)
        body = {"revision": 2, "verdict": "approve", "evidence": CHECKED}
        said = await world.post(f"{BASE}/reviews/{world.review}/reports", world.headers["ann"], **body)
        assert told(said) == ("ok" if version == 2 else "stale"), after
