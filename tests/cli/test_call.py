"""`foureyes call`: agents' calls made by a script; the exit code is the result."""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from foureyes.bootstrap.asking import request_of
from foureyes.cli.calling import _answer
from foureyes.cli.parts import Heard
from foureyes.home.token import AGENT_VARIABLE, VARIABLE
from tests.app.house import House
from tests.calls.test_calls import CHECKED, HELLO
from tests.cli.desk import Desk, Ran
from tests.mcp.stdio import enrolled, server_at

OPENING = ("open-review", "--kind", "script", "--title", "Say hello")
FILES = json.dumps(HELLO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """A caller, dev or codex, with a server running in the same data folder."""

    folder: Path

    async def __call__(self, who: str, *words: str) -> Ran:
        desk = Desk(self.folder / "home")
        return await asyncio.to_thread(desk.run, "call", *words, "--token-file", str(self.folder / who))

    def token(self, who: str, secret: str) -> None:
        """Store an account's token in a file that only its owner can read."""
        (self.folder / who).touch(mode=0o600)
        (self.folder / who).write_text(secret, encoding="utf-8")


def beside(test: Callable[[Typing], Awaitable[None]]) -> Callable[[Path], None]:
    """Run a test of a command line beside a server."""

    async def story(folder: Path) -> None:
        house, types = House(), Typing(folder=folder)
        for name, secret in (await enrolled(house, "dev", "codex")).items():
            types.token(name, secret)
        async with server_at(folder / "home", house):
            await test(types)

    def run(tmp_path: Path) -> None:
        asyncio.run(story(tmp_path))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


@beside
async def test_a_question_at_the_gate_ends_with_its_answer(types: Typing) -> None:
    """A script that looks at nothing but the exit code never takes a no for a yes."""
    review = (await types("dev", *OPENING, "--files", FILES, "--json")).data["review"]
    digest = (await types("dev", "read-review", "--review", review, "--json")).data["review"]["digest"]
    ran = await types("dev", "gate", "--digest", digest, "--json")
    assert (ran.code, ran.data["exit"], ran.data["allowed"]) == (2, 2, False)
    said = ("--review", review, "--revision", "1", "--verdict", "approve", "--evidence", json.dumps(CHECKED))
    assert (await types("codex", "report", *said)).code == 0
    ran = await types("dev", "gate", "--digest", digest)
    assert (ran.code, ran.err) == (0, "")
    assert "allowed: true" in ran.out.splitlines()


@beside
async def test_a_no_is_told_with_its_code_and_the_next_step(types: Typing) -> None:
    ran = await types("dev", "read-review", "--review", "nothing ünlike?it", "--json")
    assert (ran.code, ran.data["exit"], ran.data["error"]) == (2, 2, "review_missing")
    ran = await types("dev", "read-session", "--session", "main")
    assert ran.err.splitlines() == [
        "There is no such session.",
        "Name a session that you signalled in; one begins with its first signal.",
    ]
    ran = await types("dev", *OPENING, "--files", "[]")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 2
    ran = await types("dev", *OPENING, "--files", '[{"path": "a", "text": "x", "loud": 1}]', "--json")
    assert (ran.code, ran.data["error"]) == (2, "bad_value")
    assert "loud" in ran.data["sentence"]


@beside
async def test_fields_come_as_words_from_a_file_or_as_a_whole(types: Typing) -> None:
    """What is large does not fit on a command line."""
    (types.folder / "files.json").write_text(FILES, encoding="utf-8")
    first = await types("dev", *OPENING, "--files", f"@{types.folder / 'files.json'}", "--key", "once", "--json")
    whole = {"kind": "script", "title": "Say hello", "files": HELLO, "key": "once"}
    (types.folder / "body.json").write_text(json.dumps(whole), encoding="utf-8")
    again = await types("dev", "open-review", "--body", str(types.folder / "body.json"), "--json")
    assert (first.code, again.code, first.data) == (0, 0, again.data)
    twice = await types("dev", "open-review", "--body", str(types.folder / "body.json"), "--title", "Other")
    assert twice.code == 64
    assert "--title is in the body too" in twice.err


@beside
async def test_bytes_are_sent_ahead_by_their_digest(types: Typing) -> None:
    whole = {"digest": hashlib.sha256(b"ahead").hexdigest(), "base64": "YWhlYWQ="}
    (types.folder / "blob.json").write_text(json.dumps(whole), encoding="utf-8")
    ran = await types("dev", "put-blob", "--body", str(types.folder / "blob.json"), "--json")
    assert (ran.code, ran.data["size"]) == (0, 5)
    assert (await types("dev", "put-blob", "--digest", whole["digest"], "--base64", "?")).code == 64


@beside
async def test_what_is_not_well_formed_is_never_sent(types: Typing) -> None:
    """64, with what is wrong; never a traceback, and nothing is opened."""
    bad = {"twice": '{"a": 1, "a": 2}', "nan": '{"a": NaN}', "list": "[]", "text": "kind", "deep": "[" * 100_000}
    for name, text in bad.items():
        (types.folder / name).write_text(text, encoding="utf-8")
    (types.folder / "bytes").write_bytes(b"\xff\xfe")
    wrong: list[tuple[str, ...]] = [
        ("open-review", "--body", str(types.folder / name)) for name in (*bad, "bytes", "absent")
    ]
    wrong += [(*OPENING, "--files", one) for one in ("{", "null", "@absent", f"@{types.folder / 'bytes'}", "[NaN]")]
    wrong += [
        OPENING,
        ("read-review", "--review", ""),
        ("read-review", "--review", "\udcff"),
        (*OPENING[:-1], "\udcff", "--files", FILES),
        ("list-reviews", "--author", "\udcff"),
        ("list-reviews", "--limit", "many"),
        ("session-issues", "--session", "s", "--unsettled", "perhaps"),
        ("me", "--server", "127.0.0.1"),
        ("me", "--server", "http://[::1"),
        ("me", "--server", "ftp://127.0.0.1"),
    ]
    for words in wrong:
        ran = await types("dev", *words)
        assert (ran.code, ran.out) == (64, ""), (words, ran)
        assert "Traceback" not in ran.err
        assert len(ran.err.splitlines()) >= 2, (words, ran.err)
    assert (await types("dev", "list-reviews", "--json")).data["reviews"] == []


@beside
async def test_who_has_no_token_that_opens_is_told_so(types: Typing) -> None:
    types.token("nobody", "foureyes_unknown")
    ran = await types("nobody", "me")
    assert (ran.code, ran.out) == (64, "")
    assert "agents add" in ran.err


@beside
async def test_what_strangers_wrote_moves_nothing_on_the_screen(types: Typing) -> None:
    title = "Say \x1b]0;evil\x07 hello\u202e"
    files = json.dumps([{"path": "a.py", "text": "x"}])
    review = (await types("dev", *OPENING[:-1], title, "--files", files, "--json")).data["review"]
    ran = await types("codex", "read-review", "--review", review)
    assert ran.code == 0
    assert not set("\x1b\x07\u202e") & set(ran.out)
    ran = await types("codex", "read-review", "--review", review, "--json")
    assert ran.out.isascii()
    assert ran.data["review"]["title"] == title


def test_without_a_server_it_says_how_to_start_one(empty: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert empty.run("call", "me").code == 64
    monkeypatch.setenv(VARIABLE, "foureyes_x")
    ran = empty.run("call", "me", "--json")
    assert (ran.code, ran.data["error"]) == (4, "trouble")
    assert "foureyes up" in ran.data["next_step"]


def test_a_server_that_does_not_answer_is_no_answer(empty: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """4: nothing could be said. A name that is none in a header goes nowhere."""
    monkeypatch.setenv(VARIABLE, "foureyes_x")
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}"
        ran = empty.run("call", "me", "--server", address, "--json")
        assert (ran.code, ran.data["error"]) == (4, "unavailable")
        assert "foureyes up" in ran.data["next_step"]
        bound.listen()
        monkeypatch.setenv(AGENT_VARIABLE, "a\r\nx-evil: 1")
        ran = empty.run("call", "me", "--server", address)
        assert (ran.code, "FOUREYES_AGENT" in ran.err) == (64, True)


@pytest.mark.parametrize(
    ("name", "status", "data", "code"),
    [
        ("submit_content", 202, {"spooled": True}, 3),
        ("can_graduate", 200, {"can_graduate": False, "reason": "Need 2 reviewers, have 0"}, 2),
        ("can_graduate", 200, {"can_graduate": True, "reason": "All feedback resolved by all reviewers"}, 0),
        ("submit_content", 201, {"can_graduate": False, "reason": "Need 2 reviewers, have 0"}, 0),
        ("read_content", 200, {"can_graduate": False, "reason": "Need 2 reviewers, have 0"}, 0),
        ("gate", 200, {"allowed": False}, 2),
        ("record_live", 201, {"allowed": False}, 2),
        ("open_review", 201, {"state": "open"}, 0),
    ],
)
def test_the_exit_code_says_how_it_went(name: str, status: int, data: dict[str, Any], code: int) -> None:
    """U-30: it follows the call, and not a field of its answer."""
    assert _answer(name, Heard(status=status, data=data)).code == code


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (401, "credential_needed", "Trouble"),
        (403, "sign_in_needed", "Refusal"),
        (404, "not_found", "Trouble"),
        (413, "too_large", "Trouble"),
        (429, "limit_reached", "Unavailable"),
        (500, "internal", "Unavailable"),
        (503, "unavailable", "Unavailable"),
    ],
)
def test_a_problem_is_told_like_every_other_failure_here(status: int, code: str, error: str) -> None:
    with pytest.raises(Exception, match="What is wrong") as caught:
        _answer(
            "open_review", Heard(status=status, data={"code": code, "title": "What is wrong.", "next_step": "Do this."})
        )
    assert type(caught.value).__name__ == error


def test_a_request_stands_where_the_api_has_it() -> None:
    """Names in the path, small things behind the question mark, the rest in the body."""
    assert request_of("session_issues", {"session": "a/b ü", "unsettled": True, "limit": 3}) == (
        "GET",
        "/api/v1/sessions/a%2Fb%20%C3%BC/issues?unsettled=true&limit=3",
        None,
    )
    assert request_of("me", {}) == ("GET", "/api/v1/me", None)
    note = request_of("add_note", {"review": "r1", "text": "ü"})
    assert note == ("POST", "/api/v1/reviews/r1/notes", '{"text": "ü"}'.encode())
