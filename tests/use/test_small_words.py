"""Small formats that callers send and read: digests as other programs write them, signals, notes on bases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.use.served import DOORS, Served, served

FILES = [{"path": "hello.py", "text": "print('hello')\n"}]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("words"), "solo") as found:
        found.account("dev")
        found.account("worker", scopes=("read", "signal"))
        found.account("ci", kind="program", scopes=("publish",))
        yield found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", "command", policy="solo")
def test_a_digest_with_its_sort_in_front_is_that_digest(house: Served, door: str) -> None:
    """U-56: the gate, `check`, publishers and files understand `sha256:` as it stands in other programs."""
    dev = house.callers["dev"].at(door)
    opened = dev.call("open_review", kind="script", title=f"Say hello {door}", files=FILES, key=f"words-{door}")
    digest = house.human.call("read_review", review=opened["review"])["review"]["digest"]
    plain, sorted_ = (dev.call("gate", digest=name) for name in (digest, f"sha256:{digest}"))
    assert plain["state"] == sorted_["state"] == "pending"
    assert sorted_["digest"] == digest
    checks = [house.run("check", name) for name in (digest, f"sha256:{digest}")]
    assert (checks[0].returncode, checks[0].stdout) == (checks[1].returncode, checks[1].stdout)
    assert "No review has seen" not in checks[1].stdout
    live = {"review": opened["review"], "target": "production"}
    said = house.callers["ci"].call("record_live", digest=f"sha256:{digest}", **live)
    assert (said["allowed"], said["digest"]) == (False, digest)
    assert "another name" not in said["reason"]
    unknown = dev.call("gate", digest=f"sha256:{'0' * 64}")
    assert (unknown["state"], unknown["digest"]) == ("unknown", "0" * 64)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_a_signal_has_one_of_the_words_that_the_pages_name(house: Served, door: str) -> None:
    """U-56: `progress` is only heard, and any other word is refused with those that there are."""
    worker = house.callers["worker"].at(door)
    heard = worker.call("signal", session=f"s-{door}", type="progress", summary="Half of it is done.")
    assert heard.is_ok, heard.text
    assert heard["review"] is None
    refused = worker.call("signal", session=f"s-{door}", type="note", summary="Half of it is done.")
    assert not refused.is_ok
    assert "progress" in refused.text
