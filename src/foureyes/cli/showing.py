"""A round for people: first the result, then the findings that matter most, then who looked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Agreement, Found, Outcome
from foureyes.cli import receipt_lines, telling
from foureyes.cli.answer import Line
from foureyes.cli.fitting import cut, cut_left, width_of, wrapped
from foureyes.cli.telling import Thing
from foureyes.core.situation import Result
from foureyes.core.values import Severity, Verification

#: How many things are shown in full, and how many more on a line each; the rest is folded.
FULL_MAX, BRIEF_MAX = 5, 10
#: At most this many places of one cause are listed; the rest is counted.
PLACES_MAX = 4
#: Limits of a sentence, in lines and in characters.
SENTENCE_LINES_MAX, SENTENCE_CHARS_MAX = 6, 1000
INDENT = "  "
_SIGNS = {
    Result.CLEARED: ("✓", "good head"),
    Result.NOTHING_BLOCKS: ("✓", "good head"),
    Result.BLOCKED: ("✗", "bad head"),
    Result.PENDING: ("…", "care head"),
    Result.INCONCLUSIVE: ("?", "care head"),
}
_TONES = {Severity.CRITICAL: "bad head", Severity.IMPORTANT: "care head", Severity.MINOR: "dim"}
_VERIFIED = {
    Verification.CONFIRMED: "confirmed by a second look",
    Verification.PLAUSIBLE: "a second look neither confirms nor refutes it",
    Verification.REFUTED: "refuted by a second look",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """The filter that a person chose for the output; what it hides is counted, and still counts for the result."""

    least: Severity = Severity.MINOR
    #: Empty means all categories.
    categories: tuple[str, ...] = ()
    #: How many things are shown in full.
    most: int = FULL_MAX

    def has(self, thing: Thing) -> bool:
        """True if any place of the thing passes the filter."""
        wanted = (self.least <= one.severity and self._is_named(one) for one in (thing.first, *thing.others))
        return any(wanted)

    def _is_named(self, found: Found) -> bool:
        return not self.categories or found.category.lower() in self.categories


EVERYTHING = Picked()


def shown(
    outcome: Outcome, *, width: int, everything: bool = False, quiet: bool = False, picked: Picked = EVERYTHING
) -> tuple[Line, ...]:
    """All lines about a round."""
    every = telling.things(outcome.found)
    found = tuple(one for one in every if picked.has(one))
    blocking = [one for one in found if one.blocking]
    hidden = _hidden([one for one in every if not picked.has(one)], width)
    if quiet:
        few = (brief(one, width) for one in blocking[:BRIEF_MAX])
        what = list(_about(outcome, width))[:1] if blocking else []
        return (*head(outcome, width), *what, *few, *_more(blocking, width), *hidden)
    if outcome.nothing:
        return (*head(outcome, width), *receipt_lines.next_lines(outcome, width))
    if receipt_lines.is_calm(outcome):
        return (*head(outcome, width), *receipt_lines.calm(outcome, width=width, everything=everything))
    lines = [*head(outcome, width), *_about(outcome, width)]
    shown_ones = found if everything else tuple(blocking[: picked.most])
    for thing in shown_ones:
        lines += [Line(""), *told(thing, width, everything=everything)]
    if not everything:
        lines += _folded(outcome, found, width, picked.most)
    lines += [Line("")] if hidden and shown_ones else []
    lines += hidden
    lines += [Line("")] if shown_ones else []
    lines += receipt_lines.shown(outcome, width=width, everything=everything)
    return tuple(lines)


def head(outcome: Outcome, width: int) -> Iterator[Line]:
    """The headline."""
    sign, tone = _SIGNS[outcome.result]
    first, *rest = wrapped(marked(telling.headline(outcome)), width - len(INDENT))
    yield Line(f"{sign} {first}", tone)
    yield from (Line(f"{INDENT}{one}", tone) for one in rest)


def _about(outcome: Outcome, width: int) -> Iterator[Line]:
    size = f"{telling.counted(outcome.files, 'file')}, {telling.counted(outcome.lines, 'changed line')}"
    of = f" of {outcome.revisions_max}" if outcome.revisions_max else ""
    facts = [outcome.kind, size if outcome.files else "", f"round {outcome.revision}{of}"]
    tail = " · ".join(marked(one, 60) for one in facts if one)
    room, title = width - len(INDENT), marked(outcome.title, 200)
    if title and width_of(title) + 3 + width_of(tail) <= room:
        yield Line(f"{INDENT}{title} · {tail}", "dim")
        return
    if title:
        yield Line(f"{INDENT}{cut(title, room)}", "dim")
    yield from (Line(f"{INDENT}{one}", "dim") for one in wrapped(tail, room))


def told(thing: Thing, width: int, *, everything: bool) -> Iterator[Line]:
    """One thing in full: place, quote, what is wrong, why, how to fix it, and who found it."""
    found = thing.first
    yield from _where(found, width)
    if found.quote:
        yield Line(f"{INDENT}│ ", "dim", ((cut(marked(found.quote).strip(), width - 4), ""),))
    yield from sentence(f"{found.text}." if found.text[-1:].isalnum() else found.text, width)
    yield from _labelled("Why", found.why, width)
    if found.evidence and found.evidence.strip() not in (found.quote.strip(), found.text.strip()):
        yield from _labelled("Seen", found.evidence, width)
    yield from _labelled("Fix", found.suggestion, width, tone="good")
    yield from _labelled("By", _by(found), width, tone="dim")
    if not found.blocking:
        reason = f": {found.why_not_blocking}" if found.why_not_blocking else ""
        yield from _labelled("Note", f"does not block{reason}", width, tone="dim")
    yield from _places(thing, width, everything=everything)


def _where(found: Found, width: int) -> Iterator[Line]:
    """Severity, place and id on one line, or the id on the next line if it does not fit."""
    grave, where = found.severity.name.lower(), marked(telling.place(found), 1000)
    name = marked(found.id, 60)
    new = "" if found.is_new else "again"
    tail = "  ".join(one for one in (marked(found.rule, 80), new, name) if one)
    room = width - len(INDENT) - len(grave) - 2
    if width_of(where) + 2 + width_of(tail) <= room:
        gap = " " * max(2, room - width_of(where) - width_of(tail))
        more = (("  ", ""), (where, "strong"), (f"{gap}{tail}", "dim"))
        yield Line(f"{INDENT}{grave}", _TONES[found.severity], more)
        return
    yield Line(f"{INDENT}{grave}", _TONES[found.severity], (("  ", ""), (cut_left(where, room), "strong")))
    yield from (Line(f"{INDENT}{one}", "dim") for one in wrapped(tail, width - len(INDENT)))


def sentence(text: str, width: int, indent: str = INDENT, tone: str = "") -> Iterator[Line]:
    """Untrusted text in lines that fit; text that is too long ends in an ellipsis."""
    lines = list(wrapped(marked(text, SENTENCE_CHARS_MAX), width - len(indent)))
    if len(lines) > SENTENCE_LINES_MAX:
        lines = [*lines[: SENTENCE_LINES_MAX - 1], cut(f"{lines[SENTENCE_LINES_MAX - 1]} …", width - len(indent))]
    yield from (Line(f"{indent}{one}", tone) for one in lines)


def _labelled(label: str, text: str, width: int, tone: str = "") -> Iterator[Line]:
    indent = " " * (len(INDENT) + 6)
    for number, line in enumerate(sentence(text, width, indent, tone)):
        yield Line(f"{INDENT}{label:<6}", "dim", ((line.text[len(indent) :], tone),)) if number == 0 else line


def _by(found: Found) -> str:
    words = [telling.listed(found.raised_by, 4)]
    if found.agreement is Agreement.CONTRADICTED:
        words.append("others say the opposite")
    elif found.agreement is Agreement.AGREED and len(found.raised_by) > 1:
        words.append("they agree")
    elif found.agreement is Agreement.UNCERTAIN:
        words.append("perhaps the same as another one here")
    if found.verification:
        # The reason is shown only if the verification is undecided: confirmed and refuted need no explanation.
        open_still = found.verification is Verification.PLAUSIBLE and found.verified_because
        words.append(_VERIFIED[found.verification] + (f": {found.verified_because}" if open_still else ""))
    return "; ".join(one for one in words if one)


def _places(thing: Thing, width: int, *, everything: bool) -> Iterator[Line]:
    if not thing.others:
        return
    named = thing.others if everything else thing.others[:PLACES_MAX]
    rest = len(thing.others) - len(named)
    where = ", ".join(f"{telling.place(one)}" for one in named) + (f" and {rest:,} more" if rest else "")
    text = f"The same in {telling.counted(len(thing.others), 'more place', 'more places')}: {where}"
    if everything:
        yield from (Line(f"{INDENT}{one}", "care") for one in wrapped(marked(text, 100_000), width - len(INDENT)))
    else:
        yield from sentence(text, width, tone="care")


def brief(thing: Thing, width: int) -> Line:
    """One thing on one line."""
    found = thing.first
    grave = f"{found.severity.name.lower():<9}"
    where = marked(telling.place(found), 1000)
    many = f" (and {len(thing.others):,} more)" if thing.others else ""
    room = width - len(INDENT) - len(grave) - 2
    text = cut(f"{cut_left(where, room // 2)}{many}  {marked(found.text, 300)}", room)
    return Line(f"{INDENT}{grave}", _TONES[found.severity], ((f"  {text}", ""),))


def _more(things: Iterable[Thing], width: int) -> Iterator[Line]:
    rest = len(list(things)) - BRIEF_MAX
    if rest > 0:
        yield Line(cut(f"{INDENT}and {telling.counted(rest, 'more', 'more')}", width), "dim")


def _hidden(things: list[Thing], width: int) -> tuple[Line, ...]:
    """The line that counts what the filter hides, so that a hidden finding to fix is never left unmentioned."""
    grave = sum(one.blocking for one in things)
    notes = len(things) - grave
    parts = [f"{grave:,} to fix" if grave else "", telling.counted(notes, "note") if notes else ""]
    text = f"Left out, as you asked: {' and '.join(one for one in parts if one)}."
    tone = "care" if grave else "dim"
    return tuple(Line(f"{INDENT}{one}", tone) for one in wrapped(text, width - len(INDENT))) if things else ()


def _folded(outcome: Outcome, found: tuple[Thing, ...], width: int, most: int) -> Iterator[Line]:
    """What is folded, and how to see it."""
    blocking = [one for one in found if one.blocking]
    rest, notes = blocking[most:], len(found) - len(blocking)
    if rest:
        yield Line("")
        yield Line(f"{INDENT}{telling.counted(len(rest), 'more', 'more')} to fix:", "strong")
        yield from (brief(one, width) for one in rest[:BRIEF_MAX])
    folded = [
        f"{telling.counted(len(rest) - BRIEF_MAX, 'more', 'more')} to fix" if len(rest) > BRIEF_MAX else "",
        telling.notes(notes) if notes else "",
    ]
    text = " and ".join(one for one in folded if one)
    older = f"{telling.counted(outcome.older, 'finding')} on older lines, which are not judged" if outcome.older else ""
    them = "it" if notes + max(len(rest) - BRIEF_MAX, 0) == 1 else "them"
    if not text and not older:
        return
    if blocking:
        yield Line("")
    said = ". ".join(one for one in (f"Folded: {text}; --all shows {them}" if text else "", older) if one)
    yield from (Line(f"{INDENT}{one}", "dim") for one in wrapped(f"{said}.", width - len(INDENT)))
