"""Build the SDK's MCP server, in both eras of the protocol, with one handler that passes every request on."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.methods import validate_client_request
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from foureyes import __version__
from foureyes.codec import Json
from foureyes.core.refusals import Refusal
from foureyes.mcp.told import BROKEN, NotThere, in_words, words_of

log = logging.getLogger("foureyes.mcp")
_TOOLS: Mapping[str, type[types.RequestParams]] = {
    "tools/list": types.PaginatedRequestParams,
    "tools/call": types.CallToolRequestParams,
}
_ALL: Mapping[str, type[types.RequestParams]] = {
    **_TOOLS,
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "resources/read": types.ReadResourceRequestParams,
    "completion/complete": types.CompleteRequestParams,
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
}


#: The methods with which a client connects, in the older era and in the newer one.
_GREETINGS = frozenset(("initialize", "server/discover"))


class Behind(Protocol):
    """What answers requests: the gate in this process, or a server elsewhere."""

    async def answer(self, method: str, params: Json, request: object) -> Json:
        """Answer one request."""

    def takes(self, name: str) -> Mapping[str, Any] | None:
        """The input schema of a tool, if it is known in this process."""

    async def instructions(self, request: object) -> str:
        """The instructions for the client that connects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """The name and version under which the server introduces itself."""

    name: str = "foureyes"
    version: str = __version__
    #: Tools only, without resources, prompts and instructions.
    bare: bool = False


FOUREYES = Face()
#: The review server that other agents were written for.
REVIEW_SERVER = Face(name="review-server", version="1.0.0", bare=True)
FACES: Mapping[str, Face] = {one.name: one for one in (FOUREYES, REVIEW_SERVER)}


def build(behind: Behind, face: Face = FOUREYES) -> Server[Any]:
    """Build the SDK's server for what is behind it. It sends no requests to clients, and accepts no answers."""

    async def handle(ctx: ServerRequestContext[Any, Any], _: types.RequestParams | None) -> dict[str, Any]:
        params = {name: one for name, one in (ctx.params or {}).items() if name != "_meta"}
        try:
            return dict(await behind.answer(ctx.method, params, ctx.request))
        except MCPError:
            raise
        except NotThere as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Exception as error:
            words = words_of(error)
            if words is None:
                log.exception("%s failed", ctx.method)  # logged here: the older era's SDK would send it to the client
            code = types.INVALID_PARAMS if isinstance(error, Refusal) else types.INTERNAL_ERROR
            raise MCPError(code, in_words(*(words or BROKEN)), {"code": (words or BROKEN)[0]}) from None

    server: Server[Any] = Server(
        face.name,
        version=face.version,
        get_tool_input_schema=behind.takes,
    )

    async def straight(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method in _GREETINGS and not face.bare:
            return _instructed(await call_next(ctx), await behind.instructions(ctx.request))
        # The SDK would parse an answer and serialise it again; this one has its final form already.
        name = (ctx.params or {}).get("name") if ctx.method == "tools/call" and ctx.request_id is not None else None
        if type(name) is not str or ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS or behind.takes(name) is None:
            return await call_next(ctx)
        validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
        found = await handle(ctx, None)
        return {**found, "_meta": {**found.get("_meta", {}), types.SERVER_INFO_META_KEY: server.server_info_stamp}}

    # Replaces the SDK's own middleware, which opens a tracing span that is not collected here.
    server.middleware[:] = [straight]
    for method, params in (_TOOLS if face.bare else _ALL).items():
        server.add_request_handler(method, params, handle)
    return server


def _instructed(found: HandlerResult, instructions: str) -> HandlerResult:
    if isinstance(found, BaseModel):
        return found.model_copy(update={"instructions": instructions})
    return {**found, "instructions": instructions} if isinstance(found, dict) else found
