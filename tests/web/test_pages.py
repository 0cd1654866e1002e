"""A human signs in, sees what waits, decides and manages accounts; no other kind of account can use the pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from foureyes.app.accounts import accounts
from foureyes.app.signing_in import COOKIE, form_mark
from foureyes.core import protocols
from foureyes.core.rules import Exhausted, SeatRule
from foureyes.http.app import build
from foureyes.http.calling import FORM_HEADER
from foureyes.http.routes import BASE
from foureyes.web.frame import BESIDE
from foureyes.web.pages import Pages
from tests.app.house import House, played, policy
from tests.cast import rules_with
from tests.http.web import HOST, SITE
from tests.web.browser import Browser, Form, Shown, Site

FILES = [{"path": "hello.py", "text": "print('hello')\n"}]
CHECKED = [{"what": "hello.py", "why": "it prints what the title says"}]
FINDING = {"severity": "important", "text": "Nobody is greeted.", "evidence": "It prints hello and nothing else."}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> \u202edrawkcab \x1b[31m & \"quoted\" 'single'"


async def opened(site: Site, **fields: Any) -> tuple[dict[str, str], str]:
    """Work of dev's that was just opened."""
    dev = await site.agent("dev")
    await site.agent("codex")  # the reviewer who is asked
    body = {"kind": "script", "title": "Say hello", "files": FILES, **fields}
    answer = await site.post(f"{BASE}/reviews", dev, **body)
    assert answer.status == 201, answer.data
    return dev, answer.data["review"]


async def concerned(site: Site, review: str) -> dict[str, str]:
    """Codex has a finding."""
    codex = await site.agent("codex")
    body = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
    answer = await site.post(f"{BASE}/reviews/{review}/reports", codex, **body)
    assert answer.status == 200, answer.data
    return codex


@played
async def test_a_link_shows_a_button_first_and_signs_in_once() -> None:
    """A program that looks at links uses nothing up, and a link that got about later opens nothing."""
    site = Site()
    await site.human()
    link = await site.link()
    human, thief = site.stranger(), site.stranger()
    page = await human.open(link)
    assert (page.status, human.cookies) == (200, {})
    await human.open(link)
    page = await human.submit(page.form("/sign-in"))
    assert "What waits" in page.text
    late = await thief.submit(Form(action="/sign-in", fields={"link": link.partition("=")[2]}))
    assert (late.status, thief.cookies) == (401, {})
    assert "used already" in late.text


@played
async def test_a_link_is_over_after_ten_minutes_and_nonsense_opens_nothing() -> None:
    site = Site()
    await site.human()
    link = await site.link()
    site.house.wait(minutes=11)
    human = site.stranger()
    assert (await human.open(link)).status == 401
    late = Form(action="/sign-in", fields={"link": link.partition("=")[2]})
    assert (await human.submit(late)).status == 401
    for link in ("/sign-in", "/sign-in?link=", f"/sign-in?link={'x' * 300}"):
        assert (await human.open(link)).status == 401
    assert human.cookies == {}


@played
async def test_the_session_is_a_cookie_that_no_script_and_no_other_site_can_use() -> None:
    """T22."""
    site = Site()
    await site.human()
    human = site.stranger()
    form = (await human.open(await site.link())).form("/sign-in")
    answer = await site.request("POST", "/sign-in", {}, f"link={form.fields['link']}".encode())
    said = answer.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert "secure" not in said, "over plain HTTP on this machine it would never be sent back"
    site.app = build(site.office, SITE, Pages(office=site.office, tls_hosts=frozenset({HOST})).routes())
    again = (await site.link()).partition("=")[2]
    answer = await site.request("POST", "/sign-in", {}, f"link={again}".encode())
    assert "secure" in answer.headers["set-cookie"].lower(), "where a browser comes by TLS it never travels without"


@played
async def test_signing_out_ends_the_session_on_the_server_too() -> None:
    """T24."""
    site = Site()
    human = await site.browser()
    kept = dict(human.cookies)
    out = await human.submit((await human.open("/")).form("/sign-out"))
    assert (out.status, human.cookies) == (200, {})
    assert (await Browser(send=human.send, cookies=kept).open("/")).status == 401


PAGES = ("/", "/accounts", "/reviews/any", "/reviews/any/work", "/reviews/any/record", "/sessions", "/sessions/any")
FORMS = (
    *("/sign-out", "/reviews/any/rule", "/sessions/any/review"),
    *("/accounts/enrol", "/accounts/token", "/accounts/revoke", "/accounts/remove"),
)


#: Public paths: the style sheet, and the entries that need a link.
OPEN = {*BESIDE, "/sign-in", "/decide"}


@played
async def test_nothing_is_shown_or_done_without_a_sign_in() -> None:
    """T22: a new page, or a new form, without a line above fails the build."""
    site = Site()
    dev = await site.agent("dev")
    routes = [one for one in Pages(office=site.office).routes() if one.path not in OPEN]
    for method, tried in (("GET", PAGES), ("POST", FORMS)):
        for route in (one for one in routes if method in (one.methods or ())):
            assert any(route.path_regex.fullmatch(path) for path in tried), route.path
    for headers in ({}, dev, {"cookie": f"{COOKIE}=guessed"}):
        for path in PAGES:
            answer = await site.request("GET", path, headers)
            assert answer.status == 401, path
            assert b"foureyes humans link" in answer.body
        for path in FORMS:
            assert (await site.request("POST", path, headers)).status == 401, path


@pytest.mark.parametrize("path", FORMS)
def test_a_form_of_another_page_does_nothing(path: str) -> None:
    """T22: the cookie alone is not enough, and another origin is refused before anything is read."""

    @played
    async def story() -> None:
        site = Site()
        human = await site.browser()
        for fields in ({}, {"form": "guessed"}, {"form": ""}):
            answer = await human.submit(Form(action=path, fields={"name": "mallory", **fields}))
            assert answer.status == 403, fields
        mark = (await human.open("/")).form("/sign-out").fields["form"]
        human.origin = "https://evil.example"
        assert (await human.submit(Form(action=path, fields={"name": "mallory", "form": mark}))).status == 403
        human.origin = "null"
        assert (await human.submit(Form(action=path, fields={"name": "mallory", "form": mark}))).status == 403
        assert "mallory" not in (await human.open("/accounts")).text

    story()


@played
async def test_every_page_forbids_scripts_frames_and_whatever_is_not_ours() -> None:
    """T21, T22."""
    site = Site()
    human = await site.browser()
    _, review = await opened(site)
    more = (f"/reviews/{review}/record", "/sign-in", "/reviews/none")
    for path in ("/", "/accounts", f"/reviews/{review}", f"/reviews/{review}/work", *more):
        headers = (await human.open(path)).answer.headers
        said = headers["content-security-policy"]
        assert "default-src 'self'" in said
        assert "frame-ancestors 'none'" in said
        assert "unsafe" not in said
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    assert (await human.open("/pages/style.css")).answer.headers["content-type"].startswith("text/css")


def _harmless(page: Shown) -> None:
    for name, attributes in page.elements:
        assert name not in ("script", "img", "iframe", "object", "style", "svg"), name
        assert not any(one.startswith("on") or one == "style" for one in attributes), attributes
    assert "\u202e" not in page.text
    assert "\x1b" not in page.text


@played
async def test_what_strangers_write_is_text_wherever_it_stands() -> None:
    """T21: no element of theirs, and what would turn the reading order or hide is shown as a mark."""
    site = Site()
    human = await site.browser()
    files = [{"path": "a.html", "text": f"{HOSTILE}\n<script>\n"}, {"path": "raw", "base64": "AP8="}]
    dev, review = await opened(site, title=HOSTILE, note=HOSTILE, files=files)
    codex = await site.agent("codex")
    finding = {"severity": "important", "text": HOSTILE, "evidence": HOSTILE, "suggestion": HOSTILE}
    body = {"revision": 1, "verdict": "concerns", "findings": [finding], "summary": HOSTILE}
    assert (await site.post(f"{BASE}/reviews/{review}/reports", codex, **body)).status == 200
    await site.post(f"{BASE}/reviews/{review}/escalations", dev, reason=HOSTILE, argument=HOSTILE)
    mine = (f"/reviews/{review}{rest}" for rest in ("", "/work", "/record", "?done=%3Cscript%3E"))
    for path in ("/", *mine, f"/accounts?name={'%3Cscript%3E'}&done=%3Cb%3E"):
        page = await human.open(path)
        assert page.status == 200, page.text
        _harmless(page)
    page = await human.open(f"/reviews/{review}/work")
    assert "<script>alert(1)</script>" in page.text
    assert "<U+202E>" in page.text
    assert "Not text." in page.text


@played
async def test_a_human_enrols_an_agent_and_sees_its_token_once() -> None:
    site = Site()
    human = await site.browser()
    page = await human.open("/accounts?name=claude-1&roles=agent+tester&operator=acme&model_family=claude")
    form = page.form("/accounts/enrol")
    assert (form.fields["name"], form.fields["roles"], form.fields["kind"]) == ("claude-1", "agent tester", "agent")
    page = await human.submit(form)
    assert page.status == 201
    token = page.token
    assert f"connect {token}" in page.text
    me = await site.get(f"{BASE}/me", {"authorization": f"Bearer {token}"})
    assert (me.data["who"]["name"], me.data["who"]["model_family"], me.data["roles"]) == (
        "claude-1",
        "claude",
        ["agent", "tester"],
    )
    page = await human.open("/accounts")
    assert token not in page.answer.body.decode()
    assert "claude-1" in page.text
    await human.submit(page.form("/accounts/revoke", name="claude-1"), reason="lost")
    assert (await site.get(f"{BASE}/me", {"authorization": f"Bearer {token}"})).status == 401


@played
async def test_who_is_enrolled_without_a_role_reviews_if_it_is_an_agent() -> None:
    """A human who was given the role of agents without a word took reviews from them, and knew nothing of it."""
    site = Site()
    human = await site.browser()
    for name, kind in (("ann", "human"), ("dev", "agent"), ("counter", "program")):
        await human.submit((await human.open("/accounts")).form("/accounts/enrol"), name=name, kind=kind)
    everybody = await site.house.store.read(accounts)
    roles = {one.who.name: one.roles for one in everybody}
    assert (roles["ann"], roles["dev"], roles["counter"]) == ((), ("agent",), ())


@played
async def test_a_human_says_what_a_token_is_for_and_when_it_ends() -> None:
    """A program that only counts gets a token for reading alone, which ends by itself; nothing ticked is no token."""
    site = Site()
    human = await site.browser()
    form = (await human.open("/accounts?name=counter&kind=program&roles=&scopes=read&days=30")).form("/accounts/enrol")
    boxes = {name for name in form.fields if name.startswith("for_")}
    assert (boxes, form.fields["days"], form.fields["roles"]) == ({"for_read"}, "30", "")
    for days in ("0", "-1", "x", "3651", "99999", "1.5", "\u0663"):
        page = await human.submit(form, days=days)
        assert (page.status, "number of days" in page.text) == (422, True), days
    page = await human.submit(Form(action=form.action, fields={**form.fields, "for_read": "no"}))
    assert (page.status, "for nothing" in page.text) == (422, True)
    assert "counter" not in (await human.open("/accounts")).text, "half of a wrong form was done"
    page = await human.submit(form)
    assert (page.status, "It is for read, until 2026-02-04 09:00 UTC." in page.text) == (201, True)
    assert "Connect counter" not in page.text, "a program is no agent that could be connected"
    holder = {"authorization": f"Bearer {page.token}"}
    assert (await site.get(f"{BASE}/me", holder)).data["scopes"] == ["read"]
    assert (await site.get("/metrics", holder)).status == 200
    assert "for read, until 2026-02-04 09:00 UTC" in (await human.open("/accounts")).text
    site.house.wait(days=30)
    assert (await site.get(f"{BASE}/me", holder)).status == 401
    assert "over since 2026-02-04 09:00 UTC" in (await (await site.browser("tom")).open("/accounts")).text


@played
async def test_another_token_offers_what_its_kind_may_have_and_no_more() -> None:
    site = Site()
    human = await site.browser()
    await site.agent("checker", kind="program")
    form = (await human.open("/accounts")).form("/accounts/token", name="checker")
    assert {name for name in form.fields if name.startswith("for_")} == {"for_read", "for_review", "for_publish"}
    page = await human.submit(form, for_publish="", for_vouch="yes")
    me = await site.get(f"{BASE}/me", {"authorization": f"Bearer {page.token}"})
    assert me.data["scopes"] == ["read", "review"]
    assert (await human.submit(form, kind="human")).status == 422
    assert (await human.submit(form, kind="dragon")).status == 422


@played
async def test_a_name_that_cannot_be_is_refused_with_the_way_out() -> None:
    """T30."""
    site = Site()
    human = await site.browser()
    form = (await human.open("/accounts")).form("/accounts/enrol")
    for name in ("Claude", "", "cl\u0430ude", "../etc", "human", "5ue"):
        page = await human.submit(form, name=name, key=f"k-{name.encode().hex()}")
        assert page.status == 422, name
        assert "name" in page.text
    removed = await human.submit((await human.open("/accounts")).form("/accounts/remove", name="sue"), reason="x")
    assert removed.status == 422
    assert "last human" in removed.text


@played
async def test_a_human_dismisses_a_finding_and_passes_a_step_of_exactly_what_was_shown() -> None:
    site = Site()
    human = await site.browser()
    _, review = await opened(site)
    await concerned(site, review)
    page = await human.open(f"/reviews/{review}")
    assert "Nobody is greeted." in page.text
    waived = await human.submit(page.form(f"/reviews/{review}/waive"), reason="It says hello.", false_positive="yes")
    assert "waived" in waived.text
    form = page.form(f"/reviews/{review}/override")
    assert (await human.submit(form, digest="0" * 64, reason="I looked.", key="other")).status == 422
    assert (await human.submit(form, reason="", key="third")).status == 422
    done = await human.submit(form, reason="I looked.")
    assert "cleared" in done.text
    twice = await human.submit(form, reason="I looked.")
    assert "cleared" in twice.text, "the same form sent twice does its work once"
    again = await human.submit(done.form(f"/reviews/{review}/reopen"), reason="Wait.")
    assert "open" in again.text


@played
async def test_what_is_asked_of_a_human_waits_on_the_first_page_and_is_decided_there() -> None:
    site = Site()
    human = await site.browser()
    dev, review = await opened(site)
    await site.post(f"{BASE}/reviews/{review}/escalations", dev, reason="We cannot agree.", argument="I am right.")
    assert "Say hello" in (await human.open("/")).text.partition("Reviews")[0], "it waits for her, by its name"
    page = await human.open(f"/reviews/{review}")
    for words in ("We cannot agree.", "dev asks for it", "I am right."):
        assert words in page.text, words
    radio = [each for name, each in page.elements if name == "input" and each.get("type") == "radio"]
    options = [each["value"] or "" for each in radio]
    assert "as_is" in options
    form = page.form(f"/reviews/{review}/rule")
    assert (await human.submit(form, option="nonsense", reason="x", key="other")).status == 422
    page = await human.submit(form, option="as_is", reason="It is fine.", demands="")
    assert "cleared" in page.text


@played
async def test_a_veto_is_lifted_only_by_who_signed_in_within_five_minutes() -> None:
    """A session left open is not enough; the page says so before, and what to do."""
    layer = SeatRule(roles=("agent",), scope="security", veto=True)
    chain = protocols.chain("guarded", (layer,), unanimous=True, retries_max=2, exhausted=Exhausted.ESCALATE)
    strict = rules_with(chain, default=("guarded",))
    site = Site(house=House(policy=policy(strict)))
    human = await site.browser()
    _, review = await opened(site)
    codex = await site.agent("codex")
    body = {"revision": 1, "verdict": "reject", "summary": "No.", "findings": [FINDING], "evidence": CHECKED}
    answer = await site.post(f"{BASE}/reviews/{review}/reports", codex, **body)
    assert answer.status == 200, answer.data
    site.house.now += timedelta(minutes=6)
    page = await human.open(f"/reviews/{review}")
    assert "sign in again" in page.text
    form = page.form(f"/reviews/{review}/override")
    late = await human.submit(form, reason="I looked.")
    assert late.status == 403
    assert "foureyes humans link" in late.text
    await human.submit((await human.open(await site.link())).form("/sign-in"))
    page = await human.open(f"/reviews/{review}")
    assert "sign in again" not in page.text
    assert (await human.submit(page.form(f"/reviews/{review}/override"), reason="I looked.")).status == 200


@played
async def test_a_link_says_whom_it_signs_in_before_its_button_is_pressed() -> None:
    """Nobody acts under another name unawares because a link of somebody else's was put before them."""
    site = Site()
    human = await site.browser()
    await site.human("bob")
    page = await human.open(await site.link("bob"))
    assert "Sign in as bob" in page.text
    assert "Signed in as sue" in (await human.open("/")).text
    assert "Signed in as bob" in (await human.submit(page.form("/sign-in"))).text


@played
async def test_a_browser_that_strays_is_shown_a_page_and_a_program_a_problem() -> None:
    site = Site()
    browser = {"accept": "text/html,application/xhtml+xml"}
    for method, path, status in (("GET", "/nothing", 404), ("GET", "/reviews/any/rule", 405)):
        answer = await site.request(method, path, browser)
        assert (answer.status, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert b"What waits" in answer.body
        answer = await site.request(method, path, {})
        assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")
    assert (await site.request("GET", f"{BASE}/nothing", browser)).headers["content-type"] == "application/problem+json"


@played
async def test_what_was_done_is_said_and_what_was_not_leads_back() -> None:
    site = Site()
    human = await site.browser()
    _, review = await opened(site)
    await concerned(site, review)
    page = await human.open(f"/reviews/{review}")
    form = page.form(f"/reviews/{review}/waive")
    refused = await human.submit(form, reason="", key="first")
    assert refused.status == 422
    assert ("a", {"href": f"/reviews/{review}"}) in refused.elements
    assert "The finding was dismissed" in (await human.submit(form, reason="It says hello.")).text
    form = page.form(f"/reviews/{review}/override")
    assert "The step was passed" in (await human.submit(form, reason="I looked.")).text
    record = (await human.open(f"/reviews/{review}/record")).text
    for words in ("sue", "I looked.", "It says hello.", "solo", "has seen the whole review"):
        assert words in record, words


@played
async def test_a_form_that_cannot_be_read_is_said_and_nothing_is_done() -> None:
    """T19."""
    site = Site()
    human = await site.browser()
    cookie = {"cookie": f"{COOKIE}={human.cookies[COOKIE]}"}
    for body, status in ((b"form=a&form=b", 400), (b"a=%ff", 400), (b"\xff", 400), (b"a=" + b"b" * 70_000, 413)):
        assert (await site.request("POST", "/accounts/enrol", cookie, body)).status == status
    many = "&".join(f"f{number}=1" for number in range(200)).encode()
    assert (await site.request("POST", "/accounts/enrol", cookie, many)).status == 400
    form = (await human.open("/accounts")).form("/accounts/enrol")
    assert (await human.submit(Form(action="/accounts/nothing", fields=form.fields), name="x")).status == 404
    assert (await human.open("/reviews/none")).status == 404
    assert (await human.open("/?cursor=nonsense")).status == 422


def _bare(page: Shown) -> tuple[str, list[tuple[str, list[str]]]]:
    """The text and forms of a page, without the unique keys of the forms."""
    return page.text, [(one.action, sorted(one.fields)) for one in page.forms]


@played
async def test_a_human_who_sits_and_has_not_reported_sees_nothing_of_others_on_any_page() -> None:
    """T13, S15: two worlds that differ in a hidden report alone look the same."""
    shown = []
    for said in (False, True):
        site = Site()
        human = await site.browser()
        _, review = await opened(site, kind="story", title="A story")
        sue = {"cookie": f"{COOKIE}={human.cookies[COOKIE]}", FORM_HEADER: form_mark(human.cookies[COOKIE])}
        assert (await site.post(f"{BASE}/reviews/{review}/seats", sue, stage="resolve")).status == 200
        codex = await site.agent("codex")
        if said:
            body = {"revision": 1, "findings": [FINDING], "evidence": CHECKED, "summary": "A hidden word."}
            assert (await site.post(f"{BASE}/reviews/{review}/reports", codex, **body)).status == 200
            await site.post(f"{BASE}/reviews/{review}/escalations", codex, reason="A hidden quarrel.")
        places = ("/", "/?state=open", *(f"/reviews/{review}{rest}" for rest in ("", "/work", "/record")))
        pages = [await human.open(one) for one in places]
        assert {one.status for one in pages} == {200}
        assert not any("hidden word" in one.text or "quarrel" in one.text for one in pages)
        shown.append([_bare(one) for one in pages])
    assert shown[0] == shown[1]
