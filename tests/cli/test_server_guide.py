"""The commands in the README and the server guide work."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from foureyes.cli.serving import PORT, connecting
from tests.app.house import played
from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.doors_used import note_typed
from tests.shape import ROOT
from tests.web.browser import Browser

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "howto" / "run-a-server.md").read_text(encoding="utf-8")
ADDRESS = f"http://127.0.0.1:{PORT}"
#: A substitute for curl with the options that the guide uses.
CURL = f"""#!{sys.executable}
import sys, urllib.request
words = iter(sys.argv[1:])
headers, data, url = {{}}, None, ""
for word in words:
    if word == "-H":
        name, _, value = next(words).partition(": ")
        headers[name] = value
    elif word == "-d":
        data = next(words).encode()
    elif word not in ("-sS", "--fail-with-body"):
        url = word
sys.stdout.write(urllib.request.urlopen(urllib.request.Request(url, data, headers)).read().decode())
"""


def blocks(page: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


async def enrolled(server: Running, human: Browser, commands: str) -> list[str]:
    """The tokens that the pages show which these lines open."""
    tokens = []
    for command in commands.strip().split("\n"):
        program, *words = shlex.split(command, comments=True)
        assert program == "foureyes"
        ran = server.run(*words)
        assert ran.returncode == 0, ran.stderr
        form = (await human.open(server.opened()[-1])).form("/accounts/enrol")
        tokens.append((await human.submit(form)).token)
    return tokens


def typed(server: Running, commands: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The commands of a page, with the address of this server."""
    curl = server.folder / "bin" / "curl"
    curl.parent.mkdir()
    curl.write_text(CURL, encoding="utf-8")
    curl.chmod(0o700)
    note_typed(commands, server.environment, server.policy)
    path = f"{curl.parent}:{server.environment['PATH']}"
    return subprocess.run(
        ["sh", "-eu", "-c", commands.replace(ADDRESS, server.begun["address"])],
        env={**server.environment, **variables, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def after(page: str, heading: str) -> str:
    """A part of a page, up to the next."""
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


async def cleared(server: Running, human: Browser, enrolling: str, playing: str) -> None:
    """Enrol two agents and take a work from its opening to a cleared version, both as the page says."""
    dev, codex = await enrolled(server, human, enrolling)
    ran = typed(server, playing, {"DEV": dev, "CODEX": codex})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    last = ran.stdout.strip().splitlines()[-1]
    assert " is cleared, " in last
    assert ", version " in last


@pytest.mark.timeout(180)
def test_the_readme_is_followed_word_for_word(tmp_path: Path) -> None:
    starting, enrolling, playing = blocks(after(README, "With several agents"))
    assert shlex.split(starting, comments=True) == ["make", "run"], "which is `foureyes up`"

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            await cleared(server, await signed_in(server), enrolling, playing)

    story()


@pytest.mark.timeout(180)
def test_the_guide_is_followed_word_for_word(tmp_path: Path) -> None:
    _, enrolling, playing, *others = blocks(PAGE)
    (counting,) = (one for one in others if "--kind program" in one)

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            human = await signed_in(server)
            await cleared(server, human, enrolling, playing)
            (monitor,) = await enrolled(server, human, counting)
            figures = (await server.send("GET", "/metrics", {"authorization": f"Bearer {monitor}"})).body
            for name in (
                b"foureyes_requests_total",
                b"foureyes_runs 0",
                b"foureyes_spool_bytes 0",
                b"foureyes_workers 0",
            ):
                assert name in figures, name

    story()


def test_the_line_that_connects_an_agent_is_the_one_that_is_printed() -> None:
    assert dict(connecting(ADDRESS))["Claude Code"] in PAGE
