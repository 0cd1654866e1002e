"""Every call is available over HTTP, for the account of the credential, and every refusal is a problem document."""

import json
from typing import Any

import pytest
from starlette.requests import Request

from foureyes.app.calls.registry import CALLS
from foureyes.app.following import catch_up_all
from foureyes.app.projections.costs import day_usd_micro
from foureyes.codec.sizes import VALUES_MAX
from foureyes.http.bodies import BODY_BYTES_MAX, TooLarge, read_bytes
from foureyes.http.openapi import described
from foureyes.http.problems import MEDIA_TYPE
from foureyes.http.routes import BASE, WAYS
from tests.app.house import played
from tests.calls.test_calls import CHECKED, FINDING, HELLO, WORLD
from tests.http.web import HOST, Answer, Web

WORK: dict[str, Any] = {"kind": "script", "title": "Say hello", "files": HELLO}


def told(answer: Answer, status: int, code: str) -> None:
    """A problem with its status, its code, and what to do next."""
    assert (answer.status, answer.headers["content-type"]) == (status, MEDIA_TYPE), answer.body
    assert answer.data["code"] == code
    assert answer.data["status"] == status
    assert answer.data["next_step"]


def test_every_call_has_its_way_and_every_way_its_call() -> None:
    """Whoever adds a call says where it is found, or the build fails."""
    assert WAYS.keys() == CALLS.keys()
    places = [(way.method, path) for way in WAYS.values() for path in way.paths]
    assert len(set(places)) == len(places)
    for name, way in WAYS.items():
        assert way.method != "GET" or not CALLS[name].changes


@played
async def test_five_requests_take_work_from_its_opening_to_the_gate() -> None:
    web = Web()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    key = {"idempotency-key": "k1"}
    opened = await web.post(f"{BASE}/reviews", dev | key, **WORK)
    assert opened.status == 201
    assert (await web.post(f"{BASE}/reviews", dev | key, **WORK)).data == opened.data
    told(await web.post(f"{BASE}/reviews", dev | key, **{**WORK, "title": "Other"}), 409, "key_reused")
    review = f"{BASE}/reviews/{opened.data['review']}"
    body = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
    assert (await web.post(f"{review}/reports", codex, **body)).status == 200
    seen = await web.get(review, dev)
    finding = seen.data["review"]["findings"][0]["finding"]
    answers = [{"finding": finding, "text": "Greets the world now."}]
    assert (await web.post(f"{review}/revisions", dev, files=WORLD, answers=answers)).status == 200
    settled = [{"finding": finding, "resolved": True}]
    body = {"revision": 2, "verdict": "approve", "evidence": CHECKED, "settled": settled}
    done = await web.post(f"{review}/reports", codex, **body)
    assert done.data["state"] == "cleared"
    digest = (await web.get(review, dev)).data["review"]["digest"]
    assert (await web.get(f"{BASE}/gate/{digest}", dev)).data["allowed"] is True


@played
async def test_a_cost_that_somebody_claims_over_the_door_uses_up_no_budget() -> None:
    """D-09: neither this review nor the next of the day is a human's matter because of it."""
    web = Web()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    body = {"revision": 1, "verdict": "approve", "evidence": CHECKED, "cost": {"usd_micro": 10**12}}
    for files in (WORK["files"], WORLD):
        opened = await web.post(f"{BASE}/reviews", dev, **{**WORK, "files": files})
        done = await web.post(f"{BASE}/reviews/{opened.data['review']}/reports", codex, **body)
        assert done.data["state"] == "cleared"
        await catch_up_all(web.house.store)
        assert await web.house.store.read(lambda reading: day_usd_micro(reading, "2026-01-05")) == 0


@played
async def test_what_is_unchanged_for_this_viewer_is_not_sent_again() -> None:
    web = Web()
    dev = await web.agent("dev")
    opened = await web.post(f"{BASE}/reviews", dev, **WORK)
    review = f"{BASE}/reviews/{opened.data['review']}"
    first = await web.get(review, dev)
    again = await web.get(review, dev | {"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    for known in ("*", f'"other", W/{first.headers["etag"]}'):
        assert (await web.get(review, dev | {"if-none-match": known})).status == 304
    assert (await web.get(review, dev | {"if-none-match": 'W/"other", "*"'})).status == 200
    await web.post(f"{review}/notes", dev, text="A word.")
    await web.post(f"{review}/revisions", dev, files=WORLD)
    assert (await web.get(review, dev | {"if-none-match": first.headers["etag"]})).status == 200


@played
async def test_nobody_gets_in_without_a_credential_that_opens() -> None:
    web = Web()
    dev = await web.agent("dev")
    for headers in ({}, {"authorization": "Bearer nothing"}, {"authorization": "Basic eA=="}, {"cookie": "a=b"}):
        told(await web.get(f"{BASE}/me", headers), 401, "credential_needed")
    told(await web.get(f"{BASE}/me", dev | {"foureyes-agent": "codex"}), 401, "credential_needed")
    me = await web.get(f"{BASE}/me", dev)
    assert me.data["who"]["name"] == "dev"


@played
async def test_a_service_acts_for_the_agents_it_vouches_for_and_for_nobody_else() -> None:
    """The agents of a service are one operator, and each has a name of its own."""
    web = Web()
    dsf, _ = await web.agent("dsf", kind="service"), await web.agent("dev")
    assert (await web.post(f"{BASE}/accounts", dsf, name="dweller-42")).status == 201
    me = await web.get(f"{BASE}/me", dsf | {"foureyes-agent": "dweller-42"})
    assert (me.data["who"]["name"], me.data["who"]["operator"]) == ("dweller-42", "dsf-co")
    assert "vouch" not in me.data["scopes"]
    told(await web.get(f"{BASE}/me", dsf | {"foureyes-agent": "dev"}), 401, "credential_needed")
    told(await web.post(f"{BASE}/accounts", dsf, name="boss", kind="human"), 403, "human_only")
    told(await web.post(f"{BASE}/accounts", dsf, name="judge", roles=["security_auditor"]), 403, "not_eligible")
    sue = await web.human()
    await web.post(f"{BASE}/accounts/dweller-42/removal", sue, reason="It misbehaves.")
    told(await web.post(f"{BASE}/accounts", dsf, name="dweller-42"), 403, "human_only")
    told(await web.get(f"{BASE}/me", dsf | {"foureyes-agent": "dweller-42"}), 401, "credential_needed")


@played
async def test_a_page_that_is_not_ours_cannot_use_a_humans_session() -> None:
    """T22, T23: neither by a form without its mark, nor from another origin, nor under another name of the host."""
    web = Web()
    sue = await web.human()
    body = {"name": "dev", "kind": "agent"}
    assert (await web.post(f"{BASE}/accounts", sue, **body)).status == 201
    stolen = {"cookie": sue["cookie"]}
    no = await web.post(f"{BASE}/accounts", stolen, **body)
    told(no, 403, "sign_in_needed")
    assert "X-Foureyes-Form" in no.data["next_step"]
    told(await web.post(f"{BASE}/accounts", sue | {"origin": "https://evil.example"}, **body), 403, "wrong_origin")
    told(await web.get("/health", {"host": "evil.example"}), 421, "wrong_host")
    assert (await web.post(f"{BASE}/accounts", sue | {"origin": f"http://{HOST}"}, **body)).status == 201


@played
async def test_a_human_acts_by_what_the_description_says_alone() -> None:
    """T22: the session is told what to send along; a token is told nothing, for it needs none."""
    web = Web()
    cookie, dev = {"cookie": (await web.human())["cookie"]}, await web.agent("dev")
    mine = (await web.get(f"{BASE}/me", cookie)).data["form"]
    operation = described()["paths"][f"{BASE}/accounts/{{name}}/tokens"]["post"]
    (needed,) = (one["name"] for one in operation["parameters"] if one["in"] == "header" and one["required"])
    assert (await web.post(f"{BASE}/accounts/dev/tokens", cookie | {needed: mine})).status == 201
    assert (await web.get(f"{BASE}/me", dev)).data["form"] == ""
    other = {"cookie": (await web.human("hugo"))["cookie"]}
    told(await web.post(f"{BASE}/accounts/dev/tokens", other | {needed: mine}), 403, "sign_in_needed")


def test_the_description_names_the_header_wherever_a_session_changes_something() -> None:
    for path in described()["paths"].values():
        for method, one in path.items():
            found = [said["required"] for said in one.get("parameters", ()) if said["name"] == "X-Foureyes-Form"]
            asked = method != "get" and {"session": []} in one["security"]
            assert found == ([one["security"] == [{"session": []}]] if asked else []), one["operationId"]


@played
async def test_no_token_passes_a_stage_and_a_human_who_signed_in_does() -> None:
    """T10."""
    web = Web()
    sue, dev = await web.human(), await web.agent("dev")
    opened = await web.post(f"{BASE}/reviews", dev, **WORK)
    path = f"{BASE}/reviews/{opened.data['review']}/overrides"
    seen = await web.get(f"{BASE}/reviews/{opened.data['review']}", dev)
    body = {"stage": "solo", "revision": 1, "digest": seen.data["review"]["digest"], "reason": "I looked."}
    told(await web.post(path, dev, **body), 403, "sign_in_needed")
    assert (await web.post(path, sue, **body)).status == 200


BODIES = [
    (b"{", 422, "bad_value"),
    (b"[]", 422, "bad_value"),
    (b'{"kind": "a", "kind": "b"}', 422, "bad_value"),
    (b'{"confidence": NaN}', 422, "bad_value"),
    (b'{"kind": "\xff"}', 422, "bad_value"),
    (b"[" * 10_000, 422, "bad_value"),
    (b'{"confidence": ' + b"1" * 5_000 + b"}", 422, "bad_value"),
    (json.dumps({**WORK, "extra": 1}).encode(), 422, "bad_value"),
    (json.dumps({**WORK, "title": 7}).encode(), 422, "bad_value"),
    (b" " * (BODY_BYTES_MAX + 1), 413, "too_large"),
]


@pytest.mark.parametrize(("body", "status", "code"), BODIES, ids=range(len(BODIES)))
def test_a_bad_body_is_a_problem_and_nothing_is_done(body: bytes, status: int, code: str) -> None:
    """T19, T29."""

    @played
    async def story() -> None:
        web = Web()
        dev = await web.agent("dev")
        answer = await web.request("POST", f"{BASE}/reviews", dev, body)
        told(answer, status, code)
        assert b"sys." not in answer.body
        assert (await web.get(f"{BASE}/reviews", dev)).data["reviews"] == []

    story()


@played
async def test_a_body_of_a_great_many_values_is_refused_before_it_is_read() -> None:
    """T18: what is wrong with it is how many there are, not what they are."""
    web = Web()
    dev = await web.agent("dev")
    found = await web.request("POST", f"{BASE}/reviews", dev, b'{"files":[' + b"[]," * VALUES_MAX + b"[]]}")
    told(found, 413, "too_large")
    assert f"at most {VALUES_MAX} values" in found.data["detail"]
    assert "fewer pieces" in found.data["next_step"]


@played
async def test_a_body_that_begins_with_a_great_many_values_is_not_read_to_its_end() -> None:
    """T18: the rest of it never comes."""
    came = list[int]()

    async def receive() -> dict[str, Any]:
        came.append(len(came))
        assert len(came) < 10
        return {"type": "http.request", "body": b"[]," * 10_000, "more_body": True}

    with pytest.raises(TooLarge, match="values"):
        await read_bytes(Request({"type": "http", "method": "POST", "headers": []}, receive))
    assert len(came) == 3


@played
async def test_what_is_not_there_and_what_is_not_done_there_is_said() -> None:
    web = Web()
    dev = await web.agent("dev")
    told(await web.get("/nowhere", dev), 404, "no_such_place")
    wrong = await web.request("DELETE", f"{BASE}/reviews", dev)
    told(wrong, 405, "wrong_method")
    assert {"GET", "POST"} <= set(wrong.headers["allow"].split(", "))
    told(await web.get(f"{BASE}/reviews/none", dev), 404, "review_missing")
    told(await web.get(f"{BASE}/reviews", dev, limit="x"), 422, "bad_value")
    told(await web.request("GET", f"{BASE}/reviews", dev, query="limit=1&limit=2"), 422, "bad_value")
    assert (await web.get("/health", {})).data == {"status": "alive"}
    assert (await web.get("/ready", {})).data == {"status": "ready"}


def test_the_description_names_every_call_with_its_form() -> None:
    found = described()
    named = [one["operationId"] for path in found["paths"].values() for one in path.values()]
    assert len(set(named)) == len(named)
    assert CALLS.keys() <= set(named)
