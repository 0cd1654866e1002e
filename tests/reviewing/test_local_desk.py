"""The parts of this machine in a review: the policy, the available reviewers, and the commands that may run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes import config
from foureyes.app.reviewers import AtHand
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.reviewing.outcome import LookedKind, Options
from foureyes.app.reviewing.rulebook import Retirement
from foureyes.bootstrap.assembly import Assembly
from foureyes.bootstrap.reviewing import LocalDesk, read_change
from foureyes.cli.parts import Wanted
from foureyes.home import retired
from foureyes.home.trouble import Trouble
from foureyes.reviewers.program import ProgramReviewer
from tests.git.ground import new
from tests.policy.reading import loaded

POLICY = "version: 1\nkinds: {default: solo}\nreviewers: {tests: {run: make test}}\n"


@pytest.fixture
def desk(tmp_path: Path) -> LocalDesk:
    settings = config.read({"home": str(tmp_path / "home"), "database": None}, {})
    return LocalDesk(Assembly(settings), {"PATH": "/nowhere"})


def asked(desk: LocalDesk, what: str) -> str:
    """The question to a person before the command of this work's policy runs."""
    heard: list[str] = []

    def may_send(name: str, sends: str) -> bool:
        heard.append(f"{name}: {sends}")
        return False

    options = Options(may_send=may_send)
    chosen = desk.policy_for(read_change(Wanted(what=what, worktree=not what)), options)
    desk.at_hand(chosen.policy, options)
    return "; ".join(heard)


def test_leave_to_run_is_asked_for_the_repository_that_the_work_lies_in(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yes for one's own tests must not run those of a stranger, from wherever the work is named."""
    for name in ("mine", "theirs"):
        ground = new(tmp_path / name)
        ground.commit(foureyes__yaml=POLICY)
        ground.write("sub/a.py", "a\n")
    monkeypatch.chdir(tmp_path / "mine")
    mine = asked(desk, "")
    assert f"run: make test: the policy of the repository {tmp_path / 'mine'} wants to run `make test`" in mine
    assert asked(desk, "./sub") == mine
    assert f"the repository {tmp_path / 'theirs'} wants" in asked(desk, "../theirs")
    monkeypatch.chdir(tmp_path / "mine" / "sub")
    assert asked(desk, "") == mine


def test_ones_own_policy_asks_anew_for_each_work(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Path(desk.assembly.settings.policy)
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(POLICY, encoding="utf-8")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    first = asked(desk, "one")
    assert f"your policy ({own}) for work" in first
    assert asked(desk, "one") == first != asked(desk, "two")


def test_a_style_does_not_take_the_place_of_ones_own_policy(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    change = read_change(Wanted(what="a.py"))
    assert desk.policy_for(change, Options(style="panel")).came_from == "built in"
    own = Path(desk.assembly.settings.policy)
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(POLICY, encoding="utf-8")
    assert desk.policy_for(change, Options(style="panel")).came_from == str(own)


@pytest.mark.parametrize("style", ["panel", "peer", "resolve", "session", "infrastructure"])
def test_a_style_is_added_to_the_built_in_policy(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    """D-23: programs look whatever style is named, so the policy that asks them is the same."""
    (tmp_path / "a.py").write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    chosen = desk.policy_for(read_change(Wanted(what="a.py")), Options(style=style))
    assert chosen.policy.digest == desk.own_policy().digest
    assert chosen.policy.rules.default == ("solo",)


@pytest.mark.parametrize("style", ["team", "chains", "nonsense"])
def test_what_is_no_style_is_refused_with_those_there_are(
    desk: LocalDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    """A policy that comes with the program, such as team, is a file to copy and no style."""
    (tmp_path / "a.py").write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Trouble, match=f"no review style called '{style}'") as caught:
        desk.policy_for(read_change(Wanted(what="a.py")), Options(style=style))
    assert "panel" in caught.value.next_step


def gone(hand: AtHand) -> set[str]:
    return {
        rule
        for who in hand.reviewers.values()
        for one in who
        if isinstance(one, ProgramReviewer)
        for rule in one.retired
    }


def test_a_critical_rule_is_looked_for_whatever_the_list_of_retired_ones_says(desk: LocalDesk) -> None:
    """The list is a file of the user, and so of every agent that runs as them."""
    rules = {one.severity: one.id for one in desk.rulebook().values()}
    for rule in rules.values():
        entry = Retirement(rule=rule, by="eve", at=datetime(2026, 1, 1, tzinfo=UTC), because="b")
        retired.retire(desk.assembly.settings.home, entry)
    hand = desk.at_hand(desk.own_policy(), Options(critics_only=True))
    assert gone(hand) == set(rules.values()) - {rules["critical"]}
    assert rules["critical"] not in "".join(hand.notes)


@pytest.mark.parametrize(
    ("holder", "kind"), [("{model: openai:gpt-5}", LookedKind.MODEL), ("{run: make test}", LookedKind.PROGRAM)]
)
def test_what_sort_of_reviewer_somebody_is_says_the_policy_not_a_name(
    tmp_path: Path, holder: str, kind: LookedKind
) -> None:
    settings = config.read({"home": str(tmp_path / "home"), "database": None}, {})
    desk = LocalDesk(Assembly(settings), {"PATH": "/nowhere", "OPENAI_API_KEY": "k"})
    policy = loaded(f"version: 1\nkinds: {{default: solo}}\nreviewers: {{hardin: {holder}}}\n").policy
    hand = desk.at_hand(policy, Options(may_send=lambda *_: True))
    (hardin,) = hand.reviewers["hardin"]
    assert Pool(hand).kind_of(hardin) is kind


def test_questions_are_noted_in_the_data_folder(desk: LocalDesk, tmp_path: Path) -> None:
    """D-20: runs from different repositories share it, and so do a hook and a person."""
    (tmp_path / "home").mkdir()
    asking = desk.questions()
    assert asking.begin("one")
    assert list(tmp_path.rglob("asking.lock"))
    asking.end()
