"""Track records: counted with the log, not believed when damaged, and counted again from it to the same bytes."""

from __future__ import annotations

import asyncio
import hashlib
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.app.following import catch_up_all
from foureyes.app.ports import Damaged, Reading, Writing
from foureyes.app.projections.recount import recount
from foureyes.app.rebuilding import check_trust, digest_of, rebuild
from foureyes.app.rows import Changes, TrustRow
from foureyes.app.trusting import ENDS, SWITCHES, from_row, meet, suggestions_due, to_row
from foureyes.codec import canonical
from foureyes.core import commands as c
from foureyes.core.events import SkipSuggested
from foureyes.core.rules import Learning, Rules
from foureyes.core.trust import EnableSkip, TrustRecord
from foureyes.core.values import Outcome
from foureyes.store.memory import MemoryStore
from tests.app.house import RULES, House, played, policy
from tests.cast import CODEX, HUGO, START
from tests.conftest import EFFORT
from tests.projections.logs import Scribe, recorded, rules_of, write_log
from tests.stores.making import Box, append

#: A world where the fast lane is opened and shut.
SEED, STEPS = 0, 1_200
EXAMPLES = {"test": 4, "all": 60}[EFFORT]
RECORD = TrustRecord(
    kind="script",
    author="dev",
    attempts=3,
    successes=2,
    confidence_sum=180,
    history=((START, True), (START + timedelta(days=1), False)),
    last_review_at=START,
)


def trust(reading: Reading) -> tuple[TrustRow, ...]:
    return tuple(reading.trusts())


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 10_000), steps=st.integers(50, 700))
def test_counting_again_gives_the_bytes_that_were_counted_at_once(seed: int, steps: int) -> None:
    """001-81, I21: in whatever helpings the log is read."""

    async def story() -> None:
        run, store = recorded(seed, steps), MemoryStore()
        await write_log(store, run)
        before = await store.read(trust)
        await recount(store, rules_of(run.world), batch=seed % 90 + 1)
        assert await store.read(trust) == before

    asyncio.run(story())


def test_counting_again_gives_the_same_bytes_on_every_store(box: Box) -> None:
    """001-81, I21: the same numbers on each of them, too."""
    run = recorded(SEED, STEPS)
    box.run(write_log(box.store, run))
    before = box.read(trust)
    assert any(from_row(row).attempts > 3 for row in before)
    seen: list[tuple[int, int]] = []
    found = box.run(rebuild(box.store, "trust", rules_of(run.world), lambda done, of: seen.append((done, of))))
    assert box.read(trust) == before
    assert found.sha256 == box.read(lambda reading: digest_of(reading, "trust"))
    assert found.events == box.read(lambda reading: len(reading.tail((0, 0), 1_000_000)))
    assert seen == sorted(seen)
    other = MemoryStore()
    box.run(write_log(other, run))
    assert box.run(other.read(trust)) == before


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32))
def test_what_happens_while_a_record_is_damaged_is_not_lost(seed: int) -> None:
    """001-81: the damaged row stays as it is, the log goes on, and counting again knows everything."""

    async def story() -> None:
        run, rng, store, whole = recorded(SEED, STEPS), random.Random(seed), MemoryStore(), MemoryStore()
        await write_log(whole, run)
        scribe, half = Scribe(rules=run.world.rules), rng.randrange(1, len(run.said))
        await write_log(store, run, run.said[:half], scribe)
        rows = await store.read(trust)
        hurt = {row.author for row in rng.sample(rows, len(rows) // 2)}
        spoilt = [replace(row, body=row.body + " ") if row.author in hurt else row for row in rows]
        await store.write(lambda tx: tx.set_trust(spoilt))
        await write_log(store, run, run.said[half:], scribe)
        bodies = {(row.kind, row.author): row.body for row in await store.read(trust)}
        assert all(bodies[row.kind, row.author] == row.body for row in spoilt if row.author in hurt)
        await recount(store, rules_of(run.world))
        assert await store.read(trust) == await whole.read(trust)

    asyncio.run(story())


@given(data=st.data())
def test_a_record_that_differs_in_one_character_is_not_believed(data: st.DataObject) -> None:
    """F15: whose it is, what it says and its checksum."""
    row = to_row(RECORD)
    assert from_row(row) == RECORD
    field = data.draw(st.sampled_from(["kind", "author", "body", "checksum"]))
    text: str = getattr(row, field)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda one: one != text[place]))
    with pytest.raises(Damaged):
        from_row(replace(row, **{field: text[:place] + other + text[place + 1 :]}))


@pytest.mark.parametrize("body", ["", "{}", "null", "[]", '{"kind":"script"}', "[" * 100_000, "\x00"])
def test_a_record_of_another_shape_is_not_believed_though_its_checksum_fits(body: str) -> None:
    row = to_row(RECORD)
    forged = _sealed(replace(row, body=body))
    with pytest.raises(Damaged):
        from_row(forged)


def test_a_record_of_somebody_else_is_not_believed() -> None:
    other = to_row(replace(RECORD, author="eve", successes=99))
    with pytest.raises(Damaged):
        from_row(_sealed(replace(other, author="dev")))


def _sealed(row: TrustRow) -> TrustRow:
    return replace(row, checksum=hashlib.sha256(canonical([row.kind, row.author, row.body])).hexdigest())


def learning_house(store: object = None) -> House:
    rules = replace(RULES, learning=Learning(successes_min=2, trust_min_percent=55, audit_percent=1))
    return House(policy=policy(rules), **({"store": store} if store else {}))  # type: ignore[arg-type]


async def trusted(house: House) -> None:
    """Two good reviews, and a human enables the fast lane."""
    for number in range(2):
        await house.approve(await house.open({"a.py": b"%d\n" % number}), confidence=95)
        house.wait(hours=1)
    await house.do(HUGO, EnableSkip(), "trust/script/dev")


async def is_skipped(house: House, text: bytes) -> bool:
    review = await house.review(await house.open({"a.py": text}))
    assert (review.outcome is Outcome.CLEARED) == bool(review.skipped)
    return bool(review.skipped)


def rules_in(house: House) -> Callable[[Reading, str], Rules]:
    return house.gate._policies.rules


FLIP = "UPDATE trust SET body = replace(body, '\"successes\":2', '\"successes\":9')"
CUT = "UPDATE trust SET body = substr(body, 1, 40)"
SEAL = "UPDATE trust SET checksum = replace(checksum, substr(checksum, 1, 1), 'x')"
DROP = "DELETE FROM trust"


@pytest.mark.parametrize("damage", [FLIP, CUT, SEAL, DROP])
def test_damaged_learning_data_is_noticed_skips_go_off_and_counting_again_restores_it(sqlite: Box, damage: str) -> None:
    """001-81, F15: bytes flipped, cut off or dropped in the file; the same bytes come back, and with them the skip."""
    house = learning_house(sqlite.store)
    sqlite.run(trusted(house))
    assert sqlite.run(is_skipped(house, b"quiet 1\n"))
    sqlite.run(catch_up_all(sqlite.store))
    assert sqlite.read(check_trust) == ()
    before = sqlite.read(lambda reading: digest_of(reading, "trust"))
    assert sqlite.raw
    sqlite.raw(damage)
    (suspect,) = sqlite.read(check_trust)
    assert (suspect.kind, suspect.author) == ("script", "dev")
    assert suspect.why
    for number in range(2):
        assert not sqlite.run(is_skipped(house, b"while damaged %d\n" % number))
    told = sqlite.write(lambda tx: tx.claim("w", "2027-01-01", "2027-01-02", limit=1000))
    assert [one.row.type for one in told].count("TrustDamaged") == 1
    sqlite.run(rebuild(sqlite.store, "trust", rules_in(house)))
    assert sqlite.read(lambda reading: digest_of(reading, "trust")) == before
    assert sqlite.read(check_trust) == ()
    assert sqlite.run(is_skipped(house, b"quiet 2\n"))


@played
async def test_a_row_alone_does_not_open_the_fast_lane() -> None:
    """I11: whoever can write to the table and knows how to seal a row still needs a human's word in the log."""
    house = learning_house()
    for number in range(2):
        await house.approve(await house.open({"a.py": b"%d\n" % number}), confidence=95)
    row = await house.store.read(lambda reading: reading.trust("script", "dev"))
    assert row
    forged = to_row(
        replace(from_row(row), enabled_by="hugo", enabled_at=house.now, expires=house.now + timedelta(days=30))
    )
    await house.store.write(lambda tx: tx.set_trust([forged]))
    (suspect,) = await house.store.read(check_trust)
    assert "the log does not say so" in suspect.why
    assert not await is_skipped(house, b"sneaky\n")
    await rebuild(house.store, "trust", rules_in(house))
    assert await house.store.read(trust) == (row,)


@played
async def test_a_record_put_back_to_an_earlier_state_is_noticed() -> None:
    """001-81: it knows fewer ends than the log, whatever its checksum says."""
    house = learning_house()
    await house.approve(await house.open(), confidence=95)
    old = await house.store.read(trust)
    stream = await house.open({"a.py": b"bad\n"})
    await house.approve(stream, confidence=50)
    await house.store.write(lambda tx: tx.set_trust(old))
    assert await house.store.read(check_trust) == ()
    await catch_up_all(house.store)
    (suspect,) = await house.store.read(check_trust)
    assert "knows 1 ends" in suspect.why


@played
async def test_an_escape_while_the_record_is_damaged_shuts_the_fast_lane_for_good() -> None:
    """001-81: the rebuild counts what happened meanwhile."""
    house = learning_house()
    await trusted(house)
    skipped = await house.open({"a.py": b"quiet\n"})
    (row,) = await house.store.read(trust)
    await house.store.write(lambda tx: tx.set_trust([replace(row, checksum="0" * 64)]))
    await house.do(CODEX, c.ReportEscape(text="It crashed", severity="critical"), skipped)
    await rebuild(house.store, "trust", rules_in(house))
    (row,) = await house.store.read(trust)
    assert from_row(row).enabled_by == ""
    assert "escaped" in from_row(row).disabled_because
    assert not await is_skipped(house, b"after\n")


@played
async def test_the_clock_suggests_each_good_record_once_and_no_damaged_one() -> None:
    house = learning_house()
    for number in range(2):
        await house.approve(await house.open({"a.py": b"%d\n" % number}), confidence=95)
    learning = house.policy.rules.learning

    async def due() -> tuple[SkipSuggested, ...]:
        return await house.store.read(lambda reading: suggestions_due(reading, reading.trusts(), house.now, learning))

    assert await due() == ()
    house.wait(days=7)
    (suggested,) = await due()
    assert (suggested.kind, suggested.author, suggested.successes) == ("script", "dev", 2)
    (row,) = await house.store.read(trust)
    await house.store.write(lambda tx: tx.set_trust([replace(row, checksum="")]))
    assert await due() == ()


@played
async def test_a_record_that_the_log_speaks_of_is_not_begun_anew_when_it_is_gone() -> None:
    house = learning_house()
    await trusted(house)
    await house.store.write(lambda tx: tx.set_trust([]))
    met = await house.store.read(lambda reading: meet(reading, "script", "dev", "2026-01-05T09:00:00.000000Z"))
    assert met.record is None
    assert len(met.outbox) == 1
    fresh = await house.store.read(lambda reading: meet(reading, "script", "eve", "2026-01-05T09:00:00.000000Z"))
    assert fresh.record == TrustRecord(kind="script", author="eve")


class Pausing:
    """A transaction that stops in the middle until it is told to go on."""

    def __init__(self, work: Callable[[Writing], object]) -> None:
        self._work = work
        self.stopped = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, tx: Writing) -> None:
        self._work(tx)
        self.stopped.set()
        assert self.go_on.wait(30)


def test_counting_again_knows_what_was_committed_behind_a_slow_transaction(on_postgres: Box) -> None:
    """001-81: a reader of the log waits for older transactions; who counts must not forget what they hold back."""
    run, store = recorded(SEED, STEPS), on_postgres.store
    slow = Pausing(lambda tx: tx.apply(Changes(appends=(append("target/slow", 0, "{}"),))))

    async def story() -> tuple[tuple[TrustRow, ...], tuple[TrustRow, ...]]:
        waiting = asyncio.ensure_future(store.write(slow))
        await asyncio.to_thread(slow.stopped.wait, 30)
        await write_log(store, run, run.said[:300])
        before = await store.read(trust)
        await recount(store, rules_of(run.world))
        after = await store.read(trust)
        slow.go_on.set()
        await waiting
        return before, after

    before, after = on_postgres.run(story())
    assert len(before) > 1
    assert after == before


def test_counting_again_waits_for_whoever_is_counting(on_postgres: Box) -> None:
    """001-81: an end that is being written is in the record afterwards, once."""
    run, store = recorded(SEED, STEPS), on_postgres.store
    scribe = Scribe(rules=run.world.rules)
    slow = Pausing(lambda tx: scribe.write(tx, run.said[300:]))

    async def story() -> None:
        await write_log(store, run, run.said[:300], scribe)
        counting = asyncio.ensure_future(store.write(slow))
        await asyncio.to_thread(slow.stopped.wait, 30)
        again = asyncio.ensure_future(recount(store, rules_of(run.world)))
        done, _ = await asyncio.wait({again}, timeout=0.3)
        assert not done, "the records are held by whoever counts"
        slow.go_on.set()
        await asyncio.gather(counting, again)

    on_postgres.run(story())
    whole = MemoryStore()
    asyncio.run(write_log(whole, run))
    assert on_postgres.read(trust) == asyncio.run(_rows(whole))


async def _rows(store: MemoryStore) -> tuple[TrustRow, ...]:
    return await store.read(trust)


def test_the_world_of_these_tests_has_every_sort_of_event_that_counts() -> None:
    kinds = {type(event).__name__ for said in recorded(SEED, STEPS).said for event in said.events}
    assert kinds >= ENDS | SWITCHES
