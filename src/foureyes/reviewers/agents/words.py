"""Parses the untrusted output of a command line; what is shown of it is cut and made harmless."""

from __future__ import annotations

import json

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Cost, Failure
from foureyes.reviewers.agents.process import Ended

SHOWN_CHARS_MAX = 200


def parsed(text: bytes) -> dict[str, object]:
    """Return the JSON object in a text; empty if it is not one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def section(found: object, name: str) -> dict[str, object]:
    """Return the object under this name, or the object itself for an empty name; empty if there is none."""
    value = found.get(name) if name and isinstance(found, dict) else found
    return value if isinstance(value, dict) else {}


def number_in(found: dict[str, object], *names: str) -> int:
    """Return the sum of these non-negative whole numbers; missing ones count as 0."""
    values = (found.get(name) for name in names)
    return sum(one for one in values if isinstance(one, int) and not isinstance(one, bool) and one >= 0)


def last_line(text: bytes) -> str:
    """Return the last line that is not blank."""
    lines = [one.strip() for one in text.decode(errors="replace").splitlines() if one.strip()]
    return lines[-1] if lines else ""


def said(called: str, words: str, ended: Ended, *, cost: Cost | None = None) -> Inconclusive:
    """Return why the agent failed, with a short part of its own words, because those may be anything."""
    # Imported here: it loads all that reads answers, which is not needed while agents are only looked for.
    from foureyes.reviewers.answers.shown import one_line  # noqa: PLC0415 - see above

    shown = one_line(words, SHOWN_CHARS_MAX)
    more = one_line(last_line(ended.err), SHOWN_CHARS_MAX)
    ending = f" (exit code {ended.code})" if ended.code else ""
    text = f"{called} gave no answer{ending}: {shown}" + (f" [{more}]" if more and more != shown else "")
    return Inconclusive(Failure.CRASHED, text, cost=cost)
