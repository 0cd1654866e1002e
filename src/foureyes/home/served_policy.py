"""The policy that a server at work has taken from its settings: its file may have changed since the server started."""

from __future__ import annotations

import os

from foureyes.home.files import write_whole
from foureyes.home.lock import running

_NAME = "served-policy.json"


def keep_served_policy(home: str, text: bytes) -> None:
    """Write down what this server judges by until another policy is activated."""
    write_whole(os.path.join(home, _NAME), text)


def served_policy(home: str) -> bytes | None:
    """The text of that policy; nothing where no server is at work here."""
    server = running(home)
    if server is None or not server.is_server:
        return None
    try:
        with open(os.path.join(home, _NAME), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
