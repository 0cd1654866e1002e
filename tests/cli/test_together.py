"""Commands beside a running server open pages and decide nothing themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from foureyes import config
from foureyes.app.accounts import stream_of
from foureyes.app.signing_in import redeemed
from foureyes.bootstrap.assembly import Assembly
from foureyes.cli import browser
from foureyes.cli.console import Console
from foureyes.cli.program import run
from foureyes.cli.serving import Begun, Serving
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.home.lock import ServerLock
from foureyes.store.sqlite_store import SqliteStore
from tests.calls.counter import OWNER, SUE
from tests.cast import START
from tests.cli.desk import CLEARED, Desk, furnish
from tests.cli.running import where

ADDRESS = "http://127.0.0.1:8004"
CLEARED_REVIEW, OPEN_REVIEW, WITHDRAWN_REVIEW = "r1", "r2", "r3"


@dataclass
class Seated(Desk):
    """A user with or without a browser."""

    has_browser: bool = True
    opened: list[str] = field(default_factory=list)

    def assembly(self, flags: dict[str, str | None] | None = None) -> Assembly:
        console = Console(is_terminal=lambda: False, typed=str, opens=self._opens)
        return Assembly(config.read(flags or {}, {"FOUREYES_HOME": str(self.home)}), console)

    def _opens(self, address: str) -> bool:
        self.opened.append(address)
        return self.has_browser

    def enrol(self, name: str, kind: str = "human") -> None:
        """Enrol one more account."""

        async def play() -> None:
            async with SqliteStore.open(self.database) as store:
                actor = OWNER if name == "sue" else SUE
                command = EnrolPrincipal(kind=kind, roles=("tester",), model_family="gpt")
                await self.house(store, start=2000 + len(name)).do(actor, command, stream_of(name))

        asyncio.run(play())

    def give(self, name: str, token: str, **said: Any) -> None:
        """A token for an account."""

        async def play() -> None:
            async with SqliteStore.open(self.database) as store:
                command = IssueToken(token=token, hash=sha256(token.encode()).hexdigest(), **said)
                await self.house(store, start=3000 + 10 * len(token) + len(said)).do(SUE, command, stream_of(name))

        asyncio.run(play())


@pytest.fixture
def seated(tmp_path: Path) -> Seated:
    furnish(tmp_path / "home")
    return Seated(home=tmp_path / "home")


@contextmanager
def served(desk: Desk, address: str = ADDRESS, public: str = "") -> Iterator[None]:
    with ServerLock.acquire(str(desk.home), address, now="today", public=public):
        yield


@pytest.mark.parametrize(
    "arguments", [("agents", "add", "dev"), ("agents", "revoke", "dev"), ("humans", "link"), ("decide", "r2")]
)
def test_without_a_server_it_is_said_how_to_start_one(seated: Seated, arguments: tuple[str, ...]) -> None:
    seated.enrol("sue")
    ran = seated.run(*arguments)
    assert (ran.code, ran.out, seated.opened) == (4, "", [])
    assert "foureyes up" in ran.err
    assert str(seated.home) in ran.err
    assert "--home" in ran.err
    with served(seated, "`foureyes restore`"):
        assert seated.run(*arguments).code == 4, "a command at work is no server"


class Starting(Assembly):
    """The start message of a server, without a server."""

    def serve(self, _: Serving, told: Callable[[Begun], None]) -> None:
        told(Begun(address=ADDRESS, public=ADDRESS))


def test_a_server_with_a_data_folder_of_its_own_says_how_commands_find_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "x y"
    for words, beside in ((), ""), (("--home", str(folder)), f" --home '{folder}'"):
        made = run(("up", *words), lambda flags: Starting(config.read(flags, {"HOME": str(tmp_path)}), Console()))
        lines = capsys.readouterr().out.splitlines()
        assert made == 0
        assert f"Sign in with: foureyes humans link{beside}" in lines
        assert f"Enrol an agent: foureyes agents add{beside} NAME. Then connect it, with its token:" in lines


def test_an_agent_is_added_on_a_page_and_nothing_is_done_before(seated: Seated) -> None:
    with served(seated):
        ran = seated.run("agents", "add", "codex-1", "--role", "a", "--role", "b", "--family", "gpt", "--operator", "x")
    assert ran.code == 0
    (address,) = seated.opened
    parts = urlsplit(address)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{ADDRESS}/accounts"
    said = {"name": ["codex-1"], "kind": ["agent"], "roles": ["a b"], "operator": ["x"], "model_family": ["gpt"]}
    assert parse_qs(parts.query) == said
    assert seated.run("agents", "list", "--json").data["agents"] == []


def test_what_a_token_is_for_and_how_long_is_said_on_the_command_line(seated: Seated) -> None:
    with served(seated):
        ran = seated.run("agents", "add", "counter", "--kind", "program", "--scope", "read", "--days", "30")
        assert (ran.code, len(seated.opened)) == (0, 1)
        found = parse_qs(urlsplit(seated.opened[0]).query)
        assert found == {"name": ["counter"], "kind": ["program"], "scopes": ["read"], "days": ["30"]}
        for wrong in (
            ("--kind", "human"),
            ("--scope", "rule"),
            ("--scope", "vouch"),
            ("--kind", "program", "--scope", "author"),
            ("--days", "0"),
            ("--days", "3651"),
        ):
            assert seated.run("agents", "add", "dev", *wrong).code == 64, wrong
        assert len(seated.opened) == 1


def test_a_name_that_cannot_be_is_refused_before_a_page_is_opened(seated: Seated) -> None:
    """T30."""
    seated.enrol("sue")
    with served(seated):
        for name in ("Codex", "5ue", "human", "a b", "cl\u0430ude"):
            ran = seated.run("agents", "add", name)
            assert ran.code == 2, name
        assert seated.opened == []
        assert seated.run("agents", "revoke", "nobody-here").code == 64


def test_without_a_browser_an_address_without_secrets_is_said(seated: Seated) -> None:
    seated.has_browser = False
    with served(seated):
        assert f"{ADDRESS}/accounts?name=dev" in seated.run("agents", "add", "dev").out
        assert f"{ADDRESS}/reviews/{OPEN_REVIEW}" in seated.run("decide", OPEN_REVIEW).out


def test_agents_and_humans_are_listed(seated: Seated) -> None:
    assert "None yet" in seated.run("agents", "list").out
    assert "None yet" in seated.run("humans", "list").out
    seated.enrol("sue")
    seated.enrol("codex", "agent")
    assert seated.run("humans", "list", "--json").data["humans"] == ["sue"]
    assert seated.run("agents", "list").out.strip() == "codex: agent, gpt, operator sue, roles tester; no token"


def test_each_good_token_is_listed_with_what_it_is_for_and_its_end(seated: Seated) -> None:
    seated.enrol("sue")
    seated.enrol("codex", "agent")
    end = datetime(2126, 1, 1, 12, tzinfo=UTC)
    seated.give("codex", "t-read", scopes=("read",), expires=end)
    seated.give("codex", "t-all")
    seated.give("codex", "t-over", expires=START + timedelta(days=1))
    first, *tokens = seated.run("agents", "list").out.rstrip().split("\n")
    assert first.endswith("2 of 3 tokens good")
    assert tokens == [
        "  token t-read: for read, until 2126-01-01 12:00 UTC",
        "  token t-all: for read, author, review, signal",
    ]
    (told,) = seated.run("agents", "list", "--json").data["agents"]
    ends = {one["token"]: one["expires"] for one in told["tokens"]}
    assert (ends["t-read"], ends["t-all"]) == (end.isoformat(), None)


def test_a_link_is_opened_by_a_page_that_only_we_can_read_and_never_said(seated: Seated) -> None:
    """Neither the terminal nor the process list shows a link that would sign a person in."""
    seated.enrol("sue")
    with served(seated):
        ran = seated.run("humans", "link")
    assert ran.code == 0
    (page,) = seated.opened
    assert page.startswith("file:///")
    address = where(Path(urlsplit(page).path))
    secret = parse_qs(urlsplit(address).query)["link"][0]
    assert secret not in ran.out + ran.err + page

    async def sign_in() -> str | None:
        async with SqliteStore.open(seated.database) as store:
            return await store.write(lambda tx: redeemed(tx, secret, seated.assembly().now()))

    assert asyncio.run(sign_in())


def test_a_link_is_for_one_human_who_is_named_where_there_are_several(
    seated: Seated, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated.enrol("sue")
    seated.enrol("bob")
    with served(seated, public="https://gate.example.com"):
        assert seated.run("humans", "link").code == 64
        assert seated.run("humans", "link", "nobody-here").code == 64
        assert seated.run("humans", "link", "bob").code == 0
        file = seated.home / "bob.html"
        assert seated.run("humans", "link", "bob", "--to", str(file)).code == 0
        assert where(file).startswith("https://gate.example.com/sign-in?link=")
        monkeypatch.chdir(seated.home)
        assert seated.run("humans", "link", "bob", "--to", "sign-in-bob.html").code == 0
        assert where(seated.home / "sign-in-bob.html").startswith("https://gate.example.com/sign-in?link=")
        ran = seated.run("humans", "link", "bob", "--to", "nowhere/bob.html")
        assert (ran.code, "nowhere is no folder" in ran.err) == (64, True)
        seated.has_browser = False
        ran = seated.run("humans", "link", "bob", "--direct")
        assert ran.code == 4
        assert "link=" not in ran.out + ran.err


def test_decide_opens_the_page_of_a_review_that_is_there(seated: Seated) -> None:
    with served(seated):
        assert seated.run("decide", "r99").code == 2
        ran = seated.run("decide", OPEN_REVIEW, "--json")
    assert (ran.code, ran.data["asked"]) == (0, False)
    assert seated.opened == [f"{ADDRESS}/reviews/{OPEN_REVIEW}"]


@pytest.mark.parametrize(
    ("review", "code", "words"),
    [
        (CLEARED_REVIEW, 0, "cleared"),
        (OPEN_REVIEW, 3, "Waiting for"),
        (WITHDRAWN_REVIEW, 2, "withdrawn"),
        ("r9", 2, ""),
    ],
)
def test_wait_ends_with_the_review_or_the_time(seated: Seated, review: str, code: int, words: str) -> None:
    ran = seated.run("wait", review, "--seconds", "0")
    assert ran.code == code
    assert words in ran.out
    if review == CLEARED_REVIEW:
        assert seated.run("wait", review, "--json").data["digest"] == CLEARED


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - likewise
        del format, args


def test_doctor_asks_a_server_that_runs_here(seated: Seated) -> None:
    def said() -> dict[str, str]:
        checks = seated.run("doctor", "--json").data["checks"]
        return {one["name"]: one["state"] for one in checks if one["name"] == "server"}

    assert said() == {"server": "missing"}
    with HTTPServer(("127.0.0.1", 0), _Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        with served(seated, address):
            assert said() == {"server": "works"}
        server.shutdown()
        thread.join()
    with served(seated, address):
        assert said() == {"server": "broken"}


def test_a_page_is_opened_only_where_there_is_a_screen_or_the_person_named_a_browser() -> None:
    """A text browser would draw the page into the terminal, where an agent reads."""
    assert not browser.has_screen({"TERM": "xterm"}, "linux")
    assert browser.has_screen({"DISPLAY": ":0"}, "linux")
    assert browser.has_screen({"BROWSER": "/opt/code/browser.sh"}, "linux")
    assert browser.has_screen({}, "darwin")


def test_what_a_browser_prints_goes_nowhere(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("BROWSER", "echo")
    assert browser.open_page(f"{ADDRESS}/sign-in?link=secret")
    monkeypatch.setenv("BROWSER", str(tmp_path / "missing"))
    browser.open_page(ADDRESS)
    shown = capfd.readouterr()
    assert shown.out + shown.err == ""
