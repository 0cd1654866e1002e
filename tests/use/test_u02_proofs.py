"""U-02: a label or a level of autonomy skips reviewers only with a program's proof against a base the gate knows."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.proofs.corpus import DISGUISES, HONEST, Edit
from tests.use.served import DOORS, HTTP, MCP, Caller, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="peer")

KINDS = ("fix_typo", "update_formatting", "add_comment", "update_readme")
AGGRESSIVE = [["autonomy_level", "aggressive"]]
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u02"), "peer") as found:
        found.account("dev", "core_developer")
        found.account("ci", kind="program", scopes=("publish",))
        yield found


def sent(path: str, content: bytes) -> dict[str, Any]:
    """A file as a caller sends it, byte by byte."""
    return {"path": path, "base64": base64.b64encode(content).decode()}


def new_target() -> str:
    """A new target."""
    return f"shop-{next(_NUMBERS)}"


def submitted(
    house: Served, edit: Edit, door: str = HTTP, *, target: str = "", known: bool = True, **words: Any
) -> Reply:
    """Open a review of the edit: for a target with a recorded base, or with the author's claim."""
    if known:
        target = target or new_target()
        words["target"] = target
        attested = house.callers["ci"].call("attest_base", target=target, files=[sent(edit.path, edit.before)])
        assert attested.is_ok, attested.text
    files = {"files": [sent(edit.path, edit.after)], "base_files": [sent(edit.path, edit.before)]}
    return house.callers["dev"].at(door).call("open_review", title=edit.trick, **files, **words)


def labels(number: int) -> Iterator[dict[str, Any]]:
    """One of the four labels, and the level of autonomy that needs none."""
    yield {"kind": KINDS[number % len(KINDS)]}
    yield {"kind": "create_app", "context": AGGRESSIVE}


def assert_reviewed(house: Served, reply: Reply) -> None:
    """Check that the work waits for a reviewer or was refused, and nothing is cleared."""
    if reply.is_ok:
        assert reply["state"] == "open", reply.text
        review = house.human.call("read_review", review=reply["review"])["review"]
        assert house.human.call("gate", digest=review["digest"])["allowed"] is False
        assert "needs no review" not in str(review)


@pytest.mark.parametrize(("number", "edit"), tuple(enumerate(DISGUISES)), ids=lambda value: getattr(value, "name", ""))
@pytest.mark.door("http", policy="peer")
def test_a_disguise_is_reviewed_whatever_its_label(house: Served, number: int, edit: Edit) -> None:
    """U-02, T39: code dressed as comment, prose or formatting is never cleared without a report."""
    door = MCP if number % 8 == 0 else HTTP
    assert_reviewed(house, submitted(house, edit, door, known=False, kind="fix_typo"))
    for words in labels(number):
        assert_reviewed(house, submitted(house, edit, door, **words))


@pytest.mark.parametrize(("number", "edit"), tuple(enumerate(HONEST)), ids=lambda value: getattr(value, "name", ""))
@pytest.mark.door("http", policy="peer")
def test_an_honest_edit_of_a_known_base_is_skipped_and_the_record_says_by_which_proof(
    house: Served, number: int, edit: Edit
) -> None:
    """U-02: the gate lets it pass, and says what a program proved."""
    door = DOORS[number % len(DOORS)]
    for words in ({"kind": edit.label}, {"kind": "create_app", "context": AGGRESSIVE}):
        target = new_target()
        reply = submitted(house, edit, door, target=target, **words)
        assert reply["state"] == "cleared", reply.text
        review = house.human.call("read_review", review=reply["review"])["review"]
        assert "needs no review: Proven: only " in str(review)
        assert house.human.call("gate", digest=review["digest"], target=target)["allowed"] is True


@pytest.mark.parametrize("door", DOORS)
def test_without_a_known_base_there_is_no_proof(house: Served, door: str) -> None:
    """U-01, U-02: what the author says about the base proves nothing."""
    for number, edit in enumerate(HONEST[:8]):
        for words in labels(number):
            assert_reviewed(house, submitted(house, edit, door, known=False, **words))


@pytest.mark.parametrize("door", DOORS)
def test_what_came_went_or_changed_its_mode_is_reviewed(house: Served, door: str) -> None:
    """U-02: a proof compares the contents of the same plain files."""
    path, before, after = "a.py", b"x = 1\n", b"# How many there are.\nx = 1\n"
    works: list[list[dict[str, Any]]] = [
        [sent(path, after), sent("b.py", b"# A file more is here.\n")],
        [sent(path, after) | {"mode": "100755"}],
        [sent(path, after) | {"mode": "120000"}],
        [sent("A.py", after)],
        [sent("b.py", after)],
    ]
    for files in works:
        target = new_target()
        assert house.callers["ci"].call("attest_base", target=target, files=[sent(path, before)]).is_ok
        words = {"kind": "add_comment", "title": "A comment", "target": target, "files": files}
        assert_reviewed(house, house.callers["dev"].at(door).call("open_review", **words))


@pytest.mark.parametrize("door", DOORS)
def test_a_revision_is_proven_anew(house: Served, door: str) -> None:
    """U-02: a later version of a skipped work is judged by its own bytes."""
    dev, target = house.callers["dev"].at(door), new_target()
    assert house.callers["ci"].call("attest_base", target=target, files=[sent("a.py", b"x = 1\n")]).is_ok
    good = [sent("a.py", b"# How many there are.\nx = 1\n" + door.encode().join((b"# For the door called ", b".\n")))]
    opened = dev.call("open_review", kind="add_comment", title="A comment", target=target, files=good)
    assert opened["state"] == "cleared"
    bad = [sent("a.py", b"# coding: utf_7\nx = 1\n")]
    dev.call("revise", review=opened["review"], target=target, files=bad)
    review = house.human.call("read_review", review=opened["review"])["review"]
    assert (review["revision"], review["state"]) in {(2, "open"), (1, "cleared")}
    assert review["revision"] == 2, "a cleared work takes a new version"


def test_the_preview_agrees_with_the_gate(house: Served) -> None:
    """U-02, U-27: `check_review_required` proves like the gate."""
    dev: Caller = house.callers["dev"]
    assert house.callers["ci"].call("attest_base", target="preview", files=[sent("README.md", b"Some wrods.\n")]).is_ok
    for text, needed in (("Some words.\n", False), ("Run `evil` now.\n", True)):
        asked = {"action": "fix_typo", "target": "preview", "artifacts": {"README.md": text}}
        for door in DOORS:
            found = dev.at(door).call("check_review_required", **asked)
            assert found["needs_review"] is needed, found.text
            assert needed or "Proven: only prose differs in README.md" in found["reason"]
