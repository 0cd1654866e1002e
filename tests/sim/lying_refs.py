"""An author who picks the base among several protected refs and repositories, to roll back a fix in another.

The contents of every ref are drawn, committed with the real git, and recorded: the checker uses only that record.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.asks import Ask
from foureyes.app.bases import Bases
from foureyes.app.gate import Gate
from foureyes.app.work import work_of
from foureyes.app.world import World
from foureyes.core.commands import OpenReview
from foureyes.git.mirrors import Mirror, Mirrors
from foureyes.policy.load import shipped
from foureyes.store.memory import MemoryStore
from tests.app.house import Pool
from tests.cast import DEV, START
from tests.git.ground import Ground, new
from tests.sim.lying import proven

#: The refs of each repository, the oldest first: each begins at the one before.
REPOSITORIES = {"shop": ("release/1", "release/2", "main"), "play": ("main",)}
PATHS = ("lib/guard.py", "lib/price.py", "app/main.py", "app/only.py", "tools/run.py")
NAMINGS = ("ref", "full ref", "commit", "named commit", "tree")
#: The share of refs with the common version of a file, and with their own; the others lack it.
_SAME, _OWN = 0.75, 0.15

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shops:
    """The repositories of one world, and what each of their protected refs has."""

    grounds: Mapping[str, Ground]
    files: Mapping[tuple[str, str], Files]

    def is_everywhere(self, repository: str, path: str) -> bool:
        """True if all refs of a repository have one version of a file, and no other repository has another one."""
        own = {files.get(path) for (name, _), files in self.files.items() if name == repository}
        other = {files.get(path) for (name, _), files in self.files.items() if name != repository}
        return len(own) == 1 and None not in own and other <= {*own, None}


@dataclass(slots=True)
class Played:
    """The results of the claims."""

    #: A sentence for each that got something by its base.
    wrong: list[str] = field(default_factory=list)
    #: Those that were let pass because every ref agrees.
    rightly: int = 0
    #: By how the base was named.
    namings: set[str] = field(default_factory=set)


def shops(folder: Path, rng: random.Random) -> Shops:
    """Draw what every ref has, and commit it."""
    usual = {path: f"limit = {rng.randrange(90)}\n".encode() for path in PATHS}
    grounds, found = dict[str, Ground](), dict[tuple[str, str], Files]()
    for repository, refs in REPOSITORIES.items():
        ground = grounds[repository] = new(folder / repository)
        for ref in refs:
            found[repository, ref] = files = dict(_drawn(rng, usual))
            ground.git("checkout", "-q", "-B", ref)
            ground.git("rm", "-rq", "--ignore-unmatch", ".")
            for path, content in files.items():
                ground.write(path, content)
            ground.commit(ref)
    return Shops(grounds=grounds, files=found)


def _drawn(rng: random.Random, usual: Files) -> list[tuple[str, bytes]]:
    draws = [(path, content, rng.random()) for path, content in usual.items()]
    return [
        (path, content if draw < _SAME else content + f"other = {rng.randrange(900)}\n".encode())
        for path, content, draw in draws
        if draw < _SAME + _OWN
    ]


def played(folder: Path, count: int, seed: int) -> Played:
    """Open so many works in one world, each with the base that suits its author."""
    rng = random.Random(seed)
    world = shops(folder, rng)
    mirrors = Mirrors(
        tuple(
            Mirror(name=name, path=ground.path, protected=("main", "release/*") if name == "shop" else ("main",))
            for name, ground in world.grounds.items()
        )
    )
    gate = Gate(
        MemoryStore(),
        Pool(),
        policy=shipped("peer").policy,
        world=World(clock=lambda: START, draw=lambda: 7),
        bases=Bases(repositories=mirrors, prove=proven),
    )
    return asyncio.run(_played(gate, world, rng, count))


async def _played(gate: Gate, world: Shops, rng: random.Random, count: int) -> Played:
    result = Played()
    for number in range(count):
        repository, ref = rng.choice([place for place, files in world.files.items() if files])
        path, old = rng.choice(sorted(world.files[repository, ref].items()))
        naming = rng.choice(NAMINGS)
        result.namings.add(naming)
        work = work_of({path: b"# One more word over line %d\n%s" % (number, old)})
        command = OpenReview(
            review="",
            kind="add_comment",
            title="A small change",
            digest=work.digest,
            base=_named(world.grounds[repository], repository, ref, naming),
            parts=work.parts,
        )
        reply = await gate.handle(Ask(actor=DEV, key=f"k{number}", command=command, blobs=work.blobs))
        live = await gate.may_go_live(work.digest, "production")
        if world.is_everywhere(repository, path):
            result.rightly += live.allowed
        elif reply.state != "open" or live.allowed:
            result.wrong.append(f"{repository} {ref} by {naming}, {path}: {reply.state}")
    return result


def _named(ground: Ground, repository: str, ref: str, naming: str) -> str:
    """The base as the author names it."""
    if naming in ("ref", "full ref"):
        return f"{repository}:{'refs/heads/' if naming == 'full ref' else ''}{ref}"
    found = ground.git("rev-parse", f"{ref}^{{tree}}" if naming == "tree" else ref)
    return f"{repository}:{found}" if naming == "named commit" else found
