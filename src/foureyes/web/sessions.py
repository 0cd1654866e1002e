"""The pages of sessions: the list, one session with its issues, and the forms to review, pause and resume it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from starlette.responses import Response

from foureyes.app.calls.about_sessions import IssueShown, SessionShown, SignalShown
from foureyes.app.gate import new_key
from foureyes.web.door import Turned, Visit, away, path_to
from foureyes.web.frame import badge, folded, form, hidden, line, link, page
from foureyes.web.html import Html, element, when

ISSUES_MAX = 50
#: The forms of the page by the last segment of their path: the call, the button, and the message when it is done.
ACTS = {
    "review": ("trigger_review", "Trigger review", "A review was started: its reviewers are asked now."),
    "pause": ("pause_session", "Pause", "The session is paused; its agents are told so when they look."),
    "resume": ("resume_session", "Resume", "The session goes on, as far as its reviews let it."),
}


async def show(visit: Visit) -> Response:
    """A session as this human may know it, with the button that starts a review."""
    session = visit.request.path_params["session"]
    one: SessionShown = await visit.call("read_session", session=session)
    issues = await visit.call("session_issues", session=session, limit=ISSUES_MAX)
    now = visit.office.clock()
    return page(
        f"Session {one.session}",
        _state(one),
        _done(visit),
        *_forms(visit, one),
        *_issues(issues.issues, more=bool(issues.next)),
        *_signals(one.signals, now),
        signed=visit.signed,
    )


async def every(visit: Visit) -> Response:
    """The sessions by name, and which of them are paused."""
    found = await visit.call("list_sessions", cursor=visit.request.query_params.get("cursor", ""))
    rows = (
        element(
            "li",
            link(path_to("sessions", one.session), one.session),
            badge("ended" if one.ended else one.status.lower(), "good" if one.status == "RUNNING" else "care"),
        )
        for one in found.sessions
    )
    listed = element("ul", *rows, class_="list") if found.sessions else element("p", "No agent has signalled yet.")
    more = element("p", link(f"/sessions?cursor={found.next}", "More")) if found.next else None
    return page("Sessions", listed, more, signed=visit.signed)


async def act(visit: Visit) -> Response:
    """Make the call of a form of the page."""
    session, name = visit.request.path_params["session"], visit.request.path_params["act"]
    if name not in ACTS:
        raise Turned(404, "There is nothing here.", "Go back to the session.")
    await visit.call(ACTS[name][0], session=session, **visit.given("reason", "key"))
    return away(f"{path_to('sessions', session)}?done={name}")


def _state(one: SessionShown) -> Html:
    word = "ENDED" if one.ended else one.status
    said = (
        badge(word.lower(), "good" if word == "RUNNING" else "care"),
        badge("flagged", "care") if one.flagged else None,
        element("span", _why(one), class_="soft") if one.paused_because else None,
    )
    waits = (element("li", link(path_to("reviews", each), f"It waits for review {each}")) for each in one.waits_for)
    how = element("p", _how(one)) if one.paused_because and not one.ended else None
    return element("div", element("p", *said, class_="badges"), how, element("ul", *waits, class_="list"))


def _how(one: SessionShown) -> str:
    """What makes the session go on, as the human at the page can do it."""
    if one.paused_by:
        return "It goes on when a human presses Resume below, as far as its reviews let it."
    if not one.waits_for:
        return "It goes on by itself once its reviews let it; you owe a report there first."
    return (
        "It goes on by itself once each review below has its answer. Open the review: a decision that is asked of a "
        "human is made on its page; what an agent has to make clear is said there."
    )


def _why(one: SessionShown) -> str:
    """The reason for the pause: a human's, or that of its reviews."""
    return f"Paused by {one.paused_by}: {one.paused_because}" if one.paused_by else f"Paused: {one.paused_because}"


def _done(visit: Visit) -> Html | None:
    found = ACTS.get(visit.request.query_params.get("done", ""))
    return element("p", found[2], class_="note good", role="status") if found else None


def _forms(visit: Visit, one: SessionShown) -> Iterator[Html]:
    """The forms for what a human may do here; none if the session has ended."""
    if one.ended:
        return
    yield _form(visit, one, "review", "Why now, if you like to say it")
    name = "resume" if one.paused_by else "pause"
    yield folded(f"{ACTS[name][1]} this session", _form(visit, one, name, "Why"), opened=bool(one.paused_by))


def _form(visit: Visit, one: SessionShown, name: str, asks: str) -> Html:
    return form(
        path_to("sessions", one.session, name),
        visit.session,
        hidden("key", new_key()),
        line("reason", asks, "It stays in the record, with your name.", required=name != "review"),
        button=ACTS[name][1],
        tone="" if name == "review" else "quiet",
    )


def _issues(issues: tuple[IssueShown, ...], *, more: bool) -> Iterator[Html]:
    if not issues:
        return
    yield element("h2", "Issues")
    rows = (
        element(
            "li",
            link(path_to("reviews", one.review), one.description),
            badge(one.severity),
            badge(one.status),
            element("span", one.reviewer, class_="soft small end"),
        )
        for one in issues
    )
    yield element("ul", *rows, class_="list")
    if more:
        yield element("p", "More of them are at the API.", class_="soft")


def _signals(signals: tuple[SignalShown, ...], now: datetime) -> Iterator[Html]:
    yield element("h2", "What was said last")
    rows = (
        element(
            "li",
            element("strong", one.agent),
            badge(one.type),
            element("span", when(datetime.fromisoformat(one.at), now), class_="soft small end"),
            element("span", one.summary, class_="whole small lines") if one.summary else None,
        )
        for one in reversed(signals)
    )
    yield element("ul", *rows, class_="list")
