"""The protocol's own checks pass against our endpoint, for both eras; what does not is listed with its reason.

Collected by `make test-all` alone (see conftest.py).
"""

import asyncio
import re
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from foureyes.mcp.over_http import Endpoint
from tests.app.house import House, played
from tests.mcp.conformance.fixture import with_fixtures
from tests.mcp.conformance.installing import installed
from tests.mcp.stdio import enrolled, server_at

SECONDS_MAX = 600
_LINE = re.compile(r"([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed")
_UNSCORED = re.compile(r"  [✓✗] ([a-z0-9-]+) \(")
NO_WAY_BACK = "the server would ask the client; in the newer era nothing may, and here nothing ever does"
LOGGING = "logging to clients is deprecated; we log for whoever runs the server"
SUBSCRIBING = "removed in the newer era; who wants to know calls `wait`"
#: What does not pass, and why that is so.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "2025-11-25": {
        "logging-set-level": LOGGING,
        "tools-call-with-logging": LOGGING,
        "tools-call-sampling": f"sampling is deprecated; {NO_WAY_BACK}",
        "tools-call-elicitation": NO_WAY_BACK,
        "elicitation-sep1034-defaults": NO_WAY_BACK,
        "elicitation-sep1330-enums": NO_WAY_BACK,
        "resources-subscribe": SUBSCRIBING,
        "resources-unsubscribe": SUBSCRIBING,
    },
    "2026-07-28": {},
}


class WithToken:
    """The checks bring no token; a test build gives them one."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], self._header]
        await self._app({**scope, "headers": headers}, receive, send)


@pytest.mark.parametrize("requirements", EXCEPTIONS)
def test_the_protocols_own_checks_pass(requirements: str, tmp_path: Path) -> None:
    @played
    async def story() -> None:
        house = House()
        tokens = await enrolled(house, "dev")

        def around(app: ASGIApp, tools: Endpoint) -> ASGIApp:
            make = tools._make

            def made() -> object:
                speaker = make()
                with_fixtures(speaker.server)
                return speaker

            tools._make = made  # type: ignore[assignment] # the same, with more tools
            return WithToken(app, tokens["dev"])

        async with server_at(tmp_path / "home", house, around) as address:
            failed, passed, told = await _checked(f"{address}/mcp", requirements, tmp_path)
        assert failed == EXCEPTIONS[requirements].keys(), told
        assert len(passed) >= 20, told

    story()


async def _checked(url: str, requirements: str, folder: Path) -> tuple[set[str], set[str], str]:
    node, program = installed()
    process = await asyncio.create_subprocess_exec(
        *(str(node), str(program), "server", "--url", url, "--requirements", requirements),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(process.communicate(), SECONDS_MAX)
    told = out.decode()
    unscored = set(_UNSCORED.findall(told))
    found = {name: sign for sign, name in _LINE.findall(told) if name not in unscored}
    failed = {name for name, sign in found.items() if sign == "✗"}
    return failed, found.keys() - failed, told
