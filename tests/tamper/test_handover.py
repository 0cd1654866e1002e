"""A new key takes over, and a backup replaces the log: both are in the journal, and old checks keep working."""

import secrets
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app import verify_start
from foureyes.app.book import Rotated, line_of, parsed
from foureyes.app.checkpoints import last_line, record_rotation, standing
from foureyes.app.damages import Damage
from foureyes.app.handover import restored, rotate
from foureyes.app.keys import KeyTrouble, Signer, new_key
from foureyes.app.marks import Marks
from foureyes.app.operations import OPERATIONS, operations
from foureyes.app.ports import Damaged, Reading
from foureyes.app.verify import verify
from foureyes.app.verify_book import BookReader
from foureyes.app.verify_start import check_start
from foureyes.core.events import KeyRotated, StoreRestored
from foureyes.core.refusals import Refusal
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played
from tests.cast import DEV, HUGO
from tests.tamper.desk import Desk, desk, text_of


async def rotated(it: Desk) -> Signer:
    """Hugo makes a new key and rotates to it."""
    old, it.signer = it.signer, new_key(it.folder / "keys")
    await rotate(it.house.store, it.book, (old, it.signer), HUGO, reason="Yearly.", now=it.house.now)
    it.keys.append(it.signer)
    return old


@played
async def test_any_key_of_a_line_of_keys_checks_everything(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        for _ in range(3):
            await rotated(it)
            await it.house.open({"more.py": b"%d\n" % len(it.keys)})
            await it.sign()
        for key in it.keys:
            found = await verify(it.house.store, it.book, key.public)
            assert found.damages == ()
            assert len([note for note in found.notes if "replaced key" in note]) == 3
        stranger = new_key(tmp_path / "other")
        found = await verify(it.house.store, it.book, stranger.public)
        assert {one.what.partition(":")[0] for one in found.damages if one.place.startswith("check")} == {
            "wrong signature"
        }


@played
async def test_a_rotation_is_in_the_record_and_done_again_it_changes_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        old = await rotated(it)
        lines = len(it.lines())
        await rotate(it.house.store, it.book, (old, it.signer), HUGO, reason="Yearly.", now=it.house.now)
        assert len(it.lines()) == lines
        found = await it.house.store.read(operations)
        assert found == (KeyRotated(old=old.public.id, new=it.signer.public.id, by="hugo", reason="Yearly."),)


@played
async def test_a_rotation_cut_off_in_the_middle_is_finished_by_doing_it_again(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        new = new_key(tmp_path / "keys")
        await record_rotation(it.book, it.signer, new, it.house.now, by="hugo", reason="Yearly.")
        await rotate(it.house.store, it.book, (it.signer, new), HUGO, reason="Yearly.", now=it.house.now)
        it.signer = new
        assert len(await it.house.store.read(operations)) == 1
        assert (await it.look()).sound


@played
async def test_behind_a_rotation_only_the_new_key_signs(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        new, old = new_key(tmp_path / "keys"), it.signer
        await record_rotation(it.book, old, new, it.house.now, by="hugo", reason="Yearly.")
        await it.house.open({"four.py": b"4\n"})
        for it.signer in (old, new_key(tmp_path / "other")):
            with pytest.raises(KeyTrouble):
                await it.sign()
        it.signer = new
        assert await it.sign()


@played
async def test_an_agent_rotates_no_key(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        before = it.lines()
        with pytest.raises(Refusal):
            await rotate(
                it.house.store, it.book, (it.signer, new_key(tmp_path / "k")), DEV, reason="Mine.", now=it.house.now
            )
        assert it.lines() == before


@played
async def test_the_old_key_signs_nothing_after_a_rotation(tmp_path: Path) -> None:
    """Whoever stole the old key cannot add to a book that goes on with the new one."""
    async with desk(tmp_path) as it:
        old = await rotated(it)
        last = it.last()
        forged = line_of(last.checkpoint, last.heads, old)
        it.write_lines([*it.lines()[:-1], text_of(forged)])
        assert (await it.places())["checkpoint 4"] == "wrong signature"


@played
async def test_a_rotation_that_only_one_key_signed_is_found(tmp_path: Path) -> None:
    """A thief of the old key can lead nobody who trusts the new one to a key of his own."""
    async with desk(tmp_path) as it:
        old = await rotated(it)
        number, line = next(
            (number, parsed(text))
            for number, text in enumerate(it.lines())
            if isinstance(parsed(text).checkpoint.said, Rotated)
        )
        true, said = line.checkpoint, line.checkpoint.said
        assert isinstance(said, Rotated)
        lied = replace(true, said=replace(said, old=new_key(tmp_path / "other").public.text))
        kept = it.lines()
        for forged in (
            line_of(true, (), old),
            line_of(true, (), it.signer),
            line_of(lied, (), old, it.signer),
        ):
            it.write_lines([*kept[:number], text_of(forged), *kept[number + 1 :]])
            assert (await it.places())["checkpoint 3"] == "wrong signature"
        it.write_lines(kept)
        thief = new_key(tmp_path / "thief")
        it.write_lines(it.lines()[:2])
        await record_rotation(it.book, old, thief, it.house.now, by="eve", reason="None of yours.")
        found = await verify(it.house.store, it.book, it.keys[1].public)
        assert not found.sound


@played
async def test_a_book_that_never_comes_to_the_trusted_key_is_refused(tmp_path: Path) -> None:
    """The thief of the old key keeps the true rotation, to be believed, and puts his own book before it."""
    async with desk(tmp_path) as it:
        old = await rotated(it)
        true = next(text for text in it.lines() if isinstance(parsed(text).checkpoint.said, Rotated))
        (it.book / "checkpoints.jsonl").unlink()
        it.signer = old
        it.tamper("UPDATE log SET actor = 'eve' WHERE stream = 1")
        it.rewrite("review/r1")
        await it.sign_at_once()
        await it.house.open({"four.py": b"4\n"})
        await it.sign_at_once()
        it.write_lines([*it.lines(), true])
        found = await verify(it.house.store, it.book, it.keys[1].public)
        assert "checkpoint 3" in {one.place for one in found.damages if one.what.startswith("fork")}
        it.write_lines(it.lines()[:1])
        assert not (await verify(it.house.store, it.book, it.keys[1].public)).sound


@played
async def test_half_a_line_at_the_end_of_the_book_introduces_no_key(tmp_path: Path) -> None:
    """The thief of the old key forges the whole book and puts the true rotation behind it, without its end."""
    async with desk(tmp_path) as it:
        it.signer = await rotated(it)
        new = it.keys[1].public
        true = next(text for text in it.lines() if isinstance(parsed(text).checkpoint.said, Rotated))
        it.edit("review/r1", 1, "actor = 'eve'")
        it.rewrite("review/r1")
        (it.book / "checkpoints.jsonl").unlink()
        await it.sign_at_once()
        it.write_lines([*it.lines(), true.rstrip(b"\n")])
        found = await verify(it.house.store, it.book, new)
        assert ("checkpoint 1", "wrong signature") in {(one.place, one.what[:15]) for one in found.damages}
        it.write_lines([true.rstrip(b"\n")])
        assert not (await verify(it.house.store, it.book, new)).sound


@played
async def test_a_book_must_pass_through_the_trusted_key(tmp_path: Path) -> None:
    """Whichever keys are taken for its relatives: a book in which it never signs says nothing to who trusts it."""
    async with desk(tmp_path) as it:
        await rotated(it)
        with Marks() as marks:
            keys = tuple(one.public for one in it.keys)
            reader = BookReader(marks=marks, trusted=new_key(tmp_path / "other").public, keys=keys, seen=None)
            for number, text in enumerate(it.lines(), start=1):
                reader.take(number, text)
            reader.end()
        assert [one.place for one in reader.found.damages] == ["the book"]


@played
async def test_an_old_backup_is_noticed_at_the_start_and_recorded_by_a_human(tmp_path: Path) -> None:
    """F19: the log is older than the last checkpoint; only a human goes on from there, and the book says so."""
    async with desk(tmp_path) as it:
        backup = tmp_path / "backup.db"
        with closing(sqlite3.connect(it.file)) as origin, closing(sqlite3.connect(backup)) as copy:
            origin.backup(copy)
        await it.house.cleared({"four.py": b"4\n"})
        await it.sign()
        await it.house.store.close()
        for path in ("foureyes.db", "foureyes.db-wal", "foureyes.db-shm"):
            (tmp_path / path).unlink(missing_ok=True)
        shutil.copy(backup, it.file)
        async with SqliteStore.open(it.file) as store:
            it.house.store = store
            end = it.signed(3)["review/r4"]
            (damage,) = await _check_start(it)
            assert damage.place == f"review/r4@{end}"
            assert damage.what == f"truncated: checkpoint 3 saw {end} events, 0 are left"
            held = await store.read(lambda reading: standing(reading, it.book).held)
            assert held is not None
            assert held.checkpoint.number == 2
            with pytest.raises(Refusal):
                await restored(store, it.book, it.signer, held, DEV, reason="Mine.", now=it.house.now)
            await restored(store, it.book, it.signer, held, HUGO, reason="The disk died.", now=it.house.now)
            found = await it.look()
            assert found.sound
            assert "hugo restored a backup" in found.notes[0]
            assert await _check_start(it) == []
            assert any(isinstance(one, StoreRestored) for one in await store.read(operations))
            house = House(store=store, ids=50, name="after")
            await house.cleared({"five.py": b"5\n"})
            it.house = house
            it.house.wait(days=1)
            await it.sign()
            assert (await it.look()).sound
            it.tamper("UPDATE log SET actor = 'eve' WHERE stream = 3 AND version = 1")
            it.rewrite("review/r3")
            assert (await it.places())["review/r3@1"] == "fork"


@played
async def test_what_a_restore_has_made_void_is_not_gone_back_to(tmp_path: Path) -> None:
    """The log that was given up holds checkpoint 3, but 3 counts no more since the restore to 2."""
    async with desk(tmp_path) as it:
        held = it.last()
        await it.house.cleared({"four.py": b"4\n"})
        await it.sign()
        await restored(it.house.store, it.book, it.signer, held, HUGO, reason="Back.", now=it.house.now)
        it.write_lines(it.lines()[:4])
        found = await it.house.store.read(lambda reading: standing(reading, it.book))
        assert (found.held, found.last, found.fits) == (held, held, True)


@played
async def test_a_log_that_lacks_any_of_what_a_checkpoint_saw_does_not_hold_it(tmp_path: Path) -> None:
    """On PostgreSQL a backup may have a later event of a checkpoint and lack an earlier one."""
    async with desk(tmp_path) as it:
        for version in range(it.signed(1)["review/r2"] + 1, it.signed(2)["review/r2"] + 1):
            it.delete("review/r2", version)
        it.rewrite("review/r2")
        found = await it.house.store.read(lambda reading: standing(reading, it.book))
        assert found.held is not None
        assert (found.held.checkpoint.number, found.older) == (1, True)


@played
async def test_a_log_that_is_numbered_anew_is_not_signed_until_a_human_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        assert (await it.house.store.read(lambda reading: standing(reading, it.book))).fits
        it.tamper("UPDATE log SET seq = seq + 1000")
        await it.house.open({"four.py": b"4\n"})
        with pytest.raises(Damaged, match="numbered otherwise"):
            await it.sign()
        assert [one.place for one in await _check_start(it)] == ["the log"]
        found = await it.house.store.read(lambda reading: standing(reading, it.book))
        assert (found.older, found.renumbered, found.fits) == (False, True, False)
        await restored(it.house.store, it.book, it.signer, found.held, HUGO, reason="We moved.", now=it.house.now)
        assert (await it.look()).sound
        assert await _check_start(it) == []


@played
async def test_a_log_that_lost_its_end_may_not_start_even_if_the_last_line_lists_no_heads(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        new = new_key(tmp_path / "keys")
        await record_rotation(it.book, it.signer, new, it.house.now, by="hugo", reason="Yearly.")
        assert await _check_start(it) == []
        it.delete("review/r3", it.signed(2)["review/r3"])
        (found,) = await _check_start(it)
        assert (found.place, found.what[:4]) == (f"review/r3@{it.signed(2)['review/r3']}", "fork")


@played
async def test_an_empty_log_holds_nothing_of_a_book(tmp_path: Path) -> None:
    async with desk(tmp_path) as it, SqliteStore.open(tmp_path / "empty.db") as empty:
        found = await empty.read(lambda reading: standing(reading, it.book))
        assert (found.held, found.older, found.fits) == (None, True, False)
        fresh = await empty.read(lambda reading: standing(reading, tmp_path / "nowhere"))
        assert (fresh.last, fresh.held, fresh.fits) == (None, None, True)


@played
async def test_a_sound_log_may_start_and_a_rewritten_one_may_not(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        assert await _check_start(it) == []
        await it.house.open({"four.py": b"4\n"})
        assert await _check_start(it) == []
        it.tamper("UPDATE log SET actor = 'eve' WHERE stream = 3 AND version = 1")
        it.rewrite("review/r3")
        assert [one.what.partition(":")[0] for one in await _check_start(it)] == ["fork"]


@played
async def test_a_past_that_was_edited_may_not_start(tmp_path: Path) -> None:
    """U-18: one event of the signed past, its link unchanged or recomputed with all that follow."""
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        it.edit("review/r1", 2, "actor = 'eve'")
        assert [(one.place, one.what[:6]) for one in await _check_start(it)] == [("review/r1@2", "edited")]
        it.rewrite("review/r1")
        assert await it.house.store.read(lambda reading: check_start(reading, last_line(it.book))) == []
        assert [one.what.partition(":")[0] for one in await _check_start(it)] == ["fork"]


@played
async def test_of_a_long_log_each_start_looks_at_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """U-18: a start costs the same at most; which part is drawn by lot, so nobody can edit beside it."""
    async with desk(tmp_path) as it:
        it.edit("review/r1", 2, "actor = 'eve'")
        events = it.last().checkpoint.reached.events
        monkeypatch.setattr(verify_start, "PAGE", 1)
        monkeypatch.setattr(verify_start, "LINKS_MAX", events - 1)
        found = set[str]()
        for begin in range(events):
            monkeypatch.setattr(secrets, "randbelow", lambda _most, begin=begin: begin)
            found |= {one.place for one in await _check_start(it)}
        assert found == {"review/r1@2"}


@played
async def test_a_store_without_any_checkpoint_may_start(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "foureyes.db") as store:
        assert await store.read(lambda reading: check_start(reading, last_line(tmp_path))) == []
        assert await store.read(lambda reading: reading.known(OPERATIONS, "", "").version) == 0


async def _check_start(it: Desk) -> list[Damage]:
    def look(reading: Reading) -> list[Damage]:
        return [*check_start(reading, last_line(it.book), it.book)]

    return await it.house.store.read(look)
