"""U-51: recognised secrets are redacted in everything an agent or model is served; humans see them, marked."""

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
COMMITTED = {
    "severity": "important",
    "text": "A key is committed.",
    "evidence": "deploy/id_rsa is one from its first line to its last",
    "place": {"path": "deploy/id_rsa", "start": 1},
}
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
    """A report that quotes secrets in every text field."""
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
    """All accounts with a token."""
    yield "reviewer", up.account("claude-1", "agent", "security", scopes=("read", "author", "review", "signal"))
    yield "author", up.callers["dev"]
    yield "program", up.account("scanner", "agent", kind="program")
    yield "service", up.account("orchestrator", kind="service")


@pytest.mark.timeout(300)
@pytest.mark.door("http", "mcp", "command", policy="solo")
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
@pytest.mark.door("http", "mcp", policy="solo")
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
        said = {"review": review, "revision": work["revision"], "evidence": evidence}
        assert "deploy/id_rsa" in codex.unread().call("report", **said, verdict="approve").text
        against = codex.unread().call("report", **said, verdict="concerns", findings=[COMMITTED])
        assert against.is_ok, against.text


@pytest.mark.timeout(300)
@pytest.mark.door("http", "mcp", "command", policy="solo")
def test_what_the_next_version_no_longer_holds_is_cut_as_before(tmp_path: Path) -> None:
    """U-51: the honest repair takes the secret out of the work, and not out of what was said and titled before."""
    with served(tmp_path) as up:
        dev = up.account("dev")
        review = opened(dev)
        reported(up, review)
        clean = [{"path": "app/settings.py", "text": "import os\n"}, {"path": "notes.md", "text": f"Not {PASSWORD}.\n"}]
        found = {one["raiser"]: one["finding"] for one in dev.call("read_review", review=review)["review"]["findings"]}
        answers = [{"finding": found["codex"], "text": f"{PASSWORD} is gone."}]
        revised = dev.call("revise", review=review, files=clean, note=f"No {PASSWORD} now.", answers=answers)
        assert revised.is_ok, revised.text
        known = {
            **dict.fromkeys(("review", "review_id", "reviewId", "id", "content_id"), review),
            "limit": 50,
            "wait": 0,
        }
        for kind, caller in eyes(up):
            for call, reply in every_call(caller, {**known, "seconds": 0, "finding": "solo.1-F1"}):
                assert not _found(reply.text), (kind, call, reply.text[:800])
        for command in (("why", review), ("wait", review, "--seconds", "0"), ("status",), ("fix", review, "--all")):
            for more in ((), ("--json",)):
                ran = up.run(*command, *more)
                assert not _found(ran.stdout + ran.stderr), (command, ran.stdout[:800])


@pytest.mark.timeout(120)
@pytest.mark.door("http", policy="resolve")
def test_an_item_of_feedback_is_told_without_the_secrets_of_its_content(tmp_path: Path) -> None:
    """U-51: also by the calls that name the item and not the content."""
    with served(tmp_path, "resolve") as up:
        alice, bob = up.account("alice"), up.account("bob")
        content = f'A world.\npassword = "{PASSWORD}"\n'
        name = alice.call("submit_content", content_type="proposal", content=content)["content_id"]
        bob.call("read_content", content_id=name)
        item = {"category": "causal_gap", "severity": "critical", "description": f"The value {PASSWORD} is in it."}
        one = bob.call("give_feedback", content_id=name, items=[item])["items"][0]["id"]
        for reply in (
            alice.call("read_feedback", feedback_item_id=one),
            bob.call("read_feedback", feedback_item_id=one),
            alice.call("respond_feedback", feedback_item_id=one, response_text=f"I keep {PASSWORD}."),
            bob.call("resolve_feedback", feedback_item_id=one, resolved=False, resolution_note=f"{PASSWORD} again"),
        ):
            assert reply.is_ok, reply.text
            assert not _found(reply.text), reply.text


@pytest.mark.timeout(120)
@pytest.mark.door("http", policy="session")
def test_why_a_session_is_paused_is_told_without_secrets(tmp_path: Path) -> None:
    """U-51: the reason quotes the reviews it waits for, named in a list."""
    with served(tmp_path, "session") as up:
        claude, codex = up.account("claude"), up.account("codex", "reviewer")
        up.account("gemini", "reviewer")
        files = [{"path": "auth.py", "text": f'password = "{PASSWORD}"\n'}]
        sent = claude.call("signal", session="s1", type="milestone", summary="Implemented auth.", files=files)
        assert sent.is_ok, sent.text
        codex.call("review_requests", session="s1")
        issue = {"severity": "high", "description": f"{PASSWORD} is in it", "file": "auth.py"}
        payload = {"verdict": "blocker", "summary": f"{PASSWORD} is in it, in plain words.", "issues": [issue]}
        said = codex.call("submit_result", session="s1", type="review_result", reviewer="codex", payload=payload)
        assert said["status"] == "PAUSED", said.text
        for caller in (claude, up.account("orchestrator", kind="service")):
            seen = caller.call("read_session", session="s1")
            assert "is in it" in seen["paused_because"], seen.text
            assert not _found(seen.text), seen.text


@pytest.mark.timeout(120)
@pytest.mark.door("http", "mcp", policy="solo")
def test_of_a_large_work_nothing_is_told_in_lists_before_it_was_searched(tmp_path: Path) -> None:
    """U-51: reading it by itself searches it."""
    with served(tmp_path) as up:
        dev, codex = up.account("dev"), up.account("codex")
        lines = "total = amount * rate  # what the customer pays\n" * 17_000
        files = [{"path": f"part{n}.py", "text": f"# {n}\n{lines}"} for n in range(3)]
        files.append({"path": "settings.py", "text": f'password = "{PASSWORD}"\n'})
        review = dev.call("open_review", kind="code", title=f"Rotate {PASSWORD}", files=files)["review"]
        up.human.call("open_review", kind="note", title="A small one", files=[{"path": "a.md", "text": "# A\n"}])
        for door in (HTTP, MCP):
            listed = codex.at(door).call("list_reviews")
            assert not _found(listed.text)
            titles = {one["review"]: one["title"] for one in listed["reviews"]}
            assert titles.pop(review).startswith("[withheld until this review is read by itself")
            assert list(titles.values()) == ["A small one"]
        assert not _found(codex.call("read_review", review=review).text)
        (told,) = [one["title"] for one in codex.call("list_reviews")["reviews"] if one["review"] == review]
        assert told == "Rotate [secret removed: repeated]"


#: A shell command between the lines of a key.
BLOCK = f"#!/bin/sh\necho hello\n{KEY.replace(KEY_BODY, KEY_BODY + chr(10) + '/usr/sbin/poweroff')}echo bye\n"
LINE = '#!/bin/sh\npassword="tR4;/tmp/evil;Quokka-77"\n'


@pytest.mark.timeout(120)
@pytest.mark.parametrize("text", [BLOCK, LINE], ids=["block", "line"])
@pytest.mark.door("http", "mcp", policy="solo")
def test_nobody_vouches_for_lines_that_were_cut_out(tmp_path: Path, text: str) -> None:
    """U-04, U-51: what is cut may be more than a value; a value in its line hides nothing that could be run."""
    with served(tmp_path) as up:
        dev, codex = up.account("dev"), up.account("codex")
        opened = dev.call("open_review", kind="script", title="Run", files=[{"path": "run.sh", "text": text}])
        evidence = [{"what": "run.sh", "why": "I looked at every line that it has"}]
        said = {"review": opened["review"], "revision": 1, "verdict": "approve", "evidence": evidence}
        for door in (HTTP, MCP):
            no = codex.at(door).call("report", **said)
            assert (no.is_ok, no.code) == (False, "unread"), no.text
            assert "You were not given run.sh" in no.text
        plain = [{"path": "run.sh", "text": f'#!/bin/sh\npassword="{PASSWORD}"\n'}]
        opened = dev.call("open_review", kind="script", title="Run", files=plain)
        yes = codex.call("report", **{**said, "review": opened["review"]})
        assert yes.is_ok, yes.text


@pytest.mark.timeout(120)
@pytest.mark.door("http", "page", policy="solo")
def test_a_human_sees_them_marked_on_the_page(tmp_path: Path) -> None:
    """U-51: visible, and marked as a secret."""
    with served(tmp_path) as up:
        review = opened(up.account("dev"))
        page = up.page(f"/reviews/{review}/work")
        assert AWS in page
        assert "secret: aws key" in page


@pytest.mark.timeout(120)
@pytest.mark.door("http", policy="solo")
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
    """The decoded base64 fields of an answer."""
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
