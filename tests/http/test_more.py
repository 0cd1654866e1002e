"""More calls over HTTP: previews, batches, the trail, figures, and the server's load."""

from foureyes.app.calls.office import Office
from foureyes.app.limits import Limits, Quotas, Share
from foureyes.http.app import build
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.calls.test_calls import WORLD
from tests.http.five import Five
from tests.http.test_http import WORK, told
from tests.http.web import SITE, Web


@played
async def test_a_list_that_is_as_it_was_is_not_sent_again() -> None:
    web = Web()
    dev = await web.agent("dev")
    await web.post(f"{BASE}/reviews", dev, **WORK)
    for place in ("reviews", "inbox"):
        first = await web.get(f"{BASE}/{place}", dev)
        again = await web.get(f"{BASE}/{place}", dev | {"if-none-match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
    first = await web.get(f"{BASE}/reviews", dev)
    await web.post(f"{BASE}/reviews", dev, **{**WORK, "files": WORLD})
    after = await web.get(f"{BASE}/reviews", dev | {"if-none-match": first.headers["etag"]})
    assert (after.status, len(after.data["reviews"])) == (200, 2)
    assert "etag" not in (await web.get(f"{BASE}/gate/{'0' * 64}", dev)).headers


@played
async def test_waiting_ends_with_what_changed_or_with_nothing() -> None:
    web = Web()
    dev = await web.agent("dev")
    opened = await web.post(f"{BASE}/reviews", dev, **WORK)
    place = f"{BASE}/reviews/{opened.data['review']}/wait"
    same = await web.get(place, dev, seconds=0)
    assert (same.data["changed"], same.data["review"]) == (False, None)
    changed = await web.get(place, dev, mark="another", seconds=45)
    assert (changed.data["changed"], changed.data["mark"]) == (True, same.data["mark"])
    told(await web.get(place, dev, seconds=46), 422, "bad_number")
    told(await web.get(f"{BASE}/reviews/none/wait", dev, seconds=0), 404, "review_missing")


@played
async def test_a_batch_and_a_preview_are_asked_as_any_call() -> None:
    web = Web()
    dev = await web.agent("dev")
    would = await web.post(f"{BASE}/preview", dev, call="open_review", form=WORK)
    assert would.data["events"][0] == "ReviewOpened"
    many = await web.post(
        f"{BASE}/reviews/batch", dev | {"idempotency-key": "b"}, reviews=[WORK, {**WORK, "files": []}]
    )
    assert [one["code"] for one in many.data["results"]] == ["", "parts_missing"]
    listed = await web.get(f"{BASE}/reviews", dev)
    assert [one["review"] for one in listed.data["reviews"]] == [many.data["results"][0]["review"]]


@played
async def test_how_busy_the_server_is_tells_a_reviewer_nothing_because_they_are_not_told() -> None:
    """T13: requests are counted by call, and a report is one; so it is for a monitor, or a human who owes none."""
    web = Web()
    dev, monitor = await web.agent("dev"), await web.agent("monitor", "read", kind="program")
    sue = await web.human()
    await web.post(f"{BASE}/reviews", dev, **WORK)
    await web.get(f"{BASE}/reviews/none", dev)
    for headers in (monitor, sue):
        answer = await web.get("/metrics", headers)
        assert answer.status == 200
        text = answer.body.decode()
        assert 'foureyes_requests_total{call="open_review",status="201"} 1' in text
        assert 'foureyes_requests_total{call="read_review",status="404"} 1' in text
        assert 'foureyes_request_seconds_count{call="open_review"} 1' in text
        assert "foureyes_feeds 0" in text
        assert "foureyes_outbox_waiting 1" in text
    reviewing = await web.agent("robot", kind="program")
    reader = await web.agent("reader", "read")
    for headers in (dev, reviewing, reader):
        told(await web.get("/metrics", headers), 403, "not_eligible")
    told(await web.get("/metrics", {}), 401, "credential_needed")


@played
async def test_the_end_of_a_token_may_be_spelt_in_every_way_of_rfc_3339() -> None:
    """What is listed and logged has one spelling; what names no time is refused with its field."""
    web = Web()
    sue, _ = await web.human(), await web.agent("dev")
    tokens = f"{BASE}/accounts/dev/tokens"
    spelt = {
        "2027-01-01T00:00:00Z": "2027-01-01T00:00:00.000000Z",
        "2027-01-01t01:30:00.25+02:00": "2026-12-31T23:30:00.250000Z",
        "2026-12-31T23:59:59.999999999-00:00": "2026-12-31T23:59:59.999999Z",
        "2027-01-01T00:00:00.000000Z": "2027-01-01T00:00:00.000000Z",
    }
    for said, meant in spelt.items():
        token = (await web.post(tokens, sue, expires=said)).data["token"]
        accounts = (await web.get(f"{BASE}/accounts", sue)).data["accounts"]
        listed = {each["token"]: each["expires"] for one in accounts for each in one["tokens"]}
        assert listed[token] == meant, said
    for wrong in ("2027-01-01", "2027-01-01T00:00:00", "2027-02-30T00:00:00Z", "0001-01-01T00:00:00+02:00", "soon", 5):
        answer = await web.post(tokens, sue, expires=wrong)
        told(answer, 422, "bad_value")
        assert "expires" in answer.body.decode(), wrong


@played
async def test_who_asks_too_fast_is_told_when_to_come_back_and_others_are_answered() -> None:
    """T18."""
    web = Web()
    share = Share(
        requests_a_minute=3, bytes_a_day=40, open_reviews=2, at_once=2, in_line=2, waits=1, feeds=1, uploads=1
    )
    wide = Limits().operator
    office = Office(
        gate=web.house.gate,
        store=web.house.store,
        clock=lambda: web.house.now,
        quotas=Quotas(Limits(account=share, operator=wide)),
    )
    web.app = build(office, SITE)
    dev, codex = await web.agent("dev"), await web.agent("codex")
    for _ in range(3):
        assert (await web.get(f"{BASE}/me", dev)).status == 200
    answer = await web.get(f"{BASE}/me", dev)
    told(answer, 429, "limit_reached")
    assert answer.headers["retry-after"] == "20"
    assert (await web.get(f"{BASE}/me", codex)).status == 200
    web.house.wait(seconds=20)
    assert (await web.get(f"{BASE}/me", dev)).status == 200
    web.house.wait(hours=1)
    assert (await web.post(f"{BASE}/reviews", dev, **WORK)).status == 201
    big = [{"path": "a", "text": "x" * 100}]
    told(await web.post(f"{BASE}/reviews", dev, **{**WORK, "files": big}), 429, "limit_reached")
    assert (await web.post(f"{BASE}/reviews", codex, **{**WORK, "files": [{"path": "b", "text": "x"}]})).status == 201


@played
async def test_a_review_does_not_wait_for_an_account_whose_only_token_was_revoked() -> None:
    """An account without access is not asked: the seat goes to another one, or is open if there is none."""
    web = Five()
    sue, dev = await web.human(), await web.role("dev")
    await web.role("codex", "agent")
    listed = (await web.get(f"{BASE}/accounts", sue)).data["accounts"]
    (token,) = (one["tokens"][0]["token"] for one in listed if one["who"]["name"] == "codex")
    assert await _asked(web, dev, "1") == ["codex"]
    await web.done(f"{BASE}/accounts/codex/tokens/{token}/revocation", sue, reason="Lost.")
    assert await _asked(web, dev, "2") == []
    await web.role("gemini", "agent")
    assert await _asked(web, dev, "3") == ["gemini"]


async def _asked(web: Five, dev: dict[str, str], text: str) -> list[str]:
    """The reviewers asked about new work."""
    files = [{"path": "hello.py", "text": f"print({text})\n"}]
    opened = await web.done(f"{BASE}/reviews", dev, **{**WORK, "files": files})
    seats = (await web.house.review(f"review/{opened['review']}")).seats.values()
    return [one.reviewer.name for one in seats if one.reviewer]
