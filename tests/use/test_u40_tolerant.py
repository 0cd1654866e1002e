"""U-40: tools accept extra fields of clients and report them, need no polling, and explain the loop."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.served import HTTP, MCP, Caller, Served, served

pytestmark = pytest.mark.door("mcp", policy="solo")

WORK = {"kind": "script", "title": "Say hello", "files": [{"path": "hello.py", "text": "print('hello')\n"}]}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u40"), "solo") as server:
        server.account("dev")
        server.account("codex")
        yield server


def connected(caller: Caller, *, path: str = "/mcp") -> dict[str, Any]:
    """The server's answer to a new connection."""
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    answer = caller.raw("POST", path, json.dumps(body).encode(), **headers).body.decode()
    found: dict[str, Any] = json.loads(answer.partition("data: ")[2] or answer)["result"]
    return found


def test_what_a_client_adds_is_ignored_and_named(house: Served) -> None:
    """U-40: Gemini CLI adds `wait_for_previous` to every tool it shows its model, and sends it on."""
    dev = house.callers["dev"].at(MCP)
    assert dev.call("inbox", wait_for_previous=True)["ignored"] == ["wait_for_previous"]
    opened = dev.call("open_review", **WORK, key="u40", wait_for_previous=False, task_progress="2 of 3")
    assert opened["ignored"] == ["wait_for_previous", "task_progress"]
    assert "ignored" not in dev.call("open_review", **WORK, key="u40").data


def test_a_misspelt_field_is_refused_with_the_field_that_is_meant(house: Served) -> None:
    """U-40: dropping `verdit` would drop a verdict."""
    codex = house.callers["codex"].at(MCP)
    for name, wrong, meant in (
        ("report", {"verdit": "reject"}, "verdict"),
        ("report", {"Finding": []}, "findings"),
        ("open_review", {"file": []}, "files"),
        ("inbox", {"wiat": 3}, "wait"),
    ):
        reply = codex.call(name, **wrong)
        assert reply.code == "bad_value", reply.text
        assert reply.data["fields"]["rename_to"] == meant
        assert meant in reply.data["fields"]["known_fields"]


def test_what_could_be_content_is_never_dropped(house: Served) -> None:
    """U-40: an approval whose objections stand in a field that nobody reads must not be taken."""
    codex = house.callers["codex"].at(MCP)
    for value in ([{"problem": "SQL injection"}], {"a": 1}, "x" * 500):
        assert codex.call("report", review="r", revision=1, verdict="approve", objections=value).code == "bad_value"


@pytest.mark.door("http", "mcp", policy="solo")
def test_no_word_beside_a_judgement_is_dropped(house: Served) -> None:
    """U-05, U-40: an objection in a field that `report` does not have keeps the approval from being taken."""
    dev, codex = (house.callers[name].at(MCP) for name in ("dev", "codex"))
    files = [{"path": "beside.py", "text": "print('beside')\n"}]
    opened = dev.call("open_review", kind="script", title="Say more", files=files)
    evidence = [{"what": "the whole work", "why": "read every line, and it prints"}]
    words = {"review": opened["review"], "revision": 1, "verdict": "approve", "evidence": evidence}
    for name in ("comment", "concerns", "request_changes", "objection", "conditions", "issue", "notes", "note"):
        reply = codex.call("report", **words, **{name: "but this breaks production"})
        assert reply.code == "bad_value", (name, reply.text)
        assert name in reply.data["fields"]["field"]
    assert codex.call("report", **words, blocking=True).code == "bad_value"
    for call in ("settle_finding", "keep_report", "verify_finding"):
        assert codex.call(call, review=opened["review"], revision=1, comment="not really").code == "bad_value"
    assert house.human.call("read_review", review=opened["review"])["review"]["state"] == "open"
    taken = codex.call("report", **words, wait_for_previous=True)
    assert taken["ignored"] == ["wait_for_previous"]


@pytest.mark.door("http", policy="solo")
def test_over_http_an_unknown_field_stays_an_error(house: Served) -> None:
    """U-40: programs are written once; a field that does nothing is a mistake of theirs."""
    assert house.callers["dev"].at(HTTP).call("open_review", **WORK, wait_for_previous=True).code == "bad_value"


def test_an_inbox_with_wait_answers_when_something_comes(house: Served) -> None:
    """U-40: a reviewer makes one call and has the work when it is there; nothing is asked again and again."""
    dev, codex = (house.callers[name].at(MCP) for name in ("dev", "codex"))
    before = codex.call("inbox")
    found: list[Any] = []
    began = time.monotonic()
    waiting = threading.Thread(target=lambda: found.append(codex.call("inbox", wait=40, mark=before["mark"])))
    waiting.start()
    time.sleep(0.5)
    files = [{"path": "hello.py", "text": "print('something else')\n"}]
    review = dev.call("open_review", kind="script", title="Another", files=files)["review"]
    waiting.join()
    assert time.monotonic() - began < 30
    assert review in [one["review"] for one in found[0]["waiting"]]
    assert found[0]["mark"] != before["mark"]


def test_every_wait_gives_another_mark(house: Served) -> None:
    """U-40: a client that ends five equal calls in a row sees none: each next call has another mark."""
    dev = house.callers["dev"].at(MCP)
    review = dev.call("open_review", **WORK, key="u40")["review"]
    for name, arguments in (("inbox", {}), ("read_review", {"review": review})):
        marks, mark = set(), ""
        for _ in range(3):
            mark = dev.call(name, **arguments, wait=1, **({"mark": mark} if mark else {}))["mark"]
            marks.add(mark)
        assert len(marks) == 3, name


@pytest.mark.door("http", "mcp", policy="solo")
def test_the_instructions_carry_the_loop_of_each_part(house: Served) -> None:
    """U-40: some clients show their model only the names of tools and these lines before its first step."""
    both = connected(house.callers["dev"])["instructions"]
    author = connected(house.account("only-author", scopes=("read", "author")))["instructions"]
    reviewer = connected(house.account("only-reviewer", scopes=("read", "review")))["instructions"]
    for text in (both, author, reviewer):
        assert len(text.splitlines()) <= 10
        assert "never poll" in text or "`inbox` with `wait`" in text
    for word in ("open_review", "read_review", "revise", "answer_finding", "gate", "escalate"):
        assert f"`{word}`" in author
        assert f"`{word}`" in both
    for word in ("inbox", "read_work", "report", "report_inconclusive"):
        assert f"`{word}`" in reviewer
        assert f"`{word}`" in both
    assert "`open_review`" not in reviewer
    assert "`read_work`" not in author
