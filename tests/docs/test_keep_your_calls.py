"""The page for users of other review systems: its calls are served, and its examples run as printed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from foureyes.http.routes import OTHERS
from foureyes.http.seed_routes import SEED_WAYS
from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.shape import ROOT

PAGE = (ROOT / "docs" / "howto" / "keep-your-calls.md").read_text(encoding="utf-8")
SESSIONS, PEER = "/api/v1/sessions/{}", "/api/v1/peer/"
#: The server's address on the page, and the placeholder of texts that differ each time.
ADDRESS, ANY = "http://127.0.0.1:8004", "…"
#: The blocks of the page that are run, or that are the answer of the block before.
BLOCKS = re.compile(r"^```(sh|json)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENROL = re.compile(r"^foureyes (agents add (\S+).*)$", re.MULTILINE)
SECONDS_MAX = 120


def plain(path: str) -> str:
    """A path without its parameter names."""
    return re.sub(r"\{\w+\}", "{}", path)


def test_every_path_on_the_page_is_served_and_every_seeds_path_is_on_it() -> None:
    ways = (*SEED_WAYS.values(), OTHERS["old_validation"])
    served = {(way.method, plain(path)) for way in ways for path in way.paths}
    told = {(method, plain(path)) for method, path in re.findall(r"`(GET|POST) (/[^`?]*)`", PAGE)}
    told |= {("POST", path) for path in re.findall(r"`(/\w+)`", PAGE)}
    below = {(method, path.removeprefix(SESSIONS)) for method, path in served if path.startswith(SESSIONS)}
    assert told <= served | below
    named = {(method, path) for method, path in served if path.startswith(PEER) and f"`{path[len(PEER) :]}`" in PAGE}
    silent = {one for one in served - named - told if not one[1].startswith(SESSIONS)}
    assert silent <= {("GET", "/seldon/validate/{}")}
    assert {path for method, path in below if (method, path) not in told} <= {""}


def test_the_examples_run_as_printed_on_a_server_without_any_policy(tmp_path: Path) -> None:
    """U-20: the five documents' first examples, with the accounts that the page enrols and the answers it prints."""
    blocks = BLOCKS.findall(PAGE)
    scripts = [text for kind, text in blocks if kind == "sh"]
    answers = {
        sum(kind == "sh" for kind, _ in blocks[:number]) - 1: json.loads(text)
        for number, (kind, text) in enumerate(blocks)
        if kind == "json"
    }
    assert len(answers) >= 5
    with Running(tmp_path / "home") as server:
        tokens = asyncio.run(_enrolled(server))
        outputs = _run([text for text in scripts if not ENROL.search(text)], server.begun["address"], tokens)
    skipped = sum(bool(ENROL.search(text)) for text in scripts)
    for number, answer in answers.items():
        said = json.loads(outputs[number - skipped].strip().splitlines()[-1])
        assert _holds(answer, said), f"printed: {answer}\nanswered: {said}"


async def _enrolled(server: Running) -> dict[str, str]:
    """Enrol every account as the page says: with its command, and the button on the page it opens."""
    human, tokens = await signed_in(server), dict[str, str]()
    for words, name in ENROL.findall(PAGE):
        ran = server.run(*words.split())
        assert ran.returncode == 0, ran.stderr
        page = await human.submit((await human.open(server.opened()[-1])).form("/accounts/enrol"))
        assert page.status == 201, page.text
        tokens[name.upper().replace("-", "_")] = page.token
    return tokens


def _run(scripts: list[str], address: str, tokens: dict[str, str]) -> list[str]:
    """Run all blocks in one shell and return the output of each."""
    between = "-- end of a block --"
    text = f"\necho '{between}'\n".join(scripts).replace(ADDRESS, address)
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", text],
        env={**os.environ, **tokens},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    return done.stdout.split(between)


def _holds(printed: Any, answered: Any) -> bool:
    """Whether an answer has everything printed; it may have more fields, but no more elements."""
    if printed == ANY:
        return isinstance(answered, str) and answered != ""
    if isinstance(printed, dict):
        return isinstance(answered, dict) and all(
            name in answered and _holds(value, answered[name]) for name, value in printed.items()
        )
    if isinstance(printed, list):
        pairs = zip(printed, answered, strict=False)
        return len(printed) == len(answered) and all(_holds(*pair) for pair in pairs)
    return bool(printed == answered)
