"""Does an action need a review, in seed 001's words? Judged as the gate would judge it, with nothing written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_001_expected import expected
from foureyes.app.calls.seed_001_shown import peer_seat
from foureyes.app.calls.seed_work import check_is, files_of, pairs_of, work_of
from foureyes.core import commands as c
from foureyes.core.refusals import Code, Refusal

#: What stands for work whose bytes nobody has sent yet: prose, as harmless as its name says it is.
UNSEEN = FileSent(path="README.md", text="A small correction.\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckForm:
    """An action somebody is about to take; with `artifacts` it is judged by its bytes, as the gate will."""

    action: str
    context: Mapping[str, object] = field(default_factory=dict)
    artifacts: Mapping[str, object] = field(default_factory=dict)
    creator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needless:
    """No review is needed, and why; the gate decides anew on the bytes themselves."""

    needs_review: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """A review is needed: who would be asked, and after how many minutes to expect an answer."""

    needs_review: bool
    reviewer: str | None
    estimated_time: int


async def check_review_required(office: Office, caller: Caller, form: CheckForm) -> Needless | Needed:
    """Whether an action needs a review: why not, or who would be asked."""
    check_is(caller, form.creator)
    if not form.action.strip():
        raise Refusal(Code.REASON_MISSING, "No action is named.", "Name the action, such as create_core.")
    files = files_of(form.artifacts) or (UNSEEN,)
    work = await work_of(office, files)
    command = c.OpenReview(
        review="",
        kind=form.action,
        title="A preview",
        digest=work.digest,
        parts=work.parts,
        context=pairs_of(form.context),
    )
    found = await office.gate.preview(office.ask(caller, command, Handed(blobs=work.blobs)))
    review = found.view.review
    skipped = next(iter(review.skipped.values()), None)
    if review.outcome is not None:
        return Needless(needs_review=False, reason=skipped.reason if skipped else review.reason)
    seat = peer_seat(review)
    request = review.report_request(seat.id) if seat else None
    span = await expected(office, review, seat, request, is_stored=False) if seat and request else timedelta()
    return Needed(
        needs_review=True,
        reviewer=seat.reviewer.name if seat and seat.reviewer else None,
        estimated_time=span // timedelta(minutes=1),
    )


def calls() -> Iterator[Call[Any]]:
    """The one tool that asks beforehand."""
    says = (check_review_required.__doc__ or "").strip()
    yield Call(
        name="check_review_required",
        says=says,
        needs=Need.READ,
        form=CheckForm,
        answer=check_review_required,
        changes=False,
    )
