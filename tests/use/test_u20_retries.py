"""U-20: /validate recognises a retry by its task and step, counts it, and asks a human when none is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.use.served import DOORS, Served, served

BAD = "rm -rf / # {}\n"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(Path(tmp_path_factory.mktemp("retries")), "server") as found:
        found.account("haku")
        yield found


def _step(task: str, step: str = "write", chain: str = "security") -> dict[str, str]:
    return {"task_id": task, "step": step, "chain": chain}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_the_same_task_and_step_sent_again_is_a_retry_until_a_human_is_asked(up: Served, door: str) -> None:
    """U-20: five tries are one review: sent back twice, then a human decides, and no sixth goes round them."""
    haku, step = up.callers["haku"].at(door), _step(f"77-{door}")
    tries = [haku.call("validate", output=BAD.format(f"{door} {number}"), **step) for number in range(5)]
    assert [one.code or one["status"] for one in tries] == [
        *("returned", "returned", "escalated_to_human"),
        *("ruling_pending", "ruling_pending"),
    ]
    assert [one["retry"] for one in tries[:3]] == [0, 1, 2]
    assert len({one["review"] for one in tries[:3]}) == 1
    assert "(retry 1/2)" in tries[0]["message"]
    assert "(retry 2/2)" in tries[1]["message"]
    assert f"`review: {tries[0]['review']}`" in tries[0]["next_step"], tries[0].text


@pytest.mark.door("http", policy="server")
def test_another_step_chain_task_or_author_is_another_run(up: Served) -> None:
    """U-20: retries are counted per task, step, chain and author."""
    haku, mira = up.callers["haku"], up.account("mira")
    first = haku.call("validate", output=BAD.format("a"), **_step("5"))["review"]
    others = (
        haku.call("validate", output=BAD.format("b"), **_step("5", step="deploy")),
        haku.call("validate", output=BAD.format("c"), **_step("5", chain="trading")),
        haku.call("validate", output=BAD.format("d"), **_step("6")),
        mira.call("validate", output=BAD.format("e"), **_step("5")),
        haku.call("validate", output=BAD.format("f"), step="write", chain="security"),
    )
    assert len({first, *(one["review"] for one in others)}) == 1 + len(others)
    again = haku.call("validate", output="Nothing is deployed in this step.", **_step("5"))
    assert (again["review"], again["status"], again["retry"]) == (first, "approved", 1), again.text
    later = haku.call("validate", output=BAD.format("g"), **_step("5"))
    assert (later["review"] != first, later["retry"]) == (True, 0), "what is approved is over"


@pytest.mark.door("http", policy="server")
def test_a_call_repeated_under_its_key_stays_what_it_was(up: Served) -> None:
    """U-20: the first run is not taken for a retry of itself, nor a retry for another one."""
    haku, step = up.callers["haku"], _step("keyed")
    one = {"output": BAD.format("h"), "key": "first-run", **step}
    two = {"output": BAD.format("i"), "key": "second-run", **step}
    first, second = haku.call("validate", **one), haku.call("validate", **two)
    assert second["retry"] == 1
    for again in (haku.call("validate", **one), haku.call("validate", **two), haku.call("validate", **one)):
        assert (again["review"], again["retry"]) == (first["review"], 1), again.text
