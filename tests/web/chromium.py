"""A real browser: Chromium from the system's packages, driven by mouse and keyboard events.

It is controlled through two pipes, so it needs no port and no library, and a page's security policy applies to it as to
any browser.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

#: The time limit of each step on a busy machine.
SECONDS_MAX = 30
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
KEYS = {"Tab": 9, "Enter": 13, " ": 32}
#: Chromium always uses the descriptors 3 and 4, wherever our ends of the pipes are.
_START = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_TEXTS = {"Enter": "\r", " ": " "}


def program() -> str:
    """The path of Chromium; without it a test fails instead of being skipped."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        raise RuntimeError("The browser test needs Chromium. Install it (apt install chromium) and run it again.")
    return found


@dataclass
class Chromium:
    """One window."""

    folder: Path
    _buffer: bytearray = field(default_factory=bytearray)
    _events: list[dict[str, Any]] = field(default_factory=list)
    _session: str = ""
    _last: int = 0

    def __enter__(self) -> Self:
        chromium = program()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._log = (self.folder / "stderr").open("wb")
        child_reads, self._to = os.pipe()
        self._from, child_writes = os.pipe()
        started = [sys.executable, "-c", _START, str(child_reads), str(child_writes)]
        self.process = subprocess.Popen(
            [*started, chromium, *FLAGS, f"--user-data-dir={self.folder / 'profile'}", "about:blank"],
            pass_fds=(child_reads, child_writes),
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )
        os.close(child_reads)
        os.close(child_writes)
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._to)
        try:
            self.process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._from)
        self._log.close()

    def open(self, address: str) -> None:
        """Go to a page, and on to wherever it leads."""
        self._arrived(lambda: self.ask("Page.navigate", url=address))

    def until(self, words: str) -> None:
        """Wait until the page contains this; a page may redirect."""
        end = time.monotonic() + SECONDS_MAX
        while words not in self.text():
            assert time.monotonic() < end, f"the page does not say {words!r} but: {self.text()}"
            self._read(0.05)

    def text(self) -> str:
        """The visible text of the page; empty during a redirect."""
        answer = self._answer("Runtime.evaluate", expression="document.body.innerText", returnByValue=True)
        return str(answer.get("result", {}).get("result", {}).get("value", ""))

    def value(self, expression: str) -> Any:
        """Evaluate an expression in the page."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            what = {"key": key, "windowsVirtualKeyCode": KEYS[key], "text": _TEXTS.get(key, "")}
            self.ask("Input.dispatchKeyEvent", type="keyDown", **what)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **what)

    def type(self, words: str) -> None:
        """Type text into the focused field."""
        self.ask("Input.insertText", text=words)

    def send(self) -> None:
        """Press Enter on the focused element, and wait for the next page."""
        self._arrived(lambda: self.press("Enter"))

    def tab_to(self, words: str, most: int = 60) -> str:
        """Tab to the element of this name; return the names of the elements passed."""
        met = list[str]()
        for _ in range(most):
            self.press("Tab")
            met.append(str(self.value(_FOCUSED)))
            if words in met[-1]:
                return met[-1]
        raise AssertionError(f"the keyboard does not lead to {words!r}, only to: {met}")

    def complaints(self) -> list[str]:
        """The browser's errors: something missing, forbidden or broken."""
        self._read(0)
        logged = [one["params"]["entry"] for one in self._events if one["method"] == "Log.entryAdded"]
        return [f"{one['text']} {one.get('url', '')}" for one in logged]

    def screen(self, *, width: int, dark: bool = False, height: int = 800) -> None:
        """Look through a window of this width, at day or at night."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def picture(self, path: Path) -> None:
        """Save a screenshot of the whole page."""
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Have the browser do something; its answer."""
        found = self._answer(method, **params)
        assert "error" not in found, (method, found["error"])
        return dict(found["result"])

    def _answer(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        number = self._last
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + SECONDS_MAX
        while True:
            for one in self._read(end - time.monotonic()):
                if one.get("id") == number:
                    return one
            assert time.monotonic() < end, f"{method} got no answer"

    def _arrived(self, go: Callable[[], object]) -> None:
        before = self._loaded()
        go()
        end = time.monotonic() + SECONDS_MAX
        while self._loaded() == before:
            assert time.monotonic() < end, "no page came"
            self._read(end - time.monotonic())

    def _loaded(self) -> int:
        return sum(one["method"] == "Page.loadEventFired" for one in self._events)

    def _read(self, seconds: float) -> list[dict[str, Any]]:
        """Read the available messages; wait so long for the first one."""
        ready, _, _ = select.select([self._from], [], [], max(0.0, seconds))
        if not ready:
            return []
        piece = os.read(self._from, 1 << 20)
        assert piece, f"the browser is gone: {(self.folder / 'stderr').read_text(encoding='utf-8')[-2000:]}"
        self._buffer += piece
        *whole, rest = bytes(self._buffer).split(b"\0")
        self._buffer = bytearray(rest)
        found = [json.loads(one) for one in whole]
        self._events += [one for one in found if "method" in one]
        return [one for one in found if "id" in one]


#: The name of the focused element, as a screen reader gives it.
_FOCUSED = """(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return "";
  const label = one.labels && one.labels.length ? one.labels[0].innerText : "";
  return [one.tagName.toLowerCase(), one.type || "", label || one.innerText || one.value || ""].join(" ").trim();
})()"""
