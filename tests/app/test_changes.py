"""A change becomes a work whose digest covers what was added, kept and removed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foureyes.app.differences import changed_places, file_changes
from foureyes.app.reviewers import Change, File
from foureyes.app.work import GONE_MODE, NO_BYTES, Work, check_work, git_tree, manifest_digest, work_of, work_of_change
from foureyes.core.refusals import Code, Refusal
from foureyes.core.risk import risk_of
from foureyes.core.values import RiskLevel, WorkPart
from tests.app.house import House, played
from tests.cast import DEV

GONE = WorkPart(name="old.py", mode=GONE_MODE, digest=NO_BYTES)
MODULE = b"0123456789012345678901234567890123456789"
CHANGE = Change(
    title="Some of everything",
    kind="code",
    files=(
        File(path="run.sh", mode="100755", mode_before="100644", content=b"ls\n", before=b"ls\n"),
        File(path="gone.py", mode=GONE_MODE, mode_before="100755", content=None, before=b"x = 1\n"),
        File(path="new/name.py", content=b"y = 2\n", before=b"y = 1\n", was="name.py", changed=((1, 1),)),
        File(path="vendor", mode="160000", content=MODULE),
    ),
)


def work_and_before() -> tuple[Work, tuple[WorkPart, ...], dict[str, bytes]]:
    return work_of_change(CHANGE)


def test_the_work_of_a_change_names_what_is_there_and_what_is_gone() -> None:
    """Y23: taking a file away, or to another place, is part of the digest."""
    work, before, old = work_and_before()
    check_work(work.digest, work.parts)
    assert {part.name: part.mode for part in work.parts} == {
        "gone.py": GONE_MODE,
        "name.py": GONE_MODE,
        "new/name.py": "100644",
        "run.sh": "100755",
        "vendor": "160000",
    }
    assert {(part.name, part.mode) for part in before} == {
        ("gone.py", "100755"),
        ("name.py", "100644"),
        ("run.sh", "100644"),
    }
    assert all(part.digest in work.blobs for part in work.parts)
    assert all(part.digest in old for part in before)
    kept = tuple(part for part in work.parts if part.name != "gone.py")
    assert manifest_digest(kept) != work.digest
    assert work.blobs[next(part.digest for part in work.parts if part.name == "vendor")] == MODULE


def test_a_file_that_took_the_place_of_a_renamed_one_is_there() -> None:
    files = (
        File(path="a", content=b"new\n"),
        File(path="b", content=b"old\n", before=b"old\n", was="a"),
    )
    for order in (files, files[::-1]):
        work, _, _ = work_of_change(replace(CHANGE, files=order))
        assert [(part.name, part.mode) for part in work.parts] == [("a", "100644"), ("b", "100644")]


def test_a_part_that_is_gone_has_no_bytes() -> None:
    check_work(manifest_digest((GONE,)), (GONE,))
    for wrong in (replace(GONE, size=1), replace(GONE, digest="0" * 64)):
        with pytest.raises(Refusal) as caught:
            check_work(manifest_digest((wrong,)), (wrong,))
        assert caught.value.code is Code.DIGEST_MISMATCH


def test_what_is_gone_is_in_no_tree() -> None:
    work = work_of({"hello.py": b"print('hello')\n"})
    assert git_tree((*work.parts, GONE), work.blobs) == git_tree(work.parts, work.blobs) != ""
    assert git_tree((GONE,), {NO_BYTES: b""}) == ""


def test_what_went_is_seen_in_the_differences_with_and_without_its_old_bytes() -> None:
    old = work_of({"old.py": b"import subprocess\n"})
    (removed,) = file_changes(old.parts, (GONE,), old.blobs)
    assert (removed.removed, removed.added, removed.mode) == (("import subprocess",), (), GONE_MODE)
    assert risk_of([removed]).level is RiskLevel.HIGH
    (unknown,) = file_changes((), (GONE,), {})
    assert (unknown.path, unknown.mode) == ("old.py", GONE_MODE)
    assert list(file_changes((GONE,), (GONE,), {})) == []
    assert [place.path for place in changed_places(old.parts, (GONE,), old.blobs)] == ["old.py"]
    assert [place.path for place in changed_places((GONE,), old.parts, old.blobs)] == ["old.py"]
    assert list(changed_places((GONE,), (GONE,), {})) == []


def test_a_document_that_is_taken_away_is_not_trivial() -> None:
    old = work_of({"README.md": b"Words.\n"})
    gone = replace(GONE, name="README.md")
    assert not risk_of(file_changes(old.parts, (gone,), old.blobs)).trivial


@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\r"])
def test_only_a_line_feed_ends_a_line(odd: str) -> None:
    """Editors and git count so; a line counted otherwise is looked for in the wrong place."""
    old = work_of({"a": f"one{odd}still one\ntwo\nthree\n".encode()})
    new = work_of({"a": f"one{odd}still one\ntwo\n3\n".encode()})
    blobs = {**old.blobs, **new.blobs}
    (place,) = changed_places(old.parts, new.parts, blobs)
    assert (place.start, place.end) == (3, 3)
    (change,) = file_changes(old.parts, new.parts, blobs)
    assert (change.removed, change.added) == (("three",), ("3",))


@played
async def test_a_review_of_a_deletion_can_be_opened_and_served() -> None:
    work, before, old = work_and_before()
    house = House()
    reply = await house.do(DEV, house.opening(work), blobs={**old, **work.blobs}, before=before)
    served = (await house.gate.serve(reply.stream.removeprefix("review/"), DEV)).files
    assert sorted(served) == ["new/name.py", "run.sh", "vendor"]
