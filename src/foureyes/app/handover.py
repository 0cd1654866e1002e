"""Key rotation and restore records: written to the checkpoint journal and to the log, with who did it and why."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path

from foureyes.app.book import Line
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due, record_restore, record_rotation
from foureyes.app.keys import Signer
from foureyes.app.operations import operate, operations
from foureyes.app.ports import Store, Writing
from foureyes.core.events import KeyRotated
from foureyes.core.operations import RestoreStore, RotateKey, decide_operation
from foureyes.core.values import Who


async def rotate(
    store: Store, folder: Path, keys: tuple[Signer, Signer], actor: Who, *, reason: str, now: datetime
) -> None:
    """Sign with the second of two keys from now on. Repeated after a crash, it does only what is missing."""
    old, new = keys
    command = RotateKey(old=old.public.id, new=new.public.id, reason=reason)
    decide_operation(command, actor)  # refused before anything is written
    await record_rotation(folder, old, new, now, by=actor.name, reason=reason)
    await store.write(partial(_note_rotation, command=command, actor=actor, now=now))
    await checkpoint_if_due(store, folder, new, now, AT_ONCE)


async def restored(
    store: Store, folder: Path, signer: Signer, held: Line | None, actor: Who, *, reason: str, now: datetime
) -> None:
    """Record that the store is now a backup whose newest checkpoint is `held`."""
    number, taken = (held.checkpoint.number, held.checkpoint.at) if held else (0, now)
    command = RestoreStore(checkpoint=number, taken=taken, reason=reason)
    decide_operation(command, actor)
    await record_restore(folder, signer, now, held, by=actor.name, reason=reason)
    await store.write(partial(operate, command=command, actor=actor, now=now))
    await checkpoint_if_due(store, folder, signer, now, AT_ONCE)


def _note_rotation(tx: Writing, command: RotateKey, actor: Who, now: datetime) -> None:
    told = ((one.old, one.new) for one in operations(tx) if isinstance(one, KeyRotated))
    if (command.old, command.new) not in told:
        operate(tx, command, actor, now)
