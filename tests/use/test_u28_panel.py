"""U-28: a panel's report states what happened, keeps its confidence, and is on the human's page; asked once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count

import pytest

from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.use.judging import judge
from tests.use.served import DOORS, Served

MD5 = "Passwords are hashed with MD5"
_numbers = count()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A plain server: tasks are judged by two models, here two accounts."""
    with Running(tmp_path_factory.mktemp("panel") / "home") as server:
        found = Served(server=server, browser=asyncio.run(signed_in(server)))
        for name, role in (("alice", "agent"), ("small", "haiku"), ("large", "sonnet")):
            found.account(name, role)
        yield found


def say(up: Served, review: str, stage: str, *, fails: tuple[str, ...] = ()) -> None:
    """Submit both models' reports on a stage; failures name the same line, passes settle earlier findings."""
    for model in ("small", "large"):
        caller = up.callers[model]
        own = [
            one["finding"]
            for one in caller.call("read_review", review=review)["review"]["findings"]
            if one["raiser"] == model and one["seat"].startswith(stage) and one["standing"] != "resolved"
        ]
        finding = {"severity": "important", "text": MD5, "evidence": "md5(password)"}
        place = {"place": {"path": "app.py", "start": 2}}
        found = [finding | place] if model in fails else []
        settled = [] if found else [{"finding": one, "resolved": True, "note": "gone"} for one in own]
        verdict = "concerns" if found else "approve"
        said = judge(caller, review, verdict, stage=stage, findings=found, settled=settled)
        assert said.is_ok, said.text


def opened(up: Served) -> str:
    number = next(_numbers)  # another line in each: a finding follows the text that it is about
    file = {"path": "app.py", "text": f"{'# more' * number}\nmd5(password)  # {number * 'again '}\nx = {number}\n"}
    return str(up.callers["alice"].call("open_review", kind="task", title="Task 7", files=[file])["review"])


@pytest.mark.door("http", "mcp", "page", policy="server")
def test_an_escalated_panel_says_so_where_the_human_decides(up: Served) -> None:
    """U-28: the report said "sent back to be fixed, by itself" while a human was asked, and was not on the page."""
    review = opened(up)
    say(up, review, "spec", fails=("large",))
    task = up.callers["alice"].call("read_task", review=review)
    assert task["status"] == "escalated"
    assert "**Decision:** escalated, a person decides: " in task["report"]
    assert "**Confidence: Low (0.4)**" in task["report"]
    for door in DOORS:
        assert up.callers["alice"].at(door).call("read_review", review=review)["review"]["report"] == task["report"]
    page = up.page(f"/reviews/{review}")
    assert "Confidence: Low (0.4)" in page
    assert page.index("Confidence: Low (0.4)") < page.index("A decision is asked for")


@pytest.mark.door("http", policy="server")
def test_the_quality_that_was_not_looked_at_has_no_figure(up: Served) -> None:
    """U-28: "quality: PASS" stood beside a report that says it was not looked at, because spec comes first."""
    review, alice = opened(up), up.callers["alice"]
    say(up, review, "quality")
    task = alice.call("read_task", review=review)
    assert "Not looked at: spec comes first." in task["report"]
    assert (task["spec"], task["quality"]) == ("PENDING", ""), task.text
    say(up, review, "spec", fails=("large",))
    task = alice.call("read_task", review=review)
    assert "Discarded: spec did not pass." in task["report"]
    assert (task["status"], task["spec"], task["quality"]) == ("escalated", "FAIL", ""), task.text


@pytest.mark.door("http", policy="server")
def test_both_stages_have_a_figure_where_both_were_looked_at(up: Served) -> None:
    """U-28: the report and the figures say the same when a human decides because auto_approve is off."""
    review = opened(up)
    for stage in ("quality", "spec"):
        say(up, review, stage)
    task = up.callers["alice"].call("read_task", review=review)
    assert (task["spec"], task["quality"]) == ("PASS", "PASS"), task.text


@pytest.mark.door("http", policy="server")
def test_as_it_is_is_asked_once_and_the_confidence_stays(up: Served) -> None:
    """U-28: after "as is" at spec the same human was asked at quality, and the confidence was gone."""
    review = opened(up)
    say(up, review, "spec", fails=("large",))
    say_quality = up.callers["alice"].call("read_review", review=review)["review"]
    ruling = say_quality["ruling"]["request"]
    decided = up.human.call("rule", review=review, request=ruling, option="as_is", reason="It is a demo.")
    assert decided.is_ok, decided.text
    say(up, review, "quality")
    seen = up.callers["alice"].call("read_task", review=review)
    assert (seen["status"], seen["quality"]) == ("complete", "PASS"), seen.text
    assert "**Confidence:** none" not in seen["report"]
    assert "a person passed spec: It is a demo." in seen["report"]
