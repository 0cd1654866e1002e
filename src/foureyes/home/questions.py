"""Is another run on this machine asking the same reviewer the same thing? The system's lock dies with its process."""

from __future__ import annotations

import fcntl
import hashlib
import os

NAME = "asking.lock"
#: Each question is one byte of the file; so far apart that two questions do not meet.
_PLACES = 2**62


class Questions:
    """The questions that this run asks; nobody else on this machine asks them meanwhile."""

    def __init__(self, home: str) -> None:
        """Open the file; where that cannot be, nobody is kept from asking."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._descriptor = os.open(os.path.join(home, NAME), flags, 0o600)
        except OSError:
            self._descriptor = -1

    def begin(self, question: str) -> bool:
        """Whether it is ours to ask; False while another run asks it."""
        if self._descriptor < 0:
            return True
        place = int.from_bytes(hashlib.sha256(question.encode()).digest()[:8]) % _PLACES
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True  # a disk without locks
        return True

    def end(self) -> None:
        """Let others ask; the file stays, because removing it would race with the next one who opens it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
