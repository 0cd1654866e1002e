"""U-59: the peer tools while the server's database is down: reports and new versions wait and are replayed."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from foureyes.http.routes import WAYS
from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.postgres.server import Server
from tests.use.served import Caller, Reply, Served

pytestmark = [pytest.mark.timeout(240), pytest.mark.door("http", policy="server")]
SECONDS_MAX = 60


def test_a_report_and_a_new_version_wait_while_postgresql_is_down(durable_postgres: Server, tmp_path: Path) -> None:
    """U-59, 001-76: `submit_review` and `request_re_review` are spooled like every other command."""
    with (
        durable_postgres.fresh() as url,
        Running(tmp_path / "home", arguments=("--database", url)) as server,
    ):
        up = Served(server=server, browser=asyncio.run(signed_in(server)))
        dev, auditor = up.account("dev", "core_developer"), up.account("auditor", "auditor")
        work = {"type": "create_core", "title": "A core", "artifacts": {"code": "x = 1\n"}, "id": "review_7"}
        review = dev.call("request_review", **work)["id"]
        auditor.call("get_review", reviewId=review)
        feedback = {"overall": "Not yet.", "concerns": ["It has no tests."]}
        said = {"reviewId": review, "status": "CHANGES_REQUESTED", "feedback": feedback, "confidence": 90}
        _spooled(durable_postgres, auditor, "submit_review", {**said, "key": "report-1"})
        seen = _patiently(dev, "get_review", reviewId="review_7")
        assert (seen["status"], seen["feedback"]["concerns"]) == ("changes_requested", ["It has no tests."])
        again = {"changes_made": "Tests.", "artifacts": {"code": "x = 1\n", "tests": "assert x == 1\n"}}
        _spooled(durable_postgres, dev, "request_re_review", {"reviewId": review, **again, "key": "again-1"})
        seen = _patiently(auditor, "get_review", reviewId=review)
        assert (seen["revision_count"], seen["artifacts"]["tests"]) == (1, "assert x == 1\n")


def _patiently(caller: Caller, name: str, **arguments: Any) -> Reply:
    """The answer of a call once the database can be reached again."""
    until = time.monotonic() + SECONDS_MAX
    while (reply := caller.call(name, **arguments)).code == "unavailable" and time.monotonic() < until:
        time.sleep(0.2)
    return reply


def _spooled(database: Server, caller: Caller, name: str, body: dict[str, Any]) -> None:
    """Send a request while the database is down, restart it, and repeat the request until it is answered."""
    assert _patiently(caller, "me").is_ok, "a token that was good lately"
    path, sent = WAYS[name].paths[0], json.dumps(body).encode()
    database.stop_immediately()
    try:
        answer = caller.raw("POST", path, sent)
        assert (answer.status, answer.data["spooled"], answer.data["accepted"]) == (202, True, False), answer.body
    finally:
        database.start()
    until = time.monotonic() + SECONDS_MAX
    while (answer := caller.raw("POST", path, sent)).status in (202, 503) and time.monotonic() < until:
        time.sleep(0.1)
    assert answer.status == 200, answer.body
    assert answer.data["success"] is True
