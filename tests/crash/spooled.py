"""Check that every promise of the spool is kept after a crash."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from foureyes.app.ports import Damaged
from foureyes.store.spool import FileSpool
from tests.crash.spool_driver import ask_of, number_of


def wrong_spool(folder: Path, marks: Sequence[str]) -> str:
    """The error in the spool of this folder, if any: everything promised and not done must wait, whole and in order."""
    kept, done = ({int(one.split()[1]) for one in marks if one.startswith(word)} for word in ("kept", "done"))
    try:
        spool = FileSpool(folder / "spool")
    except Damaged as error:
        return f"does not start: {error}"
    waiting = {number_of(one.ask): one.ask for one in spool.waiting()}
    spool.close()
    if lost := sorted(kept - done - waiting.keys()):
        return f"promised and lost: {lost}"
    if strange := [one for one, ask in waiting.items() if ask != ask_of(one)]:
        return f"not what was handed in: {strange}"
    return "" if list(waiting) == sorted(waiting) else f"in the wrong order: {list(waiting)}"
