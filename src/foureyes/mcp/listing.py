"""Which tools are listed, and how? What an author and a reviewer need every day; the others for whoever asks for them.

A list stands in an agent's context for as long as it works. Whatever is not listed is called by its name all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from foureyes.codec import Json
from foureyes.core.refusals import Code, Refusal

if TYPE_CHECKING:
    from foureyes.mcp.tools import Tool

#: The word of an address that says which tools are listed, as in `/mcp?tools=all`.
WORD = "tools"


class Which(StrEnum):
    """Which tools are listed."""

    USUAL = "usual"
    AUTHOR = "author"
    REVIEWER = "reviewer"
    ALL = "all"


#: Those of an author, of a reviewer, and of both. A few take much at once: `revise` brings every answer, `report` every
#: finding and every settlement, and most of them wait. The seven that agents know from a review server are among them.
USUAL: Mapping[str, frozenset[Which]] = {
    **dict.fromkeys(
        ("inbox", "read_review", "explain", "escalate", "get_review", "escalate_review", "get_review_metrics"),
        frozenset((Which.AUTHOR, Which.REVIEWER)),
    ),
    **dict.fromkeys(
        (
            *("open_review", "revise", "answer_finding", "gate", "validate", "signal"),
            *("check_review_required", "request_review", "request_re_review"),
        ),
        frozenset((Which.AUTHOR,)),
    ),
    **dict.fromkeys(
        ("take_seat", "read_work", "report", "report_inconclusive", "settle_finding", "submit_review"),
        frozenset((Which.REVIEWER,)),
    ),
}


def which_of(query: bytes) -> Which:
    """Which tools the address of a request asks for; raises Refusal for a word that there is not."""
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
    )


def is_listed(name: str, which: Which) -> bool:
    """Whether a tool stands on that list."""
    if which is Which.ALL:
        return True
    return name in USUAL if which is Which.USUAL else which in USUAL.get(name, ())


def listed(tools: Iterable[Tool], which: Which) -> list[Json]:
    """The list. Only the whole one says what the answers look like: for programs, which are written once."""
    return [_described(one, with_answer=which is Which.ALL) for one in tools if is_listed(one.name, which)]


def _described(tool: Tool, *, with_answer: bool) -> Json:
    call = tool.call
    hints = {"readOnlyHint": not call.changes, "destructiveHint": False, "openWorldHint": False}
    found = {
        "name": tool.name,
        "description": tool.says,
        "inputSchema": _short(tool.takes()),
        "annotations": hints,
    }
    return {**found, "outputSchema": tool.gives()} if with_answer else found


def _short(shape: Json) -> Json:
    """A schema without the names of our classes, and without saying that what may be left out is empty then."""
    found = {name: _inside(name, one) for name, one in shape.items() if name != "title"}
    if found.get("default") == "":
        del found["default"]
    return found


def _inside(name: str, value: Any) -> Any:
    """What stands in a schema under a word of JSON Schema, itself made short where it is one or holds some."""
    match name, value:
        case "properties", dict():
            return {field: _short(one) for field, one in value.items()}
        case (("items" | "additionalProperties"), dict()):
            return _short(value)
        case (("anyOf" | "prefixItems"), list()):
            return [_short(one) for one in value]
    return value
