"""U-51: recognised secrets are cut from what any agent or model is served; humans see them, marked."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foureyes.mcp.server import REVIEW_SERVER  # noqa: F401 - both faces are served at /mcp
from tests.use.every_call import every_call
from tests.use.served import HTTP, MCP, Caller, Served, served

AWS = "AKIA" + "2E0A8F3B244C9986"
GITHUB = "ghp_" + "w3kqT9vZb1LmX8cRyN5uDfG7hJ2sPa4E0iKo"
PASSWORD = "tR4-marble-Quokka-77"
OLD = "AKIA" + "7Q1Z5M9K3B8X2C4V"
KEY_BODY = "MIIEpAIBAAKCAQEA3x9k2LwQ7vYz5bN8mT1rHs6pJdGfUcEoWiXqRyVnKjZa"
CANARIES = (AWS, GITHUB, PASSWORD, OLD, KEY_BODY)
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}\n-----END RSA PRIVATE KEY-----\n"
SETTINGS = f'REGION = "eu-central-1"\nACCESS_KEY = "{AWS}"\npassword = "{PASSWORD}"\n'
WIDE = f'token = "{GITHUB}"\n'.encode("utf-16")
FILES = [
    {"path": "app/settings.py", "text": SETTINGS},
    {"path": "wide.txt", "base64": base64.b64encode(WIDE).decode()},
    {"path": "deploy/id_rsa", "text": KEY},
    {"path": "notes.md", "text": f"Log in with {PASSWORD} until Friday.\n"},
]
BEFORE = [{"path": "app/settings.py", "text": f'REGION = "eu-central-1"\nACCESS_KEY = "{OLD}"\n'}]


def opened(dev: Caller, **fields: Any) -> str:
    """Work with secrets in its files, its base, its title and its note."""
    title = f"Rotate {AWS} and {PASSWORD}"
    reply = dev.call(
        "open_review", kind="code", title=title, note=f"old: {OLD}", files=FILES, base_files=BEFORE, **fields
    )
    return str(reply["review"])


def reported(up: Served, review: str) -> None:
    """A reviewer that quotes secrets in every field that takes words."""
    codex = up.account("codex", "agent", "security")
    finding = {
        "severity": "important",
        "text": f"{AWS} is committed",
        "evidence": f"password {PASSWORD}",
        "suggestion": f"revoke {GITHUB}",
        "place": {"path": "app/settings.py", "start": 2, "end": 2},
    }
    said = codex.call(
        "report", review=review, revision=1, verdict="reject", summary=f"{GITHUB} leaks", findings=[finding]
    )
    assert said.is_ok, said.text


def eyes(up: Served) -> Iterator[tuple[str, Caller]]:
    """Everybody with a token."""
    yield "reviewer", up.account("claude-1", "agent", "security", scopes=("read", "author", "review", "signal"))
    yield "author", up.callers["dev"]
    yield "program", up.account("scanner", "agent", kind="program")
    yield "service", up.account("orchestrator", kind="service")


@pytest.mark.timeout(300)
def test_canary_secrets_are_in_no_byte_that_agents_are_served(tmp_path: Path) -> None:
    """U-51: every call at both doors, MCP resources and what an agent reads of commands at the terminal."""
    with served(tmp_path) as up:
        dev = up.account("dev")
        review = opened(dev)
        reported(up, review)
        digest = up.human.call("read_review", review=review)["review"]["digest"]
        known = {
            **dict.fromkeys(("review", "review_id", "reviewId", "id", "content_id"), review),
            "digest": digest,
            "finding": "solo.1-F1",
            "glance": True,
            "seconds": 0,
            "wait": 0,
            "limit": 50,
        }
        for kind, caller in eyes(up):
            for call, reply in every_call(caller, known):
                assert not _found(reply.text), (kind, call, reply.text[:800])
            for uri in ("review://inbox", f"review://reviews/{review}", f"review://reviews/{review}/work"):
                assert not _found(_resource(caller, uri)), (kind, uri)
        for command in (("why", review), ("wait", review, "--seconds", "0"), ("status",), ("fix", review, "--all")):
            for more in ((), ("--json",)):
                ran = up.run(*command, *more)
                assert not _found(ran.stdout + ran.stderr), (command, ran.stdout[:800])


@pytest.mark.timeout(120)
@pytest.mark.parametrize("door", [HTTP, MCP])
def test_what_was_cut_is_told_and_the_real_digest_is_judged(tmp_path: Path, door: str) -> None:
    """U-51: path, line and kind of each; lines keep their numbers, and a report on the digest counts."""
    with served(tmp_path) as up:
        dev = up.account("dev")
        review = opened(dev)
        codex = up.account("codex", "agent", "security").at(door)
        work = codex.call("read_work", review=review)
        assert work["is_cut"] is True
        assert {(one["path"], one["line"]) for one in work["secrets"]} >= {
            ("app/settings.py", 2),
            ("app/settings.py", 3),
            ("deploy/id_rsa", 0),
            ("notes.md", 1),
        }
        files = {one["path"]: one for one in work["files"]}
        assert files["app/settings.py"]["text"].splitlines()[0] == 'REGION = "eu-central-1"'
        assert "[secret removed" in files["app/settings.py"]["text"].splitlines()[1]
        assert files["deploy/id_rsa"]["text"].startswith("[withheld:")
        assert "[secret removed" in work["diff"]
        whole = up.human.call("read_work", review=review, glance=True)
        assert (whole["is_cut"], whole["digest"]) == (False, work["digest"])
        assert AWS in whole.text
        assert {(one["path"], one["line"]) for one in whole["secrets"]} >= {("app/settings.py", 2)}
        evidence = [{"what": "app/settings.py", "why": "I looked at every line for keys that are still valid"}]
        said = codex.unread().call(
            "report", review=review, revision=work["revision"], verdict="approve", evidence=evidence
        )
        assert said.is_ok, said.text


@pytest.mark.timeout(120)
def test_a_human_sees_them_marked_on_the_page(tmp_path: Path) -> None:
    """U-51: visible, and marked as a secret."""
    with served(tmp_path) as up:
        review = opened(up.account("dev"))
        page = up.page(f"/reviews/{review}/work")
        assert AWS in page
        assert "secret: aws key" in page


@pytest.mark.timeout(120)
def test_naming_bytes_by_their_digest_is_no_way_around(tmp_path: Path) -> None:
    """U-51: an agent that hands in the digests it was told, under harmless paths, is served no more for that."""
    with served(tmp_path) as up:
        review = opened(up.account("dev"))
        codex = up.account("codex", "agent", "security")
        told = codex.call("read_work", review=review)["files"]
        files = [{"path": f"tests/fixtures/{n}.md", "digest": one["digest"]} for n, one in enumerate(told)]
        own = codex.call("open_review", kind="note", title="mine", files=files)
        assert not _found(codex.call("read_work", review=own["review"]).text)


def _found(text: str) -> list[str]:
    plain = text + _decoded(text)
    return [one for one in CANARIES if one in plain]


def _decoded(text: str) -> str:
    """What stands in the base64 fields of an answer."""
    try:
        data = json.loads(text)
    except ValueError:
        return ""
    files = data.get("files", ()) if isinstance(data, dict) else ()
    raw = b"".join(base64.b64decode(one["base64"]) for one in files if isinstance(one, dict) and one.get("base64"))
    return raw.decode("utf-16", "replace") + raw.decode("latin-1")


def _resource(caller: Caller, uri: str) -> str:
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    return caller.raw("POST", "/mcp", json.dumps(message).encode(), **headers).body.decode()
