"""No disguise is proven harmless, and honest edits are."""

import pytest

from foureyes.proofs import FILES_MAX, prove
from foureyes.proofs.texts import TEXT_BYTES_MAX
from tests.proofs.corpus import DISGUISES, HONEST, Edit

PLAIN = b"# Words that are new here.\nx = 1\n"


@pytest.mark.parametrize("edit", DISGUISES, ids=lambda edit: edit.name)
def test_a_disguise_is_never_proven(edit: Edit) -> None:
    """U-02, T39: code dressed as comment, prose or formatting."""
    assert edit.before != edit.after
    assert prove({edit.path: edit.before}, {edit.path: edit.after}).why == ""
    assert prove({edit.path: edit.after}, {edit.path: edit.before}).why == "", "nor the way back"


@pytest.mark.parametrize("edit", HONEST, ids=lambda edit: edit.name)
def test_an_honest_edit_is_proven_and_the_proof_says_what_differs(edit: Edit) -> None:
    """U-02: the label is worth something to those who use it honestly."""
    for before, after in ((edit.before, edit.after), (edit.after, edit.before)):
        proof = prove({edit.path: before}, {edit.path: after}).why
        assert proof.startswith("Proven: only ")
        assert edit.path in proof


def test_the_corpus_is_as_large_as_it_has_to_be() -> None:
    """U-02, T39: 60 tricks over 15 languages, and enough honest edits to show that the feature is no stub."""
    assert len({edit.name for edit in DISGUISES}) == len(DISGUISES) >= 60
    assert len({edit.language for edit in DISGUISES}) >= 15
    assert len({edit.name for edit in HONEST}) == len(HONEST) >= 25


def test_one_disguise_among_honest_edits_spoils_the_proof() -> None:
    """U-02: every file is proven, or the work is not."""
    before = {f"{number}/{edit.path}": edit.before for number, edit in enumerate(HONEST)}
    after = {f"{number}/{edit.path}": edit.after for number, edit in enumerate(HONEST) if "md" not in edit.path}
    code = {path: content for path, content in before.items() if path in after and not path.endswith((".rst", ".txt"))}
    after = {path: after[path] for path in code}
    assert "and " in prove(code, after).why
    for edit in DISGUISES:
        assert prove({**code, edit.path: edit.before}, {**after, edit.path: edit.after}).why == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.py": b"x = 1\n"}, {"a.py": b"x = 1\n"}),
        ({}, {}),
        ({}, {"a.py": b"# A comment is here.\n"}),
        ({"a.py": b"# A comment is here.\n"}, {}),
        ({"a.py": b"x = 1\n"}, {"b.py": b"x = 1\n"}),
        ({"a.py": b"x = 1\n"}, {"A.py": b"x = 1\n"}),
        ({"a.py": b"x = 1\n", "b.py": b"x = 1\n"}, {"a.py": PLAIN}),
        ({"a.py": b"x = 1\n"}, {"a.py": PLAIN, "README.md": b"Words are new here.\n"}),
    ],
)
def test_what_came_went_or_was_renamed_is_not_proven(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """U-02: a proof compares two states of the same files."""
    assert prove(before, after).why == ""


def test_what_did_not_change_does_not_stand_in_the_way() -> None:
    """U-02: other files of the work are whatever they are, as long as they are as they were."""
    rest = {"a.bin": b"\0\1", "b.sh": b"rm -rf\n"}
    assert prove({"a.py": b"x = 1\n", **rest}, {"a.py": PLAIN, **rest}).why.endswith("in a.py")


def test_files_that_are_too_large_or_too_many_are_not_proven() -> None:
    """T43: nobody waits for a proof of a megabyte."""
    line = b"x = '" + b"a" * 1_000 + b"'\n"
    for size, proven in ((TEXT_BYTES_MAX - len(line), True), (TEXT_BYTES_MAX + len(line), False)):
        base = line * (size // len(line))
        assert bool(prove({"a.py": base}, {"a.py": b"# Words that are new here.\n" + base}).why) is proven
    for count, proven in ((FILES_MAX, True), (FILES_MAX + 1, False)):
        before = {f"{number}.py": b"x = 1\n" for number in range(count)}
        assert bool(prove(before, dict.fromkeys(before, PLAIN)).why) is proven
    wide = {f"{number}.py": line * (100_000 // len(line)) for number in range(6)}
    assert prove(wide, {path: b"# Words that are new here.\n" + content for path, content in wide.items()}).why == ""
