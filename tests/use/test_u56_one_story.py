"""U-56, U-23, U-24: every surface gives a review the same sentence, the same turn and the same exit code."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.use.judging import PASSED, judge
from tests.use.laptop import foureyes, listening, repository, result_of, review
from tests.use.served import DOORS, Served

EXIT = {"cleared": 0, "nothing blocks": 0, "blocked": 2, "pending": 3, "inconclusive": 4}
EVIDENCE = [{"what": "app.py against its task", "why": "each demand has its line and its test"}]
#: Commands that know only the reviews of this machine.
LAPTOP = re.compile(r"foureyes (fix|review|dismiss)\b")
MODEL = "anthropic:claude-sonnet-5-5"
_numbers = count()


@dataclass(frozen=True)
class Told:
    """A review in one situation: its requester, its result and the expected sentence."""

    author: str
    review: str
    result: str
    words: str
    #: The answers of the contract the review was opened by: what they name must be in the sentence, too.
    contract: tuple[str, ...] = ()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A plain server with accounts for the seats that are played here."""
    roles = {"alice": "core_developer", "auditor": "auditor", "magnifico": "magnifico", "bob": "agent"}
    roles |= {"carol": "agent", "small": "haiku", "large": "sonnet"}
    with Running(tmp_path_factory.mktemp("story") / "home") as server:
        found = Served(server=server, browser=asyncio.run(signed_in(server)))
        for name, role in roles.items():
            found.account(name, role)
        yield found


def vetoed(up: Served) -> Told:
    done = up.callers["alice"].call("validate", output=f"echo {next(_numbers)}\nrm -rf /\n", chain="security", step="s")
    assert "hardin (veto)" in done["message"]
    reason = done["layers"][-1]["reason"]
    return Told("alice", done["review"], "blocked", f"Veto by hardin: {reason}", (reason,))


def peer(up: Served, *rounds: dict[str, Any]) -> str:
    """A review by the seven tools with these reports, a new version before each but the first."""
    alice, auditor = up.callers["alice"], up.callers["auditor"]
    number = next(_numbers)
    text = f"def read_{number}():\n    return {number}\n"
    name = str(alice.call("request_review", type="create_core", title="A core", artifacts={"code": text})["id"])
    for turn, said in enumerate(rounds):
        if turn:
            more = {"code": f"{text}# {turn}\n"}
            assert alice.call("request_re_review", reviewId=name, changes_made="Some.", artifacts=more).is_ok
        auditor.call("get_review", reviewId=name)
        assert (answer := auditor.call("submit_review", reviewId=name, **said)).is_ok, answer.text
    return name


GAP = "Nothing says how it came back."
BREAKS = "It breaks every reader of the old format, and none of them can be changed."
CONCERN = "Missing error handling around network reads"
DOUBT = {"status": "CHANGES_REQUESTED", "feedback": {"overall": "", "concerns": [CONCERN]}, "confidence": 90}
WELL = {
    "status": "APPROVED",
    "feedback": {"overall": "It reads, and it handles each error that a read can raise."},
    "checklist": {one["name"]: True for one in PASSED},
    "confidence": 95,
}


def open_finding(up: Served) -> Told:
    return Told("alice", peer(up, DOUBT), "blocked", f"Auditor: {CONCERN}", (CONCERN,))


def repeated(up: Served) -> Told:
    return Told("alice", peer(up, DOUBT, DOUBT), "blocked", f"Auditor: {CONCERN}", (CONCERN,))


def cleared(up: Served) -> Told:
    return Told("alice", peer(up, DOUBT, WELL), "cleared", "Cleared: exactly this version may go live.")


def ruling(up: Served) -> Told:
    name = peer(up)
    said = up.callers["alice"].call("escalate_review", reviewId=name, reason="Two of us see it differently")
    assert said.is_ok, said.text
    return Told("alice", name, "pending", "A human must decide: ", ("Two of us see it differently",))


def unread(up: Served) -> Told:
    sent = up.callers["alice"].call("submit_content", content_type="story", content=f"Story {next(_numbers)}.")
    assert sent["reason"] == "Need 2 reviewers, have 0"
    return Told("alice", sent["content_id"], "pending", sent["reason"], (sent["reason"],))


def failed(up: Served) -> Told:
    made = f"Story {next(_numbers)} of the sea."
    sent = up.callers["alice"].call("validate", output=made, chain="content", step="write")
    critic = up.callers["magnifico"]
    critic.call("read_work", review=sent["review"])
    why = "the answer named a file that is not there"
    seat = {"seat": "content.creative.1", "revision": 1, "reason": "malformed"}
    said = critic.call("report_inconclusive", review=sent["review"], text=why, **seat)
    assert said.is_ok, said.text
    return Told("alice", sent["review"], "inconclusive", f"magnifico (malformed): {why}", (why,))


def panel_escalated(up: Served) -> Told:
    file = {"path": "app.py", "text": f"# {next(_numbers)}\nmd5(password)\n"}
    name = up.callers["alice"].call("open_review", kind="task", title="Task 7", files=[file])["review"]
    finding = {
        "severity": "important",
        "text": "Passwords are hashed with MD5",
        "place": {"path": "app.py", "start": 2},
    }
    for stage in ("spec", "quality"):
        for model in ("small", "large"):
            found = [finding | {"evidence": "md5(password)"}] if model == "large" else []
            verdict = "concerns" if found else "approve"
            said = judge(up.callers[model], name, verdict, stage=stage, findings=found)
            if not said.is_ok:
                assert stage == "quality", said.text
    shown = up.callers["alice"].call("read_task", review=name)
    assert shown["status"] == "escalated", shown.text
    return Told("alice", name, "blocked", "A human must decide: ")


def content_open(up: Served) -> Told:
    """Content with an item of each of two reviewers; the author owes the answers."""
    alice = up.callers["alice"]
    text = f"The sea came back on day {next(_numbers)}."
    content = alice.call("submit_content", content_type="story", content=text)["content_id"]
    for name in ("bob", "carol"):
        critic, item = up.callers[name], {"category": "causal_gap", "description": GAP, "severity": "important"}
        assert critic.call("read_content", content_id=content).is_ok
        said = critic.call("give_feedback", content_id=content, items=[item])
        assert said.is_ok, said.text
    return Told("alice", content, "blocked", "2 feedback items unresolved")


def rejected(up: Served) -> Told:
    no = {"feedback": {"overall": BREAKS, "concerns": []}, "grounds": ["would_break_system"]}
    return Told("alice", peer(up, {"status": "REJECTED", "confidence": 95, **no}), "blocked", "Rejected: ")


SITUATIONS = (
    vetoed,
    open_finding,
    repeated,
    cleared,
    ruling,
    unread,
    failed,
    panel_escalated,
    content_open,
    rejected,
)
#: The call of each contract that shows a review, with the name of its argument.
OWN: dict[Callable[[Served], Told], tuple[str, str]] = {
    vetoed: ("read_validation", "review"),
    failed: ("read_validation", "review"),
    open_finding: ("get_review", "reviewId"),
    repeated: ("get_review", "reviewId"),
    cleared: ("get_review", "reviewId"),
    ruling: ("get_review", "reviewId"),
    unread: ("read_content", "content_id"),
    panel_escalated: ("read_task", "review"),
    content_open: ("read_content", "content_id"),
    rejected: ("get_review", "reviewId"),
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.__name__)
@pytest.mark.door("http", "mcp", "page", "command", policy="server")
def test_every_surface_tells_the_same_story(up: Served, situation: Callable[[Served], Told]) -> None:
    """U-56, U-24, U-23: API, tools, contract, page, why, wait and status say one sentence and one exit code.

    `why` sent the author of content on a server to `foureyes dismiss`, which only refuses there: no command names
    one that knows only the reviews of a laptop.
    """
    told = situation(up)
    author = up.callers[told.author]
    seen = author.call("read_review", review=told.review)["review"]["situation"]
    assert seen["sentence"].startswith(told.words) or told.words in seen["sentence"], seen
    assert seen["result"] == told.result, seen
    for one in told.contract:
        assert one in seen["sentence"]
    name, argument = OWN[situation]
    for door in DOORS:
        same = author.at(door)
        assert same.call("read_review", review=told.review)["review"]["situation"] == seen
        assert same.call("explain", review=told.review)["situation"] == seen
        if not (door == "mcp" and name == "read_content"):
            assert same.call(name, **{argument: told.review})["situation"] == seen
    page = up.page(f"/reviews/{told.review}")
    humans = up.human.call("read_review", review=told.review)["review"]["situation"]
    decides = "Give a ruling" in humans["next_step"] or "reopen" in humans["next_step"]
    assert seen["sentence"] in page
    assert html.escape(humans["turn"]) in page
    for command in (("why", told.review), ("wait", told.review, "--seconds", "0")):
        ran = up.run(*command, "--json")
        data, text = json.loads(ran.stdout), up.run(*command).stdout
        assert (data["sentence"], data["result"], ran.returncode) == (seen["sentence"], told.result, EXIT[told.result])
        if told.result != "cleared":
            assert "".join(seen["sentence"].split()) in "".join(text.split())
        assert (data["turn"], data["next_step"]) == (humans["turn"], humans["next_step"])
        assert (f"foureyes decide {told.review}" in data["next"]) is decides
        for said in (text, *data["next"]):
            assert not LAPTOP.search(said), said
        assert "".join(humans["next_step"].split()) in "".join(text.split())
    if decides:
        ran = up.run("decide", told.review, "--json")
        assert ran.returncode == 0, ran.stderr
        assert f"/reviews/{told.review}" in json.loads(ran.stdout)["address"]


@pytest.mark.door("http", "command", policy="server")
def test_the_word_veto_stands_where_one_does(up: Served) -> None:
    """U-56: the requirement that a veto fails says so, at the API, on the page and in `why`."""
    told = vetoed(up)
    needs = up.callers["alice"].call("explain", review=told.review)["requirements"]
    unmet = [one["reason"] for one in needs if one["status"] == "not met"]
    assert [one[:15] for one in unmet] == ["veto by hardin:"]
    assert "veto by hardin:" in up.run("why", told.review).stdout


@pytest.mark.parametrize("kind", ["clean", "blocked", "failed"])
@pytest.mark.door("command", policy="solo")
def test_the_commands_of_a_laptop_agree(tmp_path: Path, kind: str) -> None:
    """U-56: `review` 0, `why` 3 and `status` 0 were said of the same work; now each of four commands says one code."""
    work = repository(tmp_path / "work")
    if kind == "blocked":
        (work / "run.sh").write_text("rm -rf / --no-preserve-root\n", encoding="utf-8")
    with listening() as model:
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": model.url} if kind == "failed" else {}
        ran = review(work, "--json", *(("--yes-send", MODEL) if keys else ()), **keys)
    result = result_of(ran)
    codes = {"review": ran.returncode}
    for command in (("why",), ("status",), ("wait", str(result["review"]), "--seconds", "0")):
        codes[command[0]] = foureyes(work, *command).returncode
    expected = {"clean": 0, "blocked": 2, "failed": 4}[kind]
    assert set(codes.values()) == {expected}, (codes, ran.stdout, ran.stderr)
    if kind == "failed":
        for command in (("why",), ("status",), ("wait", str(result["review"]), "--seconds", "0")):
            said = " ".join(foureyes(work, *command).stdout.split())
            assert "500" in said, (command, said)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_a_reviewer_is_told_that_it_is_their_turn_before_they_report(up: Served, door: str) -> None:
    """U-56, U-26: the first answer of a blind reviewer of content was inconclusive, with no turn and no next step."""
    content = unread(up).review
    bob, carol = up.callers["bob"].at(door), up.callers["carol"]

    def told() -> Any:
        found = bob.call("read_review", review=content)["review"]["situation"]
        if door == "http":
            assert bob.sent("GET", f"/review/{content}", {})["situation"] == found
        assert bob.call("explain", review=content)["situation"] == found
        return found

    before = told()
    assert (before["result"], before["turn"]) == ("pending", "yours, if you may review it: a report")
    assert before["next_step"] == (
        "Read version 1 with `read_work` or `read_content`, then report on it with `report` or `give_feedback`."
    )
    item = {"category": "causal_gap", "description": GAP, "severity": "important"}
    assert carol.call("read_content", content_id=content).is_ok
    assert carol.call("give_feedback", content_id=content, items=[item]).is_ok
    assert told() == before


@pytest.mark.parametrize(("kind", "title"), [("aspect", "An aspect"), ("dweller_proposal", "A dweller proposal")])
@pytest.mark.door("http", policy="server")
def test_content_without_a_title_has_the_right_article(up: Served, kind: str, title: str) -> None:
    """U-59: it was called "A aspect"."""
    sent = up.callers["alice"].call("submit_content", content_type=kind, content=f"Sea {next(_numbers)}.")
    assert up.human.call("read_review", review=sent["content_id"])["review"]["title"] == title


@pytest.mark.door("http", policy="server")
def test_one_model_is_not_many(up: Served) -> None:
    """U-59: "Waiting for 1 models"."""
    file = {"path": "app.py", "text": f"x = {next(_numbers)}\n"}
    name = up.callers["alice"].call("open_review", kind="task", title="Task 8", files=[file])["review"]
    assert (said := judge(up.callers["small"], name, stage="spec")).is_ok, said.text
    seen = up.callers["alice"].call("read_review", review=name)["review"]["situation"]
    assert seen["reasons"] == ["Waiting for 1 model"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_who_is_asked_by_name_is_told_that_it_is_theirs(up: Served, door: str) -> None:
    """U-56: the asked reviewer used to read "a reviewer: a report", as if it were another one."""
    name = peer(up)
    seen = up.callers["auditor"].at(door).call("read_review", review=name)["review"]["situation"]
    assert (seen["result"], seen["turn"]) == ("pending", "yours: a report")
    assert seen["next_step"] == "Read version 1 with `read_work`, then report on it with `report`."
    author = up.callers["alice"].at(door).call("read_review", review=name)["review"]["situation"]
    assert (author["turn"], author["next_step"]) == ("a reviewer: a report", "A reviewer reports on version 1.")
