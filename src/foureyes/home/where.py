"""Where a command is run: the machine, and the repository or folder."""

from __future__ import annotations

import os

_POINTER_CHARS_MAX = 4_096


def machine() -> str:
    """Return the name of the machine."""
    return os.uname().nodename


def repository() -> str:
    """Return the current repository, the same for all of its worktrees, else the folder. No git is run."""
    here = place()
    try:
        with open(os.path.join(here, ".git"), encoding="utf-8", errors="replace") as file:
            said = file.read(_POINTER_CHARS_MAX)
    except OSError:
        return here
    # A worktree's `.git` is a file: "gitdir: /main/.git/worktrees/NAME".
    folder, mark, _ = said.removeprefix("gitdir:").strip().partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
    return folder if mark and os.path.isabs(folder) else here


def place() -> str:
    """Return the top of the current repository, else the folder; nothing of the repository is run.

    A character that text cannot hold becomes a question mark.
    """
    here = os.path.realpath(os.getcwd())
    above = here
    while not os.path.lexists(os.path.join(above, ".git")):
        parent = os.path.dirname(above)
        if parent == above:
            above = here
            break
        above = parent
    return above.encode(errors="replace").decode()
