"""Clients that play a lifecycle over a network: seven requests by enrolled accounts, every answer checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from bench.floor import WORK
from bench.servers import Failed, Line
from bench.story import CHECKED, FINDINGS, FOUND, TARGET, text, work
from foureyes.app.gate import new_key
from tests.mcp.desk import MODERN
from tests.mcp.wire import message

API = "/api/v1"
REQUESTS = 7
_FOUND = [{"severity": severity, "text": text} for severity, text in FOUND]


class Player(Protocol):
    """A client that plays lifecycles on a connection."""

    line: Line

    async def lifecycle(self, number: int) -> None:
        """Send five requests; the last answer is the gate's yes."""


@dataclass(slots=True)
class OnFloor:
    """A client of the floor behind Starlette."""

    line: Line

    async def lifecycle(self, number: int) -> None:  # noqa: ARG002 - the floor looks at no bytes
        """Open, three findings, a revision that answers them, an approval, the gate."""
        review = (await self._post("/reviews", work=WORK))["id"]
        await self.line.ask("GET", f"/reviews/{review}/work")
        found = (await self._post(f"/reviews/{review}/reports", findings=_FOUND, approves=False))["ids"]
        await self._post(f"/reviews/{review}/revisions", work=f"{WORK}# 2", answered=found)
        await self.line.ask("GET", f"/reviews/{review}/work")
        await self._post(f"/reviews/{review}/reports", findings=[], approves=True)
        await self.gate(review)

    async def gate(self, review: int = 1) -> None:
        """Ask the gate, and fail if it says no."""
        _is_yes(await self.line.ask("GET", f"/reviews/{review}/gate"))

    async def _post(self, path: str, **body: Any) -> Any:
        return await self.line.ask("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json"})


@dataclass(slots=True)
class OnHttp:
    """An author and a reviewer, over HTTP."""

    line: Line
    author: str
    reviewer: str

    async def lifecycle(self, number: int) -> None:
        """Play a lifecycle with each account's credential and an idempotency key for every command."""
        review = await self.opened(number)
        await self.reviewed(review, number)

    async def opened(self, number: int) -> str:
        """Open a review."""
        return str((await self._post(self.author, "/reviews", opening(number)))["review"])

    async def seats(self, review: str) -> list[str]:
        """Return the seats that were asked."""
        headers = {"Authorization": f"Bearer {self.author}"}
        found = await self.line.ask("GET", f"{API}/reviews/{review}", headers=headers)
        return [one["reviewer"]["name"] for one in found["review"]["seats"] if one["reviewer"]]

    async def reviewed(self, review: str, number: int) -> None:
        """Play the rest of the lifecycle."""
        await self._read(review)
        _is(await self._post(self.reviewer, f"/reviews/{review}/reports", objecting()), "open")
        _is(await self._post(self.author, f"/reviews/{review}/revisions", revising(number)), "open")
        await self._read(review)
        _is(await self._post(self.reviewer, f"/reviews/{review}/reports", approving()), "cleared")
        await self.gate(number)

    async def _read(self, review: str) -> None:
        """Serve the work to the reviewer: a report on bytes that were not served is refused."""
        headers = {"Authorization": f"Bearer {self.reviewer}"}
        await self.line.ask("GET", f"{API}/reviews/{review}/work", headers=headers)

    async def gate(self, number: int) -> None:
        """Ask the gate, and fail if it says no."""
        path = f"{API}/gate/{work(number, 2).digest}?target={TARGET}"
        _is_yes(await self.line.ask("GET", path, headers={"Authorization": f"Bearer {self.author}"}))

    async def _post(self, token: str, path: str, body: dict[str, Any]) -> Any:
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Idempotency-Key": new_key(),
        }
        return await self.line.ask("POST", API + path, json.dumps(body).encode(), headers)


@dataclass(slots=True)
class OnMcp:
    """An author and a reviewer who use the MCP tools."""

    line: Line
    author: str
    reviewer: str
    era: str = MODERN

    async def lifecycle(self, number: int) -> None:
        """Play a lifecycle in seven tool calls."""
        review = (await self.tool(self.author, "open_review", key=new_key(), **opening(number)))["review"]
        about = {"review": review}
        await self.tool(self.reviewer, "read_work", **about)
        _is(await self.tool(self.reviewer, "report", key=new_key(), **about, **objecting()), "open")
        _is(await self.tool(self.author, "revise", key=new_key(), **about, **revising(number)), "open")
        await self.tool(self.reviewer, "read_work", **about)
        _is(await self.tool(self.reviewer, "report", key=new_key(), **about, **approving()), "cleared")
        await self.gate(number)

    async def gate(self, number: int) -> None:
        """Ask the gate, and fail if it says no."""
        _is_yes(await self.tool(self.author, "gate", digest=work(number, 2).digest, target=TARGET))

    async def read(self, review: str) -> None:
        """Read a cleared review as its author."""
        shown = (await self.tool(self.author, "read_review", review=review))["review"]
        _is(shown, "cleared")
        if len(shown["findings"]) != len(FOUND):
            raise Failed(str(shown["findings"]))

    async def inbox(self) -> None:
        """Read the author's inbox, which is empty when every review is cleared."""
        found = (await self.tool(self.author, "inbox"))["waiting"]
        if found:
            raise Failed(str(found)[:300])

    async def echo(self, number: int) -> None:
        """Call the SDK's own tool that returns its argument."""
        if await self.tool("", "echo", x=number) != {"x": number}:
            raise Failed(f"no echo of {number}")

    async def tool(self, token: str, name: str, **arguments: Any) -> Any:
        """Call a tool and return its answer."""
        headers, body = message("tools/call", {"name": name, "arguments": arguments}, self.era)
        found = await self.line.ask("POST", "/mcp", body, {**headers, "Authorization": f"Bearer {token}"})
        result = found.get("result", {})
        if result.get("isError", True):
            raise Failed(str(found)[:300])
        return result["structuredContent"]


def opening(number: int) -> dict[str, Any]:
    """Body of a request that opens new work."""
    return {"kind": "code", "title": "Transfer", "files": [_file(number, 1)]}


def objecting() -> dict[str, Any]:
    """Body of a report with three findings."""
    found = [{**one, "category": "bug", "evidence": "Seen in transfer()"} for one in _FOUND]
    return {"revision": 1, "verdict": "reject", "findings": found}


def revising(number: int) -> dict[str, Any]:
    """Body of a revision whose new bytes answer the findings."""
    answers = [{"finding": one, "text": "Done as you say."} for one in FINDINGS]
    return {"files": [_file(number, 2)], "answers": answers}


def approving() -> dict[str, Any]:
    """Body of an approving report with its evidence."""
    checked = [{"what": CHECKED.what, "why": CHECKED.why}]
    settled = [{"finding": one, "resolved": True} for one in FINDINGS]
    return {"revision": 2, "verdict": "approve", "evidence": checked, "settled": settled}


def _file(number: int, revision: int) -> dict[str, str]:
    return {"path": "transfer.py", "text": text(number, revision).decode()}


def _is(found: dict[str, Any], state: str) -> None:
    if found["state"] != state:
        raise Failed(f"{found['state']}, not {state}")


def _is_yes(found: dict[str, Any]) -> None:
    if found["allowed"] is not True:
        raise Failed(str(found)[:300])
