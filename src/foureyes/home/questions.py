"""Locks that keep two runs on this machine from asking the same reviewer the same question at once.

The system's lock ends with its process.
"""

from __future__ import annotations

import fcntl
import hashlib
import os

NAME = "asking.lock"
#: Each question locks one byte of the file, in a range so large that two questions do not collide.
_PLACES = 2**62


class Questions:
    """The questions that this run asks; no other run on this machine asks them meanwhile."""

    def __init__(self, home: str) -> None:
        """Open the lock file; if that is impossible, every run may ask."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._descriptor = os.open(os.path.join(home, NAME), flags, 0o600)
        except OSError:
            self._descriptor = -1

    def begin(self, question: str) -> bool:
        """True if this run may ask the question; False while another run asks it."""
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
        """Let other runs ask; the file stays, because removing it would race with the next one that opens it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
