"""Cursors for the next page of a list: one encoding for all lists; a cursor that comes back is parsed strictly."""

from __future__ import annotations

import base64
import json
from typing import Any

from foureyes.codec.shapes import shape
from foureyes.core.refusals import Code, Refusal, refuse

PAGE_MAX = 200


def cursor_of(*parts: str | int) -> str:
    """What a page says of the next one."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def limited(limit: int) -> int:
    """How much of a list is given at a time, where it is not too much."""
    if not 1 <= limit <= PAGE_MAX:
        raise refuse(Code.BAD_NUMBER, what="The limit", value=limit, low=1, high=PAGE_MAX, field="limit")
    return limit


def parts_of(cursor: str, hint: Any) -> Any:
    """The parts of a cursor, which has those of `hint`; raises Refusal for whatever no page has said."""
    write, read = shape(hint)
    try:
        found = read(json.loads(base64.urlsafe_b64decode(cursor.encode())))
        write(found)  # a store cannot look for what cannot be encoded
    except (ValueError, RecursionError):
        raise Refusal(
            Code.UNKNOWN_WORD,
            f"The cursor {cursor[:80]!r} is not one that a page gave.",
            "Use `next` of the page before, or leave the cursor out and begin anew.",
            fields={"field": "cursor", "word": cursor[:80], "remove": ["cursor"]},
        ) from None
    return found
