"""A human starts a review of a session with a button; text of its agents is shown as text."""

from __future__ import annotations

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five
from tests.web.browser import Browser, Form, Site
from tests.web.test_pages import FILES, HOSTILE, _harmless

PAGE = "/sessions/s1"


class Place(Five, Site):
    """The pages, and callers with roles."""


async def at_work() -> tuple[Place, Browser, dict[str, str]]:
    """A session with a signal of an agent, and no requested review."""
    site = Place()
    human = await site.browser()
    dev = await site.role("dev", "agent")
    body = {"type": "progress", "summary": f"It will say hello. {HOSTILE}"}
    assert (await site.post(f"{BASE}{PAGE}/signals", dev, **body)).status == 200
    return site, human, dev


async def reviews(site: Site, headers: dict[str, str]) -> list[str]:
    return [one["review"] for one in (await site.get(f"{BASE}/reviews", headers)).data["reviews"]]


@played
async def test_a_human_starts_a_review_of_a_session_with_a_button() -> None:
    """003-04: once, however often the form is sent; no token opens the page or its form."""
    site, human, dev = await at_work()
    page = await human.open(PAGE)
    assert "It will say hello." in page.text
    form = page.form(f"{PAGE}/review")
    assert "Trigger review" in page.text
    for method, path in (("GET", PAGE), ("POST", f"{PAGE}/review")):
        assert (await site.request(method, path, dev)).status == 401
    assert await reviews(site, dev) == []
    for _ in range(2):
        assert "A review was started" in (await human.submit(form)).text
    (review,) = await reviews(site, dev)
    seen = (await site.get(f"{BASE}/reviews/{review}", dev)).data["review"]
    assert (seen["trigger"], seen["origin"]["session"], seen["author"]["name"]) == ("user_manual", "s1", "dev")
    assert await site.house.log("session/s1") == ["SignalReceived", "SignalReceived"]
    assert ("a", {"href": PAGE}) in (await human.open(f"/reviews/{review}")).elements


@played
async def test_a_human_pauses_a_session_on_its_page_and_lets_it_go_on() -> None:
    """003-04, T21: words of strangers stay text; what cannot be done leads back."""
    site, human, dev = await at_work()
    page = await human.open(PAGE)
    _harmless(page)
    refused = await human.submit(page.form(f"{PAGE}/pause"), reason="")
    assert (refused.status, ("a", {"href": PAGE}) in refused.elements) == (422, True)
    paused = await human.submit((await human.open(PAGE)).form(f"{PAGE}/pause"), reason=HOSTILE)
    _harmless(paused)
    assert (await site.get(f"{BASE}{PAGE}", dev)).data["status"] == "PAUSED"
    await human.submit(paused.form(f"{PAGE}/resume"), reason="Go on")
    assert (await site.get(f"{BASE}{PAGE}", dev)).data["status"] == "RUNNING"
    mark = paused.form(f"{PAGE}/resume").fields
    assert (await human.submit(Form(action=f"{PAGE}/end", fields=mark), reason="x")).status == 404
    assert (await human.submit(Form(action=f"{PAGE}/review", fields={}))).status == 403
    assert (await human.open("/sessions/none")).status == 404
    await site.post(f"{BASE}{PAGE}/end", dev, reason="Done")
    over = await human.open(PAGE)
    assert [one.action for one in over.forms] == ["/sign-out"]


@played
async def test_the_page_of_a_session_lists_what_its_reviewers_flagged() -> None:
    """003-13: and what the session waits for."""
    site, human, dev = await at_work()
    codex = await site.role("codex", "reviewer")
    await site.role("gemini", "reviewer")
    body = {"type": "milestone", "summary": "It says hello.", "files": FILES}
    review = (await site.post(f"{BASE}{PAGE}/signals", dev, **body)).data["review"]
    issue = {"severity": "high", "description": "Nobody is greeted.", "file": "hello.py"}
    payload = {"verdict": "blocker", "summary": "It greets nobody.", "issues": [issue]}
    sent = {"type": "review_result", "reviewer": "codex", "timestamp": "2026-01-05T09:00:00Z", "payload": payload}
    await site.found(f"{BASE}{PAGE}/requests", codex)
    await site.done(f"{BASE}{PAGE}/results", codex, **sent)
    page = await human.open(PAGE)
    assert "Nobody is greeted." in page.text
    assert ("a", {"href": f"/reviews/{review}"}) in page.elements
