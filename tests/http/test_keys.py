"""An idempotency key marks two requests as one: of the same caller, with the same body, and of nobody else."""

from typing import Any

import pytest

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.test_http import WORK, told
from tests.http.web import Web

KEY = {"idempotency-key": "k1"}
REVIEWS = f"{BASE}/reviews"


async def written(web: Web, review: str) -> int:
    """The number of events of a review."""
    return len(await web.house.store.read(lambda reading: tuple(reading.events(f"review/{review}"))))


@played
async def test_what_is_sent_twice_with_its_key_is_done_once_also_after_other_things_happened() -> None:
    """F7, F10: the answer of the first time, by the header or in the body."""
    web = Web()
    dev = await web.agent("dev")
    opened = await web.post(REVIEWS, dev | KEY, **WORK)
    review = opened.data["review"]
    assert (await web.post(f"{REVIEWS}/{review}/withdrawal", dev, reason="Not needed.")).status == 200
    before = await written(web, review)
    for again in (
        await web.post(REVIEWS, dev | KEY, **WORK),
        await web.post(REVIEWS, dev, **WORK, key="k1"),
        await web.post(REVIEWS, dev | KEY, **WORK, key="k1"),
    ):
        assert (again.status, again.data["review"]) == (201, review)
    assert await written(web, review) == before
    assert len((await web.get(REVIEWS, dev)).data["reviews"]) == 1


@played
async def test_a_key_is_its_accounts_whichever_token_it_comes_with() -> None:
    """I22: a retry with a new token of the same account gets the same answer, and the command runs once."""
    web = Web()
    old = await web.agent("dev")
    new, other = await web.issued("dev"), {**WORK, "title": "Other"}
    opened = await web.post(REVIEWS, old | KEY, **WORK)
    review = opened.data["review"]
    before = await written(web, review)
    again = await web.post(REVIEWS, new | KEY, **WORK)
    assert (again.status, again.data["review"]) == (201, review)
    assert await written(web, review) == before
    for headers in (old, new):
        told(await web.post(REVIEWS, headers | KEY, **other), 409, "key_reused")
    assert len((await web.get(REVIEWS, new)).data["reviews"]) == 1


@played
async def test_a_key_with_anything_else_is_refused_and_nothing_is_done() -> None:
    """T24: another body, another review, another call, or another key beside it."""
    web = Web()
    dev = await web.agent("dev")
    first, second = [(await web.post(REVIEWS, dev, **WORK)).data["review"] for _ in range(2)]
    assert (await web.post(f"{REVIEWS}/{first}/notes", dev | KEY, text="One.")).status == 200
    before = [await written(web, one) for one in (first, second)]
    others: tuple[tuple[str, dict[str, Any]], ...] = (
        (f"{REVIEWS}/{first}/notes", {"text": "Two."}),
        (f"{REVIEWS}/{second}/notes", {"text": "One."}),
        (f"{REVIEWS}/{first}/withdrawal", {"reason": "One."}),
        (f"{REVIEWS}/{first}/notes", {"text": "One.", "key": "k2"}),
        (REVIEWS, WORK),
    )
    for path, body in others:
        told(await web.post(path, dev | KEY, **body), 409, "key_reused")
    assert [await written(web, one) for one in (first, second)] == before
    assert len((await web.get(REVIEWS, dev)).data["reviews"]) == 2


@played
async def test_anothers_key_is_nobodys_and_tells_nothing() -> None:
    """T13, T24: trying a key does not reveal whether another account used it."""
    web = Web()
    dev, eve, dsf = await web.agent("dev"), await web.agent("eve"), await web.agent("dsf", kind="service")
    assert (await web.post(f"{BASE}/accounts", dsf, name="dweller-1")).status == 201
    dweller = dsf | {"foureyes-agent": "dweller-1"}
    works = [{**WORK, "files": [{"path": "a.txt", "text": f"Work {number}."}]} for number in range(5)]
    everybody = (dev, eve, dsf, dweller)
    opened = [await web.post(REVIEWS, one | KEY, **work) for one, work in zip(everybody, works, strict=False)]
    assert [one.status for one in opened] == [201] * 4
    assert len({one.data["review"] for one in opened}) == 4
    fresh = await web.post(REVIEWS, eve | {"idempotency-key": "unused"}, **works[4])
    assert fresh.data.keys() == opened[1].data.keys()
    told(await web.post(REVIEWS, eve | KEY, **{**WORK, "title": "Other"}), 409, "key_reused")


@pytest.mark.parametrize("key", ["x" * 201, "\x7f", "a\u0085b"])
def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    """T29."""

    @played
    async def story() -> None:
        web = Web()
        dev = await web.agent("dev")
        told(await web.post(REVIEWS, dev | {"idempotency-key": key}, **WORK), 422, "key_missing")
        assert (await web.get(REVIEWS, dev)).data["reviews"] == []

    story()


@played
async def test_a_no_is_an_answer_too_and_what_was_put_right_is_another_request() -> None:
    """F7: a retry after a lost answer gets the same refusal, even if the state has changed since."""
    web = Web()
    dev = await web.agent("dev")
    wrong = {**WORK, "files": []}
    for _ in range(2):
        told(await web.post(REVIEWS, dev | KEY, **wrong), 422, "parts_missing")
    told(await web.post(REVIEWS, dev | KEY, **WORK), 409, "key_reused")
    assert (await web.post(REVIEWS, dev | {"idempotency-key": "k2"}, **WORK)).status == 201
