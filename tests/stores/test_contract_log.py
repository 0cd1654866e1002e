"""Every store keeps the log whole, in order, unchanged, and never writes the same place twice."""

from __future__ import annotations

import asyncio
import sqlite3
from functools import partial

import psycopg
import pytest

from foureyes.app.ports import Conflict, Reading, Unavailable, Writing
from foureyes.app.rows import START, Answered, Changes, Cursor, Head, Known, Stored
from tests.conftest import EFFORT
from tests.stores.making import A, B, Box, answered, append, at, bodies, everything, grow, insist, link, look, record

WRITERS = 64
EACH = {"test": 4, "all": 40}[EFFORT]


def test_what_is_appended_is_there_again_whole_and_in_order(box: Box) -> None:
    box.put(appends=(append("review/1", 0, '{"n":1}', '{"n":2}', actor="ann", cause="key-1"),))
    box.put(appends=(append("review/1", 2, '{"n":3}', actor="bob", cause="key-2"),))
    first, second, third = box.read(lambda look: tuple(look.events("review/1")))
    assert [one.version for one in (first, second, third)] == [1, 2, 3]
    assert (first.stream, first.type, first.schema, first.at) == ("review/1", "Noted", 1, at(0))
    assert (first.actor, first.cause, first.body, first.chain) == ("ann", "key-1", '{"n":1}', link(1))
    assert (third.actor, third.cause, third.body, third.chain) == ("bob", "key-2", '{"n":3}', link(3))
    assert third.at == at(2)
    assert bodies(box.read(lambda look: tuple(look.events("review/1", after=2)))) == ['{"n":3}']
    assert box.read(lambda look: tuple(look.events("review/1", after=3))) == ()
    assert box.read(lambda look: tuple(look.events("review/2"))) == ()


def test_the_end_of_a_stream_is_known(box: Box) -> None:
    assert box.read(lambda look: look.known("review/1", "ann", "key")) == Known()
    box.put(appends=(append("review/1", 0, "{}", "{}"),))
    assert box.read(lambda look: look.known("review/1", "ann", "key")) == Known(version=2, chain=link(2))


@pytest.mark.parametrize("after", [0, 1, 3, 4])
def test_whoever_comes_second_gets_a_conflict_and_leaves_nothing(box: Box, after: int) -> None:
    box.put(appends=(append("review/1", 0, "{}", "{}"),))
    with pytest.raises(Conflict):
        box.put(appends=(append("review/2", 0, "{}"), append("review/1", after, '{"late":1}')), blobs={A: b"late"})
    assert len(box.read(lambda look: tuple(look.events("review/1")))) == 2
    assert box.read(lambda look: look.known("review/2", "", "")) == Known()
    assert box.read(lambda look: look.blob(A)) is None


def test_nothing_follows_the_events_of_a_stream_nobody_began(box: Box) -> None:
    with pytest.raises(Conflict):
        box.put(appends=(append("review/1", 1, "{}"),))
    assert box.read(lambda look: look.heads()) == ()


def test_an_append_of_nothing_only_asks_that_the_stream_stands_where_it_stood(box: Box) -> None:
    box.put(appends=(append("review/1", 0),))
    box.put(appends=(append("review/1", 0, "{}"),))
    box.put(appends=(append("review/1", 1),))
    with pytest.raises(Conflict):
        box.put(appends=(append("review/1", 0),))
    assert [one.stream for one in box.read(lambda look: look.heads())] == ["review/1"]


def test_one_command_may_append_to_several_streams(box: Box) -> None:
    box.put(appends=(append("target/prod", 0, "{}"), append("review/1", 0, "{}", "{}"), append("policy", 0, "{}")))
    heads = box.read(lambda look: look.heads())
    assert [(one.stream, one.version) for one in heads] == [("policy", 1), ("review/1", 2), ("target/prod", 1)]


def test_heads_come_in_pages_by_name(box: Box) -> None:
    for name in ("review/b", "review/a", "review/ä", "review/Z"):
        box.put(appends=(append(name, 0, "{}"),))
    names = ["review/Z", "review/a", "review/b", "review/ä"]
    assert [one.stream for one in box.read(lambda look: look.heads())] == names
    assert box.read(lambda look: look.heads("review/Z", 1)) == (Head(stream="review/a", version=1, chain=link(1)),)
    assert [one.stream for one in box.read(lambda look: look.heads("review/b", 9))] == ["review/ä"]


def test_the_tail_follows_the_log_page_by_page_and_misses_nothing(box: Box) -> None:
    for number in range(7):
        box.put(appends=(append("review/1", number, f'{{"n":{number}}}'),))
        box.put(appends=(append(f"review/other-{number}", 0, "{}"),))
    cursor, seen = START, []
    while page := box.read(partial(page_behind, cursor)):
        assert [one.cursor for one in page] == sorted(one.cursor for one in page)
        assert page[0].cursor > cursor
        seen += [(one.stream, one.version) for one in page]
        cursor = page[-1].cursor
    assert len(seen) == len(set(seen)) == 14
    assert [version for stream, version in seen if stream == "review/1"] == list(range(1, 8))
    assert box.read(lambda look: look.tail(cursor)) == ()


def test_a_reader_of_the_tail_never_skips_what_commits_later(box: Box) -> None:
    """Writers overlap while a reader follows; at the end it has seen every event once."""

    async def follow(done: asyncio.Event) -> list[tuple[str, int]]:
        cursor, seen = START, list[tuple[str, int]]()
        while True:
            last = done.is_set()
            page = await box.store.read(partial(page_behind, cursor))
            seen += [(one.stream, one.version) for one in page]
            cursor = page[-1].cursor if page else cursor
            if last and not page:
                return seen

    async def story() -> list[tuple[str, int]]:
        done = asyncio.Event()
        reader = asyncio.create_task(follow(done))
        await asyncio.gather(*(insist(box.store, partial(grow, stream=f"review/{n % 9}")) for n in range(90)))
        done.set()
        return await reader

    seen = box.run(story())
    heads = box.read(lambda look: look.heads())
    assert len(seen) == len(set(seen)) == 90
    assert set(seen) == {(one.stream, version) for one in heads for version in range(1, one.version + 1)}


def page_behind(cursor: Cursor, look: Reading) -> tuple[Stored, ...]:
    return look.tail(cursor, 5)


def test_many_writers_on_one_stream_lose_nothing(box: Box) -> None:
    """Each decides again after a conflict, as the gate does."""

    async def writer(number: int) -> None:
        for turn in range(EACH):
            await insist(box.store, partial(grow, stream="review/1", body=f'"{number}.{turn}"'))

    async def story() -> None:
        await asyncio.gather(*(writer(number) for number in range(WRITERS)))

    box.run(story())
    events = box.read(lambda look: tuple(look.events("review/1")))
    assert [one.version for one in events] == list(range(1, WRITERS * EACH + 1))
    assert sorted(bodies(events)) == sorted(f'"{number}.{turn}"' for number in range(WRITERS) for turn in range(EACH))
    assert all(one.chain == link(one.version) for one in events)


def test_the_same_key_finds_the_reply_it_got(box: Box) -> None:
    box.put(appends=(append("review/1", 0, "{}"),), answered=answered("key-1"))
    known = box.read(lambda look: look.known("review/1", "ann", "key-1"))
    assert (known.version, known.body_hash, known.reply) == (1, A, '{"reply":"key-1"}')
    elsewhere = box.read(lambda look: look.known("review/9", "ann", "key-1"))
    assert (elsewhere.version, elsewhere.reply) == (0, '{"reply":"key-1"}')
    assert box.read(lambda look: look.known("review/1", "bob", "key-1")).reply == ""
    assert box.read(lambda look: look.known("review/1", "ann", "key-2")).reply == ""


def test_a_key_is_answered_once(box: Box) -> None:
    """Whoever answers it a second time gets a conflict, decides again and finds the reply."""
    box.put(answered=answered("key-1"))
    with pytest.raises(Conflict):
        box.put(
            appends=(append("review/1", 0, "{}"),),
            answered=Answered(asker="ann", key="key-1", body_hash=B, reply="other", at=at(1)),
        )
    known = box.read(lambda look: look.known("review/1", "ann", "key-1"))
    assert (known.version, known.body_hash) == (0, A)


def test_a_work_that_raises_leaves_nothing_in_any_table(box: Box) -> None:
    box.write(lambda tx: tx.apply(everything(1)))
    before = box.read(lambda reading: look(reading, 1)), box.read(lambda reading: look(reading, 2))

    def work(tx: Writing) -> None:
        tx.apply(everything(2))
        tx.follow("metrics", {"a": "1"}, (0, 3))
        tx.set_trust(())
        tx.purge(f"{1:064}", "gone")
        tx.claim("me", at(0), at(9))
        tx.apply(Changes(inbox_gone=(("review-1", "r1"),)))
        assert tx.review("review-2") is not None
        raise LookupError("never mind")

    with pytest.raises(LookupError, match="never mind"):
        box.write(work)
    assert (box.read(lambda reading: look(reading, 1)), box.read(lambda reading: look(reading, 2))) == before
    assert box.read(lambda reading: (reading.rows("metrics"), reading.cursor("metrics"))) == ((), START)
    assert [one.attempts for one in box.write(lambda tx: tx.claim("me", at(0), at(9)))] == [1]


def test_a_transaction_sees_its_own_changes_and_others_see_them_afterwards(box: Box) -> None:
    def work(tx: Writing) -> tuple[object, ...]:
        tx.apply(everything(1))
        first = look(tx, 1)
        tx.apply(Changes(appends=(append("review/review-1", 2, '{"more":1}'),)))
        assert tx.known("review/review-1", "", "").version == 3
        return first

    def wanted(found: tuple[object, ...]) -> tuple[object, ...]:
        return found[5:]

    within = box.write(work)
    assert wanted(within) == wanted(box.read(lambda reading: look(reading, 1)))
    assert bodies(box.read(lambda look: tuple(look.events("review/review-1")))) == ['{"one":1}', "{}", '{"more":1}']


def test_a_read_is_one_snapshot_while_others_write(box: Box) -> None:
    """Whatever commits between two looks of one read is seen by the next read only."""
    box.put(appends=(append("review/1", 0, "{}"),))
    if box.raw is None:
        return  # in memory nobody can write meanwhile: there is one turn at a time

    async def story() -> tuple[int, int]:
        loop = asyncio.get_running_loop()

        def work(reading: Reading) -> tuple[int, int]:
            before = reading.known("review/1", "", "").version
            write = asyncio.run_coroutine_threadsafe(box.store.write(lambda tx: grow(tx, "review/1")), loop)
            assert write.result(timeout=30) == 2
            return before, len(tuple(reading.events("review/1")))

        return await box.store.read(work)

    assert box.run(story()) == (1, 1)
    assert box.read(lambda look: look.known("review/1", "", "")).version == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log SET body = '{}'",
        "UPDATE log SET version = version + 1",
        "DELETE FROM log",
        "DELETE FROM log WHERE version = 2",
        "DELETE FROM streams",
        "UPDATE streams SET version = 1",
        "UPDATE streams SET version = version",
        "UPDATE streams SET name = 'review/2', version = version + 1",
    ],
)
def test_the_database_itself_refuses_to_change_the_past(database: Box, statement: str) -> None:
    database.put(appends=(append("review/1", 0, '{"n":1}', '{"n":2}'),))
    assert database.raw is not None
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error), match=r"append-only|never removed|only grows"):
        database.raw(statement)
    assert bodies(database.read(lambda look: tuple(look.events("review/1")))) == ['{"n":1}', '{"n":2}']


@pytest.mark.parametrize(
    "text", ["", " ", "ä", "日本", "👀" * 100, "a'b\"c\\d%s?:x", "\u2028\r\n\t\x7f", "x" * 1_000_000]
)
def test_any_text_comes_back_as_it_was(box: Box, text: str) -> None:
    name = text[:100] or "empty"
    whole = append(f"review/{name}", 0, text, actor=name, cause=name)
    box.put(appends=(whole,), answered=Answered(asker=name, key=name, body_hash=name, reply=text, at=at(0)))
    box.write(lambda tx: tx.follow("texts", {name: text}, (0, 1)))
    (stored,) = box.read(lambda look: tuple(look.events(f"review/{name}")))
    assert (stored.actor, stored.cause, stored.body) == (name, name, text)
    known = box.read(lambda look: look.known("", name, name))
    assert (known.body_hash, known.reply) == (name, text)
    assert box.read(lambda look: look.rows("texts")) == ((name, text),)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_what_no_database_takes_is_refused_whole(box: Box, text: str) -> None:
    """A NUL is refused by PostgreSQL, half a character by every encoding; so every store refuses both."""
    with pytest.raises(ValueError, match=r"."):
        box.put(appends=(append("review/1", 0, "{}"), append("review/2", 0, text)))
    with pytest.raises(ValueError, match=r"."):
        box.put(appends=(append("review/1", 0, "{}"),), trust=(record("code", text),))
    with pytest.raises(ValueError, match=r"."):
        box.write(lambda tx: tx.follow("texts", {text: "x"}, (0, 1)))
    assert box.read(lambda look: look.heads()) == ()


def test_after_closing_everything_is_refused(box: Box) -> None:
    box.run(box.store.close())
    with pytest.raises(Unavailable):
        box.read(lambda look: look.heads())
    with pytest.raises(Unavailable):
        box.put(appends=(append("review/1", 0, "{}"),))
