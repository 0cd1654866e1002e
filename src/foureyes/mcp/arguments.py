"""Arguments that a tool does not know: clients add their own, and models misspell ours.

Gemini CLI adds `wait_for_previous` to every tool it shows its model; others add a reason or a progress line. Such a
field is left out and named in the answer. A field that is nearly one of the tool's own is refused: dropping `verdit`
would drop a verdict. So is an unknown field that could hold part of what the caller means to hand in. In a call that
judges, every unknown field is refused, however short, except those that clients are known to add: `blocking: true`
beside an approval is an objection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foureyes.app.calls.misfits import NAME_CHARS_MAX, meant_field
from foureyes.codec import Json
from foureyes.core.refusals import Code, Refusal

#: A text that is longer is content, not a client's mark.
TEXT_CHARS_MAX = 200
#: At most this many unknown fields are named in an answer.
IGNORED_MAX = 20
#: Fields that clients add to every call of a tool, and which client.
CLIENT_FIELDS: Mapping[str, str] = {"wait_for_previous": "Gemini CLI", "task_progress": "Cline"}
#: Calls that judge a version, or keep an earlier judgement for it.
JUDGING = frozenset(
    (
        *("report", "report_inconclusive", "keep_report", "settle_finding", "verify_finding"),
        *("submit_review", "submit_result"),
    )
)


def sort_out(
    arguments: Mapping[str, Any], known: Iterable[str], *, changes: bool, judges: bool = False
) -> tuple[Json, list[str]]:
    """The arguments that the tool takes, and the names of those it ignores; raises Refusal for a likely mistake."""
    names = list(known)
    taken = {name: value for name, value in arguments.items() if name in names}
    ignored = [name for name in arguments if name not in names]
    for name in ignored:
        meant = meant_field(name, names)
        if meant:
            raise _misspelt(name, meant, names)
        if (judges and name not in CLIENT_FIELDS) or (changes and _could_matter(arguments[name])):
            raise _unknown(name, names)
    return taken, [name[:NAME_CHARS_MAX] for name in ignored[:IGNORED_MAX]]


def _could_matter(value: object) -> bool:
    return bool(value) if isinstance(value, list | dict) else isinstance(value, str) and len(value) > TEXT_CHARS_MAX


def _misspelt(name: str, meant: str, known: list[str]) -> Refusal:
    return Refusal(
        Code.BAD_VALUE,
        f"This tool has no field {name[:NAME_CHARS_MAX]!r}; it has {meant!r}.",
        f"Send it as {meant!r}.",
        fields={"field": name[:NAME_CHARS_MAX], "rename_to": meant, "known_fields": known},
    )


def _unknown(name: str, known: list[str]) -> Refusal:
    return Refusal(
        Code.BAD_VALUE,
        f"This tool has no field {name[:NAME_CHARS_MAX]!r}, and what it holds would be lost.",
        f"Send it in one of the fields there are: {', '.join(known)}; or leave it out.",
        fields={"field": name[:NAME_CHARS_MAX], "remove": [name[:NAME_CHARS_MAX]], "known_fields": known},
    )
