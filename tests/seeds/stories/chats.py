"""A receiver on loopback in place of Discord and Telegram, which records its messages byte for byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.doors_used import CHAT, RECORD
from tests.use.judging import wait_for


@dataclass
class Chats:
    """The path and the body of each received message."""

    url: str
    #: The policy of the server that sends.
    policy: str
    got: list[tuple[str, bytes]] = field(default_factory=list)

    def bodies(self, part: str) -> list[bytes]:
        """The messages to the channel whose address has this in it."""
        RECORD.note(CHAT, self.policy)
        return [body for path, body in list(self.got) if part in path]

    def texts(self, part: str) -> list[str]:
        """The texts of these messages."""
        bodies = (json.loads(body) for body in self.bodies(part))
        return [str(body.get("content", body.get("text"))) for body in bodies]

    def hears(self, part: str, words: str) -> str:
        """Wait for the message to that channel that contains these words."""
        return str(wait_for(lambda: next((text for text in self.texts(part) if words in text), "")))


@contextmanager
def chats(policy: str) -> Iterator[Chats]:
    """Such a machine, as long as it is needed."""
    kept = Chats(url="", policy=policy)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.got.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        kept.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield kept
        server.shutdown()
        thread.join()
