"""U-18: a full disk is reported as such at every writing door, and nothing was acknowledged."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import pytest

from foureyes.http.problems import MEDIA_TYPE
from tests.use.clearing import cleared, opened, text_file
from tests.use.disks import failing
from tests.use.served import HTTP, MCP, served

pytestmark = pytest.mark.door("http", "mcp", "page", policy="peer")

WRITES, FULL = "pwrite64,fallocate,ftruncate", "ENOSPC"
NO_ROOM = 507


def test_a_full_disk_is_507_and_what_is_stored_is_read_on(tmp_path: Path) -> None:
    """U-18: HTTP says 507 with a problem, MCP a tool error with its code, a page the same status; then it goes on."""
    with served(tmp_path, "peer") as house:
        author = house.account("dev", "core_developer")
        work = cleared(house, author, text_file("a.txt"))
        pending = opened(author, text_file("b.txt"))
        body = json.dumps({"kind": "create_core", "title": "More", "files": [text_file("c.txt")], "key": "k1"}).encode()
        blob = b"some bytes" * 1000
        with failing(house.server.process.pid, WRITES, FULL):
            refused = author.raw("POST", "/api/v1/reviews", body)
            assert (refused.status, refused.headers["content-type"]) == (NO_ROOM, MEDIA_TYPE)
            assert refused.data["code"] == "disk_full"
            assert "Free some space" in refused.data["detail"]
            assert int(refused.headers["retry-after"]) > 0
            named = hashlib.sha256(blob).hexdigest()
            assert author.raw("PUT", f"/api/v1/blobs/{named}", blob).status == NO_ROOM
            for door in (HTTP, MCP):
                note = author.at(door).call("add_note", review=pending, text="No room for this.")
                assert (note.is_ok, note.code) == (False, "disk_full")
            assert house.human.call("reopen", review=work.review, reason="x", undoes="cleared").code == "disk_full"
            form = asyncio.run(house.browser.open(f"/reviews/{pending}")).form(f"/reviews/{pending}/override")
            form.fields["reason"] = "I have read it."
            assert asyncio.run(house.browser.submit(form)).status == NO_ROOM
            assert author.call("gate", digest=work.digest)["state"] == "cleared", "reading goes on"
        notes = house.human.call("read_review", review=pending)["review"]["notes"]
        assert notes == [], "nothing that was refused is there"
        assert author.raw("POST", "/api/v1/reviews", body).status == 201, "once there is room it goes on"
