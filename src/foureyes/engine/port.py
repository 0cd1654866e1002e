"""The Run and the Engine protocol, the same for an engine in one process and for one over many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

#: The most agents and models that are at work at once in one process.
MINDS_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One look of one reviewer at one revision from one seat; asked again, it is another run."""

    review: str
    seat: str
    revision: int
    #: The name of the reviewer, who is hosted here.
    reviewer: str
    attempt: int = 1

    @property
    def id(self) -> str:
        """The run's id on every worker; a run that is started again after a crash has the same id."""
        return f"{self.review}:{self.seat}:{self.revision}:{self.attempt}"

    @property
    def place(self) -> tuple[str, str]:
        """The review and seat; a seat has one run at a time."""
        return self.review, self.seat


class Engine(Protocol):
    """Carries runs out.

    What is due, who may begin and what was answered is in the store: an engine needs no memory of its own.
    """

    async def has_room(self, run: Run) -> bool:
        """True if the run could begin now; no seat is claimed for a run that could not."""

    async def hand_over(self, run: Run) -> bool:
        """Start a run whose seat is claimed; False if the seat has one under way."""

    async def heartbeat(self) -> None:
        """Renew the lease of every run under way here; a run whose seat is lost is ended."""

    async def cancel(self, run: str) -> None:
        """Cancel a run and everything that it started; nothing is handed in. Returns when it has ended."""

    async def under_way(self) -> tuple[Run, ...]:
        """Return every run that was handed over and has not ended."""

    async def close(self) -> None:
        """Cancel everything; the seats stay held, so that the next process goes on there."""
