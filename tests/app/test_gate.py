"""The gate decides, stores and answers each command once, and never clears bytes that were not reviewed."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.asks import Ask, Reply, reply_text
from foureyes.app.gate import Served
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import Answered, Changes
from foureyes.app.work import work_of
from foureyes.core import commands as c
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Outcome, Who
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import FIRST, SECOND, House, Readers, played, tamper
from tests.cast import ANN, BOB, CHECKED, CODEX, DEV, EVE, HUGO, finding


@played
async def test_a_whole_review_goes_through_the_gate_in_five_calls() -> None:
    """001-07: the stored review has parties, artifacts, checklist, confidence, times and its number of revisions."""
    house = House()
    stream = await house.open()
    assert (await house.gate.may_go_live(work_of(FIRST).digest)).state == "pending"
    await house.object_to(stream, "Nobody is greeted by name", "No test", "No docstring")
    findings = (await house.review(stream)).findings
    await house.revise(stream, answers=tuple(c.Answer(finding=one, text="Mended") for one in findings))
    settled = tuple(c.Settlement(finding=one, resolved=True, note="Seen") for one in findings)
    reply = await house.approve(stream, settled=settled)
    assert reply.state == "cleared"
    assert reply.events[-1] == "ReviewCleared"
    answer = await house.gate.may_go_live(work_of(SECOND).digest)
    assert answer.allowed
    assert answer.review == reply.review
    assert not (await house.gate.may_go_live(work_of(FIRST).digest)).allowed


@played
async def test_the_gate_names_reviews_and_nobody_else_does() -> None:
    """S2: a name chosen by the caller could overwrite another review, or walk out of a folder."""
    house, work = House(), work_of(FIRST)
    for fields in ({"review": "../../etc"}, {"review": "r1"}):
        refusal = await house.refused(DEV, house.opening(work, **fields), blobs=work.blobs)
        assert refusal.code is Code.UNKNOWN_WORD
    refusal = await house.refused(DEV, house.opening(work), "review/mine", blobs=work.blobs)
    assert "the gate names it" in refusal.sentence
    assert await house.open() != await house.open()


@played
async def test_the_same_key_gets_the_same_reply_and_does_nothing_twice() -> None:
    house = House()
    work = work_of(FIRST)
    ask = house.ask(DEV, house.opening(work), blobs=work.blobs)
    first = await house.gate.handle(ask)
    before = await house.log(first.stream)
    for gate in (house.gate, house.another_gate()):
        again = await gate.handle(ask)
        assert again.repeated
        assert (again.stream, again.version, again.events) == (first.stream, first.version, first.events)
    assert await house.log(first.stream) == before


@played
async def test_a_hundred_repetitions_at_once_are_one_append() -> None:
    """T9: the same request many times, concurrently, is one append and one reply."""
    house, work = House(), work_of(FIRST)
    ask = house.ask(DEV, house.opening(work), blobs=work.blobs)
    replies = await asyncio.gather(*(house.gate.handle(ask) for _ in range(100)))
    assert len({one.stream for one in replies}) == 1
    assert sum(not one.repeated for one in replies) == 1


@played
async def test_a_key_counts_for_ever() -> None:
    """I22: replies are never thrown away by age; a command that comes ten years late acts no second time."""
    house, work = House(), work_of(FIRST)
    ask = house.ask(DEV, house.opening(work), blobs=work.blobs)
    first = await house.gate.handle(ask)
    house.wait(days=3650)
    again = await house.another_gate().handle(ask)
    assert (again.stream, again.version) == (first.stream, first.version)
    assert again.repeated


@played
async def test_what_an_earlier_release_answered_is_answered_the_same() -> None:
    """I22: it hashed the session too, and a caller who retries a command after an upgrade did nothing wrong."""
    house, work = House(), work_of(FIRST)
    dev = replace(DEV, session="token-1")
    ask = house.ask(dev, house.opening(work), blobs=work.blobs)
    assert ask.body_hash_before() != ask.body_hash() == replace(ask, actor=replace(dev, session="token-2")).body_hash()
    kept = Reply(stream="review/r0", version=3, events=("ReviewOpened",), state="open")
    answered = Answered(
        asker=dev.name, key=ask.key, body_hash=ask.body_hash_before(), reply=reply_text(kept), at=house.now.isoformat()
    )
    await house.store.write(lambda tx: tx.apply(Changes(answered=answered)))
    assert await house.gate.handle(ask) == replace(kept, repeated=True)
    refusal = await house.refused(dev, house.opening(work, "story"), blobs=work.blobs, key=ask.key)
    assert refusal.code is Code.KEY_REUSED


@played
async def test_the_same_key_with_another_request_is_refused() -> None:
    house, work = House(), work_of(FIRST)
    await house.do(DEV, house.opening(work), blobs=work.blobs, key="one")
    refusal = await house.refused(DEV, house.opening(work, "story"), blobs=work.blobs, key="one")
    assert refusal.code is Code.KEY_REUSED
    # Another asker's key is another key.
    other = work_of(SECOND)
    await house.do(EVE, house.opening(other, "story"), blobs=other.blobs, key="one")


@pytest.mark.parametrize("key", ["", "k" * 201, "line\nbreak", "nul\0"])
def test_a_key_that_tells_nothing_apart_is_refused(key: str) -> None:
    house, work = House(), work_of(FIRST)
    with pytest.raises(Refusal, match="key_missing"):
        asyncio.run(house.gate.handle(Ask(actor=DEV, key=key, command=house.opening(work))))


@pytest.mark.parametrize("title", ["nul\0", "half \ud800", 5, True])
def test_what_cannot_be_written_down_is_refused_before_anything_else(title: object) -> None:
    house, work = House(), work_of(FIRST)
    with pytest.raises(Refusal, match=r"OpenReview\.title: "):
        asyncio.run(house.do(DEV, house.opening(work, title=title), blobs=work.blobs))
    with pytest.raises(Refusal, match="bad_value"):
        asyncio.run(house.do(replace(DEV, session="\0"), house.opening(work), blobs=work.blobs))


@played
async def test_a_refusal_is_kept_for_its_key_and_changes_nothing_else() -> None:
    """I22, I23: what was refused stays refused under the same key, even when it would be taken by now."""
    house = House()
    stream = await house.open()
    before = await house.log(stream)
    early = c.WithdrawReview(reason="")
    first = await house.refused(DEV, early, stream, key="same")
    again = await house.refused(DEV, early, stream, key="same")
    assert (first.code, first.sentence, first.next_step) == (again.code, again.sentence, again.next_step)
    assert await house.log(stream) == before


@played
async def test_who_is_slower_is_decided_again_on_what_is_there_then() -> None:
    """Two gates on one store race; each report is there once, and neither overwrites the other."""
    house = House()
    stream = await house.open(kind="story")
    gates = (house.gate, house.another_gate())
    asks = [
        house.ask(
            who, c.SubmitReport(revision=1, evidence=CHECKED, findings=(finding(f"A gap seen by {who.name}"),)), stream
        )
        for who in (ANN, BOB, EVE)
    ]
    await asyncio.gather(*(gates[number % 2].handle(ask) for number, ask in enumerate(asks)))
    review = await house.review(stream)
    assert sorted(one.raiser for one in review.findings.values()) == ["ann", "bob", "eve"]


@played
async def test_a_review_nobody_opened_is_missing() -> None:
    house = House()
    for stream in ("review/none", "session/none", "nonsense"):
        assert (await house.refused(DEV, c.WithdrawReview(reason="No"), stream)).code is Code.REVIEW_MISSING
    with pytest.raises(Refusal):
        await house.gate.read("none", DEV)


@played
async def test_preview_says_what_would_happen_and_writes_nothing() -> None:
    house, work = House(), work_of(FIRST)
    found = await house.gate.preview(house.ask(DEV, house.opening(work), blobs=work.blobs))
    assert [type(one).__name__ for one in found.events][:2] == ["ReviewOpened", "RevisionSubmitted"]
    assert found.seen.turns
    assert (await house.gate.may_go_live(work.digest)).state == "unknown"
    assert await house.log(f"review/{found.seen.view.review.id}") == []
    with pytest.raises(Refusal):
        await house.gate.preview(house.ask(DEV, house.opening(work, title=""), blobs=work.blobs))


@played
async def test_preview_tells_a_blind_reviewer_no_more_than_reading_does() -> None:
    """T13: what would happen is no way round what may not be seen yet."""
    house = House()
    stream = await house.open(kind="story")
    await house.do(ANN, c.SubmitReport(revision=1, evidence=CHECKED, findings=(finding("A secret gap"),)), stream)
    for command in (c.AddNote(text="Hm"), c.SubmitReport(revision=1, evidence=CHECKED)):
        found = await house.gate.preview(house.ask(BOB, command, stream))
        assert "A secret gap" not in repr(found)
        assert found.events == ()
    assert "A secret gap" in repr(await house.gate.preview(house.ask(DEV, c.AddNote(text="Hm"), stream)))


@played
async def test_a_viewer_reads_only_what_they_may_see() -> None:
    """S5, T13: the view of a reviewer who has not reported is a function of a world without other reports."""
    house = House()
    stream = await house.open(kind="story")
    review = stream.removeprefix("review/")
    blind = await house.gate.read(review, BOB)
    await house.do(ANN, c.SubmitReport(revision=1, evidence=CHECKED, findings=(finding("A gap"),)), stream)
    assert await house.gate.read(review, BOB) == blind
    assert (await house.gate.read(review, DEV)).view.review.findings
    assert (await house.gate.read(review, HUGO)).explanation.turns


@played
async def test_a_reviewer_who_was_given_older_bytes_may_not_judge_the_newer() -> None:
    """I16: where we served the bytes to a reviewer, the report is about the digest last served."""
    house = House()
    stream = await house.open()
    review = stream.removeprefix("review/")
    assert (await house.gate.serve(review, CODEX)).files == FIRST
    await house.revise(stream)
    refusal = await house.refused(CODEX, c.SubmitReport(revision=2, verdict="approve"), stream)
    assert refusal.code is Code.STALE
    assert (await house.gate.serve(review, CODEX)).files == SECOND
    await house.approve(stream)


@played
async def test_bytes_that_are_gone_or_altered_are_not_served(tmp_path: Path) -> None:
    """I16, F20: who was given less than everything is not noted as having got it."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path))
    stream = await house.open()
    name = stream.removeprefix("review/")
    await house.store.write(lambda tx: tx.purge(work_of(FIRST).parts[0].digest, "Gone"))
    with pytest.raises(Refusal, match="unknown_digest"):
        await house.gate.serve(name, CODEX)
    assert await house.store.read(lambda reading: reading.row("served", f"{name}/codex")) is None
    again = await house.refused(EVE, house.opening(work_of(FIRST)), blobs=work_of(FIRST).blobs)
    assert again.code is Code.UNKNOWN_DIGEST
    await house.revise(stream)
    tamper(path, "UPDATE blobs SET content = x'00' WHERE content IS NOT NULL AND size = 22")
    with pytest.raises(Damaged):
        await house.gate.serve(name, CODEX)
    await house.store.close()


@played
async def test_a_large_version_of_another_process_is_not_read_between_other_requests(tmp_path: Path) -> None:
    """U-17: what is at hand may be older than the version that another process wrote meanwhile."""
    path = tmp_path / "foureyes.db"
    here, there = House(store=SqliteStore.open(path)), House(store=SqliteStore.open(path), name="there")
    stream = await here.open()
    review = stream.removeprefix("review/")
    assert (await here.gate.take(review, DEV)).files == FIRST
    large = {"hello.py": b"print('hello')\n" * 1_000}
    await there.revise(stream, large)
    threads: list[str] = []
    take_out = here.gate.take_out

    def noted(review: str, viewer: Who, reading: Reading) -> Served:
        threads.append(threading.current_thread().name)
        return take_out(review, viewer, reading)

    here.gate.take_out = noted  # type: ignore[method-assign]
    assert (await here.gate.take(review, DEV)).files == large
    assert threads
    assert threading.current_thread().name not in threads, "it is read beside the event loop"
    for house in (here, there):
        await house.store.close()


@played
async def test_bytes_sent_under_a_wrong_name_are_refused_whatever_they_are_for() -> None:
    """S8: a forged base would make dangerous lines look old, and trivial."""
    house = House()
    old, new = work_of({"x.py": b"# a\nimport os\n"}), work_of({"x.py": b"# b\nimport os\nos.system('x')\n"})
    forged = {**new.blobs, old.parts[0].digest: b"# a\nimport os\nos.system('x')\n"}
    refusal = await house.refused(DEV, house.opening(new, "add_comment"), blobs=forged, before=old.parts)
    assert refusal.code is Code.DIGEST_MISMATCH


@pytest.mark.parametrize("alias", ["0" * 64, "git-tree:" + "0" * 40, "git-base:" + "0" * 40, "a b", "git-commit:", ""])
def test_an_alias_that_could_be_taken_for_something_else_is_refused(alias: str) -> None:
    house, work = House(), work_of(FIRST)
    with pytest.raises(Refusal, match="An alias"):
        asyncio.run(house.do(DEV, house.opening(work), blobs=work.blobs, aliases=(alias,)))


@played
async def test_what_changed_is_computed_from_the_bytes() -> None:
    house = House()
    stream = await house.open({"a.py": b"one\ntwo\nthree\n", "b.py": b"same\n"})
    await house.revise(stream, {"a.py": b"one\n2\nthree\n", "b.py": b"same\n", "c.py": b"new\n"})
    changed = (await house.review(stream)).current.changed
    assert [(one.path, one.start) for one in changed] == [("a.py", 2), ("c.py", 1)]
    assert changed[0].end == 2


@played
async def test_the_risk_is_that_of_the_bytes_not_of_the_label() -> None:
    """S8: a work that runs commands is of high risk whatever its author calls it."""
    house = House()
    stream = await house.open({"x.py": b"import subprocess\n"}, kind="fix_typo")
    review = await house.review(stream)
    assert review.current.risk == "high"
    assert not review.skipped
    house.mirror.commits["c1"] = {"README.md": b"A wrod\n"}
    quiet = await house.open({"README.md": b"A word\n"}, kind="fix_typo", base="c1")
    assert (await house.review(quiet)).outcome is Outcome.CLEARED
    alone = await house.open({"README.md": b"Another word\n"}, kind="fix_typo")
    assert (await house.review(alone)).outcome is None


@pytest.mark.parametrize("tells", [True, False])
def test_what_nobody_is_to_be_told_is_not_put_down_for_telling(*, tells: bool) -> None:
    @played
    async def story() -> None:
        house = House()
        house.gate = Readers(house.store, house.pool, policy=house.policy, tells=tells)
        await house.cleared()
        waiting = sum(one.count for one in await house.store.read(lambda reading: reading.queued()))
        assert bool(waiting) is tells

    story()


@played
async def test_an_altered_log_is_noticed_and_nothing_is_decided_on_it(tmp_path: Path) -> None:
    """T34: an event changed behind the store's back breaks its link; the review is damaged, never cleared."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path))
    stream = await house.cleared()
    tamper(path, "UPDATE log SET body = replace(body, 'A piece', 'Another piece') WHERE version = 1")
    with pytest.raises(Damaged, match="was altered at event 1"):
        await house.another_gate().handle(house.ask(DEV, c.AddNote(text="Hm"), stream))
    answer = await house.another_gate().may_go_live(work_of(FIRST).digest)
    assert answer.state == "damaged"
    assert not answer.allowed
    await house.store.close()
