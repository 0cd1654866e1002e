"""The prover that a gate asks: the proofs, run apart from the server and cut off at their limit."""

from __future__ import annotations

from collections.abc import Mapping

from foureyes.app.children import REQUESTS, ChildError, shared

#: Somebody waits for the answer: a child that is not free by then makes no proof.
WAIT_SECONDS_MAX = 3.0

Files = Mapping[str, bytes]


async def prove_apart(before: Files, after: Files, *, seconds: float) -> str:
    """Prove in a child process that a work is harmless; whatever goes wrong there is no proof.

    Without one within so many seconds of processor time, or without a free child soon, the work is reviewed like any
    other.
    """
    from foureyes.proofs import may_be_proven

    if not may_be_proven(before, after):
        return ""
    try:
        files = (dict(before), dict(after))
        return await shared(REQUESTS).call(prove_pair, files, seconds=seconds, wait_seconds=WAIT_SECONDS_MAX)
    except ChildError:
        return ""


def prove_pair(pair: tuple[Files, Files]) -> str:
    """Run the proof; the parsers are loaded where they are used."""
    from foureyes.proofs import prove

    return prove(*pair)
