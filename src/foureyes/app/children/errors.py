"""Errors of calls to child processes."""

from __future__ import annotations


class ChildError(Exception):
    """A call to a child process has no result. Callers treat it as "no answer", never as yes or no."""


class CutOff(ChildError):  # noqa: N818 - the limit held, nothing went wrong here
    """The seconds were over; the child was killed."""

    def __init__(self, seconds: float) -> None:
        """Remember the limit that was reached."""
        super().__init__(f"it took longer than {seconds:g} seconds")
        self.seconds = seconds


class Died(ChildError):  # noqa: N818 - named after what the child did
    """The child ended during the call: a crash in native code, the kernel's out-of-memory killer, an exit."""


class Raised(ChildError):  # noqa: N818 - named after what the function did
    """The function raised an exception; it crosses the process border as its type name and its text."""

    def __init__(self, kind: str, text: str) -> None:
        """Remember the name of the exception's type and its text."""
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind = kind
        self.text = text


class Overloaded(ChildError):  # noqa: N818 - the state of the queue
    """Too many calls wait for a child already, or none was free in time."""
