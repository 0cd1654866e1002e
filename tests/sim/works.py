"""The works of the simulated world: bytes with a digest, paths, a risk and the truth about them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from foureyes.core.values import BaseSource, Changed, ChangeKind, KnownBase, Place, Proof, Risk, RiskLevel, WorkPart

PATHS = ("src/app.py", "src/core.py", "src/ui.py", "lib/sort.py", "docs/guide.md", "notes.txt")
GUARDED = ("migrations/0001.sql", "auth/login.py")
GUARDED_SHARE = 0.1
LINES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Bytes:
    """Some bytes; `bad` is the truth, which honest reviewers see and authors may not know; the defect is at `flaw`."""

    digest: str
    paths: tuple[str, ...]
    risk: Risk
    bad: bool
    flaw: Place
    change: ChangeKind = ChangeKind.CONTENT
    changed: tuple[Changed, ...] = ()
    parts: tuple[WorkPart, ...] = ()
    unchanged: bool = False
    #: Bytes of one family differ by a byte, a path or a part, and have all their text in common.
    family: str = ""

    @property
    def known(self) -> bool:
        """Whether the gate knows the base of these bytes; otherwise it has only the author's claim."""
        return int(self.digest[-1], 16) % 4 > 0

    @property
    def base(self) -> KnownBase:
        """The base that the gate compares them with."""
        if not self.known:
            return KnownBase()
        return KnownBase(source=BaseSource.REPOSITORY, name="shop refs/heads/main", digest=f"before {self.digest}")

    @property
    def proof(self) -> Proof:
        """What a program proves about them against that base."""
        if not self.known or not self.risk.trivial:
            return Proof()
        return Proof(base=self.base.digest, digest=self.digest, why="only layout changed", is_small=True)


def make(
    rng: random.Random, number: int, *, after: Bytes | None = None, good: bool = False, same_text: bool = False
) -> Bytes:
    """Make new bytes, perhaps from older ones; everything about them follows from the seed.

    Every other version of some bytes has another text; with `same_text` it never has.
    """
    paths = after.paths if after and rng.random() < 0.8 else _paths(rng, good=good)
    digest = f"{number:05d}-{rng.getrandbits(64):016x}"
    kinds = (ChangeKind.CONTENT,) * 7 + (ChangeKind.REBASE, ChangeKind.MESSAGE)
    change = rng.choice(kinds) if after and paths == after.paths else ChangeKind.CONTENT
    same = after is not None and change is not ChangeKind.CONTENT
    spoiled = after.bad if after and same else not good and rng.random() < (0.25 if after else 0.4)
    harmless = all(path.endswith((".md", ".txt")) for path in paths) and not spoiled
    trivial = after.risk.trivial if after and same else harmless
    guarded = any(path.startswith(("migrations/", "auth/")) for path in paths)
    level = RiskLevel.HIGH if guarded else RiskLevel.LOW if trivial else RiskLevel.MEDIUM
    changed = tuple(_changed(rng, path) for path in paths) if after and not same else ()
    path, start = paths[0], rng.randrange(1, LINES)
    return Bytes(
        digest=digest,
        paths=paths,
        risk=Risk(level=level, trivial=trivial),
        bad=spoiled,
        flaw=Place(path=path, start=start, end=start + 3, context_hash=f"{path}:{start}"),
        change=change,
        changed=changed,
        parts=tuple(WorkPart(name=path, digest=f"{digest[:8]}:{path}", size=LINES) for path in paths),
        unchanged=rng.random() < 0.3,
        family=after.family if after and (same_text or int(digest[-2], 16) % 2) else digest,
    )


def _paths(rng: random.Random, *, good: bool) -> tuple[str, ...]:
    if good:
        return (PATHS[0],)
    if rng.random() < GUARDED_SHARE:
        return (rng.choice(GUARDED), rng.choice(PATHS))
    return tuple(sorted(rng.sample(PATHS, rng.choice((1, 1, 1, 2)))))


def _changed(rng: random.Random, path: str) -> Changed:
    start = rng.randrange(1, LINES)
    return Changed(path=path, start=start, end=min(LINES, start + rng.randrange(30)))
