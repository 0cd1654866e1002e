"""Commands are safe and ordered in the spool, and damage is told from what was never promised."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.app.asks import Ask
from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.spooling import Waiting
from foureyes.core.commands import AddNote, SubmitReport
from foureyes.core.values import WorkPart
from foureyes.store import spool as spooling
from foureyes.store.spool import FileSpool
from foureyes.store.spool_records import HEAD_BYTES, MARK_BYTES, promised, record_of, waiting_of
from foureyes.store.spool_tail import NAME as TAIL
from foureyes.store.spool_tail import read_tail, write_tail
from tests.cast import ANN, BOB

AT = "2026-01-05T09:00:00Z"


def note(number: int, size: int = 10) -> Ask:
    return Ask(actor=ANN, key=f"key-{number}", command=AddNote(text=f"{number}" * size), stream="review/r1")


def kept(folder: Path) -> list[Waiting]:
    spool = FileSpool(folder)
    try:
        return list(spool.waiting())
    finally:
        spool.close()


def filled(folder: Path, count: int = 3) -> Path:
    """Make a spool with some commands and return its only file."""
    spool = FileSpool(folder)
    for number in range(1, count + 1):
        spool.append(note(number), AT)
    spool.close()
    return next(folder.glob("*.spool"))


def test_what_was_kept_is_there_again_in_order_and_whole(tmp_path: Path) -> None:
    """The command, who gave it, its key, its stream, its bytes, and when it came."""
    whole = Ask(
        actor=BOB,
        key="key-9",
        command=SubmitReport(revision=1, verdict="approve", summary="ä\u2028ö"),
        stream="review/r9",
        blobs={"b" * 64: b"\0" * 700 + b"4eyM", "a" * 64: b""},
        before=(WorkPart(name="a.py", digest="c" * 64, size=3),),
        aliases=("git-commit:abc", "git-tree:def"),
    )
    spool = FileSpool(tmp_path / "spool")
    assert [spool.append(ask, AT) for ask in (note(1), whole, note(2))] == [1, 2, 3]
    here = list(spool.waiting())
    spool.close()
    assert kept(tmp_path / "spool") == here
    assert [one.ask for one in here] == [note(1), whole, note(2)]
    assert {one.at for one in here} == {AT}


def test_a_record_without_other_names_is_still_read() -> None:
    """The first shape of a record had no field for them."""
    record = record_of(1, 0, note(1), AT)[HEAD_BYTES:]
    old = record[4:].replace(b'"aliases":[],', b"")
    assert len(old) < len(record) - 4
    assert waiting_of(1, len(old).to_bytes(4, "big") + old).ask == note(1)


def test_what_is_done_does_not_wait_and_its_files_go(tmp_path: Path) -> None:
    """Positions go on counting, also over a new start."""
    spool = FileSpool(tmp_path, segment_bytes_max=1)
    for number in range(1, 5):
        spool.append(note(number), AT)
    assert len(list(tmp_path.glob("*.spool"))) == 4
    spool.done(3)
    spool.done(2)
    assert [one.position for one in spool.waiting()] == [4]
    assert len(list(tmp_path.glob("*.spool"))) == 1
    spool.done(4)
    spool.close()
    assert kept(tmp_path) == []
    again = FileSpool(tmp_path)
    assert again.append(note(5), AT) == 5
    assert [one.position for one in again.waiting()] == [5]
    again.close()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    """Commands hold the work of others."""
    file = filled(tmp_path / "spool")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    """One writer a folder, and the lock goes with its process."""
    spool = FileSpool(tmp_path)
    script = f"from pathlib import Path; from foureyes.store.spool import FileSpool; FileSpool(Path({str(tmp_path)!r}))"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "Another process uses the spool" in other.stderr
    with pytest.raises(Unavailable, match="Another process"):
        FileSpool(tmp_path)
    spool.close()
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_full_spool_refuses_and_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F8: by bytes, by number, and for one command that is too large; the refusal says nothing was kept."""
    spool = FileSpool(tmp_path, bytes_max=2_000)
    spool.append(note(1), AT)
    with pytest.raises(Unavailable, match="fill the spool of 2000 bytes") as refused:
        spool.append(note(2, size=3_000), AT)
    assert refused.value.full
    assert not refused.value.unknown
    monkeypatch.setattr(spooling, "RECORDS_MAX", 2)
    spool.append(note(3), AT)
    with pytest.raises(Unavailable, match="2 commands wait"):
        spool.append(note(4), AT)
    monkeypatch.setattr(spooling, "RECORDS_MAX", 9)
    monkeypatch.setattr(spooling, "RECORD_BYTES_MAX", 100)
    with pytest.raises(Unavailable, match="too large to wait"):
        spool.append(note(5), AT)
    spool.close()
    assert [one.ask.key for one in kept(tmp_path)] == ["key-1", "key-3"]


@pytest.mark.parametrize("cut", [1, MARK_BYTES, MARK_BYTES + 1, MARK_BYTES + 100])
def test_a_tail_that_was_never_promised_is_passed_over(tmp_path: Path, cut: int) -> None:
    """F8: without its whole mark nobody was told; later commands go to a new file."""
    file = filled(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:-cut] if cut > 1 else whole[:-MARK_BYTES] + bytes(MARK_BYTES))
    (tmp_path / TAIL).unlink()
    write_tail(tmp_path, 2)  # the last promise is written after its mark
    assert [one.position for one in kept(tmp_path)] == [1, 2]
    spool = FileSpool(tmp_path)
    assert spool.append(note(7), AT) == 3
    spool.close()
    assert [(one.position, one.ask.key) for one in kept(tmp_path)] == [(1, "key-1"), (2, "key-2"), (3, "key-7")]


def test_a_record_whose_number_could_not_be_kept_waits_and_the_spool_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8, U-18: the record is marked, so it waits; its file may not go while the number names it."""

    def written_but_not_synced(folder: Path, sequence: int) -> None:
        write_tail(folder, sequence)
        raise OSError(errno.EIO, "Input/output error")

    spool = FileSpool(tmp_path)
    spool.append(note(1), AT)
    with monkeypatch.context() as patched:
        patched.setattr(spooling, "write_tail", written_but_not_synced)
        with pytest.raises(Unavailable) as refused:
            spool.append(note(2), AT)
    assert refused.value.unknown, "the caller asks again with the same key"
    assert [one.position for one in spool.waiting()] == [1, 2]
    spool.done(1)
    spool.close()
    assert [one.position for one in kept(tmp_path)] == [2]
    spool = FileSpool(tmp_path)
    assert spool.append(note(3), AT) == 3
    spool.done(3)
    spool.close()
    assert kept(tmp_path) == []


@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_spool_whose_end_was_cut_off_does_not_start(tmp_path: Path, left: int) -> None:
    """U-18: cut between two records or within one, or gone with its file: what was promised is missed."""
    file = filled(tmp_path)
    ends = [0, *(end for _, _, end, _ in promised(file))]
    for size in (ends[left], ends[left] + 10):
        file.write_bytes(file.read_bytes()[:size])
        with pytest.raises(Damaged, match=f"Records {left + 1} to 3 of the spool in .* were promised and are missing"):
            FileSpool(tmp_path)
    file.unlink()
    with pytest.raises(Damaged, match="Records 1 to 3"):
        FileSpool(tmp_path)


def test_a_spool_that_is_done_may_lose_its_files(tmp_path: Path) -> None:
    """U-18: what has happened is missed by nobody, and half a note of the last promise leaves the one before."""
    filled(tmp_path)
    spool = FileSpool(tmp_path)
    spool.done(3)
    assert spool.append(note(4), AT) == 4
    spool.done(4)
    spool.close()
    assert kept(tmp_path) == []
    assert read_tail(tmp_path) == 4
    tail = tmp_path / TAIL
    tail.write_bytes(b"\xff" * 5 + tail.read_bytes()[5:])
    assert read_tail(tmp_path) == 3
    assert kept(tmp_path) == []


@pytest.mark.parametrize(
    "place",
    [0, 5, 40, 120, -MARK_BYTES - 3, -MARK_BYTES, -5, -1],
    ids=["magic", "length", "payload", "later", "last payload", "last mark", "its sequence", "its checksum"],
)
def test_a_damaged_promise_stops_the_start_and_names_the_place(tmp_path: Path, place: int) -> None:
    """F8: a flipped bit in a promised record is not a torn tail, wherever it is."""
    file = filled(tmp_path)
    content = bytearray(file.read_bytes())
    content[place] ^= 0x10
    file.write_bytes(content)
    with pytest.raises(Damaged, match=file.name):
        FileSpool(tmp_path)


def test_a_missing_file_in_the_middle_stops_the_start(tmp_path: Path) -> None:
    """Each record knows which promise came before it."""
    spool = FileSpool(tmp_path, segment_bytes_max=1)
    for number in range(1, 5):
        spool.append(note(number), AT)
    spool.done(1)
    spool.close()
    sorted(tmp_path.glob("*.spool"))[1].unlink()
    with pytest.raises(Damaged, match="Records 3 to 3 of the spool are missing"):
        FileSpool(tmp_path)


def test_a_damaged_cursor_says_what_to_do_and_doing_it_helps(tmp_path: Path) -> None:
    """Without it everything that is still there is handed in again, which does no harm."""
    spool = FileSpool(tmp_path, segment_bytes_max=1)
    for number in range(1, 4):
        spool.append(note(number), AT)
    spool.done(2)
    spool.close()
    cursor = tmp_path / "cursor"
    cursor.write_text("3 00000000\n", encoding="ascii")
    with pytest.raises(Damaged, match="Removing it is safe"):
        FileSpool(tmp_path)
    cursor.unlink()
    assert [one.position for one in kept(tmp_path)] == [3]


def _fails_on(monkeypatch: pytest.MonkeyPatch, name: str, turn: int) -> None:
    """Let the n-th call fail once."""
    real: Callable[..., int | None] = getattr(os, name)
    calls = iter(range(1, 100))

    def failing(*arguments: object) -> int | None:
        if next(calls) == turn:
            raise OSError(5, "Input/output error")
        return real(*arguments)

    monkeypatch.setattr(os, name, failing)


@pytest.mark.parametrize(("name", "turn", "unknown"), [("pwrite", 1, False), ("fsync", 1, False), ("fsync", 2, True)])
def test_a_sync_that_failed_is_never_tried_again_on_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, turn: int, unknown: bool
) -> None:
    """F5: the command is not promised, and the next one goes to a new file."""
    spool = FileSpool(tmp_path)
    spool.append(note(1), AT)
    with monkeypatch.context() as patch:
        _fails_on(patch, name, turn)
        with pytest.raises(Unavailable, match="Input/output error") as refused:
            spool.append(note(2), AT)
    assert refused.value.unknown is unknown
    spool.append(note(3), AT)
    assert [one.ask.key for one in spool.waiting()] == ["key-1", "key-3"]
    spool.close()
    assert len(list(tmp_path.glob("*.spool"))) == 2
    assert {"key-1", "key-3"} <= {one.ask.key for one in kept(tmp_path)}
