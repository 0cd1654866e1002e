"""The next step after each of the seven tools, naming only those seven: their clients are listed no others."""

from __future__ import annotations

from typing import Any

from foureyes.app.calls.call import Caller
from foureyes.app.calls.done import missing, told_of
from foureyes.app.calls.office import Office
from foureyes.core.claims import UNNAMED_GROUND
from foureyes.core.grounds import REJECT_GROUNDS
from foureyes.core.model import Review
from foureyes.core.values import Outcome

_APPROVED = "Approved: these bytes have passed."
_REJECTED = "Read why with get_review; if you disagree, call escalate_review, else begin anew with request_review."
_REVISE = "Read the feedback with get_review, change the work, then call request_re_review."
_JUDGE = "Read the work with get_review, then call submit_review."
_WAIT = "Nothing is left to do for you now. Go on with other work, and look again with get_review."


async def told_of_peer(office: Office, caller: Caller, name: str) -> dict[str, Any]:
    """The fields of `Told` after one of the seven tools, with the next step in their names."""
    told = await told_of(office, caller, name)
    if not told:
        return {}
    seen = await office.gate.read(name, caller.who)
    review = seen.view.review
    step = _ground_step(review, caller.who.name) or _step(review, caller, told["next_call"])
    steps = (await missing(office, caller, seen), step)
    return {
        **told,
        "next_step": " ".join(filter(None, steps)),
        "next_call": {"call": "get_review", "arguments": {"reviewId": name}},
    }


def _step(review: Review, caller: Caller, call: dict[str, Any]) -> str:
    if review.outcome is Outcome.CLEARED:
        return _APPROVED
    is_author = review.author.name == caller.who.name
    if review.outcome is not None:
        return f"It has ended: {review.outcome}. {_REJECTED if is_author else _WAIT}"
    is_turn = "wait" not in call["arguments"]
    return (_REVISE if is_author else _JUDGE) if is_turn else _WAIT


def _ground_step(review: Review, name: str) -> str:
    """Ask whoever rejected without a named ground for it; the rejection stands either way."""
    mine = [one for one in review.reports.values() if one.reviewer.name == name]
    if not mine or UNNAMED_GROUND not in max(mine, key=lambda one: one.revision).grounds:
        return ""
    allowed = ", ".join(REJECT_GROUNDS)
    where = f"in a note (POST /api/v1/reviews/{review.id}/notes), and next time in `grounds`"
    return f"The rejection stands. Tell the author its ground {where}: one of {allowed}."
