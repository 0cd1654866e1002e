"""The situation of a review in one sentence: what is wrong and why, whose turn it is, and the next step.

Every door renders this value. It is made of what one viewer may see, so it discloses nothing that is hidden from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from foureyes.core.model import ReportRequest, Review, RevisionRequest, RulingRequest
from foureyes.core.reasons import blocks
from foureyes.core.rules import Stage
from foureyes.core.values import Outcome, Part

#: Maximum reasons in the sentence; the requirements list all of them.
REASONS_MAX = 4
#: Maximum length of one reason in the sentence.
REASON_CHARS_MAX = 600
CLEARED = "Cleared: exactly this version may go live"
NOTHING_BLOCKS = "Nothing blocks; nobody is asked for anything"
SOMEBODY_REPORTS = "a reviewer: a report"
#: Shown where reviewers are volunteers, because who has reported is hidden from those who have not.
MAY_REPORT = "yours, if you may review it: a report"
_CALLS = "`read_work`", "`report`"
_CONTENT_CALLS = "`read_work` or `read_content`", "`report` or `give_feedback`"


class Result(StrEnum):
    """What a review comes to; each has its exit code."""

    CLEARED = "cleared"
    NOTHING_BLOCKS = "nothing blocks"
    BLOCKED = "blocked"
    PENDING = "pending"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a review comes to, and how it goes on."""

    result: Result = Result.NOTHING_BLOCKS
    #: What is wrong and why, or that the review is cleared, or how it ended.
    sentence: str = ""
    #: The reasons in the sentence, one by one.
    reasons: tuple[str, ...] = ()
    #: Whose turn it is, and for what; empty without a request. Other reviewers are not named: the choice depends on
    #: their load, and so on reports that are hidden from some viewers.
    turn: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who is told the situation; what is hidden from them until their own report is in decides how."""

    name: str = ""
    is_blind: bool = False
    #: True if a stage hidden from the reader is open to volunteers.
    may_volunteer: bool = False
    #: True if the reader may give the pending ruling.
    decides: bool = False


#: A reader who is not a reviewer and sees everything.
ANYBODY = Reader()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What was found out about a review, for `weigh`."""

    #: It ended without a clearance, or a veto, a finding or a request to the author stops the work.
    stops: bool = False
    #: A defect was reported after the clearance.
    late: bool = False
    cleared: bool = False
    #: A ruling is pending.
    decides: bool = False
    #: The requested agents and models failed, or the result cannot be judged.
    silent: bool = False
    #: A named reviewer owes a report.
    owed: bool = False
    #: This revision has a report.
    answered: bool = False


def weigh(seen: Weighed) -> Result:
    """The result: the gravest case decides, and missing information never counts as nothing found."""
    cases = (
        (seen.stops, Result.BLOCKED),
        (seen.late, Result.INCONCLUSIVE),
        (seen.cleared, Result.CLEARED),
        (seen.decides, Result.PENDING),
        (seen.silent, Result.INCONCLUSIVE),
        (seen.owed, Result.PENDING),
        (not seen.answered, Result.INCONCLUSIVE),
    )
    return next((result for holds, result in cases if holds), Result.NOTHING_BLOCKS)


def situation_of(
    review: Review,
    stages: Iterable[Stage],
    unmet: Iterable[str],
    turns: Iterable[tuple[str, str]],
    reader: Reader = ANYBODY,
) -> Situation:
    """Build the situation: `unmet` are the reasons of the requirements, `turns` what each request asks and how.

    An open review that is partly hidden from the reader is pending, whatever was reported there: it may wait for their
    own report. Only a reader who may decide is told how to give a ruling; all others are told to wait for it.
    """
    stages, turns = tuple(stages), tuple(turns)
    reasons = tuple(_reasons(review, unmet))
    return Situation(
        result=weigh(_weighed(review, stages, reader)),
        sentence=_sentence(review, reasons, reader),
        reasons=reasons,
        turn="; ".join(dict.fromkeys(_turns(review, turns, reader))) if review.outcome is None else "",
        next_step=_next_step(review, turns, reader),
    )


def _weighed(review: Review, stages: tuple[Stage, ...], reader: Reader) -> Weighed:
    least = {one.name: one.options.blocking for one in stages}
    asked = review.revision_request()
    vetoed = any(digest == review.digest for _, digest in review.vetoes)
    open_ones = any(blocks(one, least) for one in review.findings.values())
    stops = review.outcome is not Outcome.CLEARED if review.outcome else vetoed or open_ones or asked is not None
    return Weighed(
        stops=stops,
        late=bool(review.escapes),
        cleared=review.outcome is Outcome.CLEARED,
        decides=review.ruling() is not None,
        silent=bool(failed(review)) and not is_read(review),
        owed=reader.is_blind or owes_report(review, stages),
        answered=is_read(review),
    )


def open_by_severity(review: Review) -> dict[str, int]:
    """The number of open findings by severity, the gravest first, advisory ones included."""
    count = Counter(one.severity for one in review.findings.values() if not one.is_settled)
    return {severity.name.lower(): count[severity] for severity in sorted(count, reverse=True)}


def by_severity(findings: Mapping[str, int]) -> str:
    """These numbers in words: `2 critical, 1 minor`."""
    return ", ".join(f"{count:,} {severity}" for severity, count in findings.items())


def files_of(review: Review) -> str:
    """The files the newest revision changes, or all its files if unknown: `auth.py and 2 more`."""
    newest = review.current
    names = list(dict.fromkeys(one.path for one in newest.changed)) or [part.name for part in newest.parts]
    return f"{names[0]} and {len(names) - 1:,} more" if len(names) > 1 else "".join(names)


def owes_report(review: Review, stages: Iterable[Stage]) -> bool:
    """True if a report is pending that the review waits for.

    In stages for a lone developer, which do not depend on every reviewer, that is only until the first report.
    """
    lone = {one.name for one in stages if one.options.waits}
    asked = [one for one in review.requests.values() if isinstance(one, ReportRequest)]
    if any(review.seats[one.seat].stage not in lone for one in asked):
        return True
    return not is_read(review) and any(not one.queued and review.seats[one.seat].reviewer for one in asked)


def is_read(review: Review) -> bool:
    """True if this revision has a report."""
    return any(one.revision == review.revision for one in review.reports.values())


def failed(review: Review) -> tuple[str, ...]:
    """The failed runs on seats without a report on this revision, with reviewer and reason."""
    silent = ((key, words) for key, words in review.failed.items() if key[1] == review.revision)
    return tuple(words for key, words in silent if key not in review.reports)


def _reasons(review: Review, unmet: Iterable[str]) -> Iterator[str]:
    """Why the review is not cleared: the reasons of gates, ruling and order, and failed runs, each once."""
    if review.outcome is not None:
        yield from (review.reason,) if review.reason else ()
        return
    said = list(dict.fromkeys(one.strip() for one in unmet if one.strip()))[:REASONS_MAX]
    ruling, asked = review.ruling(), review.revision_request()
    if ruling is not None:
        said = [*(one for one in said if one not in ruling.text), ruling.text]
    if asked is not None and asked.ordered_by:
        said += [one for one in asked.reasons if not any(one in known for known in said)]
    yield from (one if len(one) <= REASON_CHARS_MAX else f"{one[: REASON_CHARS_MAX - 1]}…" for one in said)
    yield from (f"no answer from {one}" for one in failed(review) if not any(one in known for known in said))


def _sentence(review: Review, reasons: tuple[str, ...], reader: Reader) -> str:
    listed = "; ".join(one.rstrip(".") for one in reasons)
    if review.outcome is Outcome.CLEARED:
        late = f", but {_found_late(review)}" if review.escapes else ""
        return f"{CLEARED}{late}."
    if review.outcome is not None:
        word = str(review.outcome).replace("_", " ").capitalize()
        return f"{word}: {listed}." if listed else f"{word}."
    ruling = review.ruling()
    if ruling is not None:
        return asked_of_a_human(listed or ruling.text)
    return f"{listed[:1].upper()}{listed[1:]}." if listed else f"{_waits(review, reader)}."


def asked_of_a_human(text: str) -> str:
    """The subject of a ruling request as a sentence."""
    return f"A human must decide: {text.rstrip('.')}."


def _found_late(review: Review) -> str:
    return f"{', '.join(sorted(review.escapes))} found something after that"


def _waits(review: Review, reader: Reader) -> str:
    return "Somebody is still asked" if review.requests or reader.is_blind else NOTHING_BLOCKS


def _turns(review: Review, turns: tuple[tuple[str, str], ...], reader: Reader) -> Iterator[str]:
    if reader.is_blind and not review.requests:
        yield MAY_REPORT if reader.may_volunteer else SOMEBODY_REPORTS
    for request, (what, _) in zip(review.requests.values(), turns, strict=False):
        match request:
            case ReportRequest():
                yield f"{'yours' if _is_asked(review, request, reader) else 'a reviewer'}: {what}"
            case RevisionRequest():
                yield f"the author: {what}"
            case RulingRequest(group=group):
                yield f"{group or 'a human'}: a decision"
            case _:
                assert_never(request)


def _is_asked(review: Review, request: ReportRequest, reader: Reader) -> bool:
    holder = review.seats[request.seat].reviewer
    return holder is not None and holder.name == reader.name


def _next_step(review: Review, turns: tuple[tuple[str, str], ...], reader: Reader) -> str:
    if review.outcome is Outcome.CLEARED:
        return f"Ask the gate about {review.digest} before these bytes go live."
    if review.outcome is not None:
        return "It has ended. A human may reopen it; a new review may be asked for."
    ruling = review.ruling()
    if ruling is not None and not reader.decides:
        return f"Wait: {f'somebody of {ruling.group}' if ruling.group else 'a human'} decides {ruling.id}."
    asked = list(zip(review.requests.values(), turns, strict=False))
    for party in (RulingRequest, RevisionRequest):
        found = [how for request, (_, how) in asked if isinstance(request, party)]
        if found:
            return f"{found[0].rstrip('.')}."
    own = [one for one in review.requests.values() if isinstance(one, ReportRequest)]
    own = [one for one in own if _is_asked(review, one, reader)]
    if own or (reader.may_volunteer and not asked):
        return _how_to_report(review, own, reader)
    return f"A reviewer reports on version {review.revision}." if asked or reader.is_blind else ""


def _how_to_report(review: Review, own: list[ReportRequest], reader: Reader) -> str:
    """The calls with which the reader reports; reviews of content have their own."""
    read, report = _CONTENT_CALLS if reader.may_volunteer else _CALLS
    then = f"report on it with {report}"
    if own and own[0].about:
        verifies = review.seats[own[0].seat].part is Part.VERIFY
        call = "verify_finding" if verifies else "settle_finding"
        then = f"give your word on {', '.join(own[0].about)} with `{call}`"
    return f"Read version {review.revision} with {read}, then {then}."
