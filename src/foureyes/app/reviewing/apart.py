"""Renames local reviewers whose name an enrolled account has, to a name that no account can have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from foureyes.app.reviewers import AtHand, Look, Reviewer, Say, Task
from foureyes.core.assign import HERE
from foureyes.core.names import looks
from foureyes.core.values import Who


def apart(hand: AtHand, accounts: Iterable[str]) -> AtHand:
    """Return the reviewers; those whose name equals or resembles that of an enrolled account get another name.

    A seat is held by a name: the holder of the token of `codex` must not speak for the Codex that is run here.
    """
    taken = {looks(one) for one in accounts}
    if not taken:
        return hand

    def told(name: str) -> str:
        return f"{name}{HERE}" if looks(name) in taken else name

    return replace(
        hand,
        reviewers={
            role: tuple(one if told(one.who.name) == one.who.name else Here(one) for one in found)
            for role, found in hand.reviewers.items()
        },
        models=frozenset(map(told, hand.models)),
    )


@dataclass(frozen=True, slots=True)
class Here:
    """A reviewer of this machine whose name somebody else bears."""

    reviewer: Reviewer

    @property
    def who(self) -> Who:
        """The reviewer's identity, under the changed name."""
        who = self.reviewer.who
        return replace(who, name=f"{who.name}{HERE}")

    @property
    def sends(self) -> str:
        """Who receives the work."""
        return self.reviewer.sends

    async def look(self, task: Task, say: Say) -> Look:
        """Delegate to the reviewer."""
        return await self.reviewer.look(task, say)
