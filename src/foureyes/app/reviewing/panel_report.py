"""The Markdown report of a panel: strategy, confidence with its reason, the decision and how to change it, two tables.

Everything in it that comes from the work or from a reviewer is escaped, so that Markdown shows it as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from foureyes.core.assess import StageJudgement, assess
from foureyes.core.gates import Agreement
from foureyes.core.inherited import STAGE as INHERITED
from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Finding, Matched, Review
from foureyes.core.rules import Rules, Stage, Style
from foureyes.core.stack import stages_of
from foureyes.core.stages import missing
from foureyes.core.values import Outcome, Severity
from foureyes.core.views import View

TEXT_CHARS_MAX = 300
#: Most findings listed, because nobody reads a longer list; the tables count them all.
LISTED_MAX = 50
_LABELS = ((95, "Very High"), (80, "High"), (60, "Medium"), (0, "Low"))
_NOTHING = "—"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~])")
_OPEN, _SHUT = "☐", "☑"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One group of findings of a stage."""

    name: str
    count: int
    findings: tuple[Finding, ...]


def panel_report(rules: Rules, seen: View, stricter: Rules | None = None) -> str:
    """Return the report of a panel as this viewer may see it; empty if no panel judges this work."""
    review = seen.review
    every = stages_of(rules, review, stricter)
    stages = [one for one in every if one.options.style is Style.PANEL and one.name != INHERITED]
    if not stages:
        return ""
    judged = {one.stage.name: one for one in assess(rules, review, stricter).stages}
    lines = [f"## Review result: {_plain(review.title)}, round {review.revision}", ""]
    if any(one.name not in seen.whole for one in stages):
        return "\n".join([*lines, "The reports of the others are shown once you have handed in your own.", ""])
    lines += _head(review, stages, judged)
    for stage in stages:
        lines += ["", f"### {stage.name.capitalize()} findings", ""]
        lines += _stage(review, stage, judged.get(stage.name), stages)
    return "\n".join([*lines, ""])


def _head(review: Review, stages: list[Stage], judged: dict[str, StageJudgement]) -> Iterator[str]:
    yield f"**Strategy:** {_strategy(review, stages)}"
    said = _speaks(review, stages, judged)
    if said is None or said.confidence is None:
        yield f"**Confidence:** none yet; {_waiting(review, stages)}"
    else:
        label = next(name for least, name in _LABELS if said.confidence >= least)
        yield f"**Confidence: {label} ({_value(said.confidence)})** — {said.reason}"
    yield f"**Decision:** {_decision(review, stages, said)}"


def _strategy(review: Review, stages: list[Stage]) -> str:
    models = len(stages[0].seats)
    way = "Single" if models == 1 else "Parallel"
    early = review.revision == 1 and any(one.early for one in stages)
    many = models * len(stages) if early else models
    order = "spec and quality at once" if early else "spec first, quality once it passes"
    name = f"Speculative {way.lower()}" if early else way
    return f"{name} ({many} reviewer{'s' if many > 1 else ''}; {order})"


def _value(percent: int) -> str:
    text = f"{percent / 100:.2f}".rstrip("0")
    return f"{text}0" if text.endswith(".") else text


def _speaks(review: Review, stages: list[Stage], judged: dict[str, StageJudgement]) -> Judgement | None:
    """Return what the agreement gate says of the last stage that was looked at: the merged result of the panel."""
    for stage in reversed(stages):
        if stage.name not in judged:
            continue
        # Also for a stage that a human passed: the models' result stays the same.
        gate = next((one for one in stage.gates if isinstance(one, Agreement)), None)
        found = gate.judge(review, stage) if gate else None
        if found is not None and found.confidence is not None:
            return found
    return None


def _waiting(review: Review, stages: list[Stage]) -> str:
    for stage in stages:
        names = [_model(stage, one.seat) for one in missing(review, stage)]
        if names:
            return f"waiting for {', '.join(names)} on {stage.name}"
    return "no panel has spoken on this version"


def _decision(review: Review, stages: list[Stage], said: Judgement | None) -> str:
    """Say what was decided automatically and how to change that; else who decides."""
    switches = next((gate for gate in stages[-1].gates if isinstance(gate, Agreement)), Agreement())
    final = stages[-1].name
    ruling = review.ruling()
    if ruling is not None:
        switch = _switch(said.scenario, switches) if said and said.move is Move.ESCALATE else ""
        way = f" (to have it decided by itself: `{switch}`)" if switch else ""
        return f"escalated, a person decides: {_plain(ruling.text)}{way}"
    if known := _known(review, stages):
        return known
    if said is None or said.move is Move.WAIT or said.confidence is None:
        return "none yet"
    if said.move is Move.PASS:
        notes = " with notes" if said.flags else ""
        cleared = review.outcome is Outcome.CLEARED
        what = "approved" if cleared else f"{final} passed"
        return f"{what}{notes}, by itself (to decide yourself: `auto_approve: false`)"
    if said.move is Move.REVISE:
        switch = "b_only_critical: human" if said.scenario == "B-only critical" else "auto_reject: false"
        return f"sent back to be fixed, by itself (to decide yourself: `{switch}`)"
    switch = _switch(said.scenario, switches)
    return f"a person decides{f' (to have it decided by itself: `{switch}`)' if switch else ''}"


def _known(review: Review, stages: list[Stage]) -> str:
    """Say what a person decided, or how the review ended; empty if neither applies."""
    passed = [one.name for one in stages if (one.name, review.revision) in review.overridden]
    if passed:
        why = "; ".join(_plain(review.overridden[one, review.revision]) for one in passed)
        return f"a person passed {', '.join(passed)}: {why}"
    return f"{review.outcome}: {_plain(review.reason)}" if review.outcome not in (None, Outcome.CLEARED) else ""


def _switch(scenario: str, switches: Agreement) -> str:
    """Return the switch that would have decided this; empty if there is none."""
    if scenario in ("clean", "minor only"):
        return "auto_approve: true" if not switches.auto_approve else "auto_approve_single: true"
    if scenario == "agreed critical":
        return "auto_reject: true"
    return "b_only_critical: fix" if scenario == "B-only critical" else ""


def _stage(review: Review, stage: Stage, judged: StageJudgement | None, stages: list[Stage]) -> Iterator[str]:
    before = stages[: stages.index(stage)]
    if judged is None:
        failed = before and not any(missing(review, one) for one in before)
        reported = any(review.report_of(seat.id) for seat in review.seats_of(stage.name))
        if failed and reported:
            yield f"Discarded: {before[-1].name} did not pass."
        else:
            yield f"Not looked at: {before[-1].name} comes first." if before else "Not looked at yet."
        return
    if judged.status != "judged":
        yield f"{judged.status.capitalize()}: {_plain(judged.judgement.reason)}"
        return
    owed = missing(review, stage)
    if owed:
        yield f"Waiting for {', '.join(_model(stage, one.seat) for one in owed)}."
        return
    yield from ("| Group | Count | Severity | What follows |", "|---|---|---|---|")
    rows = _rows(review, stage)
    for row in rows:
        yield f"| {row.name} | {row.count} | {_severities(row.findings)} | {_follows(row, judged.judgement)} |"
    yield from _listed(rows)


def _rows(review: Review, stage: Stage) -> list[_Row]:
    """Return the four groups, the pairs that may be one, and what is not counted; the stronger model comes first."""
    of_stage = [one for one in review.findings_of(stage.name) if not one.is_settled]
    live = {one.id: one for one in of_stage if not one.is_advisory}
    matched = review.matched.get((stage.name, review.revision)) or Matched(groups=(), contradictions=(), uncertain=())

    def among(groups: Iterable[tuple[str, ...]]) -> tuple[int, tuple[Finding, ...]]:
        kept = [found for names in groups if (found := tuple(live[one] for one in names if one in live))]
        return len(kept), tuple(dict.fromkeys(one for found in kept for one in found))

    agreed = among(one.findings for one in matched.groups)
    at_odds = among(one.findings for one in matched.contradictions)
    perhaps = among(one.findings for one in matched.uncertain)
    named = {one.id for one in (*agreed[1], *at_odds[1])}
    rows = [_Row(name="Agreed", count=agreed[0], findings=agreed[1])]
    for index in reversed(range(len(stage.seats))):
        seat = stage.seat_id(index)
        alone = tuple(one for one in live.values() if one.seat == seat and one.id not in named)
        rows.append(_Row(name=f"{_model(stage, seat).capitalize()} only", count=len(alone), findings=alone))
    rows.append(_Row(name="Contradictions", count=at_odds[0], findings=at_odds[1]))
    rows.append(_Row(name="Perhaps the same (counted above)", count=perhaps[0], findings=perhaps[1]))
    aside = tuple(one for one in of_stage if one.is_advisory)
    return [*rows, _Row(name="Set aside", count=len(aside), findings=aside)] if aside else rows


def _model(stage: Stage, seat: str) -> str:
    """Return the model a seat is for, as the policy calls it."""
    number = seat.rpartition(".")[2]
    place = int(number) - 1 if number.isdecimal() else -1
    rule = stage.seats[place] if 0 <= place < len(stage.seats) else None
    return _plain((rule.model or next(iter(rule.roles), "")) if rule else "") or f"reviewer {number}"


def _severities(findings: tuple[Finding, ...]) -> str:
    worst = sorted({one.severity for one in findings}, reverse=True)
    return ", ".join(one.name.lower() for one in worst) or _NOTHING


def _follows(row: _Row, judgement: Judgement) -> str:
    if not row.findings:
        return _NOTHING
    if row.name == "Set aside":
        return "not counted"
    if max(one.severity for one in row.findings) is Severity.MINOR:
        return "noted, not blocking"
    return "sent back to be fixed" if judgement.move is Move.REVISE else "a person decides"


def _listed(rows: list[_Row]) -> Iterator[str]:
    """Yield each finding once, under the first group that has it."""
    first: dict[str, tuple[str, Finding]] = {}
    for row in rows:
        for one in row.findings:
            first.setdefault(one.id, (row.name.lower(), one))
    if first:
        yield ""
    for group, one in list(first.values())[:LISTED_MAX]:
        mark = _SHUT if one.is_settled or one.is_advisory else _OPEN
        yield f"- {mark} {one.severity.name.lower()}, {group}, {_where(one)}: {_plain(one.text)} ({_plain(one.id)})"
    if len(first) > LISTED_MAX:
        yield f"- and {len(first) - LISTED_MAX} more"


def _where(finding: Finding) -> str:
    place = finding.place
    if place is None or not place.path:
        return "the work as a whole"
    return _plain(f"{place.path}:{place.start}" if place.start else place.path)


def _plain(text: str) -> str:
    """Return untrusted text on one line, shortened, without markup and hidden characters."""
    seen = (" " if one.isspace() else one for one in text[: TEXT_CHARS_MAX * 4])
    kept = "".join(one for one in seen if unicodedata.category(one)[0] != "C")
    cut = kept if len(kept) <= TEXT_CHARS_MAX else f"{kept[: TEXT_CHARS_MAX - 1]}…"
    return _SPECIAL.sub(r"\\\1", " ".join(cut.split()))
