"""A message that is too large, answered as the tool's own refusal: a model sees what a client's transport error hides.

The message is not kept. Its beginning and its end are enough to find the id that the answer belongs to.
"""

from __future__ import annotations

import json
import re

from foureyes.codec import Json
from foureyes.mcp.strict import MESSAGE_BYTES_MAX
from foureyes.mcp.told import failed

#: At most this much of a message that is too large is read to find its end.
DRAINED_BYTES_MAX = 8 * MESSAGE_BYTES_MAX
#: This much of its start and of its end is kept.
EDGE_BYTES = 4_096
#: Inside a JSON string every quote is escaped, so this matches a field and never the content of a file.
_ID = re.compile(rb'(?<!\\)"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?[0-9]{1,18})\s*(?=[,}])')
_CALL = re.compile(rb'(?<!\\)"method"\s*:\s*"tools/call"')
_PARAMS = re.compile(rb'(?<!\\)"params"\s*:')

_SENTENCE = f"A message has at most {MESSAGE_BYTES_MAX} bytes, and this one has more."
_STEP = "Send the largest files one by one with `send_file`, then the same call with the `digest` of each instead."

_PARTICULARS: Json = {
    "fields": {
        "most": MESSAGE_BYTES_MAX,
        "field": "files",
        "add": {"files": [{"path": "<path>", "digest": "<the digest that send_file answered>"}]},
    },
    "next_call": {"call": "send_file", "arguments": {"text": "<the text of one file>"}},
}


def too_large(start: bytes, end: bytes) -> Json | None:
    """The answer to a tool call that is too large; None if it is not a tool call, or its id cannot be found."""
    if not _CALL.search(start) and not _CALL.search(end):
        return None
    params = _PARAMS.search(start)
    before = _ID.search(start, 0, params.start()) if params else None
    behind = before or next(reversed(list(_ID.finditer(end))), None)
    if behind is None:
        return None
    told = failed("too_large", _SENTENCE, _STEP, _PARTICULARS)
    return {"jsonrpc": "2.0", "id": json.loads(behind[1]), "result": told}
