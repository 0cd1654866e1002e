"""Seed 001: the stored review, and its bytes under every name."""

from __future__ import annotations

from pathlib import Path

from foureyes.app.ports import Reading
from foureyes.app.rows import Listing, ReviewRow
from foureyes.app.work import work_of
from foureyes.core import commands as c
from foureyes.core.model import Review
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played, tree_by_git
from tests.cast import AUDITOR, DEV, FULL, finding

CORE = {"core.py": b"def add(a, b):\n    return a + b\n"}
BETTER = {"core.py": b"def add(a: int, b: int) -> int:\n    return a + b\n"}


@played
async def test_the_stored_review_has_everything_the_seed_lists(tmp_path: Path) -> None:
    """001-07: type, creator, reviewer, artifacts, context, questions, feedback, checklist, confidence, times, count."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path))
    stream = await house.open(
        CORE, "create_core", context=(("ticket", "T-1"),), questions=("Is it fast enough?",), confidence=70
    )
    assert (await house.review(stream)).resubmissions == 0
    house.wait(minutes=9)
    await house.do(AUDITOR, _report(1, "concerns", findings=(finding("No types"),), confidence=85), stream)
    await house.revise(stream, BETTER, answers=(c.Answer(finding="peer.1-F1", text="Typed now"),))
    house.wait(minutes=3)
    settled = (c.Settlement(finding="peer.1-F1", resolved=True),)
    await house.do(AUDITOR, _report(2, "approve", settled=settled, checklist=FULL, confidence=95), stream)
    await house.store.close()

    again = House(store=SqliteStore.open(path))
    review = await again.review(stream)
    row = (await again.store.read(_rows))[0]
    await again.store.close()
    _check_parties_and_work(review)
    report = review.reports["peer.1", 2]
    assert (report.confidence, report.answers, report.checklist) == (95, ("Fast enough.",), FULL)
    assert review.findings["peer.1-F1"].text == "No types"
    assert review.resubmissions == 1
    assert (row.opened[:16], row.updated[:16]) == ("2026-01-05T09:00", "2026-01-05T09:12")


def _report(revision: int, verdict: str, **fields: object) -> c.SubmitReport:
    return c.SubmitReport(revision=revision, verdict=verdict, answers=("Fast enough.",), **fields)  # type: ignore[arg-type]


def _rows(reading: Reading) -> tuple[ReviewRow, ...]:
    return reading.reviews(Listing())


def _check_parties_and_work(review: Review) -> None:
    assert (review.kind, review.author, review.seats["peer.1"].reviewer) == ("create_core", DEV, AUDITOR)
    assert [one.digest for one in review.revisions] == [work_of(CORE).digest, work_of(BETTER).digest]
    assert review.current.parts == work_of(BETTER).parts
    assert review.context == (("ticket", "T-1"),)
    assert review.questions == ("Is it fast enough?",)
    assert review.revisions[0].confidence == 70


@played
async def test_bytes_are_found_by_their_digest_and_by_what_git_calls_them(tmp_path: Path) -> None:
    """Y23: SHA-256 over path, mode and blob of each part; git tree, base and commit are indexed aliases of it."""
    house = House()
    work = work_of(CORE)
    opening = house.opening(work, base="b" * 40)
    reply = await house.do(DEV, opening, blobs=work.blobs, aliases=("git-commit:" + "c" * 40,))
    await house.approve(reply.stream)
    tree = tree_by_git(CORE, tmp_path)
    for name in (work.digest, f"git-tree:{tree}", f"git-commit:{'c' * 40}"):
        answer = await house.gate.may_go_live(name)
        assert answer.allowed
        assert answer.digest == work.digest
    based = await house.store.read(lambda reading: reading.digests(f"git-base:{'b' * 40}"))
    assert [one.digest for one in based] == [work.digest]
    assert "not the work" in (await house.gate.may_go_live(f"git-base:{'b' * 40}")).reason
    for name in (tree, "git-tree:" + "0" * 40, f"git-commit:{'b' * 40}", work_of(BETTER).digest):
        assert not (await house.gate.may_go_live(name)).allowed


@played
async def test_a_name_of_several_works_opens_none() -> None:
    """Y23: an alias that two works share is not enough to say which of them may go live."""
    house = House()
    for files in (CORE, BETTER):
        work = work_of(files)
        reply = await house.do(DEV, house.opening(work), blobs=work.blobs, aliases=("ticket:T-1",))
        await house.approve(reply.stream)
    answer = await house.gate.may_go_live("ticket:T-1")
    assert (answer.allowed, answer.state) == (False, "blocked")
