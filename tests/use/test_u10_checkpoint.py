"""U-10: `foureyes check` says yes only on a log that contains the last checkpoint outside the store."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.use.clearing import Cleared, cleared
from tests.use.served import Served, served

YES, NO, NO_ANSWER = 0, 2, 4


def _check(house: Served, work: Cleared, *flags: str) -> tuple[int, str]:
    done = house.run("check", work.digest, *flags)
    return done.returncode, done.stdout


def _rolled_back(house: Served, copy: Path) -> None:
    """Put an old file where the store was, as a snapshot of a virtual machine does."""
    database = house.home / "foureyes.db"
    for side in ("-wal", "-shm"):
        database.with_name(database.name + side).unlink(missing_ok=True)
    shutil.copyfile(copy, database)


@pytest.mark.parametrize("policy", ["peer", "solo"])
@pytest.mark.door("http", "command", policy=("peer", "solo"))
def test_an_older_store_in_its_place_is_no_yes(tmp_path: Path, policy: str) -> None:
    """U-10: a clearance that was taken back does not come back with an old copy of the database."""
    with served(tmp_path, policy) as house:
        work = cleared(house, house.account("dev", "core_developer"))
        assert _check(house, work)[0] == YES, "nothing was signed yet"
        assert house.run("log", "checkpoint").returncode == YES
        assert _check(house, work)[0] == YES, "it is the log that was signed"
        copied = house.run("backup", str(tmp_path / "safe"), "--json")
        copy = Path(json.loads(copied.stdout)["folder"], "store.sqlite")
        reopened = house.human.call("reopen", review=work.review, reason="It was wrong.", undoes="cleared")
        assert reopened.is_ok, reopened.text
        assert _check(house, work)[0] != YES
        assert house.server.end() == 0
        assert _check(house, work)[0] != YES
        _rolled_back(house, copy)
        code, said = _check(house, work)
        assert (code, said.partition(":")[0]) == (NO_ANSWER, "damaged")
        assert "signed are gone" in said
        assert "foureyes restore" in said, "the sentence says what to do"
        data = json.loads(_check(house, work, "--json")[1])
        assert (data["exit"], data["state"]) == (NO_ANSWER, "damaged")


@pytest.mark.door("http", "command", policy="peer")
def test_a_journal_that_cannot_be_read_is_no_yes(tmp_path: Path) -> None:
    """U-10: where the last checkpoint says nothing, the store may be any."""
    with served(tmp_path, "peer") as house:
        work = cleared(house, house.account("dev", "core_developer"))
        assert house.run("log", "checkpoint").returncode == YES
        assert house.server.end() == 0
        journal = house.home / "checkpoints/checkpoints.jsonl"
        whole = journal.read_bytes()
        journal.write_bytes(whole + b'{"envelope":{},"heads":[]}\n')
        code, said = _check(house, work)
        assert (code, "log verify" in said) == (NO_ANSWER, True)
        journal.write_bytes(whole + whole[:100])
        assert _check(house, work)[0] == YES, "half a line was left by a crash, and nobody relied on it"
