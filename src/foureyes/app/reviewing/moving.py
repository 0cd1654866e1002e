"""Maps findings of earlier rounds, which the log has with their old lines, to the lines of the current version."""

from __future__ import annotations

from dataclasses import replace

from foureyes.app.differences import line_now
from foureyes.app.encodings import written
from foureyes.app.facts import stored_bytes
from foureyes.app.gate import Seen
from foureyes.app.ports import Damaged, Reading
from foureyes.app.reviewers import lines_of
from foureyes.core.model import Finding, Review
from foureyes.core.refusals import Refusal
from foureyes.core.values import Place, WorkPart

Texts = dict[str, tuple[str, ...] | None]


def moved(seen: Seen, reading: Reading) -> Seen:
    """Return the review with every unsettled finding on its line in the current version."""
    review, texts = seen.view.review, Texts()
    findings = {name: _moved(review, one, reading, texts) for name, one in review.findings.items()}
    return replace(seen, view=replace(seen.view, review=replace(review, findings=findings)))


def _moved(review: Review, finding: Finding, reading: Reading, texts: Texts) -> Finding:
    place = finding.place
    if place is None or place.start <= 0 or finding.is_settled or finding.revision >= review.revision:
        return finding
    old = _part(review.revisions[finding.revision - 1].parts, place.path)
    new = _part(review.current.parts, place.path)
    if old is None or new is None or old.digest == new.digest:
        return finding
    before, after = _text(reading, old, texts), _text(reading, new, texts)
    line = line_now(before, after, place.start) if before and after else None
    return finding if line is None else replace(finding, place=_at(place, line))


def _at(place: Place, line: int) -> Place:
    return replace(place, start=line, end=line + max(place.end - place.start, 0) if place.end else 0)


def _part(parts: tuple[WorkPart, ...], path: str) -> WorkPart | None:
    return next((one for one in parts if one.name == path), None)


def _text(reading: Reading, part: WorkPart, texts: Texts) -> tuple[str, ...] | None:
    if part.digest not in texts:
        texts[part.digest] = stored_lines(reading, part)
    return texts[part.digest]


def stored_lines(reading: Reading, part: WorkPart) -> tuple[str, ...] | None:
    """Return the lines of a stored part; None if it is missing or no text."""
    try:
        said = written(stored_bytes(reading, part))
    except (Refusal, Damaged):
        return None
    return lines_of(said.text) if said else None
