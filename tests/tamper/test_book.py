"""The journal of checkpoints is outside the store; changes without the key are detected, except shortening."""

import base64
import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from foureyes.app.book import Line, Pen, heads_hash, line_of, parsed, take_pen
from foureyes.app.book_end import NAME
from foureyes.app.checkpoints import EVERY, checkpoint_if_due, due, last_line
from foureyes.app.keys import KeyTrouble, new_key
from foureyes.app.ports import Damaged
from foureyes.app.rows import Head
from tests.app.house import played
from tests.tamper.desk import Desk, desk, text_of


@played
async def test_a_checkpoint_is_made_when_a_minute_is_over_and_something_has_grown(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        assert await it.sign() is None
        await it.house.open({"four.py": b"4\n"})
        it.house.wait(seconds=-30)
        assert await checkpoint_if_due(it.house.store, it.book, it.signer, it.house.now) is None
        it.house.wait(seconds=60)
        made = await checkpoint_if_due(it.house.store, it.book, it.signer, it.house.now)
        assert made is not None
        assert made.number == 3
        assert [head.stream for head in it.last().heads] == ["review/r4"]


@played
async def test_at_shutdown_and_before_a_backup_it_is_made_at_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        made = await it.sign_at_once()
        assert made is not None
        assert await it.sign_at_once() is None
        assert (await it.look()).uncovered == 0


@played
async def test_a_clock_that_was_set_back_does_not_put_a_checkpoint_off(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        last = it.last().checkpoint
        assert not due(last, last.at)
        assert not due(last, last.at + EVERY - timedelta(seconds=1))
        assert due(last, last.at + EVERY)
        assert due(last, last.at - timedelta(days=3650))
        assert due(None, last.at)


@played
async def test_a_checkpoint_costs_what_has_grown_and_not_what_is_stored(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        for number in range(20):
            await it.house.open({"more.py": b"%d\n" % number})
        await it.sign()
        await it.house.open({"last.py": b"last\n"})
        await it.sign()
        assert len(it.last().heads) == 1
        assert it.last().checkpoint.reached.streams == 24
        assert len(it.lines()[-1]) < 2_000


@played
async def test_more_than_one_checkpoint_can_hold_is_signed_in_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foureyes.app.checkpoints.EVENTS_MAX", 4)
    monkeypatch.setattr("foureyes.app.checkpoints.PAGE", 2)
    async with desk(tmp_path) as it:
        assert len(it.lines()) > 2
        found = await it.look()
        assert found.sound
        assert found.uncovered == 0


@played
async def test_an_edited_line_is_found(tmp_path: Path) -> None:
    """Neither the signed part nor the heads beside it can be changed."""
    async with desk(tmp_path) as it:
        first, second = it.lines()
        heads = json.loads(first)
        heads["heads"][0][1] += 1
        it.write_lines([json.dumps(heads).encode() + b"\n", second])
        assert "line 1 of the book" in await it.places()
        signed = json.loads(first)
        payload = base64.b64decode(signed["envelope"]["payload"]).replace(b'"number":1', b'"number":7')
        signed["envelope"]["payload"] = base64.b64encode(payload).decode()
        it.write_lines([json.dumps(signed).encode() + b"\n", second])
        found = await it.places()
        assert found["checkpoint 7"] == "wrong signature"
        assert found["checkpoint 1"] == "deleted"


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"nonsense\n", b'{"envelope":1,"heads":[]}\n', b"[" * 9_000 + b"\n"])
def test_a_line_that_is_no_checkpoint_is_found(tmp_path: Path, line: bytes) -> None:
    @played
    async def play() -> None:
        async with desk(tmp_path) as it:
            it.write_lines([*it.lines(), line])
            assert "line 3 of the book" in await it.places()
            it.house.wait(seconds=60)

    play()


@played
async def test_a_line_signed_by_another_key_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        other = new_key(tmp_path / "other")
        line = parsed(it.lines()[1])
        _put(it, line_of(line.checkpoint, line.heads, other), at=1)
        assert (await it.places())["checkpoint 2"] == "wrong signature"


@played
async def test_a_missing_line_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        await it.sign()
        first, second, third = it.lines()
        it.write_lines([first, third])
        assert await it.places() == {"checkpoint 2": "deleted"}
        it.write_lines([second, third])
        assert await it.places() == {"checkpoint 1": "deleted"}


@played
async def test_another_history_behind_the_same_checkpoint_is_a_fork(tmp_path: Path) -> None:
    """D-22: a copy of the store went on by itself, with the same key; its lines do not fit into this book."""
    (tmp_path / "a").mkdir()
    async with desk(tmp_path / "a") as it:
        first, second = it.lines()
        checkpoint = parsed(second).checkpoint
        await it.house.open({"four.py": b"4\n"})
        it.write_lines([first])
        await it.sign()
        mine = it.lines()[1]
        it.write_lines([first, mine, second])
        assert (await it.places())["checkpoint 2"] == "fork"
        it.write_lines([first, second, mine])
        assert (await it.places())["checkpoint 2"] == "fork"
        assert parsed(mine).checkpoint.number == checkpoint.number == 2


@played
async def test_a_line_put_in_the_place_of_another_is_a_fork(tmp_path: Path) -> None:
    """The key signed both, but the next line continues the one that was there."""
    async with desk(tmp_path) as it:
        one = parsed(it.lines()[0])
        for other in (replace(one.checkpoint, at=it.house.now), replace(one.checkpoint, store="another")):
            lines = it.lines()
            _put(it, line_of(other, one.heads, it.signer), at=0)
            assert (await it.places())["checkpoint 2"] == "fork"
            it.write_lines(lines)
        last = it.last()
        elsewhere = replace(last.checkpoint, store="another", number=3, previous=last.digest)
        it.write_lines([*it.lines(), text_of(line_of(elsewhere, last.heads, it.signer))])
        assert (await it.places())["checkpoint 3"] == "fork"


@played
async def test_a_book_cut_short_is_found_by_whoever_noted_its_end(tmp_path: Path) -> None:
    """Without the key the end can be cut off, and only a note kept elsewhere tells: so keep one."""
    async with desk(tmp_path) as it:
        noted = (await it.look()).last
        await it.house.open({"four.py": b"4\n"})
        await it.sign()
        assert (await it.look(seen=noted)).sound
        it.write_lines(it.lines()[:1])
        assert (await it.look()).sound
        assert await it.places(seen=noted) == {"checkpoint 2": "truncated"}
        assert await it.places(seen=(1, "another hash")) == {"checkpoint 1": "fork"}


@played
async def test_a_book_that_is_gone_is_not_taken_for_soundness(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        (it.book / NAME).unlink()
        assert await it.places() == {"the book": "truncated"}


@played
async def test_half_a_line_left_by_a_power_cut_is_said_and_replaced(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        first, second = it.lines()
        for cut in (1, len(second) // 2, len(second) - 1):
            it.write_lines([first, second[:cut]])
            found = await it.look()
            assert found.sound
            assert "half written" in found.notes[0]
            await it.sign()
            assert len(it.lines()) == 2
            found = await it.look()
            assert (found.sound, found.uncovered, len(found.notes)) == (True, 0, 0)


@played
async def test_a_full_disk_leaves_the_book_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        before = it.lines()
        real = os.write

        def full(descriptor: int, text: bytes) -> int:
            if len(text) < 100:
                raise OSError(28, "No space left on device")
            return real(descriptor, text[: len(text) // 2])

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(OSError, match="No space"):
                await it.sign()
        assert it.lines() == before
        assert await it.sign()


@played
async def test_two_who_want_to_write_do_not_both(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        pen = take_pen(it.book)
        assert isinstance(pen, Pen)
        with pen:
            assert take_pen(it.book) is None
            assert await it.sign() is None
        assert await it.sign()


@played
async def test_the_book_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        assert (it.book / NAME).stat().st_mode & 0o777 == 0o600
        assert it.book.stat().st_mode & 0o777 == 0o700


@played
async def test_nothing_is_signed_behind_a_log_that_lost_what_was_signed(tmp_path: Path) -> None:
    """A store put back behind the program's back is not covered up by the next checkpoint."""
    async with desk(tmp_path) as it:
        it.tamper("DELETE FROM log WHERE stream = 3", "DELETE FROM streams WHERE id = 3")
        await it.house.open({"four.py": b"4\n"})
        with pytest.raises(Damaged, match="no longer ends behind checkpoint 2"):
            await it.sign()


@played
async def test_a_key_that_is_not_in_use_signs_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        it.signer = new_key(tmp_path / "other")
        with pytest.raises(KeyTrouble, match="is not signed by key"):
            await it.sign()


@played
async def test_nothing_is_added_to_a_book_whose_end_cannot_be_read(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.write_lines([*it.lines(), b"nonsense\n"])
        await it.house.open({"four.py": b"4\n"})
        with pytest.raises(Damaged, match="cannot be read"):
            await it.sign()


def test_long_lines_are_read_from_the_end(tmp_path: Path) -> None:
    """Lines longer than the block that is read at once, and ones that end at its border."""

    @played
    async def play() -> None:
        async with desk(tmp_path) as it:
            lines = it.lines()
            for padding in (0, 65_536 - len(lines[1]), 65_535 - len(lines[1]), 300_000):
                it.write_lines([lines[0], lines[1][:-1] + b" " * padding + b"\n"])
                line = last_line(it.book)
                assert line is not None
                assert line.checkpoint.number == 2

    play()


def test_the_hash_of_heads_depends_on_every_part_of_them() -> None:
    head = Head(stream="review/r1", version=1, chain=b"1")
    others = [replace(head, stream="review/r2"), replace(head, version=2), replace(head, chain=b"2")]
    hashes = {heads_hash(one) for one in ((), (head,), (head, head), *((one,) for one in others))}
    assert len(hashes) == 6


def _put(it: Desk, line: Line, *, at: int) -> None:
    lines = it.lines()
    lines[at] = text_of(line)
    it.write_lines(lines)
