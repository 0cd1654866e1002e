"""How does one review look on a page, and what can a human decide there?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from starlette.responses import Response

from foureyes.app.calls.looking import FileShown
from foureyes.app.calls.shown import FindingShown, ReportShown, ReviewShown, RulingShown
from foureyes.app.gate import new_key
from foureyes.core.values import Outcome, Standing
from foureyes.web.door import Turned, Visit, away, path_to
from foureyes.web.frame import form, hidden, line, link, page, words
from foureyes.web.html import Html, element, together

#: So much of a file is shown on a page; all of it is at the API.
FILE_CHARS_MAX = 200_000
FILES_MAX = 100
#: How long ago a human may have signed in who lifts a veto.
ANEW = timedelta(minutes=5)
_SETTLED = (Standing.RESOLVED, Standing.WAIVED)
#: What each form of the page sends on to its call.
ACTS: dict[str, tuple[str, ...]] = {
    "rule": ("request", "option", "reason", "key"),
    "override": ("stage", "digest", "reason", "key"),
    "waive": ("finding", "reason", "key"),
    "reopen": ("reason", "undoes", "key"),
}


async def show(visit: Visit) -> Response:
    """A review as this human may see it, and what they can do about it."""
    one: ReviewShown = (await visit.call("read_review", review=visit.request.path_params["review"])).review
    return page(
        one.title,
        _facts(one),
        _ruling(visit, one, one.ruling) if one.ruling else None,
        *(_requirement(each.stage, each.requirement, str(each.status), each.reason) for each in one.requirements),
        element("h2", "Findings") if one.findings else None,
        *(_finding(visit, one, each) for each in one.findings),
        element("h2", "Reports") if one.reports else None,
        *map(_report, one.reports),
        *_decisions(visit, one),
        session=visit.session,
    )


async def work(visit: Visit) -> Response:
    """The bytes of the current version, as text."""
    found = await visit.call("read_work", review=visit.request.path_params["review"])
    rest = len(found.files) - FILES_MAX
    return page(
        f"Version {found.revision}",
        element("p", found.digest, class_="mono"),
        *map(_file, found.files[:FILES_MAX]),
        element("p", f"{rest} more files are not shown here; the API has them.", class_="bad") if rest > 0 else None,
        session=visit.session,
    )


async def act(visit: Visit) -> Response:
    """Do what a form of the page says, by the call of its name."""
    review, name = visit.request.path_params["review"], visit.request.path_params["act"]
    if name not in ACTS:
        raise Turned(404, "There is nothing here.", "Go back to the review.")
    data: dict[str, object] = {"review": review, **visit.given(*ACTS[name])}
    if name == "rule" and (demands := visit.sent.get("demands", "").strip()):
        data["demands"] = [one.strip() for one in demands.split("\n") if one.strip()]
    if name == "override":
        number = visit.sent.get("revision", "")
        data["revision"] = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else number  # noqa: PLR2004
    if name == "waive":
        data["false_positive"] = visit.sent.get("false_positive") == "yes"
    await visit.call(name, **data)
    return away(path_to("reviews", review))


def _facts(one: ReviewShown) -> Html:
    rows = {
        "State": f"{one.state}{f': {one.reason}' if one.reason else ''}",
        "Author": f"{one.author.name} ({one.author.kind})",
        "Kind": one.kind,
        "Version": f"{one.revision}, {one.digest}",
        "Note": one.note,
        "Waiting for": "; ".join(f"{', '.join(turn.who)}: {turn.what}" for turn in one.turns),
        "Vetoed in": ", ".join(one.vetoed),
    }
    body = (element("tr", element("th", name), element("td", text)) for name, text in rows.items() if text)
    hidden_yet = element("p", "Some of it is hidden until your own report is in.", class_="soft") if one.hides else None
    work_link = element("p", link(path_to("reviews", one.review, "work"), "Read the work itself"))
    return together(element("table", *body), hidden_yet, work_link)


def _requirement(stage: str, requirement: str, status: str, reason: str) -> Html:
    tone = "good" if status == "met" else "bad"
    return element("p", element("span", f"{status} ", class_=tone), f"{stage}: {requirement}. {reason}")


def _ruling(visit: Visit, one: ReviewShown, ruling: RulingShown) -> Html:
    options = (
        element(
            "label",
            element("input", type="radio", name="option", value=each.id, required=True),
            f" {each.label}",
            *_beside(each.time, each.risk, each.pros, each.cons),
            class_="choice",
        )
        for each in ruling.options
    )
    needs = element("p", f"It needs {ruling.needs} humans.", class_="soft") if ruling.needs > 1 else None
    sending = form(
        path_to("reviews", one.review, "rule"),
        visit.session,
        hidden("request", ruling.request),
        _key(),
        *options,
        words("reason", "Why"),
        words("demands", "What must change, a line each (only where a new version is asked for)", required=False),
        button="Decide",
    )
    head = element("h2", f"A decision is asked for: {ruling.reason}", id="ruling")
    return together(head, element("p", ruling.text), needs, element("section", sending, class_="card"))


def _beside(time: str, risk: str, pros: tuple[str, ...], cons: tuple[str, ...]) -> Iterator[Html]:
    said = (("takes", time), ("risk", risk), ("for", "; ".join(pros)), ("against", "; ".join(cons)))
    for name, text in said:
        if text:
            yield element("div", f"{name}: {text}", class_="soft")


def _finding(visit: Visit, one: ReviewShown, finding: FindingShown) -> Html:
    place = f", {finding.place.path}:{finding.place.start}" if finding.place else ""
    head = f"{finding.finding}, {finding.severity.name.lower()}{place}, {finding.standing}"
    rows = (
        ("Evidence", finding.evidence),
        ("Suggestion", finding.suggestion),
        ("Answer", f"{'rebuttal: ' if finding.rebuttal else ''}{finding.answer}" if finding.answer else ""),
        ("Note", finding.note),
        ("Only advice", finding.advisory),
    )
    body = (element("p", element("strong", f"{name}: "), text) for name, text in rows if text)
    waiver = _waiver(visit, one, finding) if finding.standing not in _SETTLED and one.state == "open" else None
    by = element("p", f"Raised by {finding.raiser} on version {finding.revision}.", class_="soft")
    parts = (element("h3", head), element("p", finding.text), *body, by, waiver)
    return element("section", *parts, class_="card")


def _waiver(visit: Visit, one: ReviewShown, finding: FindingShown) -> Html:
    return form(
        path_to("reviews", one.review, "waive"),
        visit.session,
        hidden("finding", finding.finding),
        _key(),
        line("reason", "Why it shall not stop the work", required=True),
        element(
            "label",
            element("input", type="checkbox", name="false_positive", value="yes"),
            " It is not real",
            class_="choice",
        ),
        button="Dismiss",
    )


def _report(report: ReportShown) -> Html:
    head = f"{report.reviewer.name} on version {report.revision}: {report.verdict or 'no verdict'}"
    evidence = (element("li", f"{each.what}: {each.why}") for each in report.evidence)
    return element(
        "section", element("h3", head), element("p", report.summary), element("ul", *evidence), class_="card"
    )


def _decisions(visit: Visit, one: ReviewShown) -> Iterator[Html]:
    """What a human may do beside answering what is asked."""
    if one.state != "open":
        if one.state in {each.value for each in Outcome}:
            yield element("h2", "Set it going again")
            yield form(
                path_to("reviews", one.review, "reopen"),
                visit.session,
                hidden("undoes", one.state),
                _key(),
                line("reason", "Why", required=True),
                button="Reopen",
            )
        return
    stages = tuple(dict.fromkeys(each.stage for each in one.requirements))
    if not stages:
        return
    yield element("h2", "Pass a step of exactly this version")
    if one.vetoed and not _is_fresh(visit):
        yield element("p", "A veto stands: to lift it, sign in again first (at most 5 minutes ago).", class_="bad")
    chosen = element("select", *(element("option", name, value=name) for name in stages), name="stage")
    yield form(
        path_to("reviews", one.review, "override"),
        visit.session,
        hidden("digest", one.digest),
        hidden("revision", str(one.revision)),
        _key(),
        element("label", "Step", chosen),
        line("reason", "Why; it stays in the record", required=True),
        button="Pass this step",
    )


def _is_fresh(visit: Visit) -> bool:
    since = visit.caller.signed_in
    return since is not None and visit.office.clock() - since <= ANEW


def _file(file: FileShown) -> Html:
    head = element("h2", file.path, class_="mono")
    if file.text is None:
        return together(head, element("p", f"Not text. SHA-256 {file.digest}", class_="soft"))
    shown = file.text[:FILE_CHARS_MAX]
    numbered = "\n".join(f"{number:>5}  {each}" for number, each in enumerate(shown.split("\n"), start=1))
    cut = len(file.text) - len(shown)
    rest = element("p", f"{cut:,} more characters are not shown here; the API has them.", class_="bad")
    return together(head, element("pre", numbered), rest if cut else None)


def _key() -> Html:
    """Sent twice, a form does its work once."""
    return hidden("key", new_key())
