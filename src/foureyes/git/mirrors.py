"""Read the files of a base: a commit that a protected ref reaches, in a repository of the configuration.

A file of the base counts only if every protected ref of that repository has it, with the same bytes, and no protected
ref of another repository has something else at its path. It is unknown to which of them a work goes in the end, and
what one ref has may be what another one has fixed.

The server reads all of them itself. What an author names is never handed to git unless it is a whole object id; refs
and patterns come from the configuration. Content is read through a scratch repository that borrows nothing but objects,
so no setting, hook, graft or replacement of the repository counts. On any error or timeout there is no base.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from foureyes.app.bases import KnownFiles
from foureyes.app.work import PARTS_MAX, SUBMODULE_MODE, WORK_BYTES_MAX, blob_digest, manifest_digest
from foureyes.core.values import BaseSource, KnownBase, WorkPart
from foureyes.git.repositories import Repository, known
from foureyes.git.running import environment, run
from foureyes.git.scratch import Scratch, scratch
from foureyes.home.trouble import Trouble

#: The time limit for the search for one base in all repositories, with all that git does for it.
SECONDS_MAX = 5.0
#: The most searches that run at once; a caller that comes while all are busy waits for as long.
SEARCHES_MAX = 4
TIPS_MAX = 200
TIPS_BYTES_MAX = 256 * 1024
#: A tree is looked for in this many of the last commits of each protected ref.
COMMITS_MAX = 1_000
#: The most bytes of paths in one git command.
PATHS_BYTES_MAX = 64 * 1024
LISTING_BYTES_MAX = 4 * 1024 * 1024
FOLDER_MODE = "040000"

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}").fullmatch
_HEADS = "refs/heads/"
#: The usual names of a default branch, for a repository that does not say which it is.
_USUAL = (f"{_HEADS}main", f"{_HEADS}master")
log = logging.getLogger("foureyes.mirrors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A repository on this disk and its protected refs; if none is named, the default branch is protected."""

    name: str
    path: Path
    protected: tuple[str, ...] = ()

    def repository(self) -> Repository:
        """Return the repository at exactly this path; raises Trouble if there is none."""
        here = known(self.path)
        if self.path.resolve() not in (here.git_dir.resolve(), here.place.resolve()):
            raise Trouble(f"{self.path} is not a repository itself.", "Name the folder of the repository.", usage=True)
        return here

    def tips(self, here: Repository) -> dict[str, str]:
        """Return the commit of every protected ref, by its full name; raises Trouble if there is none."""
        patterns = tuple(map(_full, self.protected)) or (_default_branch(here),)
        asked = ("for-each-ref", "--format=%(objectname) %(refname)", f"--count={TIPS_MAX + 1}", "--", *patterns)
        ran = run(
            asked,
            folder=here.place,
            environment=environment(),
            out_bytes_max=TIPS_BYTES_MAX,
            seconds=SECONDS_MAX,
        )
        lines = (line.split(" ", 1) for line in ran.out.decode(errors="replace").splitlines())
        found = {ref: commit for commit, ref in lines}
        if ran.code or not found:
            raise Trouble(
                f"The repository {self.name} at {self.path} has none of its protected refs: {', '.join(patterns)}.",
                "Name refs that it has, in `protected` of the configuration.",
                usage=True,
            )
        if len(found) > TIPS_MAX:
            raise Trouble(
                f"The repository {self.name} at {self.path} has more than {TIPS_MAX} protected refs.",
                "Name fewer in `protected` of the configuration.",
                usage=True,
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """An entry of a tree: a file, a link, a folder or a submodule."""

    mode: str
    object: str
    size: int

    @property
    def is_file(self) -> bool:
        """True if it is a plain file or a link, which can be compared with."""
        return self.mode not in (FOLDER_MODE, SUBMODULE_MODE)


#: The entries of a tree, by path.
_Tree = dict[str, _Entry]


@dataclass(slots=True)
class Mirrors:
    """Reads bases from the repositories of the configuration."""

    mirrors: tuple[Mirror, ...]
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SEARCHES_MAX))

    async def files(self, base: str, paths: tuple[str, ...]) -> KnownFiles | None:
        """Return these files at a base that a protected ref reaches; None if there is none, or on a timeout."""
        named = tuple(self._named(base))
        if not named or len(paths) > PARTS_MAX:
            return None
        try:
            async with asyncio.timeout(SECONDS_MAX):
                await self._room.acquire()
        except TimeoutError:
            log.warning("a base was not looked up: too many are being read")
            return None
        try:
            return await asyncio.to_thread(_found, self.mirrors, named, paths)
        finally:
            self._room.release()

    def _named(self, base: str) -> Iterator[tuple[Mirror, str]]:
        """Yield the repositories a base may be of: the one it names; for an object id each; for a ref the only one."""
        prefix, colon, rest = base.partition(":")
        for mirror in self.mirrors:
            if colon and prefix == mirror.name:
                yield mirror, rest
            elif not colon and (_ID(base) or len(self.mirrors) == 1):
                yield mirror, base

    def check(self) -> None:
        """Raise Trouble if a repository or its protected refs cannot be read."""
        for mirror in self.mirrors:
            mirror.tips(mirror.repository())


def _found(
    mirrors: tuple[Mirror, ...], named: tuple[tuple[Mirror, str], ...], paths: tuple[str, ...]
) -> KnownFiles | None:
    """Return the files at the named base, as far as all protected refs agree on them."""
    until = time.monotonic() + SECONDS_MAX
    try:
        for mirror, name in named:
            others = tuple(one for one in mirrors if one is not mirror)
            found = _Search(mirror=mirror, paths=paths, until=until).files(name, others)
            if found is not None:
                return found
    except (Trouble, OSError, ValueError) as error:
        log.warning("the base could not be read: %s", error)
    return None


def _agreed(then: _Tree, own: Iterable[_Tree], others: Iterable[_Tree]) -> _Tree:
    """Return the files of a base that all protected refs agree on.

    Every protected ref of its own repository has the same file, and no other repository has a different one.
    """
    own, others = tuple(own), tuple(others)
    return {
        path: entry
        for path, entry in then.items()
        if entry.is_file
        and all(tree.get(path) == entry for tree in own)
        and all(tree.get(path, entry) == entry for tree in others)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """One search in one repository."""

    mirror: Mirror
    paths: tuple[str, ...]
    until: float

    def files(self, name: str, others: tuple[Mirror, ...]) -> KnownFiles | None:
        """Return the files at the named commit or ref that agree with every protected ref here and in the others."""
        here = self.mirror.repository()
        tips = self.mirror.tips(here)
        with scratch(here, SECONDS_MAX) as bench:
            reached = self._reached(bench, tips, name)
            if reached is None:
                return None
            ref, start = reached
            elsewhere = [tree for other in others for tree in replace(self, mirror=other).trees()]
            same = _agreed(self._listed(bench, start), self._trees(bench, tips), elsewhere)
            contents = self._contents(bench, same)
        parts = tuple(_part(path, same[path], contents) for path in sorted(same) if same[path].object in contents)
        base = KnownBase(
            source=BaseSource.REPOSITORY,
            name=f"{self.mirror.name} {ref} {start}",
            digest=manifest_digest(parts),
        )
        return KnownFiles(base=base, parts=parts, blobs={blob_digest(one): one for one in contents.values()})

    def trees(self) -> list[_Tree]:
        """Return what every protected ref of this repository has at the paths."""
        here = self.mirror.repository()
        tips = self.mirror.tips(here)
        with scratch(here, SECONDS_MAX) as bench:
            return self._trees(bench, tips)

    def _trees(self, bench: Scratch, tips: dict[str, str]) -> list[_Tree]:
        return [self._listed(bench, commit) for commit in dict.fromkeys(tips.values())]

    def _reached(self, bench: Scratch, tips: dict[str, str], name: str) -> tuple[str, str] | None:
        """Return the protected ref that reaches the named object, and its commit or tree."""
        if not _ID(name):
            ref = next((ref for ref in tips if name and name in (ref, ref.removeprefix(_HEADS))), "")
            return (ref, tips[ref]) if ref else None
        commit = bench.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if commit.code == 0:
            start = commit.out.decode().strip()
            return next(((ref, start) for ref in tips if self._is_ancestor(bench, start, tips[ref])), None)
        return next(((ref, name) for ref in tips if self._has_tree(bench, name, tips[ref])), None)

    def _is_ancestor(self, bench: Scratch, commit: str, tip: str) -> bool:
        return self._asked(bench, "merge-base", "--is-ancestor", "--end-of-options", commit, tip)[0] == 0

    def _has_tree(self, bench: Scratch, tree: str, tip: str) -> bool:
        asked = ("rev-list", f"--max-count={COMMITS_MAX}", "--no-commit-header", "--format=%T", "--end-of-options", tip)
        code, out = self._asked(bench, *asked)
        return code == 0 and tree in out.decode().split()

    def _listed(self, bench: Scratch, tree: str) -> _Tree:
        """Return what a tree has at the paths."""
        found = _Tree()
        for some in _chunks(self.paths):
            code, out = self._asked(bench, "ls-tree", "-l", "-z", "--full-tree", tree, "--", *some)
            if code:
                raise Trouble(
                    f"{tree} cannot be read in the repository {self.mirror.name}.", "Check the repository: git fsck"
                )
            for line in filter(None, out.split(b"\0")):
                head, _, path = line.partition(b"\t")
                mode, _, name, size = head.decode().split()
                found[os.fsdecode(path)] = _Entry(mode=mode, object=name, size=int(size) if size.isdigit() else 0)
        return found

    def _contents(self, bench: Scratch, files: _Tree) -> dict[str, bytes]:
        """Return the bytes of these files by object id; raises Trouble if they are too many together."""
        sizes = {one.object: one.size for one in files.values()}
        if sum(sizes.values()) > WORK_BYTES_MAX:
            raise Trouble(f"The files have more than {WORK_BYTES_MAX} bytes at the base.", "Split the work.")
        self._check_time()
        return bench.contents(sizes, at_most=sum(sizes.values()))

    def _asked(self, bench: Scratch, *words: str) -> tuple[int, bytes]:
        self._check_time()
        ran = bench.ask(*words, at_most=LISTING_BYTES_MAX)
        return ran.code, ran.out

    def _check_time(self) -> None:
        if time.monotonic() > self.until:
            raise Trouble(
                f"Reading the repository {self.mirror.name} took longer than {SECONDS_MAX:.0f} seconds.",
                "Pack the repository (git gc), or protect fewer refs.",
            )


def _part(path: str, entry: _Entry, contents: dict[str, bytes]) -> WorkPart:
    content = contents[entry.object]
    return WorkPart(name=path, digest=blob_digest(content), size=len(content), mode=entry.mode)


def _chunks(paths: tuple[str, ...]) -> Iterator[list[str]]:
    """Split the paths into lists that fit into one command line each."""
    some, size = list[str](), 0
    for path in paths:
        if some and size + len(path.encode()) > PATHS_BYTES_MAX:
            yield some
            some, size = [], 0
        some.append(path)
        size += len(path.encode())
    if some:
        yield some


def _full(name: str) -> str:
    return name if name.startswith("refs/") else _HEADS + name


def _default_branch(here: Repository) -> str:
    """Return the default branch: a bare repository's HEAD, a clone's origin/HEAD, else one of the usual names."""
    asked = "HEAD" if here.top is None else "refs/remotes/origin/HEAD"
    ran = run(("symbolic-ref", "--quiet", asked), folder=here.place, environment=environment(), seconds=SECONDS_MAX)
    if ran.code == 0:
        return ran.out.decode(errors="replace").strip()
    usual = [ref for ref in _USUAL if here.commit_or_none(ref)]
    if len(usual) != 1:
        raise Trouble(
            f"The repository at {here.place} does not say which branch is its default one.",
            "Name its protected refs in the configuration.",
            usage=True,
        )
    return usual[0]
