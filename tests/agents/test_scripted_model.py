"""The scripted model plays its turns over every wire, whole and streamed, and records its requests."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.agents.model import ScriptedModel, scripted_model

WIRES: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "messages": (
        "/v1/messages",
        "/v1/messages",
        {"messages": [{"role": "user", "content": "hello"}]},
        {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "first"}]},
    ),
    "responses": (
        "/v1/responses",
        "/v1/responses",
        {"input": "hello"},
        {"input": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "first"}]},
    ),
    "chat": (
        "/v1/chat/completions",
        "/v1/chat/completions",
        {"messages": [{"role": "user", "content": "hello"}]},
        {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "first"}]},
    ),
    "gemini": (
        "/v1beta/models/m:generateContent",
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]},
        {"contents": [{"role": "user", "parts": []}, {"role": "model", "parts": [{"text": "first"}]}]},
    ),
}


def post(model: ScriptedModel, path: str, body: dict[str, Any]) -> tuple[int, str]:
    where = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=20)
    try:
        where.request("POST", path, json.dumps(body))
        answer = where.getresponse()
        return answer.status, answer.read().decode()
    finally:
        where.close()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("streams", [False, True])
def test_each_turn_is_said_in_its_place(tmp_path: Path, wire: str, streams: bool) -> None:
    whole, in_pieces, first, second = WIRES[wire]
    path = in_pieces if streams else whole
    with scripted_model(tmp_path, [{"text": "turn one"}, {"answer": {"turn": "two"}}]) as model:
        said = [post(model, path, {**body, "stream": streams}) for body in (first, second)]
        received = model.requests()
    assert [status for status, _ in said] == [200, 200]
    assert "turn one" in said[0][1]
    assert "two" in said[1][1]
    assert said[0][1].startswith(("event:", "data:")) is streams
    assert [one["path"] for one in received] == [path, path]
    assert "hello" in json.dumps(received[0]["body"])


@pytest.mark.parametrize("wire", WIRES)
def test_it_calls_tools_refuses_and_fails_as_told(tmp_path: Path, wire: str) -> None:
    path, _, first, _ = WIRES[wire]
    for turn, status, word in (
        ({"call": {"name": "look_around", "input": {"at": "it"}}}, 200, "look_around"),
        ({"refuse": True}, 200, {"messages": "refusal", "gemini": "SAFETY"}.get(wire, "refus")),
        ({"status": 429, "body": {"error": "enough"}}, 429, "enough"),
    ):
        with scripted_model(tmp_path, [turn]) as model:
            found = post(model, path, first)
        assert found[0] == status
        assert word in found[1]
