"""A platform of many agents, as docs/howto/many-agents.md says: the page is executed, then its agents keep working."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.running import FOUREYES, Running
from tests.cli.test_server_guide import after, blocks, enrolled, typed
from tests.cli.test_up import signed_in
from tests.shape import ROOT
from tests.use.judging import judge
from tests.use.served import DOORS, HTTP, Caller, Served

pytestmark = pytest.mark.door("http", policy="platform")

PAGE = (ROOT / "docs" / "howto" / "many-agents.md").read_text(encoding="utf-8")
AGENTS = [f"agent-{number:03}" for number in range(1, 121)]
POLICY = re.findall(r"```yaml\n(.*?)```", after(PAGE, "1. Activate the policy line"), re.DOTALL)[0]
FILE = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]


@dataclass
class Platform:
    """The platform of the page: what its commands printed, the human's browser, and the service's token."""

    served: Served
    checked: str
    enrolment: str
    reviewed: str
    token: str

    def speaking_for(self, agent: str) -> Caller:
        headers = {"authorization": f"Bearer {self.token}", "foureyes-agent": agent}
        return Caller(server=self.served.server, headers=headers)


def at_a_terminal(server: Running, command: str) -> str:
    """Run a command at a terminal, type its input, and return its output."""
    program, *words = shlex.split(command)
    assert program == "foureyes"
    person, terminal = os.openpty()
    try:
        with subprocess.Popen(
            [FOUREYES, *words],
            env=server.environment,
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=server.folder,
        ) as process:
            assert process.stdout
            printed = list[str]()
            for line in process.stdout:
                printed.append(line)
                if asked := re.search(r"Type exactly: (\S+)", line):
                    os.write(person, f"{asked[1]}\n".encode())
        assert process.returncode == 0, "".join(printed)
        return "".join(printed)
    finally:
        os.close(person)
        os.close(terminal)


@contextmanager
def followed(folder: Path) -> Iterator[Platform]:
    """Run all commands of the page, in order."""
    activating, starting, enrolling, agents, playing, _ = blocks(PAGE)
    assert shlex.split(starting) == ["foureyes", "up"]
    server = Running(folder / "home")
    (server.folder / "platform.yaml").write_text(POLICY, encoding="utf-8")
    checking, putting = activating.strip().splitlines()
    checked = server.run(*shlex.split(checking)[1:])
    assert checked.returncode == 0, checked.stderr
    at_a_terminal(server, putting)
    server.activated = "platform"
    with server:
        human = asyncio.run(signed_in(server))
        (token,) = asyncio.run(enrolled(server, human, enrolling))
        made = typed(server, agents, {"REACTOR": token})
        assert made.returncode == 0, made.stdout + made.stderr
        (server.folder / "bin" / "curl").unlink()
        (server.folder / "bin").rmdir()
        played = typed(server, agents.partition("\n")[0] + "\n" + playing, {"REACTOR": token})
        assert played.returncode == 0, played.stdout + played.stderr
        yield Platform(
            served=Served(server=server, browser=human),
            checked=checked.stdout,
            enrolment=made.stdout,
            reviewed=played.stdout.strip().splitlines()[-1],
            token=token,
        )


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with followed(tmp_path_factory.mktemp("many")) as found:
        yield found


def test_the_page_ends_with_a_clearance_that_says_one_operator(platform: Platform) -> None:
    """U-08: two agents of a service clear the work of a third for staging, at level 1."""
    gate = json.loads(platform.reviewed)
    assert (gate["state"], gate["allowed"], gate["level"], gate["flags"]) == ("cleared", True, 1, ["one operator"])
    assert '"state":"cleared"' in platform.reviewed
    assert '"level":1' in platform.reviewed
    assert '"flags":["one operator"]' in platform.reviewed
    answer = platform.served.human.call("gate", digest=gate["digest"], target="production")
    assert answer["allowed"] is False
    assert "one operator" in platform.checked


def test_the_service_has_enrolled_all_its_agents_without_tokens(platform: Platform) -> None:
    """U-08: they act through the service's token; the same request again changes nothing."""
    made = json.loads(platform.enrolment)["accounts"]
    assert [one["name"] for one in made] == AGENTS
    assert {one["secret"] for one in made} == {""}
    body = {"accounts": [{"name": one, "roles": ["agent"]} for one in AGENTS]}
    service = Caller(server=platform.served.server, headers={"authorization": f"Bearer {platform.token}"})
    assert service.call("enrol_many", **body).is_ok
    found, cursor = list[str](), ""
    while True:
        page = platform.served.human.call("list_accounts", cursor=cursor, limit=200)
        found += [one["who"]["name"] for one in page["accounts"] if one["vouched_by"] == "reactor"]
        if not (cursor := page["next"]):
            break
    assert found == AGENTS


@pytest.mark.timeout(300)
@pytest.mark.door("http", "mcp", policy="platform")
def test_more_than_a_hundred_agents_author_and_review_each_other(platform: Platform) -> None:
    """U-08: each is an author once and a reviewer twice, half of them over HTTP and half over MCP."""
    cleared = 0
    for number, name in enumerate(AGENTS):
        door = DOORS[number % len(DOORS)]
        author = platform.speaking_for(name).at(door)
        file = {"path": "story.md", "text": f"The sea came back to harbour {number}.\n"}
        opened = author.call("open_review", kind="story", title=f"Story {number}", files=[file])
        assert opened.is_ok, opened.text
        for step in (1, 2):
            reviewer = platform.speaking_for(AGENTS[(number + step) % len(AGENTS)])
            answer = judge(reviewer.at(door), opened["review"], None)
            assert answer.is_ok, answer.text
        gate = author.call("gate", digest=opened["digest"], target="staging")
        assert (gate["state"], gate["level"], gate["flags"]) == ("cleared", 1, ["one operator"]), gate.text
        cleared += 1
    assert cleared >= 100


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="platform")
def test_an_agent_never_judges_its_own_work_and_speaks_under_its_own_name(platform: Platform, door: str) -> None:
    """U-08: the line lets agents review each other, not themselves."""
    author = platform.speaking_for("agent-001").at(door)
    file = {"path": "own.md", "text": f"My own words, over {door}.\n"}
    opened = author.call("open_review", kind="story", title="Own", files=[file])
    assert judge(author, opened["review"], None).code == "author_may_not"
    review = platform.served.human.call("read_review", review=opened["review"])["review"]
    assert review["author"]["name"] == "agent-001", review
    stranger = Caller(
        server=platform.served.server, headers={"authorization": f"Bearer {platform.token}", "foureyes-agent": "nobody"}
    )
    assert stranger.raw("GET", "/api/v1/me").status == 401


def test_a_service_enrols_all_or_none_and_is_told_which_entry_is_wrong(platform: Platform) -> None:
    """U-08: a role that the service lacks, a look-alike and a name that is there twice each refuse the whole list."""
    service = Caller(server=platform.served.server, headers={"authorization": f"Bearer {platform.token}"})
    good = {"name": "extra-1", "roles": ["agent"]}
    for wrong, code in (
        ({"name": "extra-2", "roles": ["security"]}, "not_eligible"),
        ({"name": "agent-00l"}, "duplicate"),
        ({"name": "extra-1"}, "duplicate"),
        ({"name": "extra-3", "operator": "others"}, "unknown_word"),
        ({"name": "a human", "kind": "agent"}, "unknown_word"),
        ({"name": "extra-4", "kind": "human"}, "human_only"),
    ):
        answer = service.call("enrol_many", accounts=[good, wrong])
        assert answer.code == code, answer.text
        assert answer.data["fields"]["entry"] == 1, answer.text
        assert wrong["name"] in answer.data["detail"], answer.text
    assert service.call("enrol_many", accounts=[]).code == "bad_number"
    crowd = [{"name": f"crowd-{number}"} for number in range(201)]
    assert service.call("enrol_many", accounts=crowd).code == "bad_number"
    assert (
        Caller(server=platform.served.server, headers=platform.speaking_for("extra-1").headers)
        .raw("GET", "/api/v1/me")
        .status
        == 401
    ), "extra-1 was not enrolled by any of these"


@pytest.mark.door("http", "page", "command", policy="platform")
def test_accounts_of_a_file_are_enrolled_in_one_act_with_their_tokens(platform: Platform) -> None:
    """U-08: one press of a button by a human; the tokens are on that page and nowhere on the disk."""
    server, browser = platform.served.server, platform.served.browser
    (server.folder / "agents.yaml").write_text(FILE, encoding="utf-8")
    (command,) = (one for one in blocks(PAGE) if "--file" in one)
    ran = server.run(*shlex.split(command)[1:])
    assert ran.returncode == 0, ran.stderr
    assert "Confirm 4 accounts in your browser." in ran.stdout
    shown = asyncio.run(browser.open(server.opened()[-1]))
    form = shown.form("/accounts/enrol-many")
    assert form.fields["agents"] == FILE
    assert "writer-1" not in server.run("agents", "list").stdout, "nothing is done before the button is pressed"
    page = asyncio.run(browser.submit(form))
    assert page.status == 201, page.text
    (listing,) = re.findall(r'<pre id="tokens">([^<]+)<', page.answer.body.decode())
    tokens = [(name, secret) for name, secret in (line.split() for line in listing.splitlines())]
    assert [name for name, _ in tokens] == ["writer-1", "writer-2", "checker", "publisher"]
    for name, secret in tokens:
        me = Caller(server=server, headers={"authorization": f"Bearer {secret}"}).call("me")
        assert me["who"]["name"] == name
    listed = {one["name"]: one for one in json.loads(server.run("agents", "list", "--json").stdout)["agents"]}
    assert (listed["checker"]["operator"], listed["checker"]["roles"]) == ("bob", ["agent", "security"])
    assert listed["writer-1"]["tokens"][0]["expires"] is not None
    assert listed["publisher"]["tokens"][0]["scopes"] == ["read", "publish"]
    for file in server.folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            assert tokens[0][1].encode() not in file.read_bytes(), file
    again = asyncio.run(browser.submit(form))
    assert again.status == 422
    assert "agents.yaml:3" in again.text, again.text
    assert "writer-1 is enrolled already" in again.text


BAD_FILES = {
    "agents:\n  - {name: ok-1}\n  - {name: ok-2, familly: gpt}\n": ("agents.yaml:3", "did you mean family?"),
    "agents:\n  - ok-1\n  - Bad Name\n": ("agents.yaml:3", "no name here"),
    "agents:\n  - ok-1\n  - ok-1\n": ("agents.yaml:3", "stands on line 2 too"),
    "agents:\n  - ok-1\n  - 0k-l\n": ("agents.yaml:3", "looks like ok-1"),
    "agents:\n  - ok-1\n  - agent-001\n": ("agents.yaml:3", "agent-001"),
    "agents:\n  - {name: ok-1, kind: human}\n": ("agents.yaml:2", "agent, program, service"),
    "agents:\n  - {name: ok-1, scopes: [vouch]}\n": ("agents.yaml:2", "never for vouch"),
    "agents:\n  - {name: ok-1, days: 0}\n": ("agents.yaml:2", "1 to 3650"),
    "agents: []\n": ("agents.yaml:1", "0 accounts"),
    "agents:\n  - {name: ok-1\n": ("agents.yaml:", "no YAML"),
    "people:\n  - ok-1\n": ("agents.yaml:1", "unknown key 'people'"),
}


@pytest.mark.parametrize("text", BAD_FILES)
@pytest.mark.door("page", "command", policy="platform")
def test_what_is_wrong_in_a_file_is_told_with_its_line_and_nobody_is_enrolled(platform: Platform, text: str) -> None:
    """U-08: at the command line before a page is opened, and on the page."""
    server, browser = platform.served.server, platform.served.browser
    (server.folder / "agents.yaml").write_text(text, encoding="utf-8")
    opened = len(server.opened())
    ran = server.run("agents", "add", "--file", "agents.yaml")
    where, what = BAD_FILES[text]
    assert ran.returncode == 2, ran.stdout
    for part in (where, what):
        assert part in " ".join(ran.stderr.split()), ran.stderr
    assert len(server.opened()) == opened
    form = asyncio.run(browser.open("/accounts")).form("/accounts/enrol-many")
    page = asyncio.run(browser.submit(form, agents=text))
    assert page.status == 422
    assert where in page.text, page.text
    assert "ok-1" not in server.run("agents", "list").stdout


@pytest.mark.door("http", "command", policy="platform")
def test_the_list_of_a_file_takes_a_name_or_a_file_and_a_human(platform: Platform) -> None:
    """U-08: no token of an agent enrols anybody; the command says how it is used."""
    server = platform.served.server
    (server.folder / "agents.yaml").write_text("agents: [ok-9]\n", encoding="utf-8")
    for words in ((), ("dev", "--file", "agents.yaml"), ("--file", "agents.yaml", "--days", "3")):
        assert server.run("agents", "add", *words).returncode == 64, words
    agent = platform.speaking_for("agent-005").at(HTTP)
    assert agent.call("enrol_many", accounts=[{"name": "ok-9"}]).code == "not_eligible"
