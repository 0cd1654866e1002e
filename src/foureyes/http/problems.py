"""Refusals over HTTP, as problem+json: a stable code, what is wrong, what to do next, and the same as data."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from foureyes.app.limits import TooFast
from foureyes.app.ports import Unavailable
from foureyes.app.spooling import IsSpooled
from foureyes.core.refusals import Code, Fact, Refusal
from foureyes.http.routes import WAYS

MEDIA_TYPE = "application/problem+json"
#: Codes with another status than 422 (understood, but not done).
STATUS: dict[Code, int] = {
    **dict.fromkeys(
        (
            Code.AUTHOR_MAY_NOT,
            Code.HUMAN_ONLY,
            Code.IDENTITY_MISMATCH,
            Code.NOT_ELIGIBLE,
            Code.NOT_INVOLVED,
            Code.NOT_IN_GROUP,
            Code.NOT_THE_AUTHOR,
            Code.NOT_THE_CLOCK,
            Code.NOT_THE_HOLDER,
            Code.ONE_PARTY,
            Code.SIGN_IN_NEEDED,
        ),
        403,
    ),
    **dict.fromkeys((Code.REVIEW_MISSING,), 404),
    **dict.fromkeys(
        (
            Code.ALREADY_ASKED,
            Code.ALREADY_OPEN,
            Code.DUPLICATE,
            Code.KEY_REUSED,
            Code.LEASE_ENDED,
            Code.NO_FREE_SEAT,
            Code.NOT_DUE,
            Code.NOT_ENDED,
            Code.NOT_OPEN,
            Code.NOT_YET,
            Code.REVIEW_ENDED,
            Code.RULING_PENDING,
            Code.SAME_DIGEST,
            Code.SEAT_TAKEN,
            Code.SETTLED,
            Code.STALE,
            Code.UNDER_REVIEW,
            Code.UNREAD,
            Code.VETOED,
            Code.VETO_STANDS,
        ),
        409,
    ),
}
SPOOLED, UNDERSTOOD, TOO_MANY = 202, 422, 429
UNAVAILABLE, NO_ROOM = 503, 507
#: Seconds until a retry: for a store that cannot answer now, and for one whose disk is full.
RETRY_SECONDS, NO_ROOM_SECONDS = "2", "60"


def problem(
    status: int,
    code: str,
    sentence: str,
    next_step: str,
    headers: Mapping[str, str] | None = None,
    *,
    particulars: Mapping[str, object] | None = None,
) -> Response:
    """A problem document (RFC 9457), with the particulars of a refusal as members of their own."""
    body = {
        "type": f"urn:foureyes:problem:{code}",
        "title": sentence,
        "status": status,
        "detail": f"{sentence} {next_step}",
        "code": code,
        "next_step": next_step,
        **(particulars or {}),
    }
    # Half of a character that a caller sent is replaced: no text in UTF-8 can hold it.
    content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    return Response(content, status, dict(headers or {}), media_type=MEDIA_TYPE)


def spooled(waits: IsSpooled) -> Response:
    """The answer to a command that waits in the spool for the database: neither done nor refused."""
    body = {
        "spooled": True,
        "accepted": False,
        "position": waits.spooled.position,
        "key": waits.spooled.key,
        "sentence": waits.sentence,
        "next_step": waits.next_step,
    }
    headers = {"cache-control": "no-store"}
    return Response(json.dumps(body, ensure_ascii=False).encode(), SPOOLED, headers, media_type="application/json")


def unavailable(error: Unavailable) -> Response:
    """The answer if the store cannot answer now, or has no room; nothing of the request was stored."""
    later = {"retry-after": NO_ROOM_SECONDS if error.full else RETRY_SECONDS}
    return problem(status_of(error), error.word, error.sentence, error.next_step, later)


def status_of(error: Unavailable) -> int:
    """The HTTP status for this error."""
    return NO_ROOM if error.full else UNAVAILABLE


def refused(refusal: Refusal) -> Response:
    """The answer to a refusal by the gate or by a call."""
    if isinstance(refusal, TooFast):
        headers = {"retry-after": str(refusal.seconds)}
        return problem(TOO_MANY, refusal.code.value, refusal.sentence, refusal.next_step, headers)
    status = STATUS.get(refusal.code, UNDERSTOOD)
    particulars = _with_place(refusal.particulars())
    return problem(status, refusal.code.value, refusal.sentence, refusal.next_step, particulars=particulars)


def _with_place(particulars: dict[str, Fact]) -> dict[str, Fact]:
    """The particulars of a refusal, with the method and path of the next call over HTTP."""
    call = particulars.get("next_call")
    way = WAYS.get(str(call["call"])) if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or way is None:
        return particulars
    return {**particulars, "next_call": {**call, "method": way.method, "path": way.paths[0]}}
