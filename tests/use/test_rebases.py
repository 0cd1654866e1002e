"""A policy that keeps reports after a rebase: the same change on a newer base is not read twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.use.clearing import text_file
from tests.use.judging import judge
from tests.use.served import DOORS, SHIPPED, Served, served

OLD = "ONE = 1\nTWO = 2\n\n\ndef start(host):\n    ping(host)\n    return host\n"
NEW = OLD.replace("ping(host)", "ping(host, 1)")
TOP = "import sys\n\n\n"


def _policy(folder: Path) -> str:
    """The shipped solo, with two reviewers, and reports that a rebase keeps."""
    text = (SHIPPED / "solo.yaml").read_text(encoding="utf-8").replace("quorum: 1", "quorum: 2\n  keeps: [rebase]")
    place = folder / "keeping.yaml"
    place.write_text(text.replace("agents: [agent]", "agents: [agent, auditor]"), encoding="utf-8")
    return str(place)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("keeping")
    with served(folder, "solo", FOUREYES_POLICY=_policy(folder)) as found:
        found.account("dev")
        found.account("codex")
        found.account("ann", "auditor")
        found.account("ci", scopes=("read", "publish"), kind="service")
        yield found


def _kept(house: Served, review: str) -> list[tuple[str, int]]:
    """The reports of reviewers on the current version that were carried over, and the version."""
    shown = house.human.call("read_review", review=review)["review"]
    reports = [one for one in shown["reports"] if one["kept"] and one["revision"] == shown["revision"]]
    return [(one["reviewer"]["name"], one["revision"]) for one in reports]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="keeping")
def test_an_approval_is_kept_where_only_the_base_moved(house: Served, door: str) -> None:
    """Y18, D-02: by `keeps: [rebase]`, against what a publisher attests; new lines ask all reviewers again."""
    author, ci = house.callers["dev"].at(door), house.callers["ci"]
    target, end = f"shop-{door}", f"\n\nDOOR = {door!r}\n"
    assert ci.call("attest_base", target=target, files=[text_file("run.py", OLD + end)]).is_ok
    work = {"kind": "script", "title": "Ping once", "target": target}
    review = author.call("open_review", files=[text_file("run.py", NEW + end)], **work)["review"]
    told = judge(house.callers["codex"].at(door), review)
    assert told.is_ok, told.text
    assert ci.call("attest_base", target=target, files=[text_file("run.py", TOP + OLD + end)]).is_ok
    moved = author.call("revise", review=review, files=[text_file("run.py", TOP + NEW + end)], target=target)
    assert moved.is_ok, moved.text
    assert _kept(house, review) == [("codex", 2)]
    other = author.call(
        "revise", review=review, files=[text_file("run.py", TOP + NEW + end + "x = 1\n")], target=target
    )
    assert other.is_ok, other.text
    assert _kept(house, review) == []


@pytest.mark.door("command", policy="keeping")
def test_a_word_that_no_change_has_is_refused_with_the_known_ones(house: Served, tmp_path: Path) -> None:
    """Y18: `message` was a change that no bytes can show."""
    place = tmp_path / "foureyes.yaml"
    place.write_text("version: 1\nsolo:\n  keeps: [message]\n", encoding="utf-8")
    checked = house.run("policy", "check", str(place))
    assert checked.returncode != 0
    assert "keeps does not know 'message'" in checked.stdout + checked.stderr
    assert "rebase" in checked.stdout + checked.stderr
