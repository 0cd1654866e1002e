"""What is made in the simulated world? Bytes with a digest, paths, a risk and the truth about them."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from foureyes.core.facts import Risk, RiskLevel
from foureyes.core.values import Changed, ChangeKind, WorkPart

PATHS = ("src/app.py", "src/core.py", "docs/guide.md", "migrations/0001.sql", "auth/login.py", "notes.txt")
LINES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Bytes:
    """Some bytes; `bad` is the truth that honest reviewers see and authors may not know."""

    digest: str
    paths: tuple[str, ...]
    risk: Risk
    bad: bool
    change: ChangeKind = ChangeKind.CONTENT
    changed: tuple[Changed, ...] = ()
    parts: tuple[WorkPart, ...] = ()
    unchanged_seats: frozenset[str] = frozenset()


def make(rng: random.Random, number: int, *, after: Bytes | None = None, bad: bool | None = None) -> Bytes:
    """Make new bytes, perhaps from older ones; everything about them follows from the seed."""
    paths = after.paths if after and rng.random() < 0.8 else tuple(sorted(rng.sample(PATHS, rng.choice((1, 1, 2)))))
    digest = hashlib.sha256(f"{number}:{rng.random()}".encode()).hexdigest()
    spoiled = rng.random() < 0.35 if bad is None else bad
    trivial = all(path.endswith((".md", ".txt")) for path in paths) and not spoiled
    guarded = any(path.startswith(("migrations/", "auth/")) for path in paths)
    level = RiskLevel.HIGH if guarded else RiskLevel.LOW if trivial else RiskLevel.MEDIUM
    kinds = (ChangeKind.CONTENT,) * 8 + (ChangeKind.REBASE, ChangeKind.MESSAGE)
    change = rng.choice(kinds) if after and paths == after.paths else ChangeKind.CONTENT
    changed = tuple(_changed(rng, path) for path in paths) if after and change is ChangeKind.CONTENT else ()
    spoiled = after.bad if after and change is not ChangeKind.CONTENT else spoiled
    parts = tuple(WorkPart(name=path, digest=f"{digest[:8]}:{path}", size=LINES) for path in paths)
    return Bytes(
        digest=digest,
        paths=paths,
        risk=Risk(level=level, trivial=trivial),
        bad=spoiled,
        change=change,
        changed=changed,
        parts=parts,
    )


def _changed(rng: random.Random, path: str) -> Changed:
    start = rng.randrange(1, LINES)
    return Changed(path=path, start=start, end=min(LINES, start + rng.randrange(30)))
