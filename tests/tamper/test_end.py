"""The end of the journal binds the log: `check` reads it without the codec, with the same result as the full reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.book_end import BadEnd, SignedEnd, bookmark, signed_end, why_not_held
from foureyes.app.checkpoints import last_line, record_rotation
from foureyes.app.handover import restored
from foureyes.app.keys import new_key
from tests.app.house import played
from tests.cast import HUGO
from tests.tamper.desk import Desk, desk


def _end(it: Desk) -> SignedEnd | None:
    return signed_end(bookmark(str(it.book)))


async def _why(it: Desk, stream: str = "") -> str:
    end = _end(it)
    assert end
    return await it.house.store.read(lambda reading: why_not_held(reading, end, stream))


@played
async def test_the_end_is_the_last_checkpoint_or_the_one_before_a_new_key(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        last = last_line(it.book)
        assert last
        reached = last.checkpoint.reached
        end = _end(it)
        assert end
        assert (end.number, end.cursor, end.last.stream) == (last.checkpoint.number, reached.cursor, reached.stream)
        assert tuple(end.heads.values()) == last.heads
        await record_rotation(it.book, it.signer, new_key(tmp_path / "k"), it.house.now, by="hugo", reason="Yearly.")
        later = _end(it)
        assert later
        assert (later.last, later.cursor, later.number) == (end.last, end.cursor, end.number + 1)
        assert not await _why(it)


@played
async def test_behind_a_restore_the_checkpoint_it_went_back_to_binds(tmp_path: Path) -> None:
    """The invalidated lines bind nothing, and the log may be renumbered."""
    async with desk(tmp_path) as it:
        held = it.last()
        await it.house.open({"four.py": b"4\n"})
        await it.sign()
        await restored(it.house.store, it.book, it.signer, held, HUGO, reason="Back.", now=it.house.now)
        it.write_lines(it.lines()[:4])
        end = _end(it)
        assert end
        assert (end.number, end.cursor) == (held.checkpoint.number, None)
        assert not await _why(it)
        it.delete(end.last.stream, end.last.version)
        assert "signed are gone" in await _why(it)


@played
async def test_a_restore_to_the_time_before_the_first_checkpoint_binds_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        await restored(it.house.store, it.book, it.signer, None, HUGO, reason="All anew.", now=it.house.now)
        it.write_lines(it.lines()[:3])
        assert _end(it) is None
        assert signed_end(bookmark(str(tmp_path / "nowhere"))) is None


@played
async def test_one_stream_that_lost_its_signed_end_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        end = _end(it)
        assert end
        other = next(name for name in end.heads if name != end.last.stream)
        it.delete(other, end.heads[other].version)
        assert not await _why(it)
        assert "signed are gone" in await _why(it, other)


@played
async def test_another_order_of_the_same_events_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.tamper("UPDATE log SET seq = seq + 1000 WHERE seq = (SELECT max(seq) FROM log)")
        assert "numbered otherwise" in await _why(it)


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"x", b'{"envelope":{"payload":"e30="},"heads":[]}', b'{"envelope":{"payload":3}}']
)
@played
async def test_a_line_that_says_nothing_is_refused(tmp_path: Path, line: bytes) -> None:
    async with desk(tmp_path) as it:
        it.write_lines([*it.lines(), line + b"\n"])
        with pytest.raises(BadEnd, match="log verify"):
            _end(it)
