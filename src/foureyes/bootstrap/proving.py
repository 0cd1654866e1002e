"""The prover that a gate asks: the proofs, run apart from the server and cut off at their limit."""

from __future__ import annotations

from collections.abc import Mapping

from foureyes.app.children import ChildError, shared

Files = Mapping[str, bytes]


async def prove_apart(before: Files, after: Files, *, seconds: float) -> str:
    """Prove in a child process that a work is harmless; whatever goes wrong there is no proof.

    Without one within so many seconds of processor time the work is reviewed like any other.
    """
    from foureyes.proofs import may_be_proven

    if not may_be_proven(before, after):
        return ""
    try:
        return await shared().call(prove_pair, (dict(before), dict(after)), seconds=seconds)
    except ChildError:
        return ""


def prove_pair(pair: tuple[Files, Files]) -> str:
    """Run the proof; the parsers are loaded where they are used."""
    from foureyes.proofs import prove

    return prove(*pair)
