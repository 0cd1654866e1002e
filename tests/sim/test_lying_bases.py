"""An author gains nothing by a lie about the base; a gate that believed the claim is detected at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.asks import Ask
from foureyes.app.bases import Bases, KnownFiles, Prepared, with_risk
from foureyes.app.ports import Store
from foureyes.app.work import manifest_digest
from foureyes.core.commands import OpenReview
from foureyes.core.values import BaseSource, KnownBase, Proof
from foureyes.git import mirrors
from tests.conftest import EFFORT
from tests.sim import lying_refs
from tests.sim.lying import SORTS, claims, played
from tests.sim.planted.plant import Function, bug

LIES = {"all": 10_000}.get(EFFORT, 3_000)
#: Worlds of repositories, and works in each.
WORLDS, WORKS = {"all": 20}.get(EFFORT, 3), 30


@bug("foureyes.app.bases:Bases.prepare", source="T38", found_by="T38")
async def the_claim_is_believed(_original: Function, _bases: Bases, store: Store, ask: Ask) -> Prepared:
    """Planted bug: the author's claim counts as the base, and a comment as proof."""
    assert isinstance(ask.command, OpenReview)
    prepared = Prepared()
    if ask.before:
        base = KnownBase(source=BaseSource.REPOSITORY, name="as it is said", digest=manifest_digest(ask.before))
        proof = Proof(base=base.digest, digest=ask.command.digest, why="so it is said")
        prepared = Prepared(files=KnownFiles(base=base, parts=ask.before, blobs={}), proof=proof)
    return await store.read(partial(with_risk, prepared, ask.command.parts, ask.blobs))


def test_no_generated_lie_about_the_base_changes_anything() -> None:
    """U-01, T38: 0 lives, 0 stages left out, under both policies; every sort of lie is among them."""
    assert {claim.sort for claim, _ in zip(claims(1), range(LIES), strict=False)} == set(SORTS)
    assert played(LIES) == []


def test_a_gate_that_believes_the_claim_is_found() -> None:
    """T38: what the program did before is noticed: skipped, live, and without the veto chain."""
    with the_claim_is_believed.planted():
        found = played(200)
    said = {sentence.rpartition(": ")[2] for sentence in found}
    assert {"cleared", "live", "stages left out", "no veto chain", "risk low"} <= said


def the_ref_that_is_named_is_enough(then: dict[str, Any], _own: Iterable[object], _others: Iterable[object]) -> Any:
    """Planted bug: any protected ref is a base, although others have fixed the file."""
    return then


def other_repositories_are_not_asked(then: dict[str, Any], own: Iterable[dict[str, Any]], _: Iterable[object]) -> Any:
    """The refs of one repository agree, and another one has something else at the path."""
    trees = tuple(own)
    return {path: entry for path, entry in then.items() if all(tree.get(path) == entry for tree in trees)}


def what_is_missing_does_not_count(then: dict[str, Any], own: Iterable[dict[str, Any]], others: Any) -> Any:
    """A ref that has removed a file has no say."""
    trees = (*own, *others)
    return {path: entry for path, entry in then.items() if all(tree.get(path, entry) == entry for tree in trees)}


@pytest.mark.parametrize("seed", range(WORLDS))
def test_no_choice_among_protected_refs_and_repositories_rolls_a_fix_back(seed: int, tmp_path: Path) -> None:
    """U-01, T38: a comment passes only where every ref has the same file; and there some do."""
    found = lying_refs.played(tmp_path, WORKS, seed)
    assert found.wrong == []
    assert found.namings == set(lying_refs.NAMINGS)
    assert found.rightly > 0


@pytest.mark.parametrize(
    "broken",
    [the_ref_that_is_named_is_enough, other_repositories_are_not_asked, what_is_missing_does_not_count],
    ids=lambda one: one.__name__,
)
def test_a_gate_that_lets_one_ref_speak_for_all_is_found(
    broken: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T38: each way of asking too few is noticed."""
    monkeypatch.setattr(mirrors, "_agreed", broken)
    assert any(lying_refs.played(tmp_path / str(seed), WORKS, seed).wrong for seed in range(WORLDS))
