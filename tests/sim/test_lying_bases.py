"""An author who lies about the base gets nothing by it; a gate that believed the claim is found at once."""

from __future__ import annotations

from functools import partial

from foureyes.app.asks import Ask
from foureyes.app.bases import Bases, KnownFiles, Prepared, with_risk
from foureyes.app.ports import Store
from foureyes.app.work import manifest_digest
from foureyes.core.commands import OpenReview
from foureyes.core.values import BaseSource, KnownBase, Proof
from tests.conftest import EFFORT
from tests.sim.lying import SORTS, claims, played
from tests.sim.planted.plant import Function, bug

LIES = {"all": 10_000}.get(EFFORT, 3_000)


@bug("foureyes.app.bases:Bases.prepare", source="T38", found_by="T38")
async def the_claim_is_believed(_original: Function, _bases: Bases, store: Store, ask: Ask) -> Prepared:
    """Work is compared with what its author says it was before, and a comment is taken for proof."""
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
