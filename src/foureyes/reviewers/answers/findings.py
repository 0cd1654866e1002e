"""Keeps the findings of an answer whose file, line and evidence are in the work.

A finding with an invented file or line is dropped. One whose evidence cannot be found may be right, so it is kept, but
as a minor note: it cannot stop the work. So is one on lines this work does not change: they were judged before. Neither
leads to an approval, see `verdicts`: this work may have made those lines wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from foureyes.app.reviewers import File
from foureyes.core.commands import Draft
from foureyes.core.matching import similarity
from foureyes.core.values import Place, Severity
from foureyes.reviewers.answers.schema import FINDINGS_MAX
from foureyes.reviewers.answers.shape import SaidFinding
from foureyes.reviewers.answers.work import Work

#: Texts about the same lines that are this similar, in percent, count as the same.
ALIKE_MIN = 60
UNPROVEN = "(unproven: the words quoted as evidence are not in the work)"
NO_EVIDENCE = "(unproven: no evidence was quoted)"
UNCHANGED = "(on lines that this work does not change)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The findings that count, and how many do not, or count less."""

    drafts: tuple[Draft, ...] = ()
    worst: Severity | None = None
    left_out: int = 0
    #: Of those left out, the ones that would have stopped the work.
    grave_left_out: int = 0
    unproven: int = 0
    unchanged: int = 0
    too_many: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What people are told about findings that count less, or not at all."""
        told = (
            (self.left_out, "left out: it names a file or a line that is not in the work"),
            (self.unproven, "kept as a minor note: its evidence is not in the work"),
            (self.unchanged, "kept as a minor note: it is on lines this work does not change"),
            (self.too_many, f"left out: more than {FINDINGS_MAX} were handed in"),
        )
        return tuple(f"{many} finding{'s' if many > 1 else ''} {why}." for many, why in told if many)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """A finding after it was looked up, and what was wrong with it."""

    draft: Draft
    severity: Severity
    unproven: bool = False
    unchanged: bool = False


def keep_findings(said: Iterable[SaidFinding], work: Work) -> Kept:
    """Look each finding up in the work, merge those that say the same, the gravest first."""
    every = sorted(said, key=lambda one: -one.severity)
    looked = [_looked_up(one, work) for one in every[:FINDINGS_MAX]]
    kept = _merged(one for one in looked if one is not None)
    return Kept(
        drafts=tuple(one.draft for one in kept),
        worst=max((one.severity for one in kept), default=None),
        left_out=looked.count(None),
        grave_left_out=sum(
            found is None and one.severity > Severity.MINOR for one, found in zip(every, looked, strict=False)
        ),
        unproven=sum(one.unproven for one in kept),
        unchanged=sum(one.unchanged for one in kept),
        too_many=max(0, len(every) - FINDINGS_MAX),
    )


def _looked_up(said: SaidFinding, work: Work) -> _Looked | None:
    if not said.path:
        return _of_the_whole(said, work)
    file = work.file(said.path)
    if file is None:
        return None
    spot = work.find(file, said.evidence, said.line) if said.evidence else None
    # If only the mode or the name changes, but no line, a finding can be about the whole file.
    is_whole = not said.line and not file.changed and bool(file.was or file.mode_before)
    is_there = spot is not None and bool(said.line) and said.line <= spot.end and spot.start <= said.end_line
    if spot is not None and not is_whole and not is_there:
        said = replace(said, line=spot.start, end_line=spot.end)
    if not work.has_line(file, said.line):
        return None
    proven = spot is not None or bool(said.evidence and work.had(file, said.evidence))
    end = min(said.end_line, len(file.lines)) if said.line else 0
    place = Place(path=file.path, start=said.line, end=max(end, said.line))
    return _judged(said, place, proven=proven, changed=_is_changed(file, place))


def _is_changed(file: File, place: Place) -> bool:
    """True if the place belongs to the work: its lines, or the whole of a file that it changes in any way."""
    if not place.start:
        return bool(file.changed or file.was or file.mode_before) or file.text is None
    return file.is_changed(place.start, place.end)


def _of_the_whole(said: SaidFinding, work: Work) -> _Looked:
    """Check a finding about no file in particular; its evidence must still be in what the work changes."""
    proven = bool(said.evidence) and work.anywhere(said.evidence)
    return _judged(said, None, proven=proven, changed=proven and work.is_own(said.evidence))


def _judged(said: SaidFinding, place: Place | None, *, proven: bool, changed: bool) -> _Looked:
    """Return the draft; a finding not proven or not on the work's own lines becomes a minor note with the reason."""
    counts = (proven and changed) or said.severity is Severity.MINOR
    severity = said.severity if counts else Severity.MINOR
    why = "" if counts else _why_minor(said, proven=proven)
    draft = Draft(
        severity=severity.name.lower(),
        text=f"{said.text} {why}".strip(),
        category=said.category,
        place=place,
        evidence=said.evidence if proven else "",
        suggestion=said.suggestion,
        rule=said.rule,
    )
    return _Looked(draft=draft, severity=severity, unproven=not counts and not proven, unchanged=not counts and proven)


def _why_minor(said: SaidFinding, *, proven: bool) -> str:
    if proven:
        return UNCHANGED
    return UNPROVEN if said.evidence else NO_EVIDENCE


def _merged(looked: Iterable[_Looked]) -> list[_Looked]:
    """Return one finding for each issue, the gravest of those that say the same of the same lines."""
    kept: list[_Looked] = []
    for one in sorted(looked, key=lambda each: -each.severity):
        if not any(_same(one.draft, other.draft) for other in kept):
            kept.append(one)
    return kept


def _same(one: Draft, other: Draft) -> bool:
    if one.place is None or other.place is None:
        return one.place is other.place and similarity(one.text, other.text) >= ALIKE_MIN
    same_file = one.place.path == other.place.path
    overlap = one.place.start <= other.place.end and other.place.start <= one.place.end
    named = bool(one.rule) and one.rule.casefold() == other.rule.casefold()
    return same_file and overlap and (named or similarity(one.text, other.text) >= ALIKE_MIN)
