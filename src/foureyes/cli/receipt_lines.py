"""The lines below the findings of a round: who looked, what was not read, independence, cost, and what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Looked, LookedKind, LookedState, Outcome
from foureyes.cli import telling
from foureyes.cli.answer import Line
from foureyes.cli.fitting import width_of, wrapped
from foureyes.core.situation import Result

#: At most this many lines about one subject, such as unread files; the rest is counted.
LISTED_MAX = 3
#: At most this many absent reviewers have a line each; more of them share one.
ABSENT_MAX = 2
INDENT = "  "
LABEL = 14
#: On narrower terminals a label has a line of its own.
NARROW = 60
TEXT_CHARS_MAX = 600
#: Reasons that are the same for every absent agent.
_COMMON = ("not installed", "not logged in")
_ESCAPED = re.compile(r"\\([^\w\s])")
_TONES = {
    LookedState.FOUND_NOTHING: "",
    LookedState.HAS_FINDINGS: "",
    LookedState.VERIFIED: "",
    LookedState.REJECTS: "bad",
}


def shown(outcome: Outcome, *, width: int, everything: bool = False) -> Iterator[Line]:
    """The lines below the findings."""
    yield from _panel(outcome, width, everything=everything)
    yield from _looked(outcome, width, everything=everything)
    yield from _missing(outcome, width, everything=everything)
    yield from rows("Independence", [_independence(outcome)], width, "")
    yield from rows("Gate", [_gate(outcome)], width, "")
    yield from rows("Took", [_took(outcome)], width, "dim")
    yield from next_lines(outcome, width)


def _panel(outcome: Outcome, width: int, *, everything: bool) -> Iterator[Line]:
    """The panel's decision, or its whole report if everything is shown."""
    lines = outcome.report.splitlines()
    if everything and lines:
        for line in lines:
            yield from (Line(f"{INDENT}{part}") for part in wrapped(marked(line), width - len(INDENT)))
            if not line:
                yield Line("")
        yield Line("")
        return
    yield from rows("Panel", [_unmarked(one) for one in lines if one.startswith("**")], width, "")


def _unmarked(line: str) -> str:
    return _ESCAPED.sub(r"\1", line.replace("**", ""))


def is_calm(outcome: Outcome) -> bool:
    """True if the review is free to go and has neither findings nor a report."""
    return outcome.result in (Result.CLEARED, Result.NOTHING_BLOCKS) and not outcome.found and not outcome.report


def calm(outcome: Outcome, *, width: int, everything: bool = False) -> Iterator[Line]:
    """The few lines for a round in which all is well."""
    answered = [one for one in outcome.looked if one.answered]
    programs = [one for one in answered if one.kind is LookedKind.PROGRAM]
    names = [one.reviewer for one in answered if one.kind is not LookedKind.PROGRAM]
    who = telling.listed([*names, telling.counted(len(programs), "program") if programs else ""], 5)
    size = f" read {telling.counted(outcome.files, 'file')}, {telling.counted(outcome.lines, 'changed line')}"
    took = f" in {telling.duration(outcome.seconds)}" if outcome.seconds else ""
    words = [
        f"{who}{size if outcome.files else ' looked'}{took}",
        telling.cost(outcome.usd_micro, outcome.tokens),
        f"independence {outcome.independence.level} of 3",
        _policy(outcome),
        _version(outcome) if outcome.result is Result.CLEARED else "",
    ]
    said = " · ".join(one for one in words if one)
    yield from (Line(f"{INDENT}{one}", "dim") for one in wrapped(marked(said), width - len(INDENT)))
    staged = _is_staged(outcome)
    failed = [_one(one, staged=staged) for one in outcome.looked if not one.answered]
    yield from rows("Could not", failed, width, "care")
    yield from _missing(outcome, width, everything=everything)
    yield from next_lines(outcome, width)


def _missing(outcome: Outcome, width: int, *, everything: bool) -> Iterator[Line]:
    """What was not reviewed, and what no longer counts."""
    most = 1_000 if everything else LISTED_MAX
    yield from rows("Did not look", _absent(outcome, everything=everything), width, "care")
    unread = [f"{one.path}: {one.why}" for one in outcome.unread]
    yield from _many("Not read", unread, width, "care", most)
    yield from _many("Ignored", list(outcome.ignored), width, "care", most)
    settled = [f"{one.id} {one.how or 'no longer there'}: {one.text}" for one in outcome.settled]
    yield from _many("Settled", settled, width, "good", most)
    dismissed = [f"{one.found.id} by {one.by}{_on(one.at)}: {one.because}" for one in outcome.dismissed]
    yield from _many("Dismissed", dismissed, width, "dim", most)
    yield from rows("Note", list(outcome.notes), width, "care")


def _on(at: datetime | None) -> str:
    return f" on {at.astimezone():%Y-%m-%d}" if at else ""


def _looked(outcome: Outcome, width: int, *, everything: bool) -> Iterator[Line]:
    """Who looked: programs that answered share a line, and everyone else has one, also those who could not answer."""
    programs = [one for one in outcome.looked if one.kind is LookedKind.PROGRAM]
    calm = [] if everything else [one for one in programs if one.answered]
    stopped = [one for one in programs if not one.answered and outcome.interrupted and not everything]
    staged = _is_staged(outcome)
    told = [one for one in outcome.looked if one not in (*calm, *stopped)]
    rows = [(_one(one, staged=staged), _TONES.get(one.state, "care")) for one in told]
    if stopped:
        names = telling.listed((one.reviewer for one in stopped), 6)
        rows.insert(0, (f"not done when it was stopped: {names}", "care"))
    if calm:
        rows.insert(0, (_programs(calm), ""))
    label = "Looked before" if outcome.held_up else "Looked"
    for number, (text, tone) in enumerate(rows):
        yield from _row(label if number == 0 else "", text, width, tone)


def _programs(calm: list[Looked]) -> str:
    loud = sorted(one.reviewer for one in calm if one.state is not LookedState.FOUND_NOTHING)
    names = telling.listed([*loud, *sorted(one.reviewer for one in calm if one.reviewer not in loud)], 6)
    said = f"; findings from {telling.listed(loud)}" if loud and len(loud) < len(calm) else ""
    return f"{telling.counted(len(calm), 'program')}: {names}{said or ('' if loud else '; found nothing')}"


def _is_staged(outcome: Outcome) -> bool:
    """True if agents and models were asked in more than one stage."""
    return len({_stage(one) for one in outcome.looked if one.kind is not LookedKind.PROGRAM}) > 1


def _stage(looked: Looked) -> str:
    """The stage of a look; a verifier's seat is named after the stage it belongs to."""
    stage, dot, seat = looked.stage.rpartition(".")
    return stage if dot and seat.isdecimal() else looked.stage


def _one(looked: Looked, *, staged: bool = False) -> str:
    """The result of one look; with its stage if there are several."""
    state = "could not say" if looked.state is LookedState.INCONCLUSIVE else looked.state.value
    until = f", until {looked.until.astimezone():%H:%M}" if looked.until and " until " not in looked.reason else ""
    why = f" ({looked.reason.rstrip('.')}{until})" if looked.reason else until
    took = [telling.duration(looked.seconds) if looked.seconds else "", telling.cost(looked.usd_micro, looked.tokens)]
    facts = "".join(f", {one}" for one in took if one)
    summary = f": {looked.summary}" if looked.summary and looked.state is not LookedState.FOUND_NOTHING else ""
    where = f" ({_stage(looked)})" if staged and looked.stage else ""
    return f"{looked.reviewer}{where} {state}{why}{facts}{summary}"


def _absent(outcome: Outcome, *, everything: bool) -> list[str]:
    """Who did not look; reviewers with the same reason share a line, and so do many different ones."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in outcome.not_looked:
        reasons.setdefault((one.why.rstrip("."), one.next_step), []).append(one.who)
    rows = [(telling.listed(names, 6), why, step) for (why, step), names in reasons.items()]
    if len(rows) <= ABSENT_MAX or everything:
        return [f"{names}: {why}." + (f" {step}" if step else "") for names, why, step in rows]
    rows = list(_alike(outcome))
    told = any("doctor" in one.line for one in telling.next_commands(outcome))
    step = "" if told else " `foureyes doctor` says what to do."
    if any(why.startswith("not allowed yet") for _, why, _ in rows):
        step += " `foureyes review --ask` asks you who may."
    return ["; ".join(f"{names} ({why})" for names, why, _ in rows) + f".{step}"]


def _alike(outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    """Names and their reason; agents whose reasons differ only in the agent's name are grouped."""
    reasons: dict[str, list[str]] = {}
    for one in outcome.not_looked:
        agent = one.who.isalnum()  # a model's name includes its provider, and it lacks other things
        common = next((text for text in _COMMON if agent and one.why.rstrip(".").endswith(f" is {text}")), "")
        reasons.setdefault(common or one.why.rstrip("."), []).append(one.who)
    yield from ((telling.listed(names, 6), why, "") for why, names in reasons.items())


def _independence(outcome: Outcome) -> str:
    found = outcome.independence
    return f"{found.level} of 3" + (f": {found.words}" if found.words else "")


def _gate(outcome: Outcome) -> str:
    """What the gate says, unless the headline has said it."""
    told = outcome.result in (Result.CLEARED, Result.NOTHING_BLOCKS)
    if told or not outcome.gate or (outcome.result is Result.BLOCKED and not outcome.blocking):
        return ""
    turns = [] if outcome.interrupted else [f"{one.who}: {one.what}" for one in outcome.waits]
    said = outcome.gate.rstrip(".")
    return f"{said[:1].upper()}{said[1:]}." + (f" Waiting for {telling.listed(turns)}." if turns else "")


def _took(outcome: Outcome) -> str:
    words = [
        telling.duration(outcome.seconds) if outcome.seconds else "",
        telling.cost(outcome.usd_micro, outcome.tokens),
        _policy(outcome),
        f"review {outcome.review}" if outcome.review else "",
        _version(outcome),
    ]
    return " · ".join(one for one in words if one)


def _policy(outcome: Outcome) -> str:
    return f"policy {outcome.policy}" + (f" ({outcome.policy_from})" if outcome.policy_from else "")


def _version(outcome: Outcome) -> str:
    return f"version {outcome.digest.rpartition(':')[2][: telling.DIGITS]}" if outcome.digest else ""


def next_lines(outcome: Outcome, width: int) -> Iterator[Line]:
    """The next commands in a column with their purpose beside them, or below them if that is too wide."""
    commands = [(marked(one.line, 300), marked(one.does, 200)) for one in telling.next_commands(outcome)]
    longest = max(width_of(line) for line, _ in commands)
    narrow = width < NARROW
    indent = 2 * len(INDENT) if narrow else len(INDENT) + LABEL
    beside = all(indent + longest + 2 + width_of(does) <= width for _, does in commands)
    if outcome.found:
        yield Line("")
    if narrow:
        yield Line(f"{INDENT}Next", "strong")
    for number, (line, does) in enumerate(commands):
        label = " " * indent if narrow else f"{INDENT}{'Next' if number == 0 else '':<{LABEL}}"
        gap = " " * (longest - width_of(line) + 2)
        yield Line(label, "strong", ((line, "command"), (f"{gap}{does}" if beside else "", "dim")))
        if not beside:
            yield from (Line(f"{' ' * (indent + 2)}{one}", "dim") for one in wrapped(does, width - indent - 2))


def _many(label: str, texts: list[str], width: int, tone: str, most: int) -> Iterator[Line]:
    rest = len(texts) - most
    more = [f"and {rest:,} more; --all shows them"] if rest > 0 else []
    yield from rows(label, [*texts[:most], *more], width, tone)


def rows(label: str, texts: list[str], width: int, tone: str) -> Iterator[Line]:
    """Each text on lines of its own, the first beside the label."""
    for number, text in enumerate(one for one in texts if one):
        yield from _row(label if number == 0 else "", text, width, tone)


def _row(label: str, text: str, width: int, tone: str) -> Iterator[Line]:
    """A label and its text, in two columns if there is room."""
    narrow = width < NARROW
    indent = 2 * len(INDENT) if narrow else len(INDENT) + LABEL
    head = f"{INDENT}{label:<{LABEL}}"
    if narrow:
        if label:
            yield Line(head.rstrip(), "dim")
        head = " " * indent
    for number, line in enumerate(wrapped(marked(text, TEXT_CHARS_MAX), width - indent)):
        yield Line(head, "dim", ((line, tone),)) if number == 0 else Line(f"{' ' * indent}{line}", tone)
