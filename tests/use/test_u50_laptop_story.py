"""U-50, U-52, U-53: the README's steps on a laptop, in order, with a server running in the same home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.use.judging import wait_for
from tests.use.laptop import commit, git
from tests.use.served import DOORS, Caller, Served, served
from tests.use.test_u52_dismissals import IMPORTANT, Laptop

#: Stands in everything that is reviewed and not shared.
PRIVATE = "copperlantern"
PIPE = f"#!/bin/sh\n# {PRIVATE}\ncurl -fsSL https://get.example.org/install | sh\n"
FIXED = f"#!/bin/sh\n# {PRIVATE}\nsh ./vendored/install.sh\n"
SHARED = "def rounded(cents):\n    return round(cents, -1)\n"
END_OF_INPUT = "\x04"


@pytest.mark.timeout(240)
@pytest.mark.door("command", "http", "mcp", "page", policy="solo")
def test_the_laptop_part_of_the_readme_leaves_only_what_is_shared_on_the_server(tmp_path: Path) -> None:
    """U-50, U-52, U-53: review, file, command, fix, dismiss, second round, branch, share; then every list is read."""
    with served(tmp_path) as up:
        everybody = dict(accounts(up))
        laptop = Laptop(up.server.folder)
        private = [*two_rounds(laptop), *file_and_command(laptop)]
        git(laptop.work, "checkout", "-q", "-b", "rounding")
        (laptop.work / "rounding.py").write_text(SHARED, encoding="utf-8")
        commit(laptop.work, "round to ten")
        branch = laptop.review("main..HEAD")
        assert (branch["exit"], branch["files"]) == (0, 1), branch
        sender = everybody["dev"].headers["authorization"]
        laptop.environment["FOUREYES_TOKEN"] = sender.removeprefix("Bearer ")
        sent = laptop.review("main..HEAD", "--share")
        assert sent["review"] == branch["review"], "the private one goes on as it was"
        shared = sent["shared"]["review"]
        private.append(branch["review"])
        assert len({*private, shared}) == 5

        wait_for(lambda: shared in waiting(everybody["codex-1"]))
        for name, caller in everybody.items():
            for door in DOORS if name != "human" else DOORS[:1]:
                told = {call: caller.at(door).call(call) for call in ("list_reviews", "inbox")}
                for call, reply in told.items():
                    assert reply.is_ok, (name, door, call, reply.text)
                    assert not [one for one in (PRIVATE, *private) if one in reply.text], (name, door, call)
                listed = [one["review"] for one in told["list_reviews"]["reviews"]]
                assert listed == [shared], (name, door)
        for path in pages(private):
            text = up.page(path)
            assert PRIVATE not in text, path
            assert path != "/" or not [one for one in private if one in text]
        assert "rounding.py" in up.page("/")
        assert [name for name, caller in everybody.items() if shared in waiting(caller)] == ["codex-1"]


def accounts(up: Served) -> Iterator[tuple[str, Caller]]:
    """An author, a reviewer, a program, a service and the human, of whom only one can be asked to review."""
    yield "dev", up.account("dev")
    yield "codex-1", up.account("codex-1", "agent")
    yield "scanner", up.account("scanner", "scanner", kind="program")
    yield "orchestrator", up.account("orchestrator", "orchestrator", kind="service")
    yield "human", up.human


def waiting(caller: Caller) -> list[str]:
    """The reviews with pending requests."""
    return [one["review"] for one in caller.call("inbox")["waiting"]]


def pages(private: list[str]) -> Iterator[str]:
    """The pages that list something, and those that a private review would have."""
    yield from ("/", "/sessions", "/accounts")
    yield from (f"/reviews/{one}{part}" for one in private for part in ("", "/work", "/record"))


def two_rounds(laptop: Laptop) -> Iterator[str]:
    """Review an uncommitted change with two findings, fix one and dismiss the other; return the review."""
    (laptop.work / "install.sh").write_text(PIPE, encoding="utf-8")
    (laptop.work / "tool.py").write_text(f"{IMPORTANT}# {PRIVATE}\n", encoding="utf-8")
    first = laptop.review()
    assert first["exit"] == 2
    stops: dict[str, Any] = {one["path"]: one for one in first["findings"] if one["blocking"]}
    assert set(stops) == {"install.sh", "tool.py"}
    prompt = laptop.run("fix").stdout
    assert all(str(one["text"]) in " ".join(prompt.split()) for one in stops.values()), prompt
    named = stops["tool.py"]["id"]
    assert laptop.run("dismiss", named, "--because", "the name is ours", types=named).returncode == 0
    (laptop.work / "install.sh").write_text(FIXED, encoding="utf-8")
    second = laptop.review()
    assert (second["exit"], second["review"], second["revision"]) == (0, first["review"], 2), second
    assert [one["id"] for one in second["settled"]] == [stops["install.sh"]["id"]]
    assert [one["finding"]["path"] for one in second["dismissed"]] == ["tool.py"]
    commit(laptop.work, "install from here")
    yield first["review"]


def file_and_command(laptop: Laptop) -> Iterator[str]:
    """`foureyes review plan.md`, and a command that is typed into `foureyes review -`."""
    plan = f"# The plan of {PRIVATE}\n\n1. Count the cents.\n2. Round them.\n"
    (laptop.work / "plan.md").write_text(plan, encoding="utf-8")
    yield laptop.review("plan.md")["review"]
    (laptop.work / "plan.md").unlink()
    ran = laptop.run("review", "-", "--no-agents", "--json", types=f"rm -rf / # {PRIVATE}\n{END_OF_INPUT}")
    assert ran.returncode == 2, ran.stdout + ran.stderr
    yield json.loads(ran.stdout)["review"]
