"""U-18: uploads are bounded in total over all senders, and plain calls continue meanwhile."""

from __future__ import annotations

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from foureyes.app.work import BLOB_BYTES_MAX
from tests.use.served import Caller, served

pytestmark = pytest.mark.door("http", policy="peer")

ACCOUNTS, UPLOADS = 12, 36
RSS_MIB_MAX = 512
KEPT, NOT_NOW = 201, (429, 503)


@pytest.mark.timeout(300)
def test_uploads_of_many_accounts_do_not_fill_the_memory(tmp_path: Path) -> None:
    """U-18: 36 uploads of 20 MiB by 12 accounts of 12 operators; who is refused is told when to come back."""
    with served(tmp_path, "peer") as house:
        accounts = [house.account(f"dev{number}", "core_developer") for number in range(ACCOUNTS)]
        with ThreadPoolExecutor(UPLOADS) as pool:
            jobs = [pool.submit(_upload, accounts[number % ACCOUNTS], number) for number in range(UPLOADS)]
            assert accounts[0].call("me").is_ok, "a plain call is answered meanwhile"
            answers = [job.result() for job in jobs]
        assert KEPT in answers
        assert set(answers) <= {KEPT, *NOT_NOW, 0}
        status = Path(f"/proc/{house.server.process.pid}/status").read_text(encoding="ascii")
        peak = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert peak
        assert int(peak[1]) // 1024 <= RSS_MIB_MAX
        assert _upload(accounts[0], 0) == KEPT, "nothing stays reserved"


def _upload(caller: Caller, number: int) -> int:
    """Send a large blob; its status, or 0 where the server hung up while it was still being sent."""
    content = number.to_bytes(4) * (BLOB_BYTES_MAX // 4)
    try:
        answer = caller.raw("PUT", f"/api/v1/blobs/{hashlib.sha256(content).hexdigest()}", content)
    except ConnectionError:
        return 0
    assert answer.status == KEPT or int(answer.headers["retry-after"]) > 0
    return answer.status
