"""Removes stored bytes for good. The record stays whole: the log names bytes by digest and never held them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from foureyes.app.operations import operate, operations, write_time
from foureyes.app.policies import POLICY_STREAM
from foureyes.app.ports import Conflict, Reading, Store, Unavailable, Writing
from foureyes.app.purge_notes import NAME, note_purge, noted_purges
from foureyes.app.rows import START, UNMOVED, Blob, unmoved_bytes
from foureyes.app.shelf import read_events
from foureyes.codec import CodecError, canonical
from foureyes.core.events import BlobPurged, PolicyActivated
from foureyes.core.operations import PurgeBlob
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who
from foureyes.policy.policy import read_policy

TRIES_MAX = 20
#: Prefix of the reason of a purge that was repeated after a restore.
AGAIN = "Purged before a restore brought it back: "


class Unnoted(Exception):  # noqa: N818 - a state of the machine, told to the person in front of it
    """Bytes are gone, and nobody outside the store knows: what keeps it from being noted, and the next step."""

    def __init__(self, sentence: str, next_step: str) -> None:
        """Keep what is shown to the user."""
        super().__init__(f"{sentence} {next_step}")
        self.sentence = sentence
        self.next_step = next_step


async def purge(store: Store, digest: str, actor: Who, reason: str, now: datetime, *, notes: Path | None = None) -> str:
    """Remove a blob and leave a tombstone that says who, when and why; returns the tombstone.

    On return the store serves the bytes to nobody; `Reading.remains` says whether they are still in its files. Earlier
    backups hold them: `notes` is the folder outside the store where that is recorded. If only this note is missing, it
    is written, and the purge is refused as a repeated one.
    """
    for _ in range(TRIES_MAX):
        try:
            tombstone = await store.write(partial(_purged, digest=digest, actor=actor, reason=reason, now=now))
        except Conflict:
            continue
        except Refusal:
            # Perhaps only the note is missing.
            if notes is not None and (before := (await _logged_purges(store)).get(digest)):
                _note(notes, digest, before)
            raise
        if notes is not None:
            _note(notes, digest, reason)
        return tombstone
    raise Unavailable("The store is too busy to purge.", "Try again in a moment.")


async def known_purges(store: Store | None, notes: Path) -> Mapping[str, str]:
    """Return which bytes were purged and why, by the store's log, if there is one, and by the notes outside."""
    told = await _logged_purges(store) if store else {}
    return {**noted_purges(notes), **told}


async def purge_again(store: Store, known: Mapping[str, str], actor: Who, now: datetime) -> tuple[list[str], list[str]]:
    """Purge what came back with an older backup; returns what was removed, and what could not be removed."""
    gone, back = list[str](), list[str]()
    for digest, reason in known.items():
        if not await store.read(partial(_has_bytes, digest)):
            continue
        try:
            await purge(store, digest, actor, f"{AGAIN}{reason.removeprefix(AGAIN)}", now)
        except Refusal:
            back.append(digest)
        else:
            gone.append(digest)
    return gone, back


async def _logged_purges(store: Store) -> dict[str, str]:
    done = await store.read(operations)
    return {one.digest: one.reason for one in done if isinstance(one, BlobPurged)}


def _note(notes: Path, digest: str, reason: str) -> None:
    """Record a purge outside the store, once per digest."""
    try:
        if digest not in noted_purges(notes):
            note_purge(notes, digest, reason)
    except OSError as error:
        raise Unnoted(
            f"The bytes {digest} are purged, but that cannot be noted in {notes / NAME}: {error.strerror}.",
            "Mend that and run the same command again: without the note an older backup may bring them back.",
        ) from error


def _has_bytes(digest: str, reading: Reading) -> bool:
    blob = reading.blob(digest)
    return (blob is not None and blob.content is not None) or _is_set_aside(digest, reading)


def _is_set_aside(digest: str, reading: Reading) -> bool:
    """True if the owner of a local review may still fetch these bytes."""
    return reading.row(UNMOVED, unmoved_bytes(digest)) is not None


def _purged(tx: Writing, *, digest: str, actor: Who, reason: str, now: datetime) -> str:
    operate(tx, PurgeBlob(digest=digest, reason=reason), actor, now)
    blob, is_set_aside = tx.blob(digest), _is_set_aside(digest, tx)
    if blob is None and not is_set_aside:
        raise Refusal(
            Code.DIGEST_MISMATCH, f"There are no bytes with digest {digest} here.", "Name a part, not the whole work."
        )
    if blob is not None and blob.content is None and not is_set_aside:
        raise Refusal(Code.DUPLICATE, f"These bytes were purged before: {blob.purged}", "Nothing is left to do.")
    if blob is not None and _is_policy(tx, blob):
        raise Refusal(
            Code.NOT_ELIGIBLE,
            "These bytes are a policy that reviews are judged by.",
            "Keep it: without it nothing judged by it could ever go live or be explained.",
        )
    tombstone = canonical({"at": write_time(now), "by": actor.name, "reason": reason}).decode()
    tx.purge(digest, tombstone)
    tx.follow(UNMOVED, {unmoved_bytes(digest): None}, START)
    return tombstone


def _is_policy(tx: Writing, blob: Blob) -> bool:
    """True if reviews may need it: it was activated, or it parses as a policy, as the default one does."""
    known = tx.known(POLICY_STREAM, "", "")
    past = (event for event, _ in read_events(tx, POLICY_STREAM, known))
    if any(isinstance(one, PolicyActivated) and one.digest == blob.digest for one in past):
        return True
    try:
        return read_policy(blob.content or b"").digest == blob.digest
    except (CodecError, ValueError):
        return False
