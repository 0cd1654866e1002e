"""The smallest servers that answer over a network, without foureyes, to compare `foureyes up` with.

Usage: python -m bench.floor_servers bare|http|echo|echo-json [FILE]. `bare` is Starlette with one route; `http` does
the floor's four commits of a lifecycle behind it, without credentials, policy or audit; `echo` is a tool of the
official MCP SDK that returns its argument, as the SDK serves it or, cheaper, with plain JSON. Each prints its port.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import TYPE_CHECKING

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

if TYPE_CHECKING:
    from bench.floor import LeastSqlite

HOST = "127.0.0.1"


async def health(_: Request) -> JSONResponse:
    """Health check."""
    return JSONResponse({"status": "alive"})


class Http:
    """The routes of a lifecycle, run in the event loop's thread because a commit is short."""

    def __init__(self, floor: LeastSqlite) -> None:
        """Serve this floor."""
        self._floor = floor

    async def open(self, request: Request) -> JSONResponse:
        """Open a review."""
        return JSONResponse({"id": self._floor.open((await request.json())["work"])})

    async def read(self, request: Request) -> JSONResponse:
        """Serve the work to a reviewer and record it."""
        return JSONResponse({"work": self._floor.read(_review(request))})

    async def report(self, request: Request) -> JSONResponse:
        """Store a report."""
        sent = await request.json()
        found = [(one["severity"], one["text"]) for one in sent["findings"]]
        return JSONResponse({"ids": self._floor.report(_review(request), found, approves=sent["approves"])})

    async def revise(self, request: Request) -> JSONResponse:
        """Store a revision."""
        sent = await request.json()
        self._floor.revise(_review(request), sent["work"], sent["answered"])
        return JSONResponse({})

    async def gate(self, request: Request) -> JSONResponse:
        """Answer whether the review was approved."""
        return JSONResponse({"allowed": self._floor.is_approved(_review(request))})

    def routes(self) -> list[Route]:
        """The routes and their paths."""
        return [
            Route("/reviews", self.open, methods=["POST"]),
            Route("/reviews/{review}/work", self.read),
            Route("/reviews/{review}/reports", self.report, methods=["POST"]),
            Route("/reviews/{review}/revisions", self.revise, methods=["POST"]),
            Route("/reviews/{review}/gate", self.gate),
        ]


def _review(request: Request) -> int:
    return int(request.path_params["review"])


def application(kind: str, path: str = "") -> ASGIApp:
    """Build the server of this kind."""
    if kind == "bare":
        return Starlette(routes=[Route("/health", health)])
    if kind == "http":
        from bench.floor import LeastSqlite  # noqa: PLC0415 - a bare server starts without

        return Starlette(routes=[Route("/health", health), *Http(LeastSqlite(path)).routes()])
    return _echo(is_json=kind == "echo-json")


def _echo(*, is_json: bool) -> ASGIApp:
    from mcp.server import MCPServer  # noqa: PLC0415 - the others start without

    server = MCPServer("echo")

    @server.tool()
    async def echo(x: int) -> dict[str, int]:
        """Return x."""
        return {"x": x}

    return server.streamable_http_app(json_response=is_json, stateless_http=True)


async def serve(app: ASGIApp) -> None:
    """Serve until the process is ended."""
    with socket.create_server((HOST, 0), backlog=2048) as bound:
        print(bound.getsockname()[1], flush=True)
        config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=1)
        await uvicorn.Server(config).serve([bound])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(application(*sys.argv[1:])))
