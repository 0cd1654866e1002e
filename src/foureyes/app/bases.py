"""What is found out about a work before the transaction: the base the gate knows, a proof against it, and its risk.

A base is what is live on the target of the work, or what the server reads in a repository.

The author's own `base_files` are a statement: they are kept to show a diff, and nothing is decided by them. Everything
here is found before the transaction; inside it `is_still_known` checks that the target has not moved on meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from foureyes.app.asks import Ask
from foureyes.app.differences import file_changes
from foureyes.app.ports import Conflict, Quick, Reading, Store, Unavailable
from foureyes.app.shelf import SMALL_BYTES_MAX
from foureyes.app.targets import Standing, now_on
from foureyes.app.work import GONE_MODE, LINK_MODE, SUBMODULE_MODE, blob_digest, check_work, manifest_digest
from foureyes.core.commands import OpenReview, SubmitRevision
from foureyes.core.refusals import Refusal
from foureyes.core.risk import risk_of
from foureyes.core.values import ON_TARGET, BaseSource, KnownBase, Proof, Risk, WorkPart

#: Asks a program for a proof that a work is harmless, from the files before and after; an empty proof proves nothing.
Prover = Callable[[Mapping[str, bytes], Mapping[str, bytes]], Awaitable[Proof]]

PROOF_CHARS_MAX = 500
_UNPROVABLE = frozenset({GONE_MODE, LINK_MODE, SUBMODULE_MODE})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFiles:
    """The files of a base, and from where they are known."""

    base: KnownBase
    parts: tuple[WorkPart, ...]
    blobs: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What was found about a work before the transaction; by default nothing."""

    files: KnownFiles | None = None
    proof: Proof = Proof()
    #: The risk against the base, and against nothing; None if the bytes were not available.
    risk: Risk | None = None
    risk_alone: Risk | None = None
    #: True if the digest and parts of the work were checked.
    is_sound: bool = False

    def risk_against(self, known: KnownFiles | None) -> Risk:
        """Return the risk of the work against a base; raises Unprepared if it was not computed yet."""
        found = self.risk_alone if known is None else self.risk
        if found is None:
            raise Unprepared("The bytes of the work came while it was looked at.")
        return found


class Unprepared(Conflict):
    """What the decision needs was not there when it was prepared: prepare it again."""


NOTHING = Prepared()


def too_busy(ask: Ask) -> Unavailable:
    """Return the error for a command that lost against concurrent writers too often."""
    return Unavailable(f"{ask.stream or 'The review'} is too busy.", "Try again in a moment with the same key.")


class Repositories(Protocol):
    """Repositories that the server reads itself."""

    async def files(self, base: str, paths: tuple[str, ...]) -> KnownFiles | None:
        """Return these files at a commit or tree that a protected ref reaches; None if there is no such base."""


async def prove_nothing(_before: Mapping[str, bytes], _after: Mapping[str, bytes]) -> Proof:
    """Return an empty proof: without a prover no label skips anything."""
    return Proof()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bases:
    """Finds the base of a work that the gate knows, and what a program can prove against it."""

    repositories: Repositories | None = None
    prove: Prover = field(default=prove_nothing)
    #: True for a gate that serves only the caller's own machine: a base read there counts there.
    local: bool = False

    async def prepare(self, store: Store, ask: Ask) -> Prepared:
        """Find the base and a proof against it, and compute the risk.

        Without a base the work is compared with nothing.
        """
        command = ask.command
        if not isinstance(command, OpenReview | SubmitRevision) or not command.parts or not _is_sound(command):
            return NOTHING
        found = await self._found(store, ask, command) if self._is_named(ask, command) else None
        proof = await self._proof(store, ask, command, found) if found and found.base.is_known else Proof()
        prepared = Prepared(files=found, proof=proof, is_sound=True)
        # Small work is quick; large work is scanned in a thread, with no lock held.
        is_small = sum(one.size for one in command.parts) <= SMALL_BYTES_MAX and found is None
        if is_small and all(one.digest in ask.blobs for one in command.parts):
            return with_risk(prepared, command.parts, ask.blobs)
        work = partial(with_risk, prepared, command.parts, ask.blobs)
        return await store.read(Quick(work) if is_small else work)

    def _is_named(self, ask: Ask, command: OpenReview | SubmitRevision) -> bool:
        """True if a base is named. Most work names none and needs no lookup."""
        in_repository = bool(command.base) and self.repositories is not None
        return bool(ask.target) or in_repository or (self.local and bool(ask.before))

    async def _found(self, store: Store, ask: Ask, command: OpenReview | SubmitRevision) -> KnownFiles | None:
        found = await store.read(partial(_on_target, ask)) if ask.target else None
        if found is None and command.base and self.repositories is not None:
            found = await self.repositories.files(command.base, tuple(one.name for one in command.parts))
        if found is None and self.local and ask.before:
            base = KnownBase(source=BaseSource.LOCAL, name=command.base, digest=manifest_digest(ask.before))
            found = KnownFiles(base=base, parts=ask.before, blobs={})
        return found

    async def _proof(self, store: Store, ask: Ask, command: OpenReview | SubmitRevision, found: KnownFiles) -> Proof:
        if not _is_provable(found.parts, command.parts):
            return Proof()
        after = await store.read(partial(_contents, command.parts, ask.blobs))
        before = await store.read(partial(_contents, found.parts, found.blobs))
        if after is None or before is None:
            return Proof()
        proof = await self.prove(before, after)
        return replace(proof, base=found.base.digest, digest=command.digest, why=proof.why[:PROOF_CHARS_MAX])


def with_risk(
    prepared: Prepared, parts: tuple[WorkPart, ...], given: Mapping[str, bytes], reading: Reading | None = None
) -> Prepared:
    """Return `prepared` with the risk of the work, if its bytes are available."""
    known = prepared.files
    before = known.parts if known else ()
    blobs = _at_hand((*parts, *before), {**(known.blobs if known else {}), **given}, reading)
    if any(one.digest not in blobs for one in parts):
        return prepared
    risk = risk_of(file_changes(before, parts, blobs), proof=prepared.proof.why) if known else None
    # If the target changes meanwhile there is no base any more, and the work is compared with nothing.
    moves = known is not None and known.base.source in ON_TARGET
    alone = risk_of(file_changes((), parts, blobs)) if known is None or moves else None
    return replace(prepared, risk=risk, risk_alone=alone)


def _at_hand(parts: tuple[WorkPart, ...], given: Mapping[str, bytes], reading: Reading | None) -> dict[str, bytes]:
    """Return the bytes of these parts, as sent or stored; bytes that do not match their digest are left out."""
    found: dict[str, bytes] = {}
    for digest in dict.fromkeys(one.digest for one in parts):
        content = given.get(digest)
        if content is None and reading is not None:
            blob = reading.blob(digest)
            content = blob.content if blob else None
        if content is not None and blob_digest(content) == digest:
            found[digest] = content
    return found


def is_still_known(reading: Reading, ask: Ask, files: KnownFiles) -> bool:
    """True if the target still has what the work was compared with; bases from other sources do not change."""
    if files.base.source not in ON_TARGET:
        return True
    found = _on_target(ask, reading)
    return found is not None and found.base == files.base


def stated(parts: tuple[WorkPart, ...], before: tuple[WorkPart, ...]) -> tuple[WorkPart, ...]:
    """Return the author's statement of the base files, limited to the paths of the work."""
    names = {one.name for one in parts}
    by_name = {one.name: one for one in before if one.name in names}
    return tuple(by_name[name] for name in sorted(by_name))


def _is_sound(command: OpenReview | SubmitRevision) -> bool:
    """True if the digest and parts of the work are consistent; if not, the transaction refuses it."""
    try:
        check_work(command.digest, command.parts)
    except Refusal:
        return False
    return True


def _on_target(ask: Ask, reading: Reading) -> KnownFiles | None:
    standing: Standing | None = now_on(reading, ask.target)
    if standing is None or standing.is_word_of(reading, ask.actor):
        return None
    source = BaseSource.ATTESTED if standing.attested_by else BaseSource.LIVE
    base = KnownBase(source=source, name=ask.target, digest=standing.digest)
    return KnownFiles(base=base, parts=standing.parts, blobs={})


def _is_provable(before: tuple[WorkPart, ...], after: tuple[WorkPart, ...]) -> bool:
    """True if the same plain files exist with the same modes before and after: a proof only covers file contents."""
    modes = {one.name: one.mode for one in before}
    same = modes == {one.name: one.mode for one in after}
    return same and not _UNPROVABLE.intersection(modes.values())


def _contents(parts: tuple[WorkPart, ...], given: Mapping[str, bytes], reading: Reading) -> dict[str, bytes] | None:
    """Return the bytes of every part by its path; None if some are missing or do not match their digest."""
    found = _at_hand(parts, given, reading)
    return {part.name: found[part.digest] for part in parts} if all(one.digest in found for one in parts) else None
