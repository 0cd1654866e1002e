"""The policy that judges, and what it may leave unread: neither a pipe nor `ignore` evades it."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from foureyes import config
from foureyes.app.reviewers import File
from foureyes.app.reviewing.outcome import Options
from foureyes.app.reviewing.readable import readable
from foureyes.bootstrap.assembly import Assembly
from foureyes.bootstrap.reviewing import LocalDesk, read_change
from foureyes.cli.parts import Wanted
from foureyes.policy.nodes import PolicyErrors
from tests.git.ground import new
from tests.policy.reading import loaded
from tests.reviewing.desk import change

GATED = """\
version: 1
kinds: {default: solo, security_change: [peer, {chain: infrastructure}], prose: solo}
paths: {"billing/**": security_change, "docs/**": prose}
ignore: ["billing/**", "docs/**", "*.lock", "config/**"]
"""


def unread(*paths: str, was: str = "", beside: frozenset[str] = frozenset()) -> tuple[str, ...]:
    files = tuple(File(path=path, content=b"x\n", was=was) for path in paths)
    return readable(replace(change(), files=files), loaded(GATED).policy, beside)[1]


def test_what_is_sent_to_a_veto_is_read_whatever_the_policy_ignores() -> None:
    """D-07, D-15: a veto that never sees the work is none."""
    assert unread("billing/pay.py", "docs/a.md", "uv.lock", "foureyes.yaml") == ("docs/a.md", "uv.lock")


def test_moving_a_file_out_of_sight_does_not_hide_it() -> None:
    """D-15."""
    assert unread("docs/pay.md", was="billing/pay.md") == ()
    assert unread("docs/b.md", was="docs/a.md") == ("docs/b.md",)


def test_what_the_policy_names_beside_itself_is_read() -> None:
    """D-07: who changes the chains changes the policy, whatever the file is called."""
    assert unread("config/layers.json", "config/other.json", beside=frozenset({"config/layers.json"})) == (
        "config/other.json",
    )


@pytest.fixture
def desk(tmp_path: Path) -> LocalDesk:
    settings = config.read({"home": str(tmp_path / "home"), "database": None}, {})
    return LocalDesk(Assembly(settings), {"PATH": "/nowhere"})


def test_the_desk_knows_which_files_a_policy_names(
    desk: LocalDesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ground = new(tmp_path / "shop")
    monkeypatch.chdir(ground.path)
    text = "version: 1\nkinds: {default: solo}\npanel: {file: ./config/panel.yaml}\n"
    ground.write("config/panel.yaml", "strategy: parallel\n")
    ground.commit(foureyes__yaml=text)
    ground.write("a.py", "x\n")
    assert desk.policy_for(read_change(Wanted(worktree=True)), Options()).beside == {"config/panel.yaml"}


@pytest.mark.parametrize("inside", ["", "sub"])
def test_what_comes_by_a_pipe_is_judged_by_the_policy_of_the_repository(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    """D-07: as it stands at the last commit; uncommitted changes of the file do not count."""
    ground = new(tmp_path / "shop")
    ground.commit(foureyes__yaml="version: 1\nname: strict\nkinds: {default: peer}\n")
    ground.write("foureyes.yaml", "version: 1\nname: lax\nkinds: {default: solo}\n")
    (ground.path / "sub").mkdir()
    monkeypatch.chdir(ground.path / inside)
    assert _piped(desk, monkeypatch) == "strict"


def test_what_comes_by_a_pipe_elsewhere_is_judged_by_ones_own_policy(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _piped(desk, monkeypatch) == "solo"
    new(tmp_path / "empty")
    monkeypatch.chdir(tmp_path / "empty")
    assert _piped(desk, monkeypatch) == "solo"


def _piped(desk: LocalDesk, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"rm -rf build\n")))
    return desk.policy_for(read_change(Wanted(what="-")), Options()).policy.name


def test_a_second_command_in_one_role_is_refused_with_its_line() -> None:
    """D-17: dropped silently, tests would seem to have run that never did."""
    text = "version: 1\nkinds: {default: solo}\nreviewers:\n  lint: {run: make lint}\n"
    with pytest.raises(PolicyErrors) as caught:
        loaded(f"{text}  tests: [{{run: make unit}}, {{run: make slow}}]\n")
    (problem,) = caught.value.problems
    assert (problem.line, "more than one command" in problem.wrong) == (5, True)
    assert "a role of its own" in problem.allowed
