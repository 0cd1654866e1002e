"""Every store lets projections follow the log, and gives each outbox parcel to one worker at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from foureyes.app.ports import Writing
from foureyes.app.rows import START, OutboxRow, Parcel, Queued
from tests.stores.making import Box, at


def sent(*versions: int) -> tuple[OutboxRow, ...]:
    return tuple(OutboxRow(stream="review/1", version=number, type="Noted", at=at(number)) for number in versions)


def claim(box: Box, worker: str, now: int, until: int, limit: int = 32) -> tuple[Parcel, ...]:
    return box.write(lambda tx: tx.claim(worker, at(now), at(until), limit))


def versions(parcels: tuple[Parcel, ...]) -> list[int]:
    return [one.row.version for one in parcels]


def test_a_projection_keeps_its_rows_and_where_it_stands(box: Box) -> None:
    assert box.read(lambda look: (look.cursor("metrics"), look.row("metrics", "a"))) == (START, None)
    box.write(lambda tx: tx.follow("metrics", {"a": "1", "b": "2"}, (3, 7)))
    box.write(lambda tx: tx.follow("costs", {"a": "9"}, (1, 1)))
    assert box.read(lambda look: (look.cursor("metrics"), look.row("metrics", "a"))) == ((3, 7), "1")
    box.write(lambda tx: tx.follow("metrics", {"a": None, "b": "3", "c": None}, (4, 1)))
    assert box.read(lambda look: look.rows("metrics")) == (("b", "3"),)
    assert box.read(lambda look: look.cursor("metrics")) == (4, 1)
    assert box.read(lambda look: look.rows("costs")) == (("a", "9"),)


def test_a_cleared_projection_begins_again(box: Box) -> None:
    box.write(lambda tx: tx.follow("metrics", {"a": "1"}, (0, 7)))
    box.write(lambda tx: tx.follow("costs", {"a": "9"}, (0, 1)))

    def again(tx: Writing) -> None:
        tx.clear("metrics")
        assert tx.cursor("metrics") == START
        tx.follow("metrics", {"z": "1"}, (0, 2))

    box.write(again)
    assert box.read(lambda look: (look.rows("metrics"), look.cursor("metrics"))) == ((("z", "1"),), (0, 2))
    assert box.read(lambda look: (look.rows("costs"), look.cursor("costs"))) == ((("a", "9"),), (0, 1))


def test_rows_come_in_the_order_of_their_keys_by_prefix_and_page(box: Box) -> None:
    keys = ["a/1", "a/2", "a/\U0010ffff", "a0", "b", "a", "A", "ä", "\ud7ffx", "\ue000"]
    box.write(lambda tx: tx.follow("p", {key: key for key in keys}, START))

    def rows(prefix: str = "", after: str = "", limit: int = 100) -> list[str]:
        return [key for key, _ in box.read(lambda look: look.rows("p", prefix, after, limit))]

    assert rows() == sorted(keys)
    assert rows("a/") == ["a/1", "a/2", "a/\U0010ffff"]
    assert rows("a/", after="a/1", limit=1) == ["a/2"]
    assert rows("a/", after="a/\U0010ffff") == []
    assert rows("a/\U0010ffff") == ["a/\U0010ffff"]
    assert rows("\ud7ff") == ["\ud7ffx"]
    assert rows(after="b") == sorted(key for key in keys if key > "b")
    assert rows("a", limit=2) == ["a", "a/1"]


def test_parcels_leave_oldest_first_and_each_is_one_workers_at_a_time(box: Box) -> None:
    box.put(outbox=sent(1, 2))
    box.put(outbox=sent(3))
    mine = claim(box, "one", now=0, until=10, limit=2)
    assert [(one.row, one.attempts) for one in mine] == [(row, 1) for row in sent(1, 2)]
    assert versions(claim(box, "two", now=1, until=11)) == [3]
    assert claim(box, "two", now=2, until=12) == ()
    box.write(lambda tx: tx.delivered([one.id for one in mine]))
    assert claim(box, "one", now=3, until=13) == ()


def test_a_claim_that_ran_out_is_anybodys_again(box: Box) -> None:
    box.put(outbox=sent(1))
    (first,) = claim(box, "one", now=0, until=10)
    assert claim(box, "two", now=9, until=19) == ()
    (again,) = claim(box, "two", now=10, until=20)
    assert (again.id, again.attempts) == (first.id, 2)


def test_a_postponed_parcel_waits_and_is_counted(box: Box) -> None:
    box.put(outbox=sent(1, 2))
    first, _ = claim(box, "one", now=0, until=10)
    box.write(lambda tx: tx.postponed(first.id, at(40)))
    assert versions(claim(box, "one", now=39, until=50)) == [2]
    (again,) = claim(box, "one", now=40, until=60)
    assert (again.row.version, again.attempts) == (1, 2)
    box.write(lambda tx: tx.postponed(first.id + 1000, at(40)))


def test_what_was_put_off_or_claimed_beyond_a_moment_is_tried_again_at_once(box: Box) -> None:
    """A clock that is set back must not have it wait for a time that was told by the wrong one."""
    box.put(outbox=sent(1, 2, 3, 4))
    first, second, _, _ = claim(box, "one", now=0, until=30)
    box.write(lambda tx: tx.postponed(first.id, at(40)))
    box.write(lambda tx: tx.postponed(second.id, at(10)))
    box.write(lambda tx: tx.recalled(at(30)))
    assert versions(claim(box, "two", now=0, until=5)) == [1]
    box.write(lambda tx: tx.recalled(at(29)))
    assert versions(claim(box, "two", now=0, until=5)) == [3, 4]
    assert versions(claim(box, "two", now=10, until=15)) == [1, 2, 3, 4]


def test_what_waits_is_counted_by_type_with_the_oldest_whether_claimed_or_not(box: Box) -> None:
    assert box.read(lambda look: look.queued()) == ()
    (row,) = sent(1)
    box.put(outbox=tuple(replace(row, type=kind, at=at(when)) for kind, when in (("b", 5), ("a", 1), ("b", 2))))
    claim(box, "one", now=0, until=10, limit=1)
    wanted = (Queued(type="a", count=1, oldest=at(1)), Queued(type="b", count=2, oldest=at(2)))
    assert box.read(lambda look: look.queued()) == wanted


def test_a_late_word_about_a_parcel_never_hits_a_newer_one(box: Box) -> None:
    box.put(outbox=sent(1))
    (old,) = claim(box, "slow", now=0, until=1)
    (same,) = claim(box, "quick", now=1, until=9)
    box.write(lambda tx: tx.delivered([same.id]))
    box.put(outbox=sent(2))
    box.write(lambda tx: tx.delivered([old.id]))
    assert versions(claim(box, "quick", now=2, until=9)) == [2]


def test_two_workers_at_the_same_time_never_get_the_same_parcel(box: Box) -> None:
    box.put(outbox=sent(*range(60)))

    async def work(name: str) -> list[int]:
        taken: list[int] = []
        while found := await box.store.write(lambda tx: tx.claim(name, at(0), at(9), 4)):
            taken += versions(found)
        return taken

    async def story() -> tuple[list[int], list[int]]:
        one, two = await asyncio.gather(work("one"), work("two"))
        return one, two

    one, two = box.run(story())
    assert sorted(one + two) == list(range(60))


def test_rows_that_come_without_a_cursor_leave_it_where_it_is(box: Box) -> None:
    """What is written along with the log by many at once must not make them wait for one row."""
    box.write(lambda tx: tx.follow("metrics", {"a": "1"}, (3, 7)))
    box.write(lambda tx: tx.follow("metrics", {"b": "2"}, START))
    assert box.read(lambda look: (look.cursor("metrics"), look.row("metrics", "b"))) == ((3, 7), "2")
