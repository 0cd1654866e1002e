"""How are bytes removed for good without harming the record? The log names them by digest and never held them."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from foureyes.app.operations import operate, write_time
from foureyes.app.policies import POLICY_STREAM
from foureyes.app.ports import Conflict, Store, Unavailable, Writing
from foureyes.app.rows import Blob
from foureyes.app.shelf import read_events
from foureyes.codec import CodecError, canonical
from foureyes.core.events import PolicyActivated
from foureyes.core.operations import PurgeBlob
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who
from foureyes.policy.policy import read_policy

TRIES_MAX = 20


async def purge(store: Store, digest: str, actor: Who, reason: str, now: datetime) -> str:
    """Remove a blob and leave a tombstone that says who, when and why; the tombstone.

    The bytes are gone from this store when this returns. Backups taken before still hold them.
    """
    for _ in range(TRIES_MAX):
        try:
            return await store.write(partial(_purged, digest=digest, actor=actor, reason=reason, now=now))
        except Conflict:
            continue
    raise Unavailable("The store is too busy to purge.", "Try again in a moment.")


def _purged(tx: Writing, *, digest: str, actor: Who, reason: str, now: datetime) -> str:
    operate(tx, PurgeBlob(digest=digest, reason=reason), actor, now)
    blob = tx.blob(digest)
    if blob is None:
        raise Refusal(
            Code.DIGEST_MISMATCH, f"There are no bytes with digest {digest} here.", "Name a part, not the whole work."
        )
    if blob.content is None:
        raise Refusal(Code.DUPLICATE, f"These bytes were purged before: {blob.purged}", "Nothing is left to do.")
    if _is_policy(tx, blob):
        raise Refusal(
            Code.NOT_ELIGIBLE,
            "These bytes are a policy that reviews are judged by.",
            "Keep it: without it nothing judged by it could ever go live or be explained.",
        )
    tombstone = canonical({"at": write_time(now), "by": actor.name, "reason": reason}).decode()
    tx.purge(digest, tombstone)
    return tombstone


def _is_policy(tx: Writing, blob: Blob) -> bool:
    """Whether reviews may need it: it was put into force, or it reads as a policy, as the default one does."""
    known = tx.known(POLICY_STREAM, "", "")
    past = (event for event, _ in read_events(tx, POLICY_STREAM, known))
    if any(isinstance(one, PolicyActivated) and one.digest == blob.digest for one in past):
        return True
    try:
        return read_policy(blob.content or b"").digest == blob.digest
    except (CodecError, ValueError):
        return False
