"""Uploads before the work, many works in one batch, and nothing left of what is refused."""

import base64
from functools import partial
from typing import Any

from foureyes.app.ports import Reading
from foureyes.app.rows import Blob
from foureyes.app.work import BLOB_BYTES_MAX, blob_digest
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import Counter
from tests.calls.test_calls import HELLO

BYTES = b"print('sent ahead')\n"
WORK: dict[str, Any] = {"kind": "script", "title": "Say hello", "files": HELLO}


def blob(digest: str, reading: Reading) -> Blob | None:
    return reading.blob(digest)


def sent(content: bytes, digest: str = "") -> dict[str, str]:
    return {"digest": digest or blob_digest(content), "base64": base64.b64encode(content).decode()}


@played
async def test_bytes_that_were_sent_ahead_are_named_by_their_digest() -> None:
    counter = Counter()
    dev = await counter.agent("dev")
    await counter.call(dev, "put_blob", **sent(BYTES))
    kept = await counter.call(dev, "put_blob", **sent(BYTES))
    assert (kept.digest, kept.size) == (blob_digest(BYTES), len(BYTES))
    files = [{"path": "ahead.py", "digest": kept.digest}]
    opened = await counter.call(dev, "open_review", kind="script", title="Ahead", files=files)
    work = await counter.call(dev, "read_work", review=opened.review)
    assert work.files[0].text == BYTES.decode()


@played
async def test_bytes_that_are_others_leave_nothing() -> None:
    """T6, T19: what is not what it is called is not kept, nor what is too large."""
    counter = Counter()
    dev, reader = await counter.agent("dev"), await counter.agent("reader", "read")
    wrong = blob_digest(b"other")
    assert (await counter.refused(dev, "put_blob", **sent(BYTES, wrong))).code is Code.DIGEST_MISMATCH
    assert (await counter.refused(dev, "put_blob", **sent(BYTES, "../etc"))).code is Code.UNKNOWN_WORD
    assert (await counter.refused(dev, "put_blob", digest=wrong, base64="%")).code is Code.BAD_VALUE
    assert (await counter.refused(dev, "put_blob", **sent(bytes(BLOB_BYTES_MAX + 1)))).code is Code.TOO_LONG
    assert (await counter.refused(reader, "put_blob", **sent(BYTES))).code is Code.NOT_ELIGIBLE
    for digest in (wrong, blob_digest(BYTES)):
        assert await counter.house.store.read(partial(blob, digest)) is None


@played
async def test_purged_bytes_do_not_come_back() -> None:
    """T32."""
    counter = Counter()
    dev = await counter.agent("dev")
    kept = await counter.call(dev, "put_blob", **sent(BYTES))
    await counter.house.store.write(lambda tx: tx.purge(kept.digest, "a secret"))
    assert (await counter.refused(dev, "put_blob", **sent(BYTES))).code is Code.UNKNOWN_DIGEST


@played
async def test_several_reviews_are_opened_at_once_each_with_its_own_answer() -> None:
    """T9: sent again with the same key, nothing is opened twice."""
    counter = Counter()
    dev = await counter.agent("dev")
    pieces = [WORK, {**WORK, "files": []}, {**WORK, "title": "Second"}, {**WORK, "author": "codex"}]
    first = await counter.call(dev, "open_reviews", reviews=pieces, key="batch")
    again = await counter.call(dev, "open_reviews", reviews=pieces, key="batch")
    assert first == again
    assert [one.code for one in first.results] == ["", "parts_missing", "", "identity_mismatch"]
    assert [bool(one.review) for one in first.results] == [True, False, True, False]
    listed = await counter.call(dev, "list_reviews")
    assert sorted(one.title for one in listed.reviews) == ["Say hello", "Second"]
    assert (await counter.refused(dev, "open_reviews", reviews=[])).code is Code.BAD_NUMBER
    assert (await counter.refused(dev, "open_reviews", reviews=[WORK] * 51)).code is Code.BAD_NUMBER
