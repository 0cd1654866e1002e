"""Find the commands, scripts and code that one program starts as others."""

from __future__ import annotations

from foureyes.reviewers.critics.commands.model import Call
from foureyes.reviewers.critics.commands.wrappers import interpreters, plain, remote, search, shells
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

PEELS: dict[str, Peel] = {**plain.PEELS, **shells.PEELS, **search.PEELS, **remote.PEELS, **interpreters.PEELS}


def peel(call: Call) -> list[Inner]:
    """Return what a call starts; an empty list if it starts nothing."""
    known = PEELS.get(call.name)
    return known(call) if known else plain.after_dashes(call)
