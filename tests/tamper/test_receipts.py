"""A receipt names who cleared exactly these bytes, and anyone can verify it with the public key alone."""

import base64
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.envelopes import BadEnvelope, sealed
from foureyes.app.keys import new_key
from foureyes.app.ports import Damaged
from foureyes.app.purging import purge
from foureyes.app.receipts import (
    KIND,
    PREDICATE,
    RECEIPT_BYTES_MAX,
    STATEMENT,
    Receipt,
    check_receipt,
    read_receipt,
    receipt,
)
from foureyes.app.work import work_of
from foureyes.core.commands import ReopenReview
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Outcome
from tests.app.house import RULES, House, played, policy
from tests.cast import HUGO
from tests.tamper.desk import Desk, desk

ONE, TWO = work_of({"one.py": b"1\n"}).digest, work_of({"two.py": b"2\n"}).digest


async def made(it: Desk, digest: str = ONE) -> dict[str, Any]:
    return await it.house.store.read(lambda reading: receipt(reading, digest, it.signer, it.last(), now=it.house.now))


@played
async def test_a_receipt_is_checked_offline_and_says_who_and_why(tmp_path: Path) -> None:
    """D-22: receipts check offline."""
    async with desk(tmp_path) as it:
        envelope = await made(it)
        log = await it.house.log("review/r1")
        last = it.last()
    read = read_receipt(json.dumps(envelope).encode())
    found = check_receipt(read, [it.signer.public])
    assert isinstance(found, Receipt)
    assert (found.digest, found.review, found.author.name, found.rules) == (ONE, "r1", "dev", it.house.policy.digest)
    assert [(one.reviewer.name, one.verdict) for one in found.reports] == [("codex", "approve")]
    assert {one.gate for one in found.requirements}
    assert log[found.version - 1] == "ReviewCleared"
    assert len(found.link) == 64
    assert (found.checkpoint, found.checkpoint_hash) == (2, last.digest)


@played
async def test_a_receipt_is_an_in_toto_statement_about_the_digest(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        envelope = await made(it)
        statement = json.loads(base64.b64decode(envelope["payload"]))
        assert envelope["payloadType"] == "application/vnd.in-toto+json"
        assert statement["_type"] == "https://in-toto.io/Statement/v1"
        assert statement["subject"] == [{"name": "review/r1", "digest": {"sha256": ONE}}]
        assert statement["predicateType"] == PREDICATE
        assert len(json.dumps(envelope)) < 5_000


@played
async def test_the_same_clearance_gives_the_same_receipt(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        first = await made(it)
        it.house.wait(days=300)
        assert await made(it) == first


@played
async def test_a_changed_or_borrowed_receipt_is_refused(tmp_path: Path) -> None:
    """D-22: another digest, another signer, another kind: none passes."""
    async with desk(tmp_path) as it:
        envelope = await made(it)
        other = new_key(tmp_path / "other")
        check_receipt(envelope, [other.public, it.signer.public])
        with pytest.raises(BadEnvelope):
            check_receipt(envelope, [other.public])
        with pytest.raises(BadEnvelope):
            check_receipt(envelope, [])
        payload = base64.b64decode(envelope["payload"]).replace(ONE.encode(), TWO.encode())
        with pytest.raises(BadEnvelope):
            check_receipt({**envelope, "payload": base64.b64encode(payload).decode()}, [it.signer.public])
        line = it.last().envelope
        with pytest.raises(BadEnvelope):
            check_receipt(line, [it.signer.public])
        statement = json.loads(base64.b64decode(envelope["payload"]))
        wrongs: tuple[dict[str, Any], ...] = (
            {"_type": "https://in-toto.io/Statement/v0.1"},
            {"predicateType": "urn:other"},
            {"predicate": {}},
            {"subject": [{"name": "review/r1", "digest": {"sha256": TWO}}]},
            {"more": 1},
        )
        for wrong in wrongs:
            forged = sealed(KIND, json.dumps({**statement, **wrong}).encode(), it.signer)
            with pytest.raises(BadEnvelope):
                check_receipt(forged, [it.signer.public])
        check_receipt(sealed(KIND, json.dumps(statement).encode(), it.signer), [it.signer.public])
        assert statement["_type"] == STATEMENT


@pytest.mark.parametrize("text", [b"", b"{", b'{"a":1,"a":1}', b" " * (RECEIPT_BYTES_MAX + 1)])
def test_a_file_that_is_no_receipt_is_refused(text: bytes) -> None:
    with pytest.raises(BadEnvelope):
        check_receipt(read_receipt(text), [])


@played
async def test_there_is_no_receipt_for_what_is_not_cleared(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        for digest, code in (
            (TWO, Code.OBJECTED),
            ("0" * 64, Code.NOT_ENDED),
            ("d1", Code.DIGEST_MISMATCH),
        ):
            with pytest.raises(Refusal) as caught:
                await made(it, digest)
            assert caught.value.code is code


@played
async def test_there_is_no_receipt_for_a_clearance_that_expired(tmp_path: Path) -> None:
    house = House(policy=policy(replace(RULES, clearance_expires=timedelta(hours=1))))
    await house.cleared({"one.py": b"1\n"})
    signer = new_key(tmp_path / "keys")
    assert await house.store.read(lambda reading: receipt(reading, ONE, signer, now=house.now))
    house.wait(hours=1)
    with pytest.raises(Refusal, match="expired"):
        await house.store.read(lambda reading: receipt(reading, ONE, signer, now=house.now))


@played
async def test_there_is_no_receipt_for_bytes_that_are_gone_or_altered(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        (part,) = work_of({"one.py": b"1\n"}).parts
        it.tamper(f"UPDATE blobs SET content = x'00' WHERE digest = x'{part.digest}'")  # noqa: S608 - a forger's
        with pytest.raises(Damaged):
            await made(it)
        await purge(it.house.store, part.digest, HUGO, "It leaked.", it.house.now)
        with pytest.raises(Refusal) as caught:
            await made(it)
        assert caught.value.code is Code.PARTS_MISSING


@played
async def test_there_is_no_receipt_for_what_was_cleared_once_and_reopened(tmp_path: Path) -> None:
    """Not even when a row still says so."""
    async with desk(tmp_path) as it:
        await it.house.do(HUGO, ReopenReview(reason="Look again.", undoes=Outcome.CLEARED), "review/r1")
        with pytest.raises(Refusal):
            await made(it)
        it.tamper("UPDATE digests SET cleared = 1 WHERE review = 'r1'")
        with pytest.raises(Damaged):
            await made(it)


@played
async def test_there_is_no_receipt_by_a_forged_row(tmp_path: Path) -> None:
    """The row says cleared, the log does not; and a veto anywhere speaks against it."""
    async with desk(tmp_path) as it:
        it.tamper("UPDATE digests SET cleared = 1 WHERE review = 'r2'")
        with pytest.raises(Damaged):
            await made(it, TWO)
        it.tamper("UPDATE digests SET vetoed = 1 WHERE review = 'r1'")
        with pytest.raises(Refusal) as caught:
            await made(it)
        assert caught.value.code is Code.VETOED
        it.tamper("UPDATE digests SET vetoed = 0 WHERE review = 'r1'")
        it.edit("review/r1", 2, "actor = 'eve'")
        with pytest.raises(Damaged):
            await made(it)
