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

#: Asks a program why a work is harmless, from the files before and after; an empty proof is none.
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
    #: Of this work against these files, and against nothing; None where its bytes were not at hand.
    risk: Risk | None = None
    risk_alone: Risk | None = None
    #: The parts of the work are what they are called.
    is_sound: bool = False

    def risk_against(self, known: KnownFiles | None) -> Risk:
        """The risk of the work against a base; raises Unprepared where nobody could compute it yet."""
        found = self.risk_alone if known is None else self.risk
        if found is None:
            raise Unprepared("The bytes of the work came while it was looked at.")
        return found


class Unprepared(Conflict):
    """What the decision needs was not there when it was prepared: prepare it again."""


NOTHING = Prepared()


def too_busy(ask: Ask) -> Unavailable:
    """What is told where others were faster again and again."""
    return Unavailable(f"{ask.stream or 'The review'} is too busy.", "Try again in a moment with the same key.")


class Repositories(Protocol):
    """Repositories that the server reads itself."""

    async def files(self, base: str, paths: tuple[str, ...]) -> KnownFiles | None:
        """These files at a commit or tree that a protected ref reaches; None where there is no such base."""


async def prove_nothing(_before: Mapping[str, bytes], _after: Mapping[str, bytes]) -> Proof:
    """Prove nothing: without a prover no label skips anything."""
    return Proof()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bases:
    """Finds the base of a work that the gate knows, and what a program can prove against it."""

    repositories: Repositories | None = None
    prove: Prover = field(default=prove_nothing)
    #: The asker's own machine is the only one that this gate answers for: what it read there counts there.
    local: bool = False

    async def prepare(self, store: Store, ask: Ask) -> Prepared:
        """Look for the base and the proof, and compute the risk; a work without a base is compared with nothing."""
        command = ask.command
        if not isinstance(command, OpenReview | SubmitRevision) or not command.parts or not _is_sound(command):
            return NOTHING
        found = await self._found(store, ask, command) if self._is_named(ask, command) else None
        proof = await self._proof(store, ask, command, found) if found and found.base.is_known else Proof()
        prepared = Prepared(files=found, proof=proof, is_sound=True)
        # Small work takes a moment; large work is looked at beside the others, and with no lock held.
        is_small = sum(one.size for one in command.parts) <= SMALL_BYTES_MAX and found is None
        if is_small and all(one.digest in ask.blobs for one in command.parts):
            return with_risk(prepared, command.parts, ask.blobs)
        work = partial(with_risk, prepared, command.parts, ask.blobs)
        return await store.read(Quick(work) if is_small else work)

    def _is_named(self, ask: Ask, command: OpenReview | SubmitRevision) -> bool:
        """True if there is something to look for; most work names no base, and costs nothing here."""
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
    """The same with the risk of the work, where its bytes are at hand."""
    known = prepared.files
    before = known.parts if known else ()
    blobs = _at_hand((*parts, *before), {**(known.blobs if known else {}), **given}, reading)
    if any(one.digest not in blobs for one in parts):
        return prepared
    risk = risk_of(file_changes(before, parts, blobs), proof=prepared.proof.why) if known else None
    # What moves on meanwhile is no base any more: then the work is compared with nothing.
    moves = known is not None and known.base.source in ON_TARGET
    alone = risk_of(file_changes((), parts, blobs)) if known is None or moves else None
    return replace(prepared, risk=risk, risk_alone=alone)


def _at_hand(parts: tuple[WorkPart, ...], given: Mapping[str, bytes], reading: Reading | None) -> dict[str, bytes]:
    """The bytes of these parts as they came or are stored; what is not what it is called is not there."""
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
    """True if a target still has what the work was compared with; what was read elsewhere does not change."""
    if files.base.source not in ON_TARGET:
        return True
    found = _on_target(ask, reading)
    return found is not None and found.base == files.base


def stated(parts: tuple[WorkPart, ...], before: tuple[WorkPart, ...]) -> tuple[WorkPart, ...]:
    """The author's statement of how the files of the work were, as far as a diff can show it."""
    names = {one.name for one in parts}
    by_name = {one.name: one for one in before if one.name in names}
    return tuple(by_name[name] for name in sorted(by_name))


def _is_sound(command: OpenReview | SubmitRevision) -> bool:
    """True if the parts are what they are called; whatever else they are is refused in the transaction."""
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
    """A proof is about the contents of plain files: nothing may come, go, be a link or change its mode."""
    modes = {one.name: one.mode for one in before}
    same = modes == {one.name: one.mode for one in after}
    return same and not _UNPROVABLE.intersection(modes.values())


def _contents(parts: tuple[WorkPart, ...], given: Mapping[str, bytes], reading: Reading) -> dict[str, bytes] | None:
    """The bytes of every part by its path; None where some are not here as they are called."""
    found = _at_hand(parts, given, reading)
    return {part.name: found[part.digest] for part in parts} if all(one.digest in found for one in parts) else None
