"""Operations on the store from the command line: verify, sign, rebuild, purge, and read."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes.app.book import Rotated, parsed
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due
from foureyes.app.keys import new_key, signer_in
from foureyes.app.work import blob_digest
from foureyes.home.lock import ServerLock
from foureyes.store.sqlite import reading
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import FIRST, House, tamper
from tests.cli.desk import CLEARED, PENDING, Desk
from tests.tamper.desk import Desk as Forger

PART = blob_digest(FIRST["hello.py"])
MUTATING = {
    "purge": ["purge", PART, "--reason", "leaked", "--yes"],
    "rebuild": ["rebuild", "all"],
    "log rotate": ["log", "rotate", "--reason", "yearly"],
    "policy activate": ["policy", "activate", "team", "--yes"],
    "upgrade": ["upgrade"],
}
READING = {
    "backup": ["backup"],
    "check": ["check", CLEARED],
    "why": ["why", "r1"],
    "log verify": ["log", "verify"],
    "receipt": ["receipt", CLEARED],
    "policy show": ["policy", "show"],
    "status": ["status"],
    "config show": ["config", "show"],
}


@pytest.fixture
def signed(desk: Desk) -> Desk:
    """A desk whose log was signed."""
    assert desk.run("log", "checkpoint").code == 0
    return desk


@pytest.mark.parametrize("name", MUTATING)
def test_while_a_server_runs_a_command_that_changes_things_is_refused_and_names_it(name: str, signed: Desk) -> None:
    signed.types = []
    with ServerLock.acquire(str(signed.home), "http://127.0.0.1:8080", now="2026-01-01T00:00:00Z"):
        ran = signed.run(*MUTATING[name])
    assert (ran.code, ran.out) == (2, "")
    assert "http://127.0.0.1:8080" in ran.err


@pytest.mark.parametrize("name", READING)
def test_while_a_server_runs_a_command_that_reads_works(name: str, signed: Desk) -> None:
    with ServerLock.acquire(str(signed.home), "http://127.0.0.1:8080", now="2026-01-01T00:00:00Z"):
        ran = signed.run(*READING[name])
    assert (ran.code, ran.err) == (0, "")


def test_the_first_checkpoint_makes_a_key_and_the_log_verifies(desk: Desk) -> None:
    ran = desk.run("log", "verify")
    assert ran.code == 4
    assert "foureyes log checkpoint" in ran.err
    assert desk.run("log", "checkpoint").out.startswith("Checkpoint 1 covers")
    assert desk.run("log", "checkpoint", "--json").data["made"] is None
    ran = desk.run("log", "verify", "--deep")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("The log is sound: ")


def test_damage_is_named_with_its_place_and_exits_2(signed: Desk) -> None:
    tamper(signed.database, "UPDATE log SET actor = 'somebody' WHERE seq = 2")
    ran = signed.run("log", "verify")
    assert ran.code == 2
    assert "review/r1@2: " in ran.out
    found = signed.run("log", "verify", "--json").data
    assert (found["exit"], found["sound"]) == (2, False)
    assert any(one["place"] == "review/r1@2" and one["next_step"] for one in found["damages"])


def test_a_checkpoint_seen_before_must_still_be_there(signed: Desk) -> None:
    seen = signed.run("log", "verify", "--json").data["last"]
    assert signed.run("log", "verify", "--seen", seen).code == 0
    assert signed.run("log", "verify", "--seen", f"7:{'0' * 64}").code == 2
    ran = signed.run("log", "verify", "--seen", "yesterday")
    assert ran.code == 64
    assert "--seen" in ran.err


def test_a_key_is_rotated_and_everything_still_verifies_by_either(signed: Desk) -> None:
    """T34: nobody is asked, because nothing is lost; the log and the book say who did it and why."""
    (old,) = (signed.home / "keys").glob("*.pub")
    ran = signed.run("log", "rotate", "--reason", "The year is over.", "--json")
    who = signed.assembly().human().name
    assert (ran.code, ran.data["by"], ran.data["old"]) == (0, who, old.stem)
    book = (signed.home / "checkpoints" / "checkpoints.jsonl").read_bytes()
    (rotated,) = [one for one in (parsed(line).checkpoint.said for line in book.splitlines()) if type(one) is Rotated]
    assert (rotated.by, rotated.reason) == (who, "The year is over.")
    with reading(signed.database) as look:
        (event,) = look.events("operations")
    assert (event.type, event.actor) == ("KeyRotated", who)
    assert "The year is over." in event.body
    for key in (signed.home / "keys").glob("*.pub"):
        assert signed.run("log", "verify", "--key", str(key)).code == 0
    signed.add("more")
    assert signed.run("log", "checkpoint").code == 0
    assert signed.run("log", "verify", "--key", str(old)).code == 0


def test_a_book_does_not_say_itself_whom_to_trust(signed: Desk) -> None:
    """A thief of a key that was rotated later rewrites the whole journal with it."""
    (old,) = (path.stem for path in (signed.home / "keys").glob("*.key"))
    stolen = signer_in(signed.home / "keys", old)
    assert signed.run("log", "rotate", "--reason", "It was stolen.").code == 0
    assert (signed.home / "keys" / f"{old}.key.retired").exists()
    assert signed.run("log", "verify").code == 0
    forger = Forger(folder=signed.home, house=House(), signer=stolen)
    forger.edit("review/r1", 1, "body = replace(body, 'A piece of work', 'A forged title!')")
    forger.rewrite("review/r1")
    (forger.book / "checkpoints.jsonl").unlink()

    async def forge() -> None:
        async with SqliteStore.open(signed.database) as store:
            await checkpoint_if_due(store, forger.book, stolen, datetime.now(UTC), AT_ONCE)

    asyncio.run(forge())
    ran = signed.run("log", "verify")
    assert ran.code == 2
    assert "wrong signature" in ran.out
    assert signed.run("log", "verify", "--key", str(signed.home / "keys" / f"{old}.pub")).code == 0, "who trusts it"


def test_where_several_keys_could_be_meant_one_must_be_named(signed: Desk) -> None:
    keys = signed.home / "keys"
    assert signed.run("log", "rotate", "--reason", "The year is over.").code == 0
    (retired,), (private,) = keys.glob("*.retired"), keys.glob("*.key")
    retired.rename(retired.with_suffix(""))
    both = signed.run("log", "verify")
    retired.with_suffix("").unlink()
    private.unlink()
    none = signed.run("log", "verify")
    for ran, kind in ((both, "private"), (none, "public")):
        assert (ran.code, ran.out) == (4, "")
        assert f"There are 2 {kind} keys" in ran.err
        assert "--key" in ran.err
    assert signed.run("log", "verify", "--key", str(private.with_suffix(".pub"))).code == 0


def test_a_public_file_that_was_exchanged_is_not_believed(signed: Desk, tmp_path: Path) -> None:
    (own,) = (signed.home / "keys").glob("*.pub")
    foreign = new_key(tmp_path / "other").public.id
    own.write_bytes((tmp_path / "other" / f"{foreign}.pub").read_bytes())
    assert signed.run("log", "verify").code == 0


def test_a_foreign_key_is_not_believed(signed: Desk, tmp_path: Path) -> None:
    other = Desk(home=tmp_path / "other")
    other.home.mkdir(mode=0o700)
    other.database.write_bytes(signed.database.read_bytes())
    assert other.run("log", "checkpoint").code == 0
    (foreign,) = (other.home / "keys").glob("*.pub")
    assert signed.run("log", "verify", "--key", str(foreign)).code == 2


def test_a_private_key_that_others_can_read_signs_nothing(signed: Desk) -> None:
    (key,) = (signed.home / "keys").glob("*.key")
    key.chmod(0o644)
    signed.add("more")
    ran = signed.run("log", "checkpoint")
    assert ran.code == 4
    assert f"chmod 600 {key}" in ran.err


def test_purging_needs_a_person_who_types_the_digest(signed: Desk) -> None:
    """T32: the bytes are gone, a tombstone says why, and the log still verifies."""
    line = ["purge", PART, "--reason", "It held a key"]
    assert signed.run(*line).code == 2, "nobody sits there"
    assert signed.run(*line, "--yes").code == 2, "and a flag is nobody"
    signed.types = ["yes\n"]
    assert signed.run(*line).code == 2, "somebody who types something else"
    assert FIRST["hello.py"] in _bytes(signed)
    signed.types = [f"{PART[:12]}\n"]
    ran = signed.run(*line, "--json")
    assert ran.code == 0
    assert "It held a key" in ran.data["tombstone"]
    assert FIRST["hello.py"] not in _bytes(signed)
    assert signed.run("log", "verify").code == 0
    assert signed.run("check", CLEARED).code == 2
    signed.types = [f"{PART[:12]}\n"]
    again = signed.run(*line)
    assert again.code == 2
    assert "purged before" in again.err


def test_everything_beside_the_log_is_made_anew(desk: Desk) -> None:
    first = desk.run("rebuild", "all", "--json").data["rebuilt"]
    second = desk.run("rebuild", "all", "--json").data["rebuilt"]
    assert {one["name"]: one["sha256"] for one in first} == {one["name"]: one["sha256"] for one in second}
    assert {"metrics", "trust", "digests", "inbox", "reviews"} <= {one["name"] for one in first}
    tamper(desk.database, "UPDATE digests SET cleared = 1")
    assert desk.check(PENDING).code == 4
    assert desk.run("rebuild", "digests").code == 0
    assert desk.check(PENDING).code == 3
    assert desk.check(CLEARED).code == 0


def test_corrupted_track_records_are_shown_and_rebuilt(desk: Desk) -> None:
    """001-81: corrupted learning data is detected, and rebuilt from the log."""
    with closing(sqlite3.connect(desk.database)) as database:
        assert database.execute("SELECT COUNT(*) FROM trust").fetchone() != (0,)
    assert desk.run("status").code == 0
    tamper(desk.database, "UPDATE trust SET body = replace(body, '1', '9')")
    ran = desk.run("status")
    assert ran.code == 2
    assert "foureyes rebuild trust" in ran.out
    assert desk.run("rebuild", "trust").code == 0
    assert desk.run("status").code == 0


def test_status_says_how_things_stand(signed: Desk) -> None:
    signed.run("rebuild", "metrics")
    found = signed.run("status", "--json").data
    assert (found["open"], found["waits"]) == (1, {"reviewer": 1})
    assert found["ended"] == {"cleared": 1, "withdrawn": 1}
    assert found["due"]["review"] == "r2"
    assert found["checkpoint"]["number"] == 1
    assert (found["server"], found["spool_bytes"], found["damaged_trust"]) == (None, 0, [])
    with ServerLock.acquire(str(signed.home), "http://127.0.0.1:8080", now="now"):
        assert "http://127.0.0.1:8080" in signed.run("status").out


@pytest.mark.parametrize(("review", "code", "word"), [("r1", 0, "cleared"), ("r2", 3, "open"), ("r3", 2, "withdrawn")])
def test_why_says_what_the_gate_says(desk: Desk, review: str, code: int, word: str) -> None:
    """The explanation comes from the code that decides."""
    ran = desk.run("why", review)
    assert ran.code == code
    assert f"\n{review}, version 1 (" in ran.out
    assert f": {word}\n" in ran.out
    data = desk.run("why", f"review/{review}", "--json").data
    assert (data["exit"], data["state"]) == (code, word)
    assert all(one["reason"] for one in data["requirements"])
    assert [one["due"] for one in data["turns"]] == (["2026-01-05T09:30:00+00:00"] if code == 3 else [])


def test_why_of_no_review_is_a_refusal(desk: Desk) -> None:
    ran = desk.run("why", "r9")
    assert (ran.code, ran.out) == (2, "")
    assert "There is no such review." in ran.err


def test_a_receipt_is_checked_elsewhere_with_the_public_key_alone(signed: Desk, tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    ran = signed.run("receipt", CLEARED, "--output", str(file))
    assert ran.code == 0
    assert "codex: approve" in ran.out
    assert signed.run("receipt", CLEARED, "--output", str(file)).code == 64, "no file is overwritten"
    (key,) = (signed.home / "keys").glob("*.pub")
    elsewhere = Desk(home=tmp_path / "elsewhere")
    assert elsewhere.run("receipt", "--check", str(file), "--key", str(key)).code == 0
    file.write_text(file.read_text(encoding="utf-8").replace("payload", "payl0ad", 1), encoding="utf-8")
    assert elsewhere.run("receipt", "--check", str(file), "--key", str(key)).code == 2
    assert signed.run("receipt", PENDING).code == 2
    assert signed.run("receipt").code == 64
    assert signed.run("receipt", CLEARED, "--check", str(file)).code == 64


def _bytes(desk: Desk) -> bytes:
    return b"".join(path.read_bytes() for path in desk.home.glob("foureyes.db*"))
