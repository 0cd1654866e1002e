"""What is a run, and what must whoever carries it out be able to do? One shape for one process and for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

#: So many agents and models are at work in one process at once, whoever they are.
MINDS_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One reviewer looks at one revision from one seat; asked again, it is another run."""

    review: str
    seat: str
    revision: int
    #: The name of the reviewer, who is hosted here.
    reviewer: str
    attempt: int = 1

    @property
    def id(self) -> str:
        """Names the run wherever it is carried out; whoever begins it again after a crash gives it the same name."""
        return f"{self.review}:{self.seat}:{self.revision}:{self.attempt}"

    @property
    def place(self) -> tuple[str, str]:
        """Where it sits: one seat has one run at a time."""
        return self.review, self.seat


class Engine(Protocol):
    """Carries runs out. What is due, who may begin and what was said is in the store: an engine may forget it all."""

    async def has_room(self, run: Run) -> bool:
        """Whether it could begin now; no seat is claimed for what could not."""

    async def hand_over(self, run: Run) -> bool:
        """Begin a run whose seat is claimed; False where one is under way on that seat."""

    async def heartbeat(self) -> None:
        """Renew the lease of every run under way here; one whose seat is lost is ended."""

    async def cancel(self, run: str) -> None:
        """End a run and everything that it started; nothing is handed in. Done when it has ended."""

    async def under_way(self) -> tuple[Run, ...]:
        """Every run that was handed over and has not ended."""

    async def close(self) -> None:
        """End everything; the seats stay held, so that whoever comes next goes on there."""
