"""`foureyes up` for a new user: one command, a page in the browser, and two agents at work."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from foureyes.app.signing_in import COOKIE
from foureyes.reviewers.at_hand import CRITICS
from tests.app.house import played
from tests.cli.running import Running, where
from tests.web.browser import Browser

HELLO = [{"path": "hello.py", "text": '"""Say hello."""\n\nprint("hello")\n'}]
WORLD = [{"path": "hello.py", "text": '"""Say hello."""\n\nprint("hello, world")\n'}]
CHECKED = [{"what": "hello.py", "why": "it prints what the title says"}]
FINDING = {
    "severity": "important",
    "text": "Nobody is greeted by name.",
    "place": {"path": "hello.py", "start": 3},
    "evidence": "It prints hello and nothing else.",
}


async def signed_in(server: Running) -> Browser:
    """The first human, signed in by the page that was opened."""
    human = server.browser()
    page = await human.submit((await human.open(server.link())).form("/sign-in"))
    assert "What waits" in page.text
    return human


async def enrolled(server: Running, human: Browser, name: str, *more: str) -> str:
    """The token of an agent whom a human enrolled on the page that the command line opened."""
    ran = server.run("agents", "add", name, "--operator", f"{name}-co", *more)
    assert ran.returncode == 0, ran.stderr
    form = (await human.open(server.opened()[-1])).form("/accounts/enrol")
    page = await human.submit(form)
    assert page.status == 201, page.text
    return page.token


async def tools(server: Running, token: str) -> set[str]:
    """The tools that an agent finds at the address which was printed for it."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
    }
    answer = await server.send("POST", urlsplit(server.begun["mcp"]).path, headers, json.dumps(message).encode())
    assert answer.status == 200, answer.body
    found = json.loads(answer.body.decode().partition("data: ")[2] or answer.body)
    return {one["name"] for one in found["result"]["tools"]}


@pytest.mark.timeout(180)
def test_two_agents_take_work_from_its_opening_to_a_cleared_version(tmp_path: Path) -> None:
    """A fresh machine, one command: enrolled through the pages, reviewed over HTTP, and ended without loss."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            assert server.begun["opened"]
            human = await signed_in(server)
            secret = server.link().partition("link=")[2]
            dev = await enrolled(server, human, "dev", "--family", "claude")
            codex = await enrolled(server, human, "codex", "--family", "gpt", "--role", "agent")
            assert await tools(server, dev) > {"open_review"}
            opened = await server.ask(dev, "POST", "/reviews", kind="script", title="Say hello", files=HELLO)
            path = f"/reviews/{opened['review']}"
            report = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
            await server.ask(codex, "POST", f"{path}/reports", **report)
            (finding,) = (await server.ask(dev, "GET", path))["review"]["findings"]
            answers = [{"finding": finding["finding"], "text": "Greets the world now."}]
            await server.ask(dev, "POST", f"{path}/revisions", files=WORLD, answers=answers)
            settled = [{"finding": finding["finding"], "resolved": True}]
            last = {"revision": 2, "verdict": "approve", "evidence": CHECKED, "settled": settled}
            await server.ask(codex, "POST", f"{path}/reports", **last)
            waited = server.run("wait", opened["review"], "--seconds", "60", "--json")
            assert waited.returncode == 0, waited.stdout
            digest = json.loads(waited.stdout)["digest"]
            assert (await server.ask(dev, "GET", f"/gate/{digest}"))["allowed"]
            assert server.run("check", digest).returncode == 0
            assert "cleared" in (await human.open(f"/reviews/{opened['review']}")).text
            assert server.end() == 0
            assert server.run("log", "verify").returncode == 0
            assert json.loads(server.run("status", "--json").stdout)["server"] is None
            said = server.printed + server.logged()
            for one in (secret, dev, codex, human.cookies[COOKIE]):
                assert one not in said
            assert secret not in " ".join(server.opened())

    story()


@pytest.mark.timeout(120)
def test_a_running_server_is_named_and_a_second_one_refused(tmp_path: Path) -> None:
    """F16."""
    with Running(tmp_path / "home") as server:
        address = server.begun["address"]
        second = server.run("up", "--port", "0")
        assert second.returncode == 2
        assert address in second.stderr
        port = urlsplit(address).port
        taken = server.run("up", "--port", str(port), "--home", str(tmp_path / "other"))
        assert taken.returncode == 4
        assert f"Port {port} of 127.0.0.1 cannot be had" in taken.stderr
        assert "Traceback" not in taken.stderr
        assert json.loads(server.run("status", "--json").stdout)["server"]["address"] == address
        assert server.run("humans", "list").stdout.strip()


@pytest.mark.timeout(120)
def test_without_a_browser_nothing_secret_is_said_and_the_way_in_is_a_file(tmp_path: Path) -> None:
    """The link is never where an agent's terminal reads it."""

    @played
    async def story() -> None:
        with Running(
            tmp_path / "home", has_browser=False, arguments=("--public-url", "http://gate.example:9")
        ) as server:
            assert not server.begun["opened"]
            assert "link=" not in server.printed + server.logged()
            none = server.run("humans", "link")
            assert none.returncode == 4
            assert "--to FILE" in none.stderr
            assert "link=" not in none.stdout + none.stderr
            page = tmp_path / "page.html"
            made = server.run("humans", "link", "--to", str(page))
            assert made.returncode == 0
            assert "link=" not in made.stdout + made.stderr
            address = where(page)
            assert address.startswith("http://gate.example:9/sign-in?link=")
            assert server.run("humans", "link", "--to", str(page)).returncode == 64
            beside = server.run("humans", "link", "--to", "beside.html")
            assert (beside.returncode, where(server.folder / "beside.html")[:20]) == (0, address[:20]), beside.stderr
            human = server.browser()
            parts = urlsplit(address)
            form = (await human.open(f"{parts.path}?{parts.query}")).form("/sign-in")
            assert "What waits" in (await human.submit(form)).text

    story()


@pytest.mark.timeout(120)
def test_only_names_of_ours_are_answered_and_every_answer_can_be_found_in_the_log(tmp_path: Path) -> None:
    """T23."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            assert (await server.send("GET", "/health", {"host": "evil.example"})).status == 421
            assert (await server.send("GET", "/health", {"x-forwarded-host": "evil.example"})).status == 200
            secret = "foureyes_0123456789_canary-in-a-query"
            answer = await server.send("GET", f"/sign-in?link={secret}", {"authorization": f"Bearer {secret}"})
            assert answer.status == 401
            assert server.end() == 0
            found = [json.loads(line) for line in server.logged().splitlines()]
            (line,) = [one for one in found if one.get("request") == answer.headers["x-request-id"]]
            assert (line["path"], line["status"], line["method"]) == ("/sign-in", 401, "GET")
            assert "canary" not in server.logged()

    story()


async def looked_at(server: Running, token: str, review: str) -> None:
    """Wait until the programs have reported, so that nothing more happens by itself."""
    for _ in range(2 * len(CRITICS)):
        seen = await server.ask(token, "GET", f"/reviews/{review}")
        if len(seen["review"]["reports"]) == len(CRITICS):
            return
        await server.ask(token, "GET", f"/reviews/{review}/wait?seconds=20&mark={seen['mark']}")
    raise AssertionError("the programs did not look")


@pytest.mark.timeout(120)
def test_who_waits_is_answered_when_the_server_ends(tmp_path: Path) -> None:
    """SIGTERM drains: nobody who asked is left without an answer, and it takes less than ten seconds."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            human = await signed_in(server)
            dev = await enrolled(server, human, "dev")
            opened = await server.ask(dev, "POST", "/reviews", kind="note", title="Wait", files=HELLO)
            path = f"/reviews/{opened['review']}/wait?seconds=45"
            await looked_at(server, dev, opened["review"])
            waiting = http.client.HTTPConnection(server.netloc, timeout=30)
            waiting.request("GET", f"/api/v1{path}", headers={"authorization": f"Bearer {dev}"})
            assert (await server.send("GET", "/health", {})).status == 200
            assert server.end() == 0
            answer = waiting.getresponse()
            assert (answer.status, json.loads(answer.read())["changed"]) == (200, False)
            waiting.close()

    story()


def test_an_address_that_others_can_reach_is_refused_without_a_proxy(tmp_path: Path) -> None:
    server, everywhere = Running(tmp_path / "home"), "0.0.0.0"  # noqa: S104 - it is refused
    for arguments, words in (
        (("--host", everywhere), "can be reached by others"),
        (("--host", everywhere, "--behind-proxy"), "List the host names"),
        (("--public-url", "gate.example"), "https://gate.example.com"),
        (("--public-url", "https://gate.example/path?x=1"), "https://gate.example.com"),
        (("--host", "203.0.113.9"), "cannot be had"),
    ):
        ran = server.run("up", "--port", "0", *arguments)
        assert ran.returncode in (2, 4, 64), arguments
        assert words in ran.stderr, ran.stderr
        assert "Traceback" not in ran.stderr
