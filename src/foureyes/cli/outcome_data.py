"""A round as JSON for scripts. Its shape is stable: fields are added, never changed or removed.

docs/reference/review-json.md says what each means.
"""

from __future__ import annotations

from foureyes.app.reviewers import Unread
from foureyes.app.reviewing.outcome import Dismissed, Found, Looked, Outcome
from foureyes.cli import telling
from foureyes.cli.answer import Json

SHAPE = "foureyes.review/1"


def data(outcome: Outcome) -> dict[str, Json]:
    """The whole outcome; untrusted text is included as it is, escaped to ASCII by JSON."""
    return {
        "shape": SHAPE,
        "result": outcome.result.value,
        "headline": telling.headline(outcome),
        "review": outcome.review,
        "revision": outcome.revision,
        "revisions_max": outcome.revisions_max,
        "digest": outcome.digest,
        "title": outcome.title,
        "kind": outcome.kind,
        "state": outcome.state,
        "gate": outcome.gate,
        "waits": [{"who": one.who, "what": one.what, "how": one.how} for one in outcome.waits],
        "interrupted": outcome.interrupted,
        "unclear": outcome.unclear,
        "late": outcome.late,
        "nothing": outcome.nothing,
        "held_up": outcome.held_up,
        "findings": [finding(one) for one in outcome.found],
        "older": outcome.older,
        "looked": [_looked(one) for one in outcome.looked],
        "not_looked": [{"who": one.who, "why": one.why, "next_step": one.next_step} for one in outcome.not_looked],
        "unread": _unread(outcome.unread),
        "unjudged": list(outcome.unjudged),
        "ignored": list(outcome.ignored),
        "settled": [
            {"id": one.id, "text": one.text, "path": one.path, "line": one.line, "how": one.how}
            for one in outcome.settled
        ],
        "dismissed": [_dismissed(one) for one in outcome.dismissed],
        "answers": [{"question": one.question, "by": one.by, "text": one.text} for one in outcome.answers],
        "notes": list(outcome.notes),
        "report": outcome.report,
        "independence": {"level": outcome.independence.level, "words": outcome.independence.words},
        "cost": {"usd_micro": outcome.usd_micro, "tokens": outcome.tokens, "milliseconds": _ms(outcome.seconds)},
        "files": outcome.files,
        "lines": outcome.lines,
        "policy": {"name": outcome.policy, "from": outcome.policy_from},
        "next": [{"line": one.line, "does": one.does} for one in telling.next_commands(outcome)],
    }


def finding(found: Found) -> dict[str, Json]:
    """One finding."""
    return {
        "id": found.id,
        "ids": list(found.ids),
        "severity": found.severity.name.lower(),
        "blocking": found.blocking,
        "why_not_blocking": found.why_not_blocking,
        "text": found.text,
        "category": found.category,
        "rule": found.rule,
        "path": found.path,
        "line": found.line,
        "end": found.end,
        "quote": found.quote,
        "why": found.why,
        "evidence": found.evidence,
        "suggestion": found.suggestion,
        "raised_by": list(found.raised_by),
        "agreement": found.agreement.value,
        "verification": found.verification.value if found.verification else None,
        "verified_because": found.verified_because,
        "standing": found.standing.value,
        "fingerprint": found.fingerprint,
        "cause": found.cause,
        "new": found.is_new,
    }


def _looked(looked: Looked) -> dict[str, Json]:
    return {
        "reviewer": looked.reviewer,
        "kind": looked.kind.value,
        "state": looked.state.value,
        "summary": looked.summary,
        "findings": looked.findings,
        "reason": looked.reason,
        "until": looked.until.isoformat() if looked.until else None,
        "looked_at": looked.looked_at,
        "unread": _unread(looked.unread),
        "cost": {"usd_micro": looked.usd_micro, "tokens": looked.tokens, "milliseconds": _ms(looked.seconds)},
    }


def _dismissed(dismissed: Dismissed) -> dict[str, Json]:
    return {
        "finding": finding(dismissed.found),
        "by": dismissed.by,
        "because": dismissed.because,
        "at": dismissed.at.isoformat() if dismissed.at else None,
        "proven": dismissed.proven,
    }


def _unread(unread: tuple[Unread, ...]) -> list[Json]:
    return [{"path": one.path, "why": one.why} for one in unread]


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
