"""The tools, resources and prompts that the conformance checks ask for, on our own server in a test build.

They prove that the layers between an agent and a tool (our endpoint, the strict parser, the SDK) pass everything of
the protocol, also features that no foureyes tool uses.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from tests.mcp.conformance.eliciting import ELICITING, elicited

Json = dict[str, Any]
Context = ServerRequestContext[Any, Any]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAESsAACJWAAACABAAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
_KEY = b"of the test build alone"


def text(words: str) -> Json:
    """A piece of text."""
    return {"type": "text", "text": words}


def embedded(uri: str, words: str, kind: str = "text/plain") -> Json:
    """A resource inside of an answer."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


def said(*content: Json, **fields: Any) -> Json:
    """The result of a tool."""
    return {"resultType": "complete", "content": list(content), **fields}


MIXED = embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
#: Tools that always answer the same.
PLAIN: dict[str, Json] = {
    "test_simple_text": said(text("This is a simple text response for testing.")),
    "test_image_content": said(IMAGE),
    "test_audio_content": said({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
    "test_embedded_resource": said(embedded("test://embedded-resource", "This is an embedded resource content.")),
    "test_multiple_content_types": said(text("Multiple content types test:"), IMAGE, MIXED),
    "test_error_handling": said(text("This tool intentionally returns an error for testing"), isError=True),
    "test_logging_tool": said(text("Nothing is logged to a client.")),
}


def question(message: str, name: str, kind: str = "string") -> Json:
    """A question to a person."""
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampled(words: str) -> Json:
    """A question to a model."""
    messages = [{"role": "user", "content": text(words)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}}


ROOTS: Json = {"method": "roots/list", "params": {}}
NAME = question("What is your name?", "name")
CONFIRM = question("Please confirm", "ok", "boolean")
#: Tools that ask something first: the rounds, and whether they pass a state.
ASKING: dict[str, tuple[list[Json], bool]] = {
    "test_input_required_result_elicitation": ([{"user_name": NAME}], False),
    "test_input_required_result_sampling": ([{"capital_question": sampled("What is the capital of France?")}], False),
    "test_input_required_result_list_roots": ([{"client_roots": ROOTS}], False),
    "test_input_required_result_request_state": ([{"confirm": CONFIRM}], True),
    "test_input_required_result_tampered_state": ([{"confirm": CONFIRM}], True),
    "test_input_required_result_multiple_inputs": (
        [{"user_name": NAME, "greeting": sampled("Generate a greeting"), "client_roots": ROOTS}],
        True,
    ),
    "test_input_required_result_multi_round": (
        [{"step1": NAME}, {"step2": question("What is your favourite colour?", "color")}],
        True,
    ),
}
_CAPABILITY = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def asked(name: str, params: Json, rounds: list[Json], *, state: bool) -> Json | None:
    """The next question; None when all were answered."""
    answers = params.get("inputResponses") or {}
    at = _round(name, params["requestState"]) if state and params.get("requestState") else 0
    if rounds[at].keys() <= {one for one, answer in answers.items() if isinstance(answer, dict)}:
        at += 1
    if at == len(rounds):
        return None
    more = {"requestState": _state(name, at)} if state else {}
    return {"resultType": "input_required", "inputRequests": rounds[at], **more}


def _state(name: str, at: int) -> str:
    return f"{at}.{hmac.new(_KEY, f'{name}{at}'.encode(), hashlib.sha256).hexdigest()}"


def _round(name: str, state: str) -> int:
    at = int(state.partition(".")[0]) if state[:1].isdigit() else -1
    if not hmac.compare_digest(state.encode(), _state(name, at).encode()):
        raise MCPError(types.INVALID_PARAMS, "The state was altered.")
    return at


async def called(ctx: Context, params: Json) -> Json | None:
    """Answer a tool of the checks; None for any other tool."""
    name = params["name"]
    if name in PLAIN:
        return PLAIN[name]
    if name in ASKING:
        rounds, state = ASKING[name]
        return asked(name, params, rounds, state=state) or said(text("state-ok"))
    if name in ELICITING:
        return said(text(await elicited(ctx, params)))
    if name in ("test_tool_with_progress", "test_streaming_elicitation"):
        for done in (0, 50, 100):
            await ctx.session.report_progress(done, 100)
            await asyncio.sleep(0.05)
        return said(text("Done."))
    return _by_capability(ctx, name)


def _by_capability(ctx: Context, name: str) -> Json | None:
    declared = ((ctx.params or {}).get("_meta") or {}).get("io.modelcontextprotocol/clientCapabilities") or {}
    if name == "test_missing_capability":
        if "sampling" not in declared:
            needed: Json = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "It needs sampling.", needed)
        return said(text("It can."))
    if name == "test_input_required_result_capabilities":
        may = {"name": NAME, "words": sampled("Say something"), "places": ROOTS}
        found = {key: one for key, one in may.items() if _CAPABILITY[one["method"]] in declared}
        return {"resultType": "input_required", "inputRequests": found}
    return None


async def read(_: Context, params: Json) -> Json | None:
    """Read a resource of the checks."""
    uri = str(params["uri"])
    if uri == "test://static-text":
        content = {"mimeType": "text/plain", "text": "This is the content of the static text resource."}
    elif uri == "test://static-binary":
        content = {"mimeType": "image/png", "blob": PNG}
    elif uri.startswith("test://template/") and uri.endswith("/data"):
        name = uri.split("/")[3]
        words = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
        content = {"mimeType": "application/json", "text": words}
    else:
        return None
    return {"resultType": "complete", "contents": [{"uri": uri, **content}], "ttlMs": 0, "cacheScope": "private"}


async def got(_: Context, params: Json) -> Json | None:
    """Get a prompt of the checks."""
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "test_input_required_result_prompt":
        rounds = [{"user_context": question("What context should the prompt use?", "context")}]
        needs = asked(name, params, rounds, state=False)
        if needs:
            return needs
    pieces = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_input_required_result_prompt": [text("With a context.")],
        "test_prompt_with_arguments": [
            text(f"Prompt with arguments: arg1='{arguments.get('arg1')}', arg2='{arguments.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            embedded(str(arguments.get("resourceUri")), "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
    }.get(name)
    if pieces is None:
        return None
    return {"resultType": "complete", "messages": [{"role": "user", "content": one} for one in pieces]}


FIXTURES: dict[str, Callable[[Context, Json], Any]] = {"tools/call": called, "resources/read": read, "prompts/get": got}
TOOLS = (
    *PLAIN,
    *ASKING,
    *ELICITING,
    "test_tool_with_progress",
    "test_streaming_elicitation",
    "test_missing_capability",
)


def with_fixtures(server: Server[Any]) -> Server[Any]:
    """The server with the tools of the checks added."""
    for method, answer in FIXTURES.items():
        _add(server, method, answer)
    entry = server.get_request_handler("tools/list")
    assert entry is not None

    async def listed(ctx: Context, params: Any) -> Json:
        found: Json = await entry.handler(ctx, params)  # type: ignore[assignment] # ours answers with an object
        more = [{"name": one, "description": "For the checks.", "inputSchema": {"type": "object"}} for one in TOOLS]
        return {**found, "tools": [*found["tools"], *more]}

    server.add_request_handler("tools/list", entry.params_type, listed)
    server.get_tool_input_schema = None
    return server


def _add(server: Server[Any], method: str, answer: Callable[[Context, Json], Any]) -> None:
    entry = server.get_request_handler(method)
    assert entry is not None

    async def handle(ctx: Context, params: Any) -> Any:
        found = await answer(ctx, dict(ctx.params or {}))
        return await entry.handler(ctx, params) if found is None else found

    server.add_request_handler(method, entry.params_type, handle)
