"""Which program does another one start, and with which words?"""

from __future__ import annotations

from foureyes.reviewers.critics.commands.model import Call
from foureyes.reviewers.critics.commands.wrappers import interpreters, plain, remote, search, shells
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

PEELS: dict[str, Peel] = {**plain.PEELS, **shells.PEELS, **search.PEELS, **remote.PEELS, **interpreters.PEELS}


def peel(call: Call) -> list[Inner]:
    """What it starts; nothing where it starts nothing."""
    known = PEELS.get(call.name)
    return known(call) if known else plain.after_dashes(call)
