"""What did a command line print? Its output is untrusted: read with care, shown cut and harmless."""

from __future__ import annotations

import json

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Cost, Failure
from foureyes.reviewers.agents.process import Ended

SHOWN_CHARS_MAX = 200


def parsed(text: bytes) -> dict[str, object]:
    """The JSON object a text is; empty where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def section(found: object, name: str) -> dict[str, object]:
    """The object below this name, or the object itself without one; empty where there is none."""
    value = found.get(name) if name and isinstance(found, dict) else found
    return value if isinstance(value, dict) else {}


def number_in(found: dict[str, object], *names: str) -> int:
    """The sum of these whole numbers, as far as they are there."""
    values = (found.get(name) for name in names)
    return sum(one for one in values if isinstance(one, int) and not isinstance(one, bool) and one >= 0)


def last_line(text: bytes) -> str:
    """The last line that says something."""
    lines = [one.strip() for one in text.decode(errors="replace").splitlines() if one.strip()]
    return lines[-1] if lines else ""


def said(called: str, words: str, ended: Ended, *, cost: Cost | None = None) -> Inconclusive:
    """It failed, in its own words; those may be anything, so little of them is shown."""
    # Loaded here: it comes with all that reads answers, and nothing has failed yet when an agent is looked for.
    from foureyes.reviewers.answers.shown import one_line  # noqa: PLC0415 - see above

    shown = one_line(words, SHOWN_CHARS_MAX)
    more = one_line(last_line(ended.err), SHOWN_CHARS_MAX)
    ending = f" (exit code {ended.code})" if ended.code else ""
    text = f"{called} gave no answer{ending}: {shown}" + (f" [{more}]" if more and more != shown else "")
    return Inconclusive(Failure.CRASHED, text, cost=cost)
