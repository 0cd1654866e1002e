"""The policy that a running server took from its settings; its file may have changed since the server started."""

from __future__ import annotations

import os

from foureyes.home.files import write_whole
from foureyes.home.lock import running

_NAME = "served-policy.json"


def keep_served_policy(home: str, text: bytes) -> None:
    """Write down the policy by which this server judges until another one is activated."""
    write_whole(os.path.join(home, _NAME), text)


def served_policy(home: str) -> bytes | None:
    """Return the text of that policy; None if no server runs here."""
    server = running(home)
    if server is None or not server.is_server:
        return None
    try:
        with open(os.path.join(home, _NAME), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
