"""Redacts secrets from a work in a child process, so that a text that is slow to search blocks nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from foureyes.app.children import ChildError, CutOff, shared
from foureyes.app.reviewers import Inconclusive, Task, each_time
from foureyes.core.values import Failure
from foureyes.reviewers.boundary import Outgoing, boundary, clean_folder
from foureyes.reviewers.known import Known

#: Processor seconds for the texts of a work, and for a folder that is laid out for an agent.
SECONDS_MAX = 60.0

LayOut = Callable[[Path], None]


async def take_out(task: Task) -> Outgoing:
    """Return the task as it may leave this machine; raises Inconclusive if it could not be searched.

    The folder for an agent is not part of it: see `lay_out_clean`.
    """
    change = replace(task.change, files=tuple(map(replace, task.change.files)), lay_out=None, whole=None)
    try:
        sent = replace(task, change=change, once=each_time)
        found = await shared().call(boundary, sent, seconds=SECONDS_MAX, party=task.author)
    except ChildError as error:
        raise _not_searched("the work", error) from error
    return replace(found, task=replace(found.task, once=task.once))


async def lay_out_clean(lay_out: LayOut, folder: Path, known: Known) -> None:
    """Lay out a folder and remove the secrets from it; after Inconclusive the folder must not be read."""
    await asyncio.to_thread(lay_out, folder)
    try:
        await shared().call(clean_folder, (folder, known), seconds=SECONDS_MAX)
    except ChildError as error:
        raise _not_searched("its folder", error) from error


def _not_searched(what: str, error: ChildError) -> Inconclusive:
    reason = Failure.TIMED_OUT if isinstance(error, CutOff) else Failure.CRASHED
    return Inconclusive(reason, f"Nothing was sent: {what} could not be searched for secrets ({error}).")
