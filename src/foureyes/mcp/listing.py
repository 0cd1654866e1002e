"""The lists of tools by role, and how a tool is described there.

A list stays in an agent's context for as long as it works, so an agent is listed only what its role needs. A tool that
is not listed can still be called by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from foureyes.codec import Json
from foureyes.core.principals import Scope
from foureyes.core.refusals import Code, Refusal

if TYPE_CHECKING:
    from foureyes.mcp.tools import Tool

#: The query parameter that chooses the list of tools, as in `/mcp?tools=all`.
WORD = "tools"


class Which(StrEnum):
    """Which tools are listed."""

    #: The tools of every role that the token's scopes allow.
    USUAL = "usual"
    AUTHOR = "author"
    REVIEWER = "reviewer"
    SESSION = "session"
    READER = "reader"
    ALL = "all"


_AUTHOR, _REVIEWER, _SESSION, _READER = Which.AUTHOR, Which.REVIEWER, Which.SESSION, Which.READER
#: The tools of each role. A few take much at once: `revise` brings every answer, `report` every finding and every
#: settlement, and most of them wait.
USUAL: Mapping[str, frozenset[Which]] = {
    **dict.fromkeys(("inbox", "read_review"), frozenset((_AUTHOR, _REVIEWER, _SESSION, _READER))),
    **dict.fromkeys(("explain", "escalate"), frozenset((_AUTHOR, _REVIEWER))),
    **dict.fromkeys(("open_review", "send_file", "revise", "answer_finding", "withdraw"), frozenset((_AUTHOR,))),
    "gate": frozenset((_AUTHOR, _READER)),
    "signal": frozenset((_AUTHOR, _SESSION)),
    **dict.fromkeys(("me", "list_reviews"), frozenset((_READER,))),
    **dict.fromkeys(
        ("take_seat", "read_work", "report", "report_inconclusive", "settle_finding", "leave_seat"),
        frozenset((_REVIEWER,)),
    ),
    **dict.fromkeys(
        (
            *("read_session", "session_issues", "review_requests", "submit_result"),
            *("read_clarifications", "clarify", "end_session", "validate", "read_validation", "read_task"),
        ),
        frozenset((_SESSION,)),
    ),
}
#: The seven tools of the review server: only its own address offers them, and every list there includes them.
_SEVEN = frozenset(
    (
        *("check_review_required", "request_review", "submit_review", "get_review", "request_re_review"),
        *("escalate_review", "get_review_metrics"),
    )
)
_SELDOM = frozenset(
    (
        *("after", "author", "base", "context", "context_hash", "cost", "draft", "media_type", "origin", "protocols"),
        *("rule", "scope", "stage", "strengths", "turns"),
    )
)
#: Fields that few agents send: only the full list shows them.
_RARE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("open_review", "revise", "report", "take_seat"), _SELDOM),
    "report_inconclusive": _SELDOM | {"findings"},
    # The tool's description explains these two.
    "open_review": _SELDOM - {"base", "protocols"},
    "validate": frozenset(("action", "can_veto", "critic_chain", "name")),
    "signal": frozenset(("agent", "focus_areas", "media_type", "payload", "timestamp")),
}


def parts_of(scopes: Iterable[str]) -> frozenset[Which]:
    """The roles that a token of these scopes is for; one that neither authors nor reviews is a session or a reader."""
    held = frozenset(scopes)
    found = {part for scope, part in ((Scope.AUTHOR, _AUTHOR), (Scope.REVIEW, _REVIEWER)) if scope in held}
    if not found and Scope.SIGNAL in held:
        found = {_SESSION}
    return frozenset(found or {_READER})


def which_of(query: bytes) -> Which:
    """The list of tools that a request's query asks for; raises Refusal for an unknown word."""
    said = [one for name, one in parse_qsl(query.decode("latin-1"), keep_blank_values=True) if name == WORD]
    if not said:
        return Which.USUAL
    if len(said) == 1 and said[0] in tuple(Which):
        return Which(said[0])
    words = ", ".join(Which)
    raise Refusal(
        Code.BAD_VALUE,
        f"There is no such list of tools: {', '.join(said)[:80]!r}.",
        f"Say {WORD}= once, with one of {words}; without it the usual ones are listed.",
        fields={"field": WORD, "allowed": list(Which)},
    )


def is_listed(name: str, which: Which, parts: frozenset[Which]) -> bool:
    """True if the tool is on that list for a caller with these roles."""
    if which is Which.ALL or name in _SEVEN:
        return True
    return not USUAL.get(name, frozenset()).isdisjoint(parts if which is Which.USUAL else {which})


def listed(tools: Iterable[Tool], which: Which, parts: frozenset[Which]) -> list[Json]:
    """The list. Only the full list includes output schemas: those are for programs, which are written once."""
    return [_described(one, whole=which is Which.ALL) for one in tools if is_listed(one.name, which, parts)]


def _described(tool: Tool, *, whole: bool) -> Json:
    changes = tool.call.changes
    # For a tool that only reads, the read-only hint says everything.
    hints = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False} if changes else {}
    found = {
        "name": tool.name,
        "description": tool.says,
        "inputSchema": _short(tool.takes(), frozenset() if whole else _RARE.get(tool.name, frozenset()), top=True),
        "annotations": hints or {"readOnlyHint": True},
    }
    return {**found, "outputSchema": tool.gives()} if whole else found


def _short(shape: Json, rare: frozenset[str], *, top: bool = False) -> Json:
    """The schema without class titles, null alternatives and empty defaults, so that it takes less of the context."""
    # The form's description repeats the tool's; unknown fields are accepted and named in the answer.
    left_out = {"title", "description", "additionalProperties"} if top else {"title"}
    match shape:
        case {"anyOf": [other, {"type": "null"}], **rest}:
            return _short({**other, **rest}, rare)
    found = {name: _inside(name, one, rare) for name, one in shape.items() if name not in left_out}
    if found.get("default") == "":
        del found["default"]
    return found


def _inside(name: str, value: Any, rare: frozenset[str]) -> Any:
    """The value of one keyword of JSON Schema, shortened where it is a schema or contains some."""
    match name, value:
        case "properties", dict():
            return {field: _short(one, rare) for field, one in value.items() if field not in rare}
        case (("items" | "additionalProperties"), dict()):
            return _short(value, rare)
        case (("anyOf" | "prefixItems"), list()):
            return [_short(one, rare) for one in value]
    return value
