"""A listener on the live feed of a started server over one open connection."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from tests.use.served import Caller

SECONDS_MAX = 20


class Feed:
    """The events of one connection."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self._answer = answer

    def event(self) -> tuple[str, dict[str, Any]]:
        """The next event: its type and its data; signs of life are passed over."""
        kind, data = "", ""
        while True:
            line = self._answer.readline().decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data = line.removeprefix("data: ")
            elif not line and data:
                return kind, dict(json.loads(data)["data"])

    def until(self, kind: str, **fields: Any) -> list[tuple[str, dict[str, Any]]]:
        """Every event up to the first of this type with these fields, that one last."""
        came = list[tuple[str, dict[str, Any]]]()
        while not came or came[-1][0] != kind or not fields.items() <= came[-1][1].items():
            came.append(self.event())
        return came


@contextmanager
def listening(caller: Caller, **query: str) -> Iterator[Feed]:
    """An open connection of the feed."""
    connection = http.client.HTTPConnection(caller.server.netloc, timeout=SECONDS_MAX)
    try:
        connection.request("GET", f"/api/v1/feed?{urlencode(query)}", headers=caller.headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        assert answer.readline().startswith(b"retry: ")
        answer.readline()
        yield Feed(answer)
    finally:
        connection.close()
