"""The gate's prover runs outside the server process: a slow or crashing one proves nothing and blocks nothing."""

import asyncio
import time

import pytest

from foureyes.app.children import REQUESTS, shared
from foureyes.bootstrap.proving import prove_apart
from foureyes.core.values import Proof

HONEST = ({"a.py": b"x = 1\n"}, {"a.py": b"# How many there are.\nx = 1\n"})
SECONDS = 3.0
PARAGRAPHS = "Some words are here.\n\n" * 900
#: Texts that make a parser or a comparison work hard.
HOSTILE = {
    "docs/a.md": (PARAGRAPHS.encode(), b"# A heading\n\n" + PARAGRAPHS.encode()),
    "a.py": (b"x = " + b"[" * 5_000 + b"]" * 5_000 + b"\n", b"x = " + b"(" * 90 + b"1" + b")" * 90 + b"\n"),
    "a.js": (b"[1]" * 50_000, b"[1];" * 50_000),
    "a.ts": (b"a<" * 50_000, b"a<b" * 50_000),
    "a.go": (b"package a\n" + b"func(" * 20_000, b"package a\n" + b"func((" * 20_000),
    "A.java": (b"class A {" * 10_000, b"class A {}" * 10_000),
}


def test_a_proof_comes_from_a_child_process() -> None:
    """U-02, U-17: with the same answer, and the child stays for the next one."""
    proof = asyncio.run(prove_apart(*HONEST, seconds=SECONDS))
    assert proof.why == "Proven: only comments or layout differ in a.py"
    assert shared(REQUESTS).pids()


def test_a_proof_that_takes_too_long_is_none() -> None:
    """U-02, T43: the child is killed at the limit, and the next proof is made by another."""
    heavy = {"docs/a.md": PARAGRAPHS.encode()}
    changed = {"docs/a.md": ("Other words are there.\n\n" + PARAGRAPHS).encode()}
    assert asyncio.run(prove_apart(heavy, changed, seconds=0.01)).why == ""
    assert asyncio.run(prove_apart(*HONEST, seconds=SECONDS)).why


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_files_prove_nothing_and_hold_up_nobody(path: str) -> None:
    """U-02, T43: within the limit, and the loop of the server runs on meanwhile."""

    async def beside() -> tuple[Proof, float]:
        before, after = HOSTILE[path]
        asked = asyncio.ensure_future(prove_apart({path: before}, {path: after}, seconds=SECONDS))
        slowest = 0.0
        while not asked.done():
            began = time.perf_counter()
            await asyncio.sleep(0.01)
            slowest = max(slowest, time.perf_counter() - began)
        return await asked, slowest

    proof, slowest = asyncio.run(beside())
    assert proof.why == ""
    assert slowest < 2
