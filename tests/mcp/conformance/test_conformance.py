"""The protocol's own checks pass against our endpoint in both eras; exceptions are listed with their reason.

Collected by `make test-all` alone (see conftest.py).
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from foureyes.mcp.over_http import PATH, Endpoint
from foureyes.mcp.speaker import Speaker
from tests.app.house import House, played
from tests.mcp.conformance.eliciting import keeping_sessions
from tests.mcp.conformance.fixture import with_fixtures
from tests.mcp.conformance.installing import installed
from tests.mcp.stdio import enrolled, server_at

SECONDS_MAX = 600
_LINE = re.compile(r"([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed")
_UNSCORED = re.compile(r"  [✓✗] ([a-z0-9-]+) \(")
LOGGING = "logging to clients is deprecated; we log for whoever runs the server"
SUBSCRIBING = "removed in the newer era; who wants to know calls `wait`"
#: Failing checks with the reason: each concerns something that the newer era deprecates or has removed.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "2025-11-25": {
        "logging-set-level": LOGGING,
        "tools-call-with-logging": LOGGING,
        "tools-call-sampling": "sampling is deprecated; no tool of ours borrows the client's model",
        "resources-subscribe": SUBSCRIBING,
        "resources-unsubscribe": SUBSCRIBING,
    },
    "2026-07-28": {},
}
#: In the older era a person's answer comes in a separate message, which needs a session; ours keeps none.
ASKS_A_PERSON = frozenset({"tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"})


class WithToken:
    """The checks bring no token; a test build gives them one."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], self._header]
        await self._app({**scope, "headers": headers}, receive, send)


@pytest.mark.parametrize("requirements", EXCEPTIONS)
def test_the_protocols_own_checks_pass_in_both_eras(requirements: str, tmp_path: Path) -> None:
    _expect(EXCEPTIONS[requirements].keys(), requirements, tmp_path, keeping_sessions)


def test_without_sessions_the_older_era_lacks_only_who_asks_a_person_in_the_middle_of_a_call(tmp_path: Path) -> None:
    """As it is shipped: what else passes, passes without anything kept between two requests."""
    older = "2025-11-25"
    _expect(EXCEPTIONS[older].keys() | ASKS_A_PERSON, older, tmp_path, lambda speaker: speaker)


def _expect(failing: AbstractSet[str], requirements: str, folder: Path, build: Callable[[Speaker], Speaker]) -> None:
    @played
    async def story() -> None:
        house = House()
        tokens = await enrolled(house, "dev")

        def around(app: ASGIApp, tools: Endpoint) -> ASGIApp:
            make = tools._make

            def made() -> Speaker:
                speaker = build(make())
                with_fixtures(speaker.servers[PATH])
                return speaker

            tools._make = made
            return WithToken(app, tokens["dev"])

        async with server_at(folder / "home", house, around) as address:
            failed, passed, told = await _checked(f"{address}/mcp", requirements, folder)
        assert failed == failing, told
        assert len(passed) >= 20, told

    story()


async def _checked(url: str, requirements: str, folder: Path) -> tuple[set[str], set[str], str]:
    node, program = installed()
    results = folder / "results"
    process = await asyncio.create_subprocess_exec(
        *(str(node), str(program), "server", "--url", url, "--requirements", requirements),
        *("--timeout", str(1000 * SECONDS_MAX), "--output-dir", str(results)),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(process.communicate(), SECONDS_MAX)
    told = out.decode()
    unscored = set(_UNSCORED.findall(told))
    found = {name: sign for sign, name in _LINE.findall(told) if name not in unscored}
    failed = {name for name, sign in found.items() if sign == "✗"}
    return failed, found.keys() - failed, "\n".join((told, *_reasons(results)))


def _reasons(results: Path) -> Iterator[str]:
    """The failures, in the words of the checks."""
    for path in sorted(results.rglob("checks.json")):
        for one in json.loads(path.read_text(encoding="utf-8")):
            if one["status"] == "FAILURE":
                yield f"{one['id']}: {one.get('errorMessage')}"
