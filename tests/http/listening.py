"""A listener of the feed in process, like a connection that stays open."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Self

from foureyes.http.routes import BASE
from tests.http.web import HOST, Web

SECONDS_MAX = 10.0


class Connection:
    """An open connection of the feed, read event by event."""

    def __init__(self, web: Web, headers: dict[str, str]) -> None:
        self._web = web
        self._headers = {"host": HOST, **headers}
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._gone = asyncio.Event()
        self.status = 0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._served())
        start = await asyncio.wait_for(self._sent.get(), SECONDS_MAX)
        self.status = start["status"]
        if self.status == 200:
            assert (await self.read()).startswith("retry: ")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._gone.set()
        await asyncio.wait_for(self._task, SECONDS_MAX)

    async def read(self) -> str:
        """The next raw event; empty at the end."""
        message = await asyncio.wait_for(self._sent.get(), SECONDS_MAX)
        return str(message.get("body", b"").decode())

    async def event(self) -> dict[str, Any]:
        """The next event."""
        text = await self.read()
        fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
        data = json.loads(fields["data"])
        assert (data["id"], data["type"]) == (fields["id"], f"foureyes.{fields['event']}")
        assert data["specversion"] == "1.0"
        return dict(data)

    async def _served(self) -> None:
        await self._web.app(self._scope(), self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self._sent.put_nowait(message)

    def _scope(self) -> dict[str, Any]:
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": f"{BASE}/feed",
            "raw_path": f"{BASE}/feed".encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in self._headers.items()],
            "client": ("127.0.0.1", 5000),
            "server": ("127.0.0.1", 8004),
            "state": {},
        }
