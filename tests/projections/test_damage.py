"""A damaged track record is detected, ignored, and restored from the log to the same bytes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.following import catch_up_all
from foureyes.app.ports import Damaged
from foureyes.app.rebuilding import check_trust, digest_of, rebuild
from foureyes.app.rows import TrustRow
from foureyes.app.trusting import from_row, meet, suggestions_due, to_row
from foureyes.codec import canonical
from foureyes.core import commands as c
from foureyes.core.events import SkipSuggested
from foureyes.core.trust import TrustRecord
from tests.app.house import played
from tests.cast import CODEX, START
from tests.projections.learning import is_skipped, learning_house, rules_in, trust, trusted
from tests.stores.making import Box

RECORD = TrustRecord(
    kind="script",
    author="dev",
    attempts=3,
    successes=2,
    confidence_sum=180,
    history=((START, True), (START + timedelta(days=1), False)),
    last_review_at=START,
)


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
