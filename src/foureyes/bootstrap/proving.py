"""The prover that a gate calls: the proofs run in a child process that is stopped at its time limit."""

from __future__ import annotations

from collections.abc import Mapping

from foureyes.app.children import REQUESTS, ChildError, shared
from foureyes.core.values import Proof

#: The caller waits for the answer: if no child process is free by then, no proof is made.
WAIT_SECONDS_MAX = 3.0

Files = Mapping[str, bytes]


async def prove_apart(before: Files, after: Files, *, seconds: float) -> Proof:
    """Prove in a child process that a change is harmless; any failure there means no proof.

    Without a proof within this many seconds of processor time, or without a free child in time, the work is reviewed
    like any other.
    """
    from foureyes.proofs import may_be_proven

    if not may_be_proven(before, after):
        return Proof()
    try:
        files = (dict(before), dict(after))
        return await shared(REQUESTS).call(prove_pair, files, seconds=seconds, wait_seconds=WAIT_SECONDS_MAX)
    except ChildError:
        return Proof()


def prove_pair(pair: tuple[Files, Files]) -> Proof:
    """Run the proof; there is none if the critic of injected instructions finds something.

    The parsers and the critic are imported where they are used.
    """
    from foureyes.proofs import prove

    proof = prove(*pair)
    return Proof() if proof.why and _instructs(*pair) else proof


def _instructs(before: Files, after: Files) -> bool:
    """True if the critic finds hidden text or an order to its readers in a file that differs."""
    from foureyes.app.reviewers import Change, File
    from foureyes.reviewers.critics.injection import CRITIC

    files = tuple(File(path=path, content=content) for path, content in after.items() if before.get(path) != content)
    return bool(CRITIC.look(Change(title="", kind="text", files=files)).hits)
