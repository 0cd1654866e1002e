"""The tools of the conformance checks that ask a person while they run, on a test build that keeps sessions.

In the older era the question goes out on the stream of the call and its answer comes in a message of its own, so
somebody must remember who asked. Our server remembers nobody (see over_http.py), and no tool of ours asks. The build
here does: it shows that the endpoint, its token and its strict reading are not what stands in the way.
"""

from __future__ import annotations

import json
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from foureyes.mcp.over_http import PATH
from foureyes.mcp.speaker import Speaker

Json = dict[str, Any]
_TITLED = [
    {"const": f"value{at}", "title": f"{word} Option"} for at, word in enumerate(("First", "Second", "Third"), 1)
]
_OPTIONS = ["option1", "option2", "option3"]
_PERSON: Json = {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"},
}
_DEFAULTS: Json = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_ENUMS: Json = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}
#: The questions of each tool.
ELICITING: dict[str, Json] = {
    "test_elicitation": _PERSON,
    "test_elicitation_sep1034_defaults": _DEFAULTS,
    "test_elicitation_sep1330_enums": _ENUMS,
}


async def elicited(ctx: ServerRequestContext[Any, Any], params: Json) -> str:
    """The person's answer."""
    wanted = ELICITING[params["name"]]
    schema = {"type": "object", "properties": wanted, "required": list(wanted)}
    message = str((params.get("arguments") or {}).get("message", "Please fill this in."))
    answer = await ctx.session.elicit_form(message, schema, ctx.request_id)
    return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"


def keeping_sessions(speaker: Speaker) -> Speaker:
    """A server that keeps sessions."""
    brief = speaker._managers[PATH, False]
    speaker._managers[PATH, False] = StreamableHTTPSessionManager(
        speaker.servers[PATH],
        security_settings=brief.security_settings,
        max_request_body_size=brief.max_request_body_size,
    )
    return speaker
