"""The decision forms on the page of a review: rule, override, waive and reopen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from foureyes.app.calls.shown import FindingShown, ReviewShown, RulingShown
from foureyes.app.gate import new_key
from foureyes.core.values import Option, Outcome, Standing
from foureyes.web.door import Visit, path_to
from foureyes.web.frame import folded, form, hidden, line, ticked, words
from foureyes.web.html import Html, element, prose, when

#: To lift a veto, a human must have signed in at most this long ago.
ANEW = timedelta(minutes=5)
_SETTLED = (Standing.RESOLVED, Standing.WAIVED)
_DIGITS_MAX = 9
#: The fields that each form of the page passes on to its call.
ACTS: dict[str, tuple[str, ...]] = {
    "rule": ("request", "option", "reason", "key"),
    "override": ("stage", "digest", "reason", "key"),
    "waive": ("finding", "reason", "key"),
    "reopen": ("reason", "undoes", "key"),
}
_DONE = {
    "rule": "Your decision is in the record.",
    "override": "The step was passed; your name and your reason are in the record.",
    "waive": "The finding was dismissed; your name and your reason are in the record.",
    "reopen": "The review is open again.",
}
_CLEAR = {each.value for each in Outcome}


def sent(visit: Visit, name: str) -> dict[str, object]:
    """The data of a form of the page, as its call takes them."""
    data: dict[str, object] = dict(visit.given(*ACTS[name]))
    if name == "rule" and (demands := demanded(visit.sent.get("demands", ""))):
        data["demands"] = demands
    if name == "override":
        number = visit.sent.get("revision", "")
        whole = number.isascii() and number.isdigit() and len(number) <= _DIGITS_MAX
        data["revision"] = int(number) if whole else number
    if name == "waive":
        data["false_positive"] = visit.sent.get("false_positive") == "yes"
    return data


def done(visit: Visit) -> Html | None:
    """What was just done, if this page follows one of its forms."""
    sentence = _DONE.get(visit.request.query_params.get("done", ""))
    return element("p", sentence, class_="note good", role="status") if sentence else None


def ruling(visit: Visit, one: ReviewShown, asked: RulingShown) -> Html:
    """The ruling that is requested, with a form of all its options."""
    now = visit.office.clock()
    sending = form(
        path_to("reviews", one.review, "rule"),
        visit.session,
        hidden("request", asked.request),
        _key(),
        *choices(asked),
        button="Decide",
    )
    return element(
        "section",
        element("h2", "A decision is asked for", id="ruling"),
        *question(asked),
        element("p", "Due ", when(asked.due, now), class_="soft small"),
        sending,
        class_="card asked",
    )


def question(asked: RulingShown) -> Iterator[Html]:
    """The question, who asks it, and who has already answered."""
    yield element("p", asked.text, class_="lines")
    yield from _asker(asked)
    yield from _votes(asked)


def choices(asked: RulingShown) -> Iterator[Html]:
    """The options to choose from, and the fields for the reason."""
    yield element("fieldset", element("legend", "What shall happen?"), *map(_option, asked.options))
    yield words("reason", "Why", "It stays in the record, with your name.")
    yield words("demands", "What must change", "A line each; only where you ask for a new version.", required=False)


def demanded(text: str) -> list[str]:
    """The required changes, one per line of the text."""
    return [one.strip() for one in text.split("\n") if one.strip()]


def waiver(visit: Visit, one: ReviewShown, finding: FindingShown) -> Html | None:
    """The form that dismisses a finding; None if the finding no longer counts or the review has ended."""
    if finding.standing in _SETTLED or one.state != "open":
        return None
    sending = form(
        path_to("reviews", one.review, "waive"),
        visit.session,
        hidden("finding", finding.finding),
        _key(),
        line("reason", "Why it shall not stop the work", required=True),
        ticked("false_positive", "It is not real"),
        button="Dismiss",
        tone="quiet",
    )
    return folded(f"Dismiss {finding.finding}", sending)


def others(visit: Visit, one: ReviewShown) -> Iterator[Html]:
    """The forms that do not answer a request: override a stage of an open review, or reopen an ended one."""
    if one.state != "open":
        if one.state in _CLEAR:
            yield from _reopening(visit, one)
        return
    stages = tuple(dict.fromkeys(each.stage for each in one.requirements))
    if not stages:
        return
    yield element("h2", "Pass a step yourself")
    if one.vetoed and not _is_fresh(visit):
        again = "A veto stands. To lift it, sign in again first (at most 5 minutes ago): `foureyes humans link`."
        yield element("p", prose(again), class_="note care")
    chosen = element("select", *(element("option", name, value=name) for name in stages), name="stage")
    sending = form(
        path_to("reviews", one.review, "override"),
        visit.session,
        hidden("digest", one.digest),
        hidden("revision", str(one.revision)),
        _key(),
        element("p", "Whatever its requirements say, for exactly this version: ", _short(one.digest)),
        element("label", "Step", chosen),
        line("reason", "Why", "It stays in the record, with your name.", required=True),
        button="Pass this step",
        tone="grave",
    )
    yield folded("Pass a step of exactly this version", sending)


def _reopening(visit: Visit, one: ReviewShown) -> Iterator[Html]:
    yield element("h2", "Set it going again")
    sending = form(
        path_to("reviews", one.review, "reopen"),
        visit.session,
        hidden("undoes", one.state),
        _key(),
        line("reason", "Why", required=True),
        button="Reopen",
        tone="grave",
    )
    yield folded("Reopen this review", sending)


def _option(each: Option) -> Html:
    told = (("takes", each.time), ("risk", each.risk), ("for", "; ".join(each.pros)), ("against", "; ".join(each.cons)))
    beside = " · ".join(f"{name}: {text}" for name, text in told if text)
    return element(
        "label",
        element("input", type="radio", name="option", value=each.id, required=True),
        element("span", element("strong", each.label), element("br"), element("span", beside, class_="soft small")),
        class_="choice",
    )


def _asker(asked: RulingShown) -> Iterator[Html]:
    if asked.by:
        yield element("p", f"{asked.by} asks for it{', and says:' if asked.argument else '.'}", class_="soft")
    if asked.argument:
        yield element("blockquote", asked.argument, class_="lines")


def _votes(asked: RulingShown) -> Iterator[Html]:
    if asked.needs > 1:
        whose = f" of {asked.group}" if asked.group else ""
        yield element("p", f"To open the gate it needs {asked.needs} humans{whose}.", class_="note")
    labels = {each.id: each.label for each in asked.options}
    for vote in asked.votes:
        yield element("p", f"{vote.by} has decided: {labels.get(vote.option, vote.option)}", class_="soft")


def _short(digest: str) -> Html:
    return element("span", digest, class_="mono")


def _is_fresh(visit: Visit) -> bool:
    since = visit.caller.signed_in
    return since is not None and visit.office.clock() - since <= ANEW


def _key() -> Html:
    """An idempotency key, so that a form that is sent twice takes effect once."""
    return hidden("key", new_key())
