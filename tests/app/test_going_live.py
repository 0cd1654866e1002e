"""Only cleared bytes go live, re-evaluated at every query, and every attempt is recorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from foureyes.app.live import Judge, Live
from foureyes.app.policies import InForce
from foureyes.app.rebuilding import rebuild
from foureyes.app.rows import DigestRow
from foureyes.app.work import work_of
from foureyes.core import chains
from foureyes.core import commands as c
from foureyes.core.live import RecordLive
from foureyes.core.policies import ActivatePolicy
from foureyes.core.rules import KindRule
from foureyes.policy.policy import Target, policy_text
from foureyes.store.rows import packed
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import FIRST, RULES, SECOND, House, played, policy, tamper, tree_by_git
from tests.cast import DEV, HARDIN, HUGO, REACTOR, SELDON, finding

DIGEST = work_of(FIRST).digest


@played
async def test_bytes_nobody_reviewed_do_not_go_live() -> None:
    answer = await House().gate.may_go_live(DIGEST)
    assert (answer.allowed, answer.state) == (False, "unknown")
    assert "Submit them for review" in answer.reason


@played
async def test_bytes_of_an_open_or_ended_review_do_not_go_live() -> None:
    house = House()
    stream = await house.open()
    assert (await house.gate.may_go_live(DIGEST)).state == "pending"
    await house.do(DEV, c.WithdrawReview(reason="Changed my mind"), stream)
    answer = await house.gate.may_go_live(DIGEST)
    assert (answer.allowed, answer.state) == (False, "blocked")
    assert "withdrawn" in answer.reason


@played
async def test_newer_bytes_of_a_cleared_review_shut_the_gate_for_the_older() -> None:
    """I1, I7: a revision after the clearance reopens the review; what was cleared before is not cleared any more."""
    house = House()
    stream = await house.cleared()
    assert (await house.gate.may_go_live(DIGEST)).allowed
    await house.revise(stream)
    assert not (await house.gate.may_go_live(DIGEST)).allowed
    assert not (await house.gate.may_go_live(work_of(SECOND).digest)).allowed


@played
async def test_a_veto_in_any_review_stops_the_same_bytes_everywhere() -> None:
    """Y21, I4: the same bytes under another review, kind or author stay vetoed until a human lifts it there."""
    rules = replace(RULES, kinds=(*RULES.kinds, KindRule(kind="vetted", protocols=(chains.SECURITY.name,))))
    house = House(policy=policy(rules))
    vetted = await house.open(kind="vetted")
    cleared = await house.cleared()
    await house.do(SELDON, c.SubmitReport(revision=1, verdict="approve"), vetted)
    veto = c.SubmitReport(revision=1, verdict="reject", findings=(finding("A key", "critical"),))
    await house.do(HARDIN, veto, vetted)
    answer = await house.gate.may_go_live(DIGEST)
    assert (answer.allowed, answer.state) == (False, "blocked")
    assert vetted.removeprefix("review/") in answer.reason
    refusal = await house.refused(DEV, house.opening(work_of(FIRST), "another"), blobs=work_of(FIRST).blobs)
    assert refusal.code == "vetoed"
    live = RecordLive(target="production", review=cleared.removeprefix("review/"), digest=DIGEST)
    reply = await house.do(REACTOR, live, "target/production")
    assert reply.events == ("LiveRefused",)


@played
async def test_a_row_that_says_cleared_is_not_believed(tmp_path: Path) -> None:
    """The log decides: a row changed behind the store's back opens nothing."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path))
    await house.open()
    tamper(path, "UPDATE digests SET cleared = 1")
    answer = await house.gate.may_go_live(DIGEST)
    assert (answer.allowed, answer.state) == (False, "damaged")
    await house.store.close()


@played
async def test_a_name_that_no_log_gave_opens_nothing(tmp_path: Path) -> None:
    """T34: another tree stored under the name of cleared bytes by an attacker with the file is damage, not a yes."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path))
    await house.cleared()
    forged = f"git-tree:{'f' * 40}"
    tamper(path, f"INSERT INTO aliases (alias, digest) SELECT x'{packed(forged).hex()}', digest FROM aliases")  # noqa: S608 - our own
    answer = await house.gate.may_go_live(forged)
    assert (answer.allowed, answer.state) == (False, "damaged")
    await house.store.close()


@played
async def test_altered_or_purged_bytes_do_not_go_live(tmp_path: Path) -> None:
    """F20: a blob missing or altered is damage, never live."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path))
    await house.cleared()
    assert (await house.gate.may_go_live(DIGEST)).allowed
    blob = work_of(FIRST).parts[0].digest
    await house.store.write(lambda tx: tx.purge(blob, "Removed by hugo: it held a key."))
    answer = await house.gate.may_go_live(DIGEST)
    assert not answer.allowed
    assert "it held a key" in answer.reason
    await house.cleared(SECOND)
    tamper(path, "UPDATE blobs SET content = x'00' WHERE content IS NOT NULL AND size = 22")
    answer = await house.gate.may_go_live(work_of(SECOND).digest)
    assert (answer.allowed, answer.state) == (False, "damaged")
    await house.store.close()


@played
async def test_going_live_is_recorded_once_and_refused_attempts_leave_a_trace() -> None:
    """Y25, I7: live once per target; the trace says who tried and why it was refused."""
    house = House()
    stream = await house.cleared()
    review = stream.removeprefix("review/")
    live = RecordLive(target="refs/heads/main", review=review, digest=DIGEST, commit="c0ffee")
    assert (await house.do(REACTOR, live, "target/refs/heads/main")).events == ("WentLive",)
    assert (await house.do(REACTOR, live, "target/refs/heads/main")).events == ("LiveRefused",)
    other = replace(live, target="staging")
    assert (await house.do(REACTOR, other, "target/staging")).events == ("WentLive",)
    wrong = replace(live, target="staging", digest=work_of(SECOND).digest)
    assert (await house.do(REACTOR, wrong, "target/staging")).events == ("LiveRefused",)
    assert await house.log("target/refs/heads/main") == ["WentLive", "LiveRefused"]


@played
async def test_a_clearance_for_one_use_is_used_once() -> None:
    """Y25: a command cleared for one use runs once, whatever the target."""
    house = House(policy=policy(replace(RULES, single_use_kinds=frozenset({"script"}))))
    review = (await house.cleared()).removeprefix("review/")
    live = RecordLive(target="a", review=review, digest=DIGEST)
    assert (await house.do(REACTOR, live, "target/a")).events == ("WentLive",)
    answer = await house.gate.may_go_live(DIGEST, "b")
    assert not answer.allowed
    assert "one use" in answer.reason


@played
async def test_what_was_used_up_stays_used_up_when_its_rows_are_lost_and_made_anew(tmp_path: Path) -> None:
    """Y25, I21: the log knows by which clearance something went live."""
    path = tmp_path / "foureyes.db"
    house = House(store=SqliteStore.open(path), policy=policy(replace(RULES, single_use_kinds=frozenset({"script"}))))
    review = (await house.cleared()).removeprefix("review/")
    await house.do(REACTOR, RecordLive(target="a/b", review=review, digest=DIGEST), "target/a/b")
    before = await house.store.read(lambda reading: reading.rows("lives"))
    tamper(path, "DELETE FROM rows WHERE projection = 'lives'")
    await rebuild(house.store, "lives", house.gate.policies.rules)
    assert await house.store.read(lambda reading: reading.rows("lives")) == before
    assert not (await house.gate.may_go_live(DIGEST, "c")).allowed
    await house.store.close()


@played
async def test_an_expired_clearance_opens_nothing() -> None:
    house = House(policy=policy(replace(RULES, clearance_expires=timedelta(hours=1))))
    await house.cleared()
    assert (await house.gate.may_go_live(DIGEST)).allowed
    house.wait(hours=1)
    assert "expired" in (await house.gate.may_go_live(DIGEST)).reason


@played
async def test_a_target_may_demand_more_independence() -> None:
    house = House(policy=policy(targets=(Target(name="production", level=3),)))
    await house.cleared()
    reached = (await house.gate.may_go_live(DIGEST)).level
    assert reached < 3
    answer = await house.gate.may_go_live(DIGEST, "production")
    assert not answer.allowed
    assert "demands level 3" in answer.reason


@played
async def test_a_policy_put_into_force_for_everything_shuts_what_does_not_meet_it() -> None:
    """I10: cleared under the old policy, and a human activated another with applies_in_flight: both must pass."""
    house = House()
    await house.cleared()
    stricter = policy(replace(RULES, default=("solo", "resolve")))
    command = ActivatePolicy(digest=stricter.digest, name="stricter")
    await house.do(HUGO, command, "policy", blobs={stricter.digest: policy_text(stricter)})
    assert (await house.gate.may_go_live(DIGEST)).allowed
    await house.do(HUGO, replace(command, applies_in_flight=True), "policy")
    answer = await house.gate.may_go_live(DIGEST)
    assert (answer.allowed, answer.state) == (False, "blocked")
    assert "resolve does not pass" in answer.reason


@played
async def test_bytes_are_found_by_the_name_git_gives_their_tree(tmp_path: Path) -> None:
    """Y23: the digest covers path, mode and blob; the git tree is an alias of it."""
    house = House()
    files = {"a/b.py": b"x\n", "a.py": b"y\n", "a-b": b""}
    await house.cleared(files)
    assert (await house.gate.may_go_live(f"git-tree:{tree_by_git(files, tmp_path)}")).allowed
    assert (await house.gate.may_go_live(f"git-tree:{'0' * 40}")).state == "unknown"


def test_bytes_that_were_cleared_again_and_again_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first clearance that still holds is enough: the answer does not take longer with each review of the same."""
    judged, by = list[str](), Judge._by

    def counted(self: Judge, row: DigestRow, target: str, current: InForce) -> Live:
        judged.append(row.review)
        return by(self, row, target, current)

    @played
    async def story() -> None:
        house = House()
        for _ in range(5):
            await house.cleared()
        monkeypatch.setattr(Judge, "_by", counted)
        assert (await house.gate.may_go_live(DIGEST)).allowed

    story()
    assert len(judged) == 1
