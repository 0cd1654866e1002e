"""U-31: repeated imports of content from an old system are the same content, with a new version for new text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", policy="server")

TEXTS = ("A world of tides.\n", "A world of strong tides.\n", "A world of strong and warm tides.\n")
ITEM = {"category": "causal_gap", "description": "How are inland cities reached?", "severity": "minor"}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A started server with a service that moves content in, its agents, and a reader of another operator."""
    with served(tmp_path_factory.mktemp("moved"), "server") as found:
        service = found.account("dsf", kind="service")
        for name in ("haku", "mira"):
            assert service.call("enrol", name=name).is_ok
        found.account("ann")
        yield found


def _moved(up: Served, *contents: dict[str, Any]) -> list[dict[str, Any]]:
    answer = up.callers["dsf"].call("move_in", contents=contents)
    assert answer.is_ok, answer.text
    return list(answer["moved"])


def _old(old_id: str, text: str, proposer: str = "haku", kind: str = "story") -> dict[str, Any]:
    return {"content_type": kind, "content_id": old_id, "proposer_id": proposer, "content": text}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_text_that_changed_is_a_new_version_of_the_same_content(up: Served, door: str) -> None:
    """U-31: three imports with three texts are one content at its third version, by its old id and by its new one."""
    old_id = f"tides-{door}"
    found = [_moved(up, _old(old_id, f"{door}: {text}"))[0] for text in TEXTS]
    assert len({one["content_id"] for one in found}) == 1, found
    assert {(one["state"], one["problem"]) for one in found} == {("review", "")}
    seen = up.callers["ann"].call("read_content", content_id=old_id)
    assert (seen["revision"], seen["content"]) == (3, f"{door}: {TEXTS[2]}")
    assert seen.data == up.callers["ann"].call("read_content", content_id=found[0]["content_id"]).data
    assert up.callers["ann"].call("can_graduate", content_id=old_id)["reason"] == "Need 2 reviewers, have 0"
    haku = up.callers["dsf"].speaking_for("haku")
    native = haku.at(door).call("read_review", review=found[0]["content_id"])["review"]
    assert (native["author"]["name"], native["revision"]) == ("haku", 3)
    assert "Moved in again by dsf" in native["note"]


def test_the_same_text_again_and_text_that_was_here_before_change_nothing(up: Served) -> None:
    """U-31: a second run of the import, also after the proposer has revised the content here, takes nothing back."""
    first = _moved(up, _old("again", TEXTS[0]))
    assert _moved(up, _old("again", TEXTS[0])) == first
    haku = up.callers["dsf"].speaking_for("haku")
    assert haku.call("revise_content", content_id="again", content="Revised here.\n").is_ok
    assert _moved(up, _old("again", TEXTS[0]))[0]["problem"] == ""
    seen = haku.call("read_content", content_id="again")
    assert (seen["revision"], seen["content"]) == (2, "Revised here.\n")


def test_an_old_id_is_one_content_for_each_proposer_and_type(up: Served) -> None:
    """U-31: equal ids of different content stay apart; each proposer's own is found by it."""
    contents = (_old("7", "Of haku.\n"), _old("7", "Of mira.\n", "mira"), _old("8", "An aspect.\n", kind="aspect"))
    moved = _moved(up, *contents, _old("8", "A story.\n"))
    assert len({one["content_id"] for one in moved}) == 4, moved
    service = up.callers["dsf"]
    for name in ("haku", "mira"):
        assert service.speaking_for(name).call("read_content", content_id="7")["content"] == f"Of {name}.\n"
    assert not up.callers["ann"].call("read_content", content_id="7").is_ok, "which of the two is meant is not guessed"


def test_a_reviewer_works_with_the_old_id_to_the_end(up: Served) -> None:
    """U-31: reading, feedback, the gate and withdrawal take the old id wherever the new one is taken."""
    ann: Caller = up.callers["ann"]
    _moved(up, _old("by-old-id", "A city of glass.\n"))
    assert ann.call("read_content", content_id="by-old-id").is_ok
    raised = ann.call("give_feedback", content_id="by-old-id", items=[ITEM])
    assert raised["items"][0]["status"] == "open", raised.text
    haku = up.callers["dsf"].speaking_for("haku")
    item = raised["items"][0]["id"]
    assert haku.call("respond_feedback", feedback_item_id=item, response_text="By canals.").is_ok
    _moved(up, _old("by-old-id", "A city of glass and canals.\n"))
    assert haku.call("read_content", content_id="by-old-id")["feedback"], "feedback outlives the new version"
    gone = haku.call("withdraw_content", content_id="by-old-id", reason="Not needed any more.")
    assert gone["state"] == "withdrawn"
    late = _moved(up, _old("by-old-id", "A city once more.\n"))[0]
    assert (late["content_id"], "ended" in late["problem"]) == (None, True), late


@pytest.mark.door("http", "mcp", policy="server")
def test_the_callers_own_ids_find_reviews_runs_and_tasks(up: Served) -> None:
    """An `id` of `request_review` and a `task_id` of `/validate` find what they were given for, for their sender."""
    dev, tom = up.account("dev", "core_developer"), up.account("tom", "tester")
    work = {"type": "create_core", "title": "A core", "artifacts": {"code": "x = 1\n"}, "id": "review_042"}
    review = dev.call("request_review", **work)["id"]
    for door in DOORS:
        assert dev.at(door).call("get_review", reviewId="review_042")["id"] == review
    task = "7d8f6c1e-4b9a-4f0d-9a55-0f6f7a1f2b3c"
    run = dev.call("validate", output="A plain note.", task_id=task)["review"]
    assert dev.call("read_validation", review=task)["review"] == run
    assert tom.call("request_review", **{**work, "artifacts": {"code": "x = 2\n"}})["id"] != review
    assert dev.call("get_review", reviewId="review_042")["id"] == review, "each sender's own id"


@pytest.mark.door("command", policy="server")
def test_the_command_line_moves_content_in_twice(up: Served, tmp_path: Path) -> None:
    """U-31: `foureyes call move-in`."""
    token = tmp_path / "token"
    token.write_text(up.callers["dsf"].headers["authorization"].removeprefix("Bearer "), encoding="utf-8")
    token.chmod(0o600)
    ids = set()
    for text in TEXTS[:2]:
        contents = json.dumps([_old("typed", f"Typed: {text}")])
        done = up.run("call", "move-in", "--contents", contents, "--token-file", str(token), "--json")
        assert done.returncode == 0, done.stderr
        ids.add(json.loads(done.stdout)["moved"][0]["content_id"])
    assert len(ids) == 1
    shown = up.run("call", "read-content", "--content-id", "typed", "--token-file", str(token), "--json")
    assert json.loads(shown.stdout)["revision"] == 2, shown.stdout + shown.stderr
