"""Every call of the registry, made by a caller with what they know of a review; new calls are covered automatically."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any, cast

from foureyes.app.calls.bodies import schema
from foureyes.app.calls.registry import CALLS
from foureyes.mcp.tools import TOOLS
from tests.use.served import HTTP, MCP, Caller, Reply

#: Calls that would end the test's review or account for later calls, so they come last.
LAST = ("remove_account", "revoke_token", "withdraw", "withdraw_content")
#: Callers without a token take turns with these: the server slows down an address that it refused often.
_ADDRESSES = cycle([f"127.0.0.{number}" for number in range(2, 255)] if sys.platform == "linux" else [""])


def every_call(caller: Caller, known: Mapping[str, Any]) -> Iterator[tuple[str, Reply]]:
    """Make each call at each of its doors, with `known` values by field name; yield door, name and answer."""
    for name in sorted(CALLS, key=lambda one: (one in LAST, one)):
        arguments = arguments_of(name, known)
        for door in (HTTP, MCP) if name in TOOLS else (HTTP,):
            asking = caller.at(door).unread()
            if "authorization" not in caller.headers:
                asking = asking.coming_from(next(_ADDRESSES))
            yield f"{door} {name}", asking.call(name, **arguments)


def arguments_of(name: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call: the required fields, and all others that are known."""
    form = schema(cast("Any", CALLS[name].form))
    found: dict[str, Any] = _value(form, known)
    return found


def _value(shape: Any, known: Mapping[str, Any]) -> Any:
    shape = next((one for one in shape.get("anyOf", ()) if one.get("type") != "null"), shape)
    if "enum" in shape:
        return shape["enum"][0]
    match shape.get("type"):
        case "object":
            needed = shape.get("required", ())
            fields = shape.get("properties", {})
            return {
                field: known[field] if field in known else _value(of, known)
                for field, of in fields.items()
                if field in needed or field in known
            }
        case "array":
            return [_value(shape.get("items", {}), known)]
        case "integer" | "number":
            return 1
        case "boolean":
            return False
        case _:
            return "x"
