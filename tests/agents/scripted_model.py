"""A model whose every answer is scripted: a process on loopback that speaks every provider's wire protocol.

`python -m tests.agents.scripted_model SCRIPT RECORD` prints its address and ends when its standard input does. SCRIPT
is JSON, `{"turns": [TURN, …]}`: the n-th turn answers a conversation in which the model has already spoken n times, the
last one every longer conversation. A turn is one of

    {"answer": VALUE}                      the structured answer: by the tool made for it, else as JSON text
    {"text": "…"}                          words
    {"call": {"name": "…", "input": {}}}   the use of a tool; `$NAME` in it is what a result last had under that name
    {"refuse": true}                       the provider's own sign of a refusal
    {"status": 429, "headers": {}, "body": {}}
    {"hang": true}                         never answers
    {"hang_while": PATH, …}                answers when there is no such file any more

RECORD receives one JSON line a request: method, path, headers, body.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from tests.agents import wires

Json = dict[str, Any]
BODY_BYTES_MAX = 64 * 1024 * 1024


class Handler(BaseHTTPRequestHandler):
    """Answers one connection; what it needs to know is set on the class before the server starts."""

    protocol_version = "HTTP/1.1"
    turns: ClassVar[list[Json]] = []
    record: ClassVar[Path]
    lock: ClassVar[threading.Lock] = threading.Lock()

    def do_GET(self) -> None:
        self._note(None)
        self._reply(200, {"object": "list", "data": [], "models": []})

    def do_HEAD(self) -> None:
        self._note(None)
        self._reply(200, {})

    def do_POST(self) -> None:
        size = min(int(self.headers.get("Content-Length") or 0), BODY_BYTES_MAX)
        raw = self._chunks() if self.headers.get("Transfer-Encoding") == "chunked" else self.rfile.read(size)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {"raw": raw.decode(errors="replace")}
        self._note(body)
        wire = wires.of(self.path)
        if wire is None:
            self._reply(200, {"totalTokens": 1, "input_tokens": 1})
            return
        turn = self.turn(wire.spoken(body), body)
        if turn.get("hang"):
            threading.Event().wait()
        while Path(turn.get("hang_while", "/nowhere")).exists():
            time.sleep(0.02)
        if "status" in turn:
            self._reply(turn["status"], turn.get("body", {}), turn.get("headers", {}))
        elif wire.streams(self.path, body):
            self._send(200, "text/event-stream", wire.events(body, turn).encode())
        else:
            self._reply(200, wire.whole(body, turn))

    def turn(self, spoken: int, body: Any) -> Json:
        """The turn of the script for a conversation in which the model has spoken so often."""
        found: Json = filled(self.turns[min(spoken, len(self.turns) - 1)], json.dumps(body))
        return found

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the standard library
        """Log nothing: the record has every request."""

    def _note(self, body: Any) -> None:
        line = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
        with self.lock, self.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _reply(self, status: int, body: Json, headers: dict[str, str] | None = None) -> None:
        self._send(status, "application/json", json.dumps(body).encode(), headers)

    def _send(self, status: int, kind: str, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _chunks(self) -> bytes:
        whole = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole


def filled(turn: Any, told: str) -> Any:
    """Fill `$NAME` in a turn with the last value that the model received under it: `$review`, `$mark`, `$findings`.

    `$digest+findings` is the digest that `findings` followed: files have a digest too.
    """
    if isinstance(turn, dict):
        return {name: filled(one, told) for name, one in turn.items()}
    if isinstance(turn, list):
        return [filled(one, told) for one in turn]
    if not isinstance(turn, str) or not turn.startswith("$"):
        return turn
    # Results are JSON nested in JSON: the quotes have as many backslashes as there are layers.
    name, _, behind = turn[1:].partition("+")
    rest = rf'\\*",\s*\\*"{behind}' if behind else ""
    found = re.findall(rf'\\*"{name}\\*"\s*:\s*\[?\\*"([^"\\]+){rest}', told)
    return found[-1] if found else turn


class Server(ThreadingHTTPServer):
    """A server that ignores clients that have disconnected."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def main() -> None:
    script, record = sys.argv[1:3]
    Handler.turns = json.loads(Path(script).read_text(encoding="utf-8"))["turns"]
    Handler.record = Path(record)
    serve(Handler)


def serve(handler: type[Handler]) -> None:
    """Answer until standard input ends."""
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
