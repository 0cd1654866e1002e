"""U-56: work cleared by programs alone is not reported as free to go live where the gate refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.use.judging import wait_for
from tests.use.served import served


@pytest.mark.door("http", "command", policy="chains")
def test_wait_and_why_end_as_the_gate_answers(tmp_path: Path) -> None:
    """U-56: `wait` ended with 0 and "may go live", and a script published what `check` refused."""
    with served(tmp_path, "chains") as up:
        dev = up.account("dev", scopes=("read", "author"))
        files = [{"path": "answer.md", "text": "The sea is salt because rivers bring it there.\n"}]
        review = dev.call("open_review", kind="answer", title="Salt", files=files)["review"]

        def cleared() -> bool:
            return str(dev.call("read_review", review=review)["review"]["state"]) == "cleared"

        wait_for(cleared)
        digest = dev.call("read_review", review=review)["review"]["digest"]
        gate = dev.call("gate", digest=digest)
        assert gate["allowed"] is False
        assert up.run("check", digest).returncode == 2
        for command in (("wait", review), ("why", review)):
            told = up.run(*command)
            assert told.returncode == 2, told.stdout
            assert "may go live" not in told.stdout
            said = " ".join(told.stdout.split())
            assert "The review is cleared, and the gate stays shut: A target that is not named demands level 1" in said
            assert json.loads(up.run(*command, "--json").stdout)["result"] == "blocked"
