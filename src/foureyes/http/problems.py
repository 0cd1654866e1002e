"""How is a no told over HTTP? As problem+json: a stable code, what is wrong, and what to do next."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from foureyes.app.limits import TooFast
from foureyes.app.spooling import IsSpooled
from foureyes.core.refusals import Code, Refusal

MEDIA_TYPE = "application/problem+json"
#: Codes that are told with another status than 422, "understood, and not done".
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
            Code.REVIEW_ENDED,
            Code.RULING_PENDING,
            Code.SAME_DIGEST,
            Code.SEAT_TAKEN,
            Code.SETTLED,
            Code.STALE,
            Code.UNDER_REVIEW,
            Code.VETOED,
            Code.VETO_STANDS,
        ),
        409,
    ),
}
SPOOLED, UNDERSTOOD, TOO_MANY = 202, 422, 429


def problem(
    status: int, code: str, sentence: str, next_step: str, headers: Mapping[str, str] | None = None
) -> Response:
    """A problem document (RFC 9457)."""
    body = {
        "type": f"urn:foureyes:problem:{code}",
        "title": sentence,
        "status": status,
        "detail": f"{sentence} {next_step}",
        "code": code,
        "next_step": next_step,
    }
    return Response(json.dumps(body, ensure_ascii=False).encode(), status, dict(headers or {}), media_type=MEDIA_TYPE)


def spooled(waits: IsSpooled) -> Response:
    """A command that waits for the database: neither done nor refused."""
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


def refused(refusal: Refusal) -> Response:
    """A refusal of the gate or of a call."""
    if isinstance(refusal, TooFast):
        headers = {"retry-after": str(refusal.seconds)}
        return problem(TOO_MANY, refusal.code.value, refusal.sentence, refusal.next_step, headers)
    status = STATUS.get(refusal.code, UNDERSTOOD)
    return problem(status, refusal.code.value, refusal.sentence, refusal.next_step)
