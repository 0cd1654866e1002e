"""A real server in its own process, with a browser that records what it was asked to open."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tests.doors_used import COMMAND, RECORD, door_of, named_policy
from tests.http.web import Answer
from tests.web.browser import Browser

FOUREYES = str(Path(sys.executable).with_name("foureyes"))
END_SECONDS_MAX = 10
ANSWER_SECONDS_MAX = 30


@dataclass
class Running:
    """`foureyes up` on a free port, with a home of its own."""

    folder: Path
    arguments: tuple[str, ...] = ()
    has_browser: bool = True
    program: tuple[str, ...] = (FOUREYES,)
    #: The name of the policy that a test has activated before it started the server.
    activated: str = ""

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        script = self.folder / "browser"
        script.write_text(f'#!/bin/sh\necho "$1" >> {self.folder}/opened\n', encoding="utf-8")
        script.chmod(0o700)
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            **({"BROWSER": str(script)} if self.has_browser else {}),
            **{name: value for name, value in os.environ.items() if name.startswith(("COVERAGE", "PYTHONPATH"))},
        }

    def __enter__(self) -> Self:
        self.log = (self.folder / "log").open("wb")
        self.process = subprocess.Popen(
            [*self.program, "up", "--port", "0", "--json", *self.arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            cwd=self.folder,
        )
        assert self.process.stdout
        lines = list[str]()
        for line in self.process.stdout:
            lines.append(line)
            if line == "}\n":
                break
        self.printed = "".join(lines)
        assert self.printed, self.logged()
        self.begun: dict[str, Any] = json.loads(self.printed)
        assert "address" in self.begun, self.printed
        self.netloc = urlsplit(self.begun["address"]).netloc
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.log.close()

    @property
    def policy(self) -> str:
        """The name of the policy it has: the activated one, that of the file, or the one for servers without any."""
        own = self.folder / ".local/share/foureyes/foureyes.yaml"
        return self.activated or named_policy(self.environment, own, default="server")

    def end(self) -> int:
        """Ask it to end, as an operating system does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(END_SECONDS_MAX)

    def logged(self) -> str:
        """Its stderr."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def run(self, *arguments: str, timeout: int = 60) -> subprocess.CompletedProcess[str]:
        """Run a command while the server runs."""
        RECORD.note(COMMAND, self.policy)
        return subprocess.run(
            [FOUREYES, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            timeout=timeout,
        )

    def opened(self) -> list[str]:
        """Everything that the browser was asked to open."""
        return (self.folder / "opened").read_text(encoding="utf-8").split()

    def link(self) -> str:
        """The target of the last opened page, as a browser follows it."""
        return where(Path(urlsplit(self.opened()[-1]).path))

    def browser(self) -> Browser:
        """A browser of a local user."""
        return Browser(send=self.send, origin=self.begun["address"])

    async def send(
        self, method: str, address: str, headers: dict[str, str], body: bytes = b"", source: str = ""
    ) -> Answer:
        """Send a request over the network, from another address of this machine if one is given."""
        parts = urlsplit(address)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection = http.client.HTTPConnection(
            self.netloc, timeout=ANSWER_SECONDS_MAX, source_address=(source, 0) if source else None
        )
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            RECORD.note(door_of(path, found), self.policy)
            return Answer(status=answer.status, headers=found, body=answer.read())
        finally:
            connection.close()

    async def ask(self, token: str, method: str, path: str, **body: Any) -> Any:
        """Make a call as an agent over HTTP; a reviewer reads the work before a report."""
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        if method == "POST" and path.endswith("/reports"):
            await self.send("GET", f"/api/v1{path.removesuffix('reports')}work", headers)
        answer = await self.send(method, f"/api/v1{path}", headers, json.dumps(body).encode() if body else b"")
        assert answer.status < 300, answer.body
        return answer.data


def where(page: Path) -> str:
    """The target of a redirect."""
    assert page.stat().st_mode & 0o077 == 0, "others could read it"
    found = re.search(r'url=([^"]+)"', page.read_text(encoding="utf-8"))
    assert found
    return unescape(found[1])
