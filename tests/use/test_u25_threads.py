"""U-25: a task whose id is a UUID is discussed in the thread named with it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes.notify.channels import Discord, Message, Places, Telegram, channel_of
from tests.use.served import DOORS, served

TASK = "7d8f6c1e-4b9a-4f0d-9a55-0f6f7a1f2b3c"
NOW = datetime(2026, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_the_thread_that_was_named_stays_with_the_run(tmp_path: Path, door: str) -> None:
    """U-25: it is in the review's context, also after a resubmission; what is no number is refused."""
    with served(tmp_path, "server") as up:
        dev = up.account("dev").at(door)
        sent = {"output": "rm -rf /\n", "chain": "security", "task_id": TASK}
        run = dev.call("validate", **sent, thread="1357924680")
        assert run["task_id"] == TASK
        again = dev.call("validate", output="rm -rf /home\n", review=run["review"])
        assert again["review"] == run["review"]
        native = dev.call("read_review", review=run["review"])["review"]
        assert ["thread", "1357924680"] in native["context"]
        wrong = dev.call("validate", **{**sent, "output": "ls\n"}, thread="general")
        assert (wrong.is_ok, wrong.code) == (False, "bad_value"), wrong.text


@pytest.mark.parametrize(("thread", "number"), [("1357924680", "1357924680"), (TASK, ""), ("", ""), ("12 34", "")])
def test_a_message_goes_to_its_thread_of_discord_and_its_topic_of_telegram(thread: str, number: str) -> None:
    """U-25: `?thread={task}` is the thread of the message, where that is a number, byte for byte."""
    message = Message(id="m", title="t", text=":octagonal_sign: gaal (veto)", thread=thread)
    discord = channel_of("discord://1/abc?thread={task}", {})
    assert isinstance(discord, Discord)
    posted = discord.post(message, Places(), NOW)
    assert posted.url.partition("?")[2] == (f"thread_id={number}" if number else "")
    telegram = channel_of("tgram://1:abc/-1001234567890?thread={task}", {})
    assert isinstance(telegram, Telegram)
    body = json.loads(telegram.post(message, Places(), NOW).body)
    assert body.get("message_thread_id") == (int(number) if number else None)
    assert body["text"] == ":octagonal_sign: gaal (veto)"
