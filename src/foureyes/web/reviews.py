"""The pages of one review: its state, the work and the record, and the forms that act on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from starlette.responses import Response

from foureyes.app.calls.done import vacancy_told
from foureyes.app.calls.looking import FileShown, WorkShown
from foureyes.app.calls.records import Acted
from foureyes.app.calls.shown import FindingShown, ReportShown, ReviewShown
from foureyes.app.redaction import Cut
from foureyes.core.explain import Explained, Status
from foureyes.core.values import Severity, Standing, Verdict, WhoKind
from foureyes.web import briefs, deciding
from foureyes.web.door import Turned, Visit, away, path_to
from foureyes.web.frame import badge, folded, link, page
from foureyes.web.html import Html, element, prose, text, together, when
from foureyes.web.waiting import tone_of

#: At most this much of a file is shown on a page; the API has all of it.
FILE_CHARS_MAX = 200_000
FILES_MAX = 100
RECORD_MAX = 200
_TONES = {Severity.CRITICAL: "bad", Severity.IMPORTANT: "care", Severity.MINOR: ""}
_STANDINGS = {Standing.OPEN: "bad", Standing.ANSWERED: "care", Standing.RESOLVED: "good", Standing.WAIVED: ""}
_VERDICTS = {
    Verdict.APPROVE: ("found nothing", "good"),
    Verdict.CONCERNS: ("has concerns", "care"),
    Verdict.REJECT: ("rejects", "bad"),
}
#: A requirement that was passed without being met is highlighted, also in old reviews.
_STATUSES = {Status.MET: "good", Status.OVERRIDDEN: "care", Status.SKIPPED: "care", Status.NOT_APPLICABLE: ""}
#: The words of a row of the record between the name of the account that acted and what it did.
_ACTED = {
    "request": "asks for a",
    "decision": "decides:",
    "skip": "leaves reviewers out:",
    "override": "overrides:",
    "incident": "notes:",
    "view": "has seen",
}
CLEARED = "cleared"
_PASSED = {Status.OVERRIDDEN: "passed by a human", Status.SKIPPED: "skipped"}


async def show(visit: Visit) -> Response:
    """A review as this human may see it, and what they can do about it."""
    one: ReviewShown = (await visit.call("read_review", review=visit.request.path_params["review"])).review
    return page(
        one.title,
        _state(one),
        await _shut(visit, one),
        deciding.done(visit),
        await _missing(visit, one.review),
        _facts(one, visit.office.clock()),
        _panel(one.report),
        deciding.ruling(visit, one, one.ruling) if one.ruling else None,
        *_requirements(one.requirements),
        *briefs.shown(one.briefs),
        *_findings(visit, one),
        *_reports(one),
        *deciding.others(visit, one),
        signed=visit.signed,
    )


async def work(visit: Visit) -> Response:
    """The bytes of the current version, as text."""
    review = visit.request.path_params["review"]
    found = await visit.call("read_work", review=review, glance=True)
    if _is_whole(found):
        # Only a page that shows the whole work counts as reading it, so this call is made only then.
        found = await visit.call("read_work", review=review)
    rest = len(found.files) - FILES_MAX
    return page(
        f"The work, version {found.revision}",
        element("p", "Exactly this version: ", element("span", found.digest, class_="mono")),
        *_changed(found.compared_with, found.diff),
        *(_file(one, found.secrets) for one in found.files[:FILES_MAX]),
        *(element("p", "Removed: ", element("span", one, class_="mono")) for one in found.deleted[:FILES_MAX]),
        element("p", f"{rest} more files are not shown here; the API has them.", class_="bad") if rest > 0 else None,
        signed=visit.signed,
        above=_up(review),
    )


async def record(visit: Visit) -> Response:
    """Who did what, when and why, as far as this human may know."""
    review = visit.request.path_params["review"]
    found = await visit.call("audit", review=review, limit=RECORD_MAX)
    now = visit.office.clock()
    more = element("p", "More of it is at the API.", class_="soft") if found.next else None
    return page(
        "The record",
        element("ul", *(_acted(one, now) for one in found.rows), class_="list"),
        more,
        signed=visit.signed,
        above=_up(review),
    )


async def act(visit: Visit) -> Response:
    """Make the call that a form of the page names."""
    review, name = visit.request.path_params["review"], visit.request.path_params["act"]
    if name not in deciding.ACTS:
        raise Turned(404, "There is nothing here.", "Go back to the review.")
    await visit.call(name, review=review, **deciding.sent(visit, name))
    return away(f"{path_to('reviews', review)}?done={name}")


def _changed(compared_with: str, diff: str) -> Iterator[Html]:
    """The changes of the version, and which base they are relative to and who vouches for it."""
    yield element("p", f"Compared with {compared_with}.")
    if diff:
        yield element("h2", "What it changes there")
        yield element("pre", diff)


def _up(review: str) -> Html:
    return element("p", link(path_to("reviews", review), "← The review"), class_="small")


def _state(one: ReviewShown) -> Html:
    passed = (f"{each.stage} {_PASSED[each.status]}" for each in one.requirements if each.status in _PASSED)
    said = (
        badge(one.state, tone_of(one.state)),
        badge(f"version {one.revision}"),
        *(badge(f"veto in {stage}", "bad") for stage in one.vetoed),
        *(badge(each, "care") for each in dict.fromkeys(passed)),
        element("span", f"{one.kind} by {one.author.name}", class_="soft"),
    )
    reason = element("p", one.situation.sentence, class_="lines situation")
    hides = element("p", "Some of it is hidden until your own report is in.", class_="note") if one.hides else None
    return together(element("p", *said, class_="badges"), reason, hides)


async def _shut(visit: Visit, one: ReviewShown) -> Html | None:
    """The other review that forbids these bytes to go live, although this review cleared them."""
    if one.state != CLEARED:
        return None
    gate = await visit.call("gate", digest=one.digest)
    if gate.allowed or gate.review in ("", one.review):
        return None
    return element(
        "p",
        "This version may not go live. ",
        gate.reason,
        " ",
        link(path_to("reviews", gate.review), "That review"),
        class_="bad",
    )


async def _missing(visit: Visit, review: str) -> Html | None:
    """What would fill the seats that nobody can hold; until then a human can pass the step below."""
    seen = await visit.office.gate.read(review, visit.caller.who)
    told = await vacancy_told(visit.office, seen.view.review)
    return element("p", prose(told), class_="note care") if told else None


def _facts(one: ReviewShown, now: datetime) -> Html:
    rows: tuple[tuple[str, str], ...] = (
        *(("Waiting for", f"{', '.join(turn.who)}: {turn.what}") for turn in one.turns),
        ("Turn", one.situation.turn),
        ("Next", one.situation.next_step),
        ("Author", _author(one)),
        ("Session", link(path_to("sessions", one.origin.session), one.origin.session) if one.origin.session else ""),
        ("Opened", when(datetime.fromisoformat(one.opened), now) if one.opened else ""),
        ("Note", one.note),
        *(("Asks", question) for question in one.questions),
        ("Review style", ", ".join(one.protocols)),
        ("Compared with", one.compared_with),
        ("Policy", one.policy_changed),
        ("Exact version", element("span", one.digest, class_="mono")),
    )
    body = (together(element("dt", name), element("dd", text, class_="lines")) for name, text in rows if text)
    ways = (
        link(path_to("reviews", one.review, "work"), "Read the work itself"),
        link(path_to("reviews", one.review, "record"), "The record"),
    )
    return element("section", element("dl", *body), element("p", *ways, class_="filters"), class_="card")


def _author(one: ReviewShown) -> str:
    who = one.author
    more = (str(who.kind), who.model_family, f"operator {who.operator}" if who.operator else "")
    return f"{who.name} ({', '.join(each for each in more if each)})"


def _requirements(requirements: tuple[Explained, ...]) -> Iterator[Html]:
    if not requirements:
        return
    yield element("h2", "Requirements")
    rows = (
        element(
            "li",
            badge(str(one.status), _STATUSES.get(one.status, "bad")),
            element("span", f"{one.stage}: {one.requirement}"),
            element("span", one.reason, class_="soft small whole") if one.reason else None,
        )
        for one in requirements
    )
    yield element("ul", *rows, class_="list")


def _panel(report: str) -> Html | None:
    """The panel's report, placed before the decision that is asked for."""
    return element("section", element("pre", report), class_="card") if report else None


def _findings(visit: Visit, one: ReviewShown) -> Iterator[Html]:
    if one.findings:
        yield element("h2", "Findings")
    # Unsettled findings come first, the most severe of them before the rest.
    settled = (Standing.RESOLVED, Standing.WAIVED)
    for each in sorted(one.findings, key=lambda each: (each.standing in settled, -each.severity)):
        yield _finding(visit, one, each)


def _finding(visit: Visit, one: ReviewShown, finding: FindingShown) -> Html:
    place = f"{finding.place.path}:{finding.place.start}" if finding.place else ""
    head = (
        badge(finding.severity.name.lower(), _TONES[finding.severity]),
        badge(str(finding.standing), _STANDINGS[finding.standing]),
        badge("advisory") if finding.advisory else None,
        badge(f"cycle {finding.cycle}") if finding.cycle > 1 else None,
        element("span", place, class_="mono") if place else None,
        element("span", finding.finding, class_="mono soft"),
    )
    settled = (Standing.RESOLVED, Standing.WAIVED)
    rows = (
        ("Evidence", finding.evidence),
        ("Suggestion", finding.suggestion),
        ("Rebuttal" if finding.rebuttal else "Answer", finding.answer),
        ("Not resolved" if finding.cycle > 1 and finding.standing not in settled else "Note", finding.note),
        ("Only advice", finding.advisory),
    )
    body = tuple(together(element("dt", name), element("dd", text, class_="lines")) for name, text in rows if text)
    where = f"in review {finding.from_review} as {finding.from_finding}, on text that stands here too"
    place_of = where if finding.from_review else f"on version {finding.revision}"
    by = element("p", f"Raised by {finding.raiser} {place_of}.", class_="soft small")
    parts = (
        element("p", *head, class_="badges"),
        element("h3", finding.text, class_="lines"),
        element("dl", *body) if body else None,
        by,
        deciding.waiver(visit, one, finding),
    )
    return element("article", *parts, class_="card")


def _reports(one: ReviewShown) -> Iterator[Html]:
    if one.reports:
        yield element("h2", "Reports")
    programs = [each for each in one.reports if each.reviewer.kind is WhoKind.PROGRAM]
    raised = {each.raiser for each in one.findings}
    yield from (_report(each, raised) for each in one.reports if each not in programs)
    if programs:
        noted = sum(each.verdict is not Verdict.APPROVE for each in programs)
        is_silent = raised.isdisjoint(each.reviewer.name for each in programs)
        content = "which found nothing" if is_silent else "which stop nothing"
        found = content if not noted else f"{noted} of them not content"
        count = f"{len(programs)} report{'' if len(programs) == 1 else 's'} of programs, {found}"
        yield folded(count, *(_report(each, raised) for each in programs), opened=bool(noted))


def _report(report: ReportShown, raised: set[str]) -> Html:
    """A report; a reviewer who raised a finding, even a minor one, is not shown as having found nothing."""
    word, tone = _VERDICTS[report.verdict] if report.verdict else ("no verdict", "")
    if report.verdict is Verdict.APPROVE and report.reviewer.name in raised:
        word = "approves"
    who = report.reviewer
    more = ", ".join(each for each in (str(who.kind), who.model_family) if each)
    sure = f", {report.confidence} % sure" if report.confidence is not None else ""
    read = f", read {report.coverage} % of it" if report.coverage < 100 else ""  # noqa: PLR2004 - all of it
    kept = ", kept from the version before" if report.kept else ""
    head = (
        element("strong", who.name),
        badge(word, tone),
        element("span", f"{more}, on version {report.revision}{sure}{read}{kept}", class_="soft small"),
    )
    evidence = tuple(element("li", f"{each.what}: {each.why}") for each in report.evidence)
    checks = tuple(element("li", f"{each.name}: {'passed' if each.passed else 'failed'}") for each in report.checklist)
    return element(
        "article",
        element("p", *head, class_="badges"),
        element("p", report.summary, class_="lines") if report.summary else None,
        element("ul", *evidence, *checks) if evidence or checks else None,
        class_="card",
    )


def _is_whole(found: WorkShown) -> bool:
    """True if a page shows every byte of the work."""
    texts = (one.text for one in found.files)
    fits = len(found.files) <= FILES_MAX and len(found.deleted) <= FILES_MAX
    return fits and all(text is not None and len(text) <= FILE_CHARS_MAX for text in texts)


def _file(file: FileShown, secrets: tuple[Cut, ...]) -> Html:
    head = element("h2", file.path, class_="mono")
    if file.text is None:
        return together(head, element("p", f"Not text. SHA-256 {file.digest}", class_="soft"))
    shown = file.text[:FILE_CHARS_MAX]
    # A line break at the end does not begin another line.
    lines = shown.removesuffix("\n").split("\n")
    marks = {one.line: one.kind for one in secrets if one.path == file.path}
    numbered = together(*(_line(number, each, marks) for number, each in enumerate(lines, start=1)))
    whole = element("p", badge(f"secret: {marks[0].replace('-', ' ')}", "bad")) if 0 in marks else None
    cut = len(file.text) - len(shown)
    rest = element("p", f"{cut:,} more characters are not shown here; the API has them.", class_="bad")
    return together(head, whole, element("pre", numbered), rest if cut else None)


def _line(number: int, line: str, marks: Mapping[int, str]) -> Html:
    """A line with its number; a line with a secret is marked, because only humans are shown it."""
    shown = text(f"{number:>5}  {line}\n")
    if number not in marks:
        return shown
    return together(element("mark", shown), badge(f"secret: {marks[number].replace('-', ' ')}", "bad"), Html("\n"))


def _acted(one: Acted, now: datetime) -> Html:
    said = f"asks {one.asks} for a {one.says}" if one.asks else f"{_ACTED.get(one.what, one.what)} {one.says}"
    where = f" in {one.stage}" if one.stage else ""
    return element(
        "li",
        element("strong", one.who),
        element("span", f"{said}{where}"),
        element("span", when(datetime.fromisoformat(one.at), now), class_="soft small end"),
        element("span", one.why, class_="whole small lines") if one.why else None,
    )
