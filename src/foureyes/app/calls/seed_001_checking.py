"""The call that tells whether an action needs a review, in seed 001's words: a preview, with nothing written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import missing
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_001_expected import expected
from foureyes.app.calls.seed_001_shown import peer_seat
from foureyes.app.calls.seed_001_types import known_types
from foureyes.app.calls.seed_work import check_is, files_of, pairs_of, work_of
from foureyes.app.gate import Preview
from foureyes.app.ports import Quick
from foureyes.core import commands as c
from foureyes.core.assign import has_role, same_role
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Review, Seat
from foureyes.core.refusals import Code, Fact, Refusal, refuse

#: Stands for work whose bytes were not sent yet. No base has them, so no proof lets them pass.
UNSEEN = FileSent(path="work", text="Not sent yet.\n")
#: Stands for unsent work if only bytes of low risk would pass: unknown bytes may be of high risk.
UNSEEN_RISK = FileSent(path="work", text="sudo\n")
#: The draw of a preview: never an audit, so that nobody learns beforehand which work is drawn for one.
NOT_DRAWN = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckForm:
    """An action somebody is about to take; with `artifacts` it is judged by its bytes, as the gate will."""

    action: str
    context: Mapping[str, object] = field(default_factory=dict)
    artifacts: Mapping[str, object] = field(default_factory=dict)
    creator: str = ""
    #: What it is based on: a commit or a protected ref of a repository the server reads, and the target.
    base: str = ""
    target: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededVacant:
    """The same where nobody can hold a seat, and what fills it."""

    needs_review: bool
    reviewer: str | None
    estimated_time: int
    next_step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededUnseen:
    """A review is needed as long as no artifacts are named: a rule may let them pass, depending on their bytes."""

    needs_review: bool
    reviewer: str | None
    estimated_time: int
    #: What fills the seats that nobody can hold; empty if there are enough reviewers.
    next_step: str
    reason: str


async def check_review_required(
    office: Office, caller: Caller, form: CheckForm
) -> Needless | Needed | NeededVacant | NeededUnseen:
    """Whether an action needs a review: why not, or who would be asked."""
    check_is(caller, form.creator)
    if not form.action.strip():
        known: dict[str, Fact] = {"field": "action", "allowed": words.REVIEW_TYPES}
        step = "Name the action, such as create_core."
        raise Refusal(Code.REASON_MISSING, "No action is named.", step, fields=known)
    types = await known_types(office, form.action)
    if canonical_kind(form.action) not in types:
        raise refuse(Code.UNKNOWN_WORD, what="The action", word=form.action[:80], allowed=types, field="action")
    files = files_of(form.artifacts)
    seen = (await _previewed(office, caller, form, files or (UNSEEN,))).seen
    review = seen.view.review
    if review.outcome is None:
        asked, step = await _asked(office, review), await missing(office, caller, seen)
        return NeededVacant(**asked, next_step=step) if step else Needed(**asked)
    reason = await _why_not(office, review)
    if files:
        return Needless(needs_review=False, reason=reason)
    unseen = (await _previewed(office, caller, form, (UNSEEN_RISK,))).seen
    reason = f"Name the artifacts: their bytes decide whether this holds: {reason}"
    asked, step = await _asked(office, unseen.view.review), await missing(office, caller, unseen)
    return NeededUnseen(**asked, next_step=step, reason=reason)


async def _previewed(office: Office, caller: Caller, form: CheckForm, files: tuple[FileSent, ...]) -> Preview:
    """The review that `request_review` would open with these files."""
    work = await work_of(office, files)
    command = c.OpenReview(
        review="",
        kind=form.action,
        title="A preview",
        digest=work.digest,
        base=form.base,
        parts=work.parts,
        context=pairs_of(form.context),
    )
    ask = office.ask(caller, command, Handed(blobs=work.blobs, target=form.target))
    return await office.gate.preview(ask, draw=NOT_DRAWN)


async def _why_not(office: Office, review: Review) -> str:
    """Why no review is needed; where a track record is the reason, also how often such work is reviewed all the same.

    Which work that is, is drawn when it is handed in.
    """
    skipped = next(iter(review.skipped.values()), None)
    if skipped is None:
        return review.reason
    if not skipped.pattern:
        return skipped.reason
    learning = await office.store.read(Quick(lambda tx: office.gate.policies.rules(tx, review.rules).learning))
    return f"{skipped.reason}; {max(1, learning.audit_percent)}% of such work is drawn and reviewed all the same"


async def _asked(office: Office, review: Review) -> dict[str, Any]:
    """Who would be asked, and after how many minutes to expect an answer."""
    seat = peer_seat(review)
    request = review.report_request(seat.id) if seat else None
    span = (await expected(office, review, seat, request)).span if seat and request else timedelta()
    reviewer = await _reviewer(office, review, seat) if seat and seat.reviewer else None
    return {"needs_review": True, "reviewer": reviewer, "estimated_time": span // timedelta(minutes=1)}


async def _reviewer(office: Office, review: Review, seat: Seat) -> str | None:
    """The account that is asked under a role; where several hold it the role, since one of them is drawn later."""
    pool = await office.store.read(Quick(office.gate.pool))
    name = seat.reviewer.name if seat.reviewer else None
    asked = next((one for one in pool if one.who.name == name), None)
    if asked is None:
        return name
    roles = {same_role(one): one for one in seat.candidates}
    role = next((roles[one] for one in roles if one in {same_role(held) for held in asked.roles}), None)
    wanted = (role,) if role else seat.candidates
    others = (one for one in pool if one.available and not one.removed and one.who.name != review.author.name)
    holders = [one for one in others if has_role(one, wanted, review.author)]
    return name if len(holders) == 1 else role


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
