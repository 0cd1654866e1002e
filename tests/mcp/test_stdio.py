"""`foureyes mcp`: one process is one account, on the store or through a running server, in both eras."""

import asyncio
import json
import os
import threading
from contextlib import AsyncExitStack
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import SERVER_INFO_META_KEY

from foureyes.app.accounts import stream_of
from foureyes.bootstrap import main
from foureyes.core.principals import RemovePrincipal
from foureyes.home import folder
from foureyes.home.lock import ServerLock
from foureyes.home.token import VARIABLES, token_of
from foureyes.home.trouble import Trouble
from foureyes.mcp.over_stdio import speak
from foureyes.mcp.server import build
from foureyes.mcp.strict import MESSAGE_BYTES_MAX
from foureyes.mcp.told import NotThere
from foureyes.mcp.tools import SEVEN
from tests.app.house import House, played
from tests.calls.counter import SUE
from tests.calls.test_calls import CHECKED, FINDING, HELLO, WORLD
from tests.mcp.desk import LEGACY, MODERN, no, tool
from tests.mcp.stdio import enrolled, home_with, server_at, started
from tests.mcp.test_lifecycle import lifecycle


def test_two_processes_on_one_store_are_author_and_reviewer(tmp_path: Path) -> None:
    """T5: each acts as the token it was started with, in an era of its own. No server runs: the store is embedded."""

    @played
    async def story() -> None:
        home = tmp_path / "home"
        tokens = await home_with(home, "dev", "codex")
        async with (
            started(home, tokens["dev"], LEGACY) as author,
            started(home, tokens["codex"], MODERN) as reviewer,
        ):
            names = [(await tool(one, "me"))["who"]["name"] for one in (author, reviewer)]
            assert names == ["dev", "codex"]
            review = (await tool(author, "open_review", kind="script", title="Say hello", files=HELLO))["review"]
            said = {"revision": 1, "findings": [FINDING], "evidence": CHECKED}
            assert "Code: author_may_not" in await no(author, "report", review=review, **said)
            assert "Code: unread" in await no(reviewer, "report", review=review, **said)
            await tool(reviewer, "read_work", review=review)
            await tool(reviewer, "report", review=review, **said)
            (found,) = (await tool(author, "read_review", review=review))["review"]["findings"]
            answers = [{"finding": found["finding"], "text": "Greets the world now."}]
            await tool(author, "revise", review=review, files=WORLD, answers=answers)
            settled = [{"finding": found["finding"], "resolved": True}]
            await tool(reviewer, "read_work", review=review)
            done = await tool(reviewer, "report", review=review, revision=2, evidence=CHECKED, settled=settled)
            assert done["state"] == "cleared"

    story()


def test_where_a_server_runs_the_processes_speak_to_it_and_find_it_again(tmp_path: Path) -> None:
    """The store is the server's: nothing in the data folder is opened beside it."""

    @played
    async def story() -> None:
        home, house = tmp_path / "home", House()
        tokens = await enrolled(house, "dev", "codex")
        async with AsyncExitStack() as processes:
            async with server_at(home, house):
                author = await processes.enter_async_context(started(home, tokens["dev"], LEGACY))
                reviewer = await processes.enter_async_context(started(home, tokens["codex"], MODERN))
                await lifecycle(author, reviewer)
                await _everything_is_handed_on(author)
            assert "foureyes up" in await no(author, "me")
            with pytest.raises(MCPError, match="foureyes up"):
                await reviewer.list_resources()
            async with server_at(home, house):
                assert (await tool(author, "me"))["who"]["name"] == "dev"
                await house.do(SUE, RemovePrincipal(reason="Gone."), stream_of("dev"))
                assert "token" in await no(author, "me")
                assert (await tool(reviewer, "me"))["who"]["name"] == "codex"
        assert not (home / "foureyes.db").exists()

    story()


async def _everything_is_handed_on(client: Client) -> None:
    assert {"open_review", "report"} <= {one.name for one in (await client.list_tools()).tools}
    assert "review://reviews/r1" in {one.uri for one in (await client.list_resources()).resources}
    assert (await client.list_resource_templates()).resource_templates
    assert (await client.read_resource("review://inbox")).contents
    assert (await client.list_prompts()).prompts
    assert (await client.get_prompt("author")).messages
    for name, field in (("read_review", "review"), ("get_review", "reviewId")):
        assert "Code: review_missing" in await no(client, name, **{field: "ünknown"})
    with pytest.raises(MCPError, match="Unknown tool: rule"):
        await client.call_tool("rule", {})


def test_as_review_server_the_process_has_that_name_and_those_tools(tmp_path: Path) -> None:
    """001-42: name `review-server`, version 1.0.0, stdio."""

    @played
    async def story() -> None:
        home, house = tmp_path / "home", House()
        tokens = await enrolled(house, "dev")
        async with server_at(home, house), started(home, tokens["dev"], LEGACY, "--as", "review-server") as client:
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("review-server", "1.0.0")
            assert {one.name for one in (await client.list_tools()).tools} == set(SEVEN)
            for name in ("open_review", "nothing"):
                with pytest.raises(MCPError, match=f"Unknown tool: {name}"):
                    await client.call_tool(name, {})

    story()


@pytest.mark.parametrize(("era", "signed"), [(LEGACY, None), (MODERN, {"name": "review-server", "version": "1.0.0"})])
def test_as_review_server_every_answer_bears_that_name_and_never_that_of_the_server_behind(
    tmp_path: Path, era: str, signed: dict[str, str] | None
) -> None:
    """001-42: in the older era answers bear none."""

    @played
    async def story() -> None:
        home, house = tmp_path / "home", House()
        tokens = await enrolled(house, "dev")
        async with server_at(home, house), started(home, tokens["dev"], era, "--as", "review-server") as client:
            asked = await client.call_tool("check_review_required", {"action": "update_readme", "context": {}})
            for answer in (await client.list_tools(), asked):
                assert (answer.meta or {}).get(SERVER_INFO_META_KEY) == signed

    story()


def test_lines_that_are_no_message_are_told_so_and_the_next_one_is_answered() -> None:
    """T19, T29: nothing is read that somebody else would read differently."""
    ping = b'{"jsonrpc":"2.0","id":9,"method":"ping"}'
    lines = (
        b"nonsense",
        b"",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"' + b"x" * MESSAGE_BYTES_MAX + b'"}}',
        b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":"\\ude00\\ud83d"}}',
        b'{"jsonrpc":"2.0","id":6,"method":"ping","params":[]}',
        b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"a":"\\ud83d\\ude00"}}}',
        ping,
    )

    @played
    async def story() -> None:
        out = Heard('"id":9')
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as stdin, os.fdopen(writing, "wb", buffering=0) as typing:
            speaking = asyncio.create_task(speak(build(Nothing()), stdin, out))
            await asyncio.to_thread(typing.write, b"\n".join(lines) + b"\n")
            await asyncio.to_thread(out.heard.wait, 30)
            typing.close()
            await speaking
        told = [json.loads(line) for line in out.getvalue().splitlines()]
        assert [(one["id"], one.get("error", {}).get("code")) for one in told] == [
            (None, -32700),
            (None, -32700),
            (1, -32600),
            (2, -32700),
            (None, -32600),
            (4, -32600),
            (6, -32600),
            (5, None),
            (9, None),
        ]

    story()


class Heard(StringIO):
    """A recorder of output that can search for a word."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word
        self.heard = threading.Event()

    def write(self, text: str) -> int:
        if self.word in text:
            self.heard.set()
        return super().write(text)


class Nothing:
    """A server without a gate."""

    async def answer(self, method: str, _: Any, __: object) -> Any:
        raise NotThere(method)

    def takes(self, _: str) -> None:
        return None

    async def instructions(self, _: object) -> str:
        return ""


TROUBLES: list[tuple[str, list[str], tuple[int, str]]] = [
    ("", [], (64, "FOUREYES_TOKEN")),
    ("foureyes_0_nothing", [], (2, "The token opens nothing")),
    ("two words", [], (64, "no token")),
    ("x", ["--server", "ftp://x"], (64, "no address")),
    ("x", ["--as", "somebody"], (64, "review-server")),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder without accounts."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    asyncio.run(home_with(tmp_path / "home", "dev"))
    return tmp_path / "home"


@pytest.mark.parametrize(("token", "arguments", "told"), TROUBLES)
def test_a_process_that_cannot_act_for_anybody_ends_with_a_sentence(
    token: str, arguments: list[str], told: tuple[int, str], home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """T5."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOUREYES_TOKEN", token)
        assert main(["mcp", "--home", str(home), *arguments]) == told[0]
    said = capfd.readouterr()
    assert said.out == ""
    assert told[1] in said.err


def test_a_token_in_a_file_that_others_could_read_is_not_taken(tmp_path: Path) -> None:
    """T5: a file of mode 0600, ours, and no link."""
    file, link = tmp_path / "token", tmp_path / "link"
    file.write_text("foureyes_1_secret\n", encoding="ascii")
    link.symlink_to(file)
    file.chmod(0o640)
    with pytest.raises(Trouble, match="chmod 600"):
        token_of({}, str(file))
    file.chmod(0o600)
    assert token_of({}, str(file)) == "foureyes_1_secret"
    assert token_of({"FOUREYES_TOKEN_FILE": str(file)}) == "foureyes_1_secret"
    assert token_of({"FOUREYES_TOKEN": "other", "FOUREYES_TOKEN_FILE": str(file)}) == "other"
    for name in (link, tmp_path, tmp_path / "nothing"):
        with pytest.raises(Trouble):
            token_of({}, str(name))


def test_while_another_command_changes_things_no_process_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder.make(str(tmp_path / "home"))
    monkeypatch.setenv("FOUREYES_TOKEN", "foureyes_1_secret")
    with ServerLock.acquire(str(tmp_path / "home"), "`foureyes upgrade`", now="now"):
        assert main(["mcp", "--home", str(tmp_path / "home")]) == 2
    assert "foureyes upgrade" in capfd.readouterr().err
