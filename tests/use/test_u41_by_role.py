"""U-41: one vocabulary by role, short lists, and no text that names an unlisted tool."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from foureyes.app.calls.registry import CALLS
from foureyes.mcp import listing
from foureyes.mcp.tools import SEVEN
from tests.shape import ROOT
from tests.use.served import Caller, Served, served
from tests.use.test_u40_tolerant import connected

BYTES_MAX = 14_000
ROLES = {
    "both": (),
    "author": ("read", "author"),
    "reviewer": ("read", "review"),
    "session": ("read", "signal"),
    "reader": ("read",),
}
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
#: Words that are names of tools, and arguments too.
ARGUMENTS = {"wait", "request_review", "policy"}
#: Calls about content are paths of HTTP and no tools: nothing but a refusal of one of them names another.
OVER_HTTP = {"read_content", "list_content"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u41"), "solo") as server:
        for name, scopes in ROLES.items():
            server.account(name, scopes=scopes)
        yield server


def asked(caller: Caller, method: str, path: str = "/mcp", **params: Any) -> tuple[dict[str, Any], int]:
    """The answer to a message, and its length."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = caller.raw("POST", path, json.dumps(body).encode(), **HEADERS).body.decode()
    text = answer.partition("data: ")[2] or answer
    return json.loads(text)["result"], len(text)


def names(caller: Caller, path: str = "/mcp") -> set[str]:
    return {one["name"] for one in asked(caller, "tools/list", path)[0]["tools"]}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/review-server"])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.door("mcp", policy="solo")
def test_a_list_of_tools_is_short(house: Served, role: str, path: str) -> None:
    """U-41: at most 14 kB for every role at both addresses; it is paid for with every turn."""
    assert asked(house.callers[role], "tools/list", path)[1] <= BYTES_MAX


@pytest.mark.door("mcp", policy="solo")
def test_what_the_answers_of_the_seven_look_like_is_told_on_request(house: Served) -> None:
    """U-41: the usual list leaves the shapes of answers out, and every field that a tool takes stays."""
    usual, _ = asked(house.callers["both"], "tools/list", "/mcp/review-server")
    whole, _ = asked(house.callers["both"], "tools/list", "/mcp/review-server?tools=all")
    assert all("outputSchema" in one for one in whole["tools"])
    assert not any("outputSchema" in one for one in usual["tools"])
    for short, long in zip(usual["tools"], whole["tools"], strict=True):
        assert short["inputSchema"]["properties"].keys() == long["inputSchema"]["properties"].keys()
        assert short["description"] == long["description"]


@pytest.mark.door("mcp", policy="solo")
def test_each_role_sees_its_own_tools_and_the_seven_are_at_their_own_address(house: Served) -> None:
    """U-41: no two families of tools for the same thing side by side."""
    author, reviewer = names(house.callers["author"]), names(house.callers["reviewer"])
    assert {"open_review", "revise", "answer_finding", "gate"} <= author - reviewer
    assert {"take_seat", "read_work", "report", "report_inconclusive", "settle_finding"} <= reviewer - author
    assert {"inbox", "read_review", "escalate"} <= author & reviewer
    assert names(house.callers["both"]) >= author | reviewer
    for role in ROLES:
        assert not names(house.callers[role]) & SEVEN.keys()
        assert not names(house.callers[role], "/mcp?tools=all") & SEVEN.keys()
    assert names(house.callers["both"], "/mcp/review-server") == set(SEVEN)
    for address in (house.server.begun["mcp"], house.server.begun["review_server"]):
        message = {"name": "get_review_metrics", "arguments": {"period": "week"}}
        answer, _ = asked(house.callers["both"], "tools/call", urlsplit(address).path, **message)
        assert "total_reviews" in answer["structuredContent"]
    assert connected(house.callers["both"], path="/mcp/review-server")["serverInfo"]["name"] == "review-server"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.door("mcp", policy="solo")
def test_every_tool_that_a_text_names_is_listed_for_that_role(house: Served, role: str) -> None:
    """U-41: agents refuse to call what they were not told of."""
    tools, _ = asked(house.callers[role], "tools/list")
    mine = {one["name"] for one in tools["tools"]}
    texts = [connected(house.callers[role])["instructions"], *(one["description"] for one in tools["tools"])]
    named = set(re.findall(r"`(\w+)`", " ".join(texts))) & CALLS.keys()
    assert named <= mine | ARGUMENTS, named - mine


def test_every_call_that_a_refusal_names_is_listed() -> None:
    """U-41: over every sentence, next step and next call of a refusal in the program."""
    found = {name: sorted(where) for name, where in _named_in_refusals().items() if name not in listing.USUAL}
    assert not found


def _named_in_refusals() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for place in ("core", "app", "mcp"):
        for file in sorted((ROOT / "src/foureyes" / place).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                for name in _names(node) & (CALLS.keys() - ARGUMENTS - SEVEN.keys() - OVER_HTTP):
                    found.setdefault(name, set()).add(f"{file.name}:{getattr(node, 'lineno', 0)}")
    return found


def _names(node: ast.AST) -> set[str]:
    """The calls that a refusal names in backticks, or as the next call."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return set()
    words = {word.value for word in ast.walk(node) if isinstance(word, ast.Constant) and isinstance(word.value, str)}
    if node.func.id == "NextCall":
        return {str(word.value.value) for word in node.keywords if isinstance(word.value, ast.Constant)}
    if node.func.id not in ("Refusal", "refuse", "failed"):
        return set()
    return {name for word in words for name in re.findall(r"`(\w+)`", word)}


@pytest.mark.door("mcp", policy="solo")
def test_the_schemas_list_what_the_descriptions_explain(house: Served) -> None:
    """U-41: fields that a description names, and the words that a field may have."""
    tools = {one["name"]: one for one in house.callers["both"].tools()}
    opened = tools["open_review"]["inputSchema"]["properties"]
    assert {"base", "target", "base_files", "protocols"} <= set(opened)
    assert "security_risk" in tools["report"]["inputSchema"]["properties"]["grounds"]["items"]["enum"]
    assert "declined" in tools["leave_seat"]["inputSchema"]["properties"]["reason"]["enum"]
