"""Where is somebody who types a command? On which machine, and in which repository or folder of it?"""

from __future__ import annotations

import os

_POINTER_CHARS_MAX = 4_096


def machine() -> str:
    """The name of the machine."""
    return os.uname().nodename


def repository() -> str:
    """The repository one is in, the same for all of its worktrees; else the folder. No git is run."""
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
    """The repository one is in, else the folder; nothing of it is asked. What no text can hold is a question mark."""
    here = os.path.realpath(os.getcwd())
    above = here
    while not os.path.lexists(os.path.join(above, ".git")):
        parent = os.path.dirname(above)
        if parent == above:
            above = here
            break
        above = parent
    return above.encode(errors="replace").decode()
