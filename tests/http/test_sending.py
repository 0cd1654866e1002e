"""Bytes are uploaded before the work and hashed while streaming; an aborted or oversized upload leaves nothing."""

import asyncio
from typing import Any

import pytest

from foureyes.app.work import BLOB_BYTES_MAX, blob_digest
from foureyes.http import bodies
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.test_http import WORK, told
from tests.http.web import HOST, Web

CONTENT = b"\x00\xff raw bytes \r\n" * 1_000
PLACE = f"{BASE}/blobs/{blob_digest(CONTENT)}"


async def streamed(
    web: Web,
    path: str,
    headers: dict[str, str],
    pieces: list[dict[str, Any]],
    waits: asyncio.Queue[None] | None = None,
) -> int:
    """Send a body piece by piece and return the status. Behind the last piece nothing comes, and that is told."""
    named = {"host": HOST, **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "PUT",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8004),
        "state": {},
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if pieces:
            return pieces.pop(0)
        if waits is not None:
            waits.put_nowait(None)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    await web.app(scope, receive, send)
    return int(sent[0]["status"])


def piece(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


async def kept(web: Web) -> int:
    """The number of uploaded bytes in the store."""
    return await web.house.store.read(
        lambda reading: len((blob.content or b"") if (blob := reading.blob(blob_digest(CONTENT))) else b"")
    )


@played
async def test_a_file_is_sent_ahead_and_named_by_its_digest() -> None:
    web = Web()
    dev = await web.agent("dev")
    halves = [piece(CONTENT[:7], more=True), piece(CONTENT[7:], more=False)]
    assert await streamed(web, PLACE, dev, halves) == 201
    again = await web.request("PUT", PLACE, dev, CONTENT)
    assert again.data == {"digest": blob_digest(CONTENT), "size": len(CONTENT)}
    body = {**WORK, "files": [{"path": "raw", "digest": blob_digest(CONTENT)}]}
    opened = await web.post(f"{BASE}/reviews", dev, **body)
    assert opened.status == 201


@played
async def test_nothing_stays_of_bytes_that_are_others_or_broke_off() -> None:
    """T6, T19."""
    web = Web()
    dev = await web.agent("dev")
    told(await web.request("PUT", PLACE, dev, CONTENT[:-1]), 422, "digest_mismatch")
    told(await web.request("PUT", PLACE, dev, b""), 422, "digest_mismatch")
    broken = [piece(CONTENT[:7], more=True), {"type": "http.disconnect"}]
    assert await streamed(web, PLACE, dev, broken) == 422
    for name in ("..", "ABC", blob_digest(CONTENT).upper()):
        told(await web.request("PUT", f"{BASE}/blobs/{name}", dev, CONTENT), 422, "unknown_word")
    assert (await web.request("PUT", f"{BASE}/blobs/..%2f..%2fetc", dev, CONTENT)).status in (404, 422)
    assert await kept(web) == 0
    assert web.office.quotas.held("uploads") == 0


@played
async def test_a_file_has_twenty_mebibytes_and_not_one_byte_more() -> None:
    """T19: as soon as it is too much, the rest is not read."""
    web = Web()
    dev = await web.agent("dev")
    most = bytes(BLOB_BYTES_MAX)
    assert (await web.request("PUT", f"{BASE}/blobs/{blob_digest(most)}", dev, most)).status == 201
    more = bytes(BLOB_BYTES_MAX + 1)
    place = f"{BASE}/blobs/{blob_digest(more)}"
    told(await web.request("PUT", place, dev, more), 413, "too_large")
    endless = [piece(most, more=True), piece(b"x", more=True)]
    assert await streamed(web, place, dev, endless) == 413


@played
async def test_who_may_not_send_is_told_before_a_byte_is_read() -> None:
    web = Web()
    reader = await web.agent("reader", "read")
    assert await streamed(web, PLACE, reader, []) == 403
    assert await streamed(web, PLACE, {}, []) == 401


def test_a_file_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """T18: nobody holds a place for ever by sending slowly."""
    monkeypatch.setattr(bodies, "UPLOAD_SECONDS_MAX", 0.01)

    @played
    async def story() -> None:
        web = Web()
        dev = await web.agent("dev")
        assert await streamed(web, PLACE, dev, [piece(CONTENT[:7], more=True)]) == 422
        assert await kept(web) == 0

    story()


@played
async def test_so_many_files_come_at_once_and_no_more() -> None:
    """T18."""
    web = Web()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    waits = asyncio.Queue[None]()
    slow = [
        asyncio.create_task(streamed(web, PLACE, dev, [piece(CONTENT[:7], more=True)], waits))
        for _ in range(web.office.quotas.limits.account.uploads)
    ]
    for _ in slow:
        await waits.get()
    told(await web.request("PUT", PLACE, dev, CONTENT), 429, "limit_reached")
    assert (await web.request("PUT", PLACE, codex, CONTENT)).status == 201
    for one in slow:
        one.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    assert (await web.request("PUT", PLACE, dev, CONTENT)).status == 201
