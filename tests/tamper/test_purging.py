"""A purge removes bytes but not the record: a blob leaves a tombstone, and the chain still verifies."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from foureyes.app.operations import operations
from foureyes.app.policies import POLICY_STREAM
from foureyes.app.purge_notes import note_purge, noted_purges
from foureyes.app.purging import purge
from foureyes.app.work import blob_digest, work_of
from foureyes.core.events import BlobPurged
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who
from foureyes.policy.policy import policy_text
from foureyes.store.sqlite import reading
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import played, with_rules
from tests.cast import DEV, HUGO, LINTER
from tests.tamper.desk import Desk, desk

SECRET = b"password = 'correct horse battery staple'\n"


async def refused(it: Desk, digest: str, who: Who = HUGO, reason: str = "A password.") -> Code:
    before = await it.house.store.read(operations)
    with pytest.raises(Refusal) as caught:
        await purge(it.house.store, digest, who, reason, it.house.now)
    assert await it.house.store.read(operations) == before
    return caught.value.code


def holding(folder: Path, text: bytes) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()]


@played
async def test_a_purged_blob_leaves_a_tombstone_and_the_log_verifies(tmp_path: Path) -> None:
    """T32: the secret is in no file of the store any more; who, when and why is."""
    async with desk(tmp_path) as it:
        await it.house.cleared({"secret.py": SECRET, "rest.py": b"rest\n"})
        await it.sign()
        assert holding(tmp_path, SECRET)
        assert (await it.house.gate.may_go_live(work_of({"secret.py": SECRET, "rest.py": b"rest\n"}).digest)).allowed
        tombstone = await purge(it.house.store, blob_digest(SECRET), HUGO, "It holds a password.", it.house.now)
        assert json.loads(tombstone)["by"] == "hugo"
        assert json.loads(tombstone)["reason"] == "It holds a password."
        blob = await it.house.store.read(lambda reading: reading.blob(blob_digest(SECRET)))
        assert blob is not None
        assert (blob.content, blob.purged) == (None, tombstone)
        rest = await it.house.store.read(lambda reading: reading.blob(blob_digest(b"rest\n")))
        assert rest is not None
        assert rest.content == b"rest\n"
        assert (await it.look(deep=True)).sound
        await it.sign()
        assert (await it.look(deep=True)).sound
        assert await it.house.store.read(operations) == (
            BlobPurged(digest=blob_digest(SECRET), by="hugo", reason="It holds a password."),
        )
        live = await it.house.gate.may_go_live(work_of({"secret.py": SECRET, "rest.py": b"rest\n"}).digest)
        assert not live.allowed
        await it.house.store.close()
        assert not holding(tmp_path, SECRET)


@played
async def test_only_a_human_purges_and_says_why(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        digest = blob_digest(b"1\n")
        assert await refused(it, digest, DEV) is Code.HUMAN_ONLY
        assert await refused(it, digest, LINTER) is Code.HUMAN_ONLY
        assert await refused(it, digest, reason=" ") is Code.REASON_MISSING


@played
async def test_what_is_not_there_or_gone_already_is_not_purged(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        assert await refused(it, work_of({"one.py": b"1\n"}).digest) is Code.DIGEST_MISMATCH
        assert await refused(it, "one.py") is Code.DIGEST_MISMATCH
        await purge(it.house.store, blob_digest(b"1\n"), HUGO, "Gone.", it.house.now)
        assert await refused(it, blob_digest(b"1\n")) is Code.DUPLICATE


@played
async def test_a_policy_that_reviews_are_judged_by_is_not_purged(tmp_path: Path) -> None:
    """Neither the default one, which nobody activated, nor one that was in force once."""
    async with desk(tmp_path) as it:
        assert await refused(it, it.house.policy.digest) is Code.NOT_ELIGIBLE
        for name in ("other", "third"):
            policy = with_rules(it.house, default=("resolve",) if name == "other" else ("peer",))
            command = ActivatePolicy(digest=policy.digest, name=name)
            await it.house.do(HUGO, command, POLICY_STREAM, blobs={policy.digest: policy_text(policy)})
            assert await refused(it, policy.digest) is Code.NOT_ELIGIBLE


async def remains(it: Desk) -> str:
    return await it.house.store.read(lambda reading: reading.remains())


@contextmanager
def an_old_moment(file: Path) -> Iterator[None]:
    """A reader in another program that keeps its snapshot of the store."""
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM log").fetchone()
        yield


@played
async def test_bytes_that_a_reader_holds_back_are_said_to_remain_and_go_with_the_next_command(tmp_path: Path) -> None:
    """T32: SQLite's journal cannot be emptied under a reader; that is told, and finished when the reader has ended."""
    async with desk(tmp_path) as it:
        await it.house.open({"secret.py": SECRET})
        with an_old_moment(it.file):
            await purge(it.house.store, blob_digest(SECRET), HUGO, "It holds a password.", it.house.now)
            assert "journal still holds" in await remains(it)
            assert holding(tmp_path, SECRET)
            await it.house.open({"other.py": b"other\n"})
            assert "journal still holds" in await remains(it)
        await it.house.open({"another.py": b"another\n"})
        assert await remains(it) == ""
        assert not holding(tmp_path, SECRET)


@played
async def test_a_purge_that_a_reader_outlives_is_finished_by_the_next_program(tmp_path: Path) -> None:
    """T32: the program that purged ended before the reader did; the next one to open the store empties the journal."""
    async with desk(tmp_path) as it:
        await it.house.open({"secret.py": SECRET})
        with an_old_moment(it.file):
            await purge(it.house.store, blob_digest(SECRET), HUGO, "It holds a password.", it.house.now)
            await it.house.store.close()
            assert holding(tmp_path, SECRET)
            with closing(sqlite3.connect(it.file)) as holder:  # so that no other connection is the last to close it
                holder.execute("SELECT COUNT(*) FROM log").fetchone()
                await SqliteStore.open(it.file).close()
                assert holding(tmp_path, SECRET), "the reader is still there"
        with closing(sqlite3.connect(it.file)) as holder:
            holder.execute("SELECT COUNT(*) FROM log").fetchone()
            await SqliteStore.open(it.file).close()
            assert not holding(tmp_path, SECRET)
        with reading(it.file) as look:
            assert look.remains() == ""


@pytest.mark.parametrize(
    "rest", [b"", b"nonsense\n", b'{"digest": 7, "reason": ""}\n', b'["digest"]\n', b'{"digest": "a']
)
def test_notes_about_purges_are_read_around_what_is_no_note(tmp_path: Path, rest: bytes) -> None:
    """A line cut off by a crash, or written by another program, hides no other."""
    first, second = blob_digest(b"1"), blob_digest(b"2")
    assert noted_purges(tmp_path) == {}
    note_purge(tmp_path / "book", first, "One.")
    with (tmp_path / "book" / "purged.jsonl").open("ab") as file:
        file.write(rest)
    note_purge(tmp_path / "book", second, "Two.")
    assert noted_purges(tmp_path / "book") == {first: "One.", second: "Two."}
