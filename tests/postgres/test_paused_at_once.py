"""U-21: a paused session is reported at once, even while another transaction on PostgreSQL is open."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import psycopg
import pytest

from foureyes.app.calls.session_pauses import UNKNOWN
from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.postgres.server import Server
from tests.use.served import Served

pytestmark = [pytest.mark.timeout(120), pytest.mark.door("http", policy="server")]
BLOCKER = {
    "verdict": "blocker",
    "summary": "Password hashing is MD5 and must use Argon2.",
    "issues": [{"severity": "high", "description": "MD5 is used for passwords", "file": "auth.py"}],
}
NAMES = ("claude", "ann", "ben", "cat")
OPEN_SECONDS = 0.7


def test_paused_is_told_while_another_transaction_is_open(durable_postgres: Server, tmp_path: Path) -> None:
    """U-21: an event is given out once older transactions are over; the status waits for that and is not RUNNING."""
    with durable_postgres.fresh() as url, Running(tmp_path / "home", arguments=("--database", url)) as server:
        up = Served(server=server, browser=asyncio.run(signed_in(server)))
        agents = {name: up.account(name) for name in NAMES}
        files = [{"path": "auth.py", "text": "def login(): return md5(password)\n"}]
        signal = {"session": "s-1", "type": "milestone", "summary": "Login works.", "files": files}
        assert agents["claude"].call("signal", **signal).is_ok
        others = [one for name, one in agents.items() if name != "claude"]
        asked = [one for one in others if one.call("review_requests", session="s-1")["requests"]]
        assert asked
        with psycopg.connect(url) as other:
            other.execute("SELECT pg_current_xact_id()")
            said = asked[0].call("submit_result", session="s-1", type="review_result", payload=BLOCKER)
            assert said["status"] == "PAUSED", said.text
            unknown = agents["claude"].call("read_session", session="s-1")
            assert (unknown["status"], unknown["paused_because"]) == ("PAUSED", UNKNOWN)
            assert agents["cat"].call("list_sessions")["sessions"][0]["status"] == "PAUSED"
            threading.Timer(OPEN_SECONDS, other.rollback).start()
            assert agents["claude"].call("read_session", session="s-1")["paused_because"].startswith("Blocker")
