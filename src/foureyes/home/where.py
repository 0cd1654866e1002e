"""Where is somebody who types a command? On which machine, and in which repository or folder of it?"""

from __future__ import annotations

import os


def machine() -> str:
    """The name of the machine."""
    return os.uname().nodename


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
