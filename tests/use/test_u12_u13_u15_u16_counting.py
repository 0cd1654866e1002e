"""U-12, U-13, U-15, U-16: what counts, lapses and is returned, over HTTP and MCP on a started server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foureyes.core.peer_data import CRITERIA
from tests.use.clocked import clocked
from tests.use.served import DOORS, Caller, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="chains")

SECONDS_MAX = 30
CORE = next(one for one in CRITERIA if one.kind == "create_core")
CHECKLIST = [{"name": name, "passed": True} for name, _ in CORE.required]


def files(text: str, path: str = "greeting.md") -> list[dict[str, str]]:
    return [{"path": path, "text": text}]


def report(caller: Caller, review: str, **fields: Any) -> Reply:
    """Read the version, then report on it with evidence that names what was read."""
    work = caller.call("read_work", review=review)
    assert work.is_ok, work.text
    shown = caller.call("read_review", review=review)["review"]
    path = shown["parts"][0]["name"]
    evidence = [{"what": path, "why": f"I read all of {path} and compared it with the title."}]
    return caller.call("report", review=review, revision=shown["revision"], evidence=evidence, **fields)


def seen(caller: Caller, review: str) -> Any:
    return caller.call("read_review", review=review)["review"]


def until(caller: Caller, review: str, state: str) -> Any:
    """Wait for what the server does by itself."""
    end = time.monotonic() + SECONDS_MAX
    while (found := seen(caller, review))["state"] != state:
        assert time.monotonic() < end, found
    return found


@pytest.fixture(scope="module")
def resolving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("resolve"), "resolve") as up:
        for name in ("dev", "ann", "bob"):
            up.account(name)
        yield up


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="resolve")
def test_the_gate_opens_once_the_raiser_gives_in(resolving: Served, door: str) -> None:
    """U-12: a minor finding reopened three times asks a human; when its raiser settles it, nobody is asked any more."""
    dev, ann, bob = (resolving.callers[name].at(door) for name in ("dev", "ann", "bob"))
    review = dev.call("open_review", kind="story", title="A note", files=files(f"Hello by {door}.\n"))["review"]
    finding = {"severity": "minor", "text": "It greets nobody.", "category": "other", "evidence": "It says Hello only."}
    raised = report(ann, review, findings=[finding])
    assert raised.is_ok, raised.text
    assert report(bob, review).is_ok
    name = next(one["finding"] for one in seen(dev, review)["findings"])
    for _ in range(3):
        assert dev.call("answer_finding", review=review, finding=name, text="It greets everybody.").is_ok
        ann.call("read_work", review=review)
        settled = {"review": review, "finding": name, "revision": 1}
        assert ann.call("settle_finding", **settled, resolved=False, note="Not by name.").is_ok
    assert [one["request"] for one in seen(dev, review)["turns"]] == ["ruling-1"]
    given_in = ann.call("settle_finding", review=review, finding=name, revision=1, resolved=True, note="All right.")
    assert given_in.is_ok, given_in.text
    found = seen(dev, review)
    assert (found["state"], found["turns"]) == ("cleared", [])
    assert dev.call("gate", digest=found["digest"])["allowed"]
    told = [one["type"] for one in resolving.human.call("audit", review=review)["rows"]]
    assert "RequestLapsed" in told


@pytest.fixture(scope="module")
def chained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("chains"), "chains") as up:
        up.account("dev")
        up.account("magnifico", "magnifico")
        up.account("gaal", "gaal")
        yield up


@pytest.mark.parametrize("door", DOORS)
def test_quick_resubmissions_that_nobody_judged_use_up_no_retry(chained: Served, door: str) -> None:
    """U-13: a chain with three retries takes five versions while its first layer has not judged one."""
    dev = chained.callers["dev"].at(door)
    review = dev.call("open_review", kind="content", title="Notes", files=files(f"0 by {door}\n"))["review"]
    for number in range(1, 6):
        revised = dev.call("revise", review=review, files=files(f"{number} by {door}\n"))
        assert revised.is_ok, revised.text
    found = seen(dev, review)
    assert (found["state"], found["revision"], found["ruling"]) == ("open", 6, None)


@pytest.mark.parametrize("door", DOORS)
def test_layers_judge_in_order_on_every_version(chained: Served, door: str) -> None:
    """U-13: on the second version the later layer waits for the earlier one, though its seat is held already."""
    dev, magnifico, gaal = (chained.callers[name].at(door) for name in ("dev", "magnifico", "gaal"))
    review = dev.call("open_review", kind="content", title="Facts", files=files(f"Water boils, by {door}.\n"))["review"]
    assert report(magnifico, review, verdict="approve", summary="All of it reads well.").is_ok
    finding = {"severity": "critical", "text": "No source is named.", "evidence": "The sentence stands alone."}
    assert report(gaal, review, verdict="reject", summary="No source is named.", findings=[finding]).is_ok
    assert dev.call("revise", review=review, files=files(f"Water boils [1], by {door}.\n")).is_ok
    name = next(one["finding"] for one in seen(dev, review)["findings"] if one["raiser"] == "gaal")
    settled = [{"finding": name, "resolved": True, "note": "The source is named."}]
    words = {"verdict": "approve", "summary": "All of it: the source is named.", "settled": settled}
    early = report(gaal, review, **words)
    assert (early.is_ok, early.code) == (False, "not_yet"), early.text
    assert report(magnifico, review, verdict="approve", summary="All of it reads well still.").is_ok
    later = report(gaal, review, **words)
    assert later.is_ok, later.text


@pytest.mark.door("http", "mcp", policy="peer")
def test_work_that_nobody_reviewed_returns_as_not_reviewed_and_asks_again(tmp_path: Path) -> None:
    """U-15: no reviewer comes and no human decides within 48 hours; the same bytes ask again in the same review."""
    with clocked(tmp_path, "peer") as (up, clock):
        dev = up.account("dev", "core_developer")
        works = {door: files(f'"""Made by {door}."""\n', "core.py") for door in DOORS}
        reviews = {
            door: dev.at(door).call("open_review", kind="create_core", title="A core", files=work)["review"]
            for door, work in works.items()
        }
        clock.wait(hours=49)
        for door, review in reviews.items():
            found = until(dev.at(door), review, "returned")
            assert found["reason"].startswith("Not reviewed: "), found["reason"]
            again = dev.at(door).call("revise", review=review, files=works[door])
            assert again.is_ok, again.text
            found = seen(dev.at(door), review)
            assert (found["state"], found["revision"]) == ("open", 1)


@pytest.fixture(scope="module")
def peers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("peer"), "peer") as up:
        up.account("auditor", "auditor")
        yield up


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_ten_works_that_each_failed_first_earn_no_fast_lane(peers: Served, door: str) -> None:
    """U-16: every submitted review is an attempt; a failure in the window ends eligibility."""
    author, auditor = f"maker-{door}", peers.callers["auditor"].at(door)
    maker = peers.account(author, "core_developer").at(door)
    for number in range(10):
        work = f'"""Core {number} by {door}."""\n'
        review = maker.call("open_review", kind="create_core", title="A core", files=files(work, "core.py"))["review"]
        finding = {"severity": "critical", "text": "No tests.", "evidence": "core.py is the only file."}
        assert report(auditor, review, verdict="concerns", findings=[finding], confidence=90, checklist=CHECKLIST).is_ok
        name = next(one["finding"] for one in seen(maker, review)["findings"])
        mended = [*files(f"{work}ANSWER = 42\n", "core.py"), *files("def test_it(): pass\n", "test_core.py")]
        answers = [{"finding": name, "text": "There is one now."}]
        assert maker.call("revise", review=review, files=mended, answers=answers).is_ok
        settled = [{"finding": name, "resolved": True, "note": "There is one."}]
        approved = report(
            auditor, review, verdict="approve", confidence=94, checklist=CHECKLIST, settled=settled, summary="Fine now."
        )
        assert approved.is_ok, approved.text
        assert seen(maker, review)["state"] == "cleared"
    records = peers.human.call("track_records")["records"]
    record = next(one for one in records if one["author"] == author)
    assert (record["attempts"], record["successes"]) == (20, 10)
    enabled = peers.human.call("enable_skip", kind="create_core", author=author)
    assert (enabled.is_ok, enabled.code) == (False, "not_eligible"), enabled.text
