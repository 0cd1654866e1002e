"""Operations on the store that only a human may order: purge bytes, rotate the signing key, restore a backup."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from foureyes.core.events import BlobPurged, KeyRotated, SideEvent, StoreRestored
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who

REASON_CHARS_MAX = 2_000
KEY_CHARS_MAX = 128
_DIGEST = re.compile(r"[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeBlob:
    """Remove these bytes for good."""

    digest: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateKey:
    """Sign with another key from now on; keys are named by their ids."""

    old: str
    new: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreStore:
    """Go on from a backup: the last checkpoint it holds, and when that was made."""

    checkpoint: int
    taken: datetime
    reason: str


OperationCommand = PurgeBlob | RotateKey | RestoreStore


def decide_operation(command: OperationCommand, actor: Who) -> tuple[SideEvent, ...]:
    """Answer a command about the store itself: only from a human, with a reason that is kept in the log."""
    if not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, "Only a human does this to the store.", "Ask a human to do it.")
    _check_reason(command.reason)
    match command:
        case PurgeBlob():
            return (_purged(command, actor),)
        case RotateKey():
            return (_rotated(command, actor),)
        case RestoreStore():
            return (_restored(command, actor),)
        case _:
            assert_never(command)


def is_digest(text: str) -> bool:
    """True if this is a digest: 64 lower-case hexadecimal digits."""
    return _DIGEST(text) is not None


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Refusal(Code.REASON_MISSING, "This needs a reason.", "Say why, in a sentence, without the secret itself.")
    if len(reason) > REASON_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The reason has {len(reason)} characters, more than {REASON_CHARS_MAX}.",
            "Say it in fewer words.",
        )


def _purged(command: PurgeBlob, actor: Who) -> BlobPurged:
    if not is_digest(command.digest):
        raise Refusal(
            Code.DIGEST_MISMATCH,
            "The bytes are not named by a digest of 64 small hexadecimal digits.",
            "Name the digest of the part, as the review shows it.",
        )
    return BlobPurged(digest=command.digest, by=actor.name, reason=command.reason)


def _rotated(command: RotateKey, actor: Who) -> KeyRotated:
    if not all(0 < len(key) <= KEY_CHARS_MAX for key in (command.old, command.new)):
        raise Refusal(Code.UNKNOWN_WORD, "A key is named by its id.", "Give the ids of the old and the new key.")
    if command.old == command.new:
        raise Refusal(Code.DUPLICATE, "The new key is the old one.", "Make a new key first.")
    return KeyRotated(old=command.old, new=command.new, by=actor.name, reason=command.reason)


def _restored(command: RestoreStore, actor: Who) -> StoreRestored:
    if command.checkpoint < 0:
        raise Refusal(Code.BAD_NUMBER, "Checkpoints are counted from 1.", "Name the last checkpoint the backup holds.")
    return StoreRestored(checkpoint=command.checkpoint, taken=command.taken, by=actor.name, reason=command.reason)
