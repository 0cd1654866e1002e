"""A work is exactly the bytes its digest names, and its paths stay inside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import rfc8785
from hypothesis import assume, given
from hypothesis import strategies as st

from foureyes.app import work as works
from foureyes.app.differences import changed_places, file_changes
from foureyes.app.work import check_blob, check_work, git_tree, manifest_digest, work_of
from foureyes.codec import canonical
from foureyes.core import commands as c
from foureyes.core.refusals import Code, Refusal
from foureyes.core.risk.globs import folded_path
from foureyes.core.values import WorkPart
from tests.app.house import FIRST, House, played
from tests.cast import DEV

WORK = work_of(FIRST)
PART = WORK.parts[0]
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1, max_size=8)

BAD_PATHS = [
    "",
    ".",
    "..",
    "../etc/passwd",
    "a/../../b",
    "/etc/passwd",
    "a//b",
    "a/",
    "./a",
    "a/./b",
    "a\\..\\b",
    "C:\\windows",
    "nul\0byte",
    "line\nbreak",
    "tab\tbed",
    "esc\x1b[31m",
    "del\x7f",
    "x" * 1001,
]


def refused(digest: str, *parts: WorkPart) -> Code:
    with pytest.raises(Refusal) as caught:
        check_work(digest, parts)
    return caught.value.code


@given(
    st.dictionaries(NAMES.filter(lambda name: name not in (".", "..")), st.binary(max_size=20), min_size=1, max_size=5)
)
def test_a_work_that_is_what_it_says_is_taken(files: dict[str, bytes]) -> None:
    assume(len({folded_path(name) for name in files}) == len(files))
    work = work_of(files)
    check_work(work.digest, work.parts)
    for part in work.parts:
        check_blob(part, work.blobs[part.digest])


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_leaves_the_work_is_refused(path: str) -> None:
    """T20: names are labels; none of them may ever lead out of a folder."""
    part = replace(PART, name=path)
    assert refused(manifest_digest((part,)), part) is Code.BAD_PATH


@pytest.mark.parametrize("mode", sorted(set(works.MODES) - {works.GONE_MODE}))
def test_nothing_lies_below_what_is_no_folder(mode: str) -> None:
    """T20: no disk holds a file as a folder too, and what lies below a link lies wherever the link leads."""
    file, beside = replace(PART, name="a/b", mode=mode), replace(PART, name="a/b.txt")
    for name in ("a/b/c", "a/b/c/d"):
        parts = file, beside, replace(PART, name=name)
        assert refused(manifest_digest(parts), *parts) is Code.BAD_PATH
    gone = replace(PART, name="a/b", mode=works.GONE_MODE, digest=works.NO_BYTES, size=0)
    moved = gone, beside, replace(PART, name="a/b/c"), replace(PART, name="a-b/c")
    check_work(manifest_digest(moved), moved)


@pytest.mark.parametrize(
    ("one", "two"), [("D.txt", "d.txt"), ("caf\u00e9", "cafe\u0301"), ("A", "a/b"), ("x/Y/z", "X/y"), ("a.", "a")]
)
def test_names_that_some_disk_takes_for_one_are_refused_with_both(one: str, two: str) -> None:
    """U-11: who unpacks the work there has another one; a file that is gone makes room for the other."""
    parts = replace(PART, name=one), replace(PART, name="beside"), replace(PART, name=two)
    with pytest.raises(Refusal) as error:
        check_work(manifest_digest(parts), parts)
    assert error.value.code is Code.BAD_PATH
    assert repr(one) in error.value.sentence
    assert repr(two) in error.value.sentence
    gone = replace(PART, name=one, mode=works.GONE_MODE, digest=works.NO_BYTES, size=0)
    check_work(manifest_digest((gone, *parts[1:])), (gone, *parts[1:]))


def test_every_change_of_path_mode_or_bytes_changes_the_digest() -> None:
    """Y23: the digest is over the canonical manifest of path, mode and blob hash, and of nothing else."""
    others = [
        replace(PART, name="other.py"),
        replace(PART, mode="100755"),
        replace(PART, digest="0" * 64),
    ]
    assert len({manifest_digest((one,)) for one in (PART, *others)}) == 4
    assert manifest_digest((replace(PART, media_type="x/y", size=3),)) == WORK.digest
    assert manifest_digest((PART, others[0])) == manifest_digest((others[0], PART))


@given(st.lists(st.tuples(NAMES, st.sampled_from(sorted(works.MODES))), max_size=4))
def test_the_manifest_is_written_as_the_standard_says(rows: list[tuple[str, str]]) -> None:
    """RFC 8785, so that any other program gets the same digest."""
    listed = [{"path": path, "mode": mode, "blob": "0" * 64} for path, mode in rows]
    assert canonical(listed) == rfc8785.dumps(listed)


def test_parts_that_do_not_make_the_digest_are_refused() -> None:
    assert refused("0" * 64, PART) is Code.DIGEST_MISMATCH
    assert refused(WORK.digest) is Code.PARTS_MISSING
    assert refused(manifest_digest((PART, PART)), PART, PART) is Code.DUPLICATE
    for wrong in (replace(PART, digest="ABC"), replace(PART, digest=PART.digest.upper()), replace(PART, size=-1)):
        assert refused(manifest_digest((wrong,)), wrong) is Code.DIGEST_MISMATCH
    odd = replace(PART, mode="777")
    assert refused(manifest_digest((odd,)), odd) is Code.UNKNOWN_WORD


def test_a_work_is_bounded() -> None:
    """T19: at most 2,000 parts and 20 MiB; one more is refused, exactly as many are taken."""
    many = tuple(replace(PART, name=f"f{number}", size=1) for number in range(2001))
    assert refused(manifest_digest(many), *many) is Code.TOO_MANY
    check_work(manifest_digest(many[:2000]), many[:2000])
    big = replace(PART, size=works.WORK_BYTES_MAX)
    check_work(manifest_digest((big,)), (big,))
    bigger = replace(PART, size=works.WORK_BYTES_MAX + 1)
    assert refused(manifest_digest((bigger,)), bigger) is Code.TOO_LONG


def test_bytes_that_are_not_those_of_the_part_are_refused() -> None:
    for content in (b"", b"print('hellp')\n", FIRST["hello.py"] + b"\n"):
        with pytest.raises(Refusal, match="digest_mismatch"):
            check_blob(PART, content)


@played
async def test_bytes_that_are_nowhere_are_asked_for_and_stored_ones_need_not_come_again() -> None:
    house = House()
    refusal = await house.refused(DEV, house.opening(WORK))
    assert refusal.code is Code.UNKNOWN_DIGEST
    assert "hello.py" in refusal.sentence
    stream = await house.open()
    await house.do(DEV, c.WithdrawReview(reason="Again"), stream)
    await house.do(DEV, house.opening(WORK))


@played
async def test_wrong_bytes_beside_the_right_digest_are_refused_and_not_kept() -> None:
    house = House()
    wrong = {PART.digest: b"print('hellx')\n"}
    assert (await house.refused(DEV, house.opening(WORK), blobs=wrong)).code is Code.DIGEST_MISMATCH
    assert await house.store.read(lambda reading: reading.blob(PART.digest)) is None


def test_a_tree_with_a_submodule_or_a_file_that_is_a_folder_has_no_name_in_git() -> None:
    module = replace(PART, mode=works.SUBMODULE_MODE)
    assert git_tree((module,), WORK.blobs) == ""
    assert git_tree((PART,), {}) == ""
    below = replace(PART, name="hello.py/x")
    assert git_tree((PART, below), WORK.blobs) == ""
    assert git_tree((below, PART), WORK.blobs) == ""


def _differences(old: dict[str, bytes], new: dict[str, bytes]) -> tuple[list[tuple[str, int, int]], int]:
    one, other = work_of(old), work_of(new)
    blobs = {**one.blobs, **other.blobs}
    places = [(place.path, place.start, place.end) for place in changed_places(one.parts, other.parts, blobs)]
    return places, len(list(file_changes(one.parts, other.parts, blobs)))


def test_the_places_that_changed_are_those_whose_lines_differ() -> None:
    text = b"".join(b"line %d\n" % number for number in range(1, 11))
    assert _differences({"a": text}, {"a": text}) == ([], 0)
    places, count = _differences({"a": text}, {"a": text.replace(b"line 3\n", b"3\n").replace(b"line 9\n", b"")})
    assert (places, count) == ([("a", 3, 3), ("a", 9, 9)], 2)
    assert _differences({"a": b"x\n", "gone": b"y\n"}, {"a": b"x\n"})[0] == [("gone", 1, 1_000_000_000)]
    assert _differences({"a": b"x\n"}, {"a": b"\0"}) == ([("a", 1, 1_000_000_000)], 1)
    assert _differences({"a": b"\xff\xfe"}, {"a": b"x"})[1] == 1


@given(st.lists(st.sampled_from("ab"), max_size=12), st.lists(st.sampled_from("ab"), max_size=12))
def test_lines_outside_the_changed_places_are_the_same(old: list[str], new: list[str]) -> None:
    one, other = (("\n".join(lines) + "\n").encode() if lines else b"" for lines in (old, new))
    first, second = work_of({"f": one}), work_of({"f": other})
    blobs = {**first.blobs, **second.blobs}
    touched = {
        number
        for place in changed_places(first.parts, second.parts, blobs)
        for number in range(place.start, min(place.end, 99) + 1)
    }
    kept = [line for number, line in enumerate(new, start=1) if number not in touched]
    remaining = iter(old)
    assert all(line in remaining for line in kept)


def test_very_different_files_count_as_changed_from_the_first_to_the_last_difference() -> None:
    old = b"".join(b"a%d\n" % number for number in range(3000))
    new = b"".join(b"b%d\n" % number for number in range(3000))
    assert _differences({"f": b"same\n" + old}, {"f": b"same\n" + new})[0] == [("f", 2, 3001)]


def test_comparing_is_bounded_however_many_files_there_are() -> None:
    """T18: lines that repeat make comparing dear; beyond the bound everything between counts as changed."""
    old = {f"f{number}": b"".join(b"x\n%d\n" % line for line in range(45)) for number in range(300)}
    new = {f"f{number}": b"".join(b"x\nq%d\n" % line for line in range(45)) for number in range(300)}
    places, _ = _differences(old, new)
    of_one = [sum(path == name for path, _, _ in places) for name in ("f0", "f299")]
    assert of_one[0] > 1
    assert min(of_one[1], sum(path == "f298" for path, _, _ in places)) == 1


@played
async def test_a_base_makes_only_the_difference_count() -> None:
    """S8, U-01: old dangerous lines that nobody touched do not raise the risk, where the gate knows that base."""
    house = House()
    old = work_of({"x.py": b"import subprocess\nprint(1)\n"})
    new = work_of({"x.py": b"import subprocess\nprint(2)\n"})
    blobs = {**old.blobs, **new.blobs}
    reply = await house.do(DEV, house.opening(new), blobs=blobs, before=old.parts)
    assert (await house.review(reply.stream)).current.risk == "high"
    house.mirror.commits["c1"] = {"x.py": b"import subprocess\nprint(1)\n"}
    reply = await house.do(DEV, house.opening(new, base="c1"), blobs=blobs)
    assert (await house.review(reply.stream)).current.risk == "medium"
    reply = await house.do(DEV, house.opening(new), blobs=blobs)
    assert (await house.review(reply.stream)).current.risk == "high"
