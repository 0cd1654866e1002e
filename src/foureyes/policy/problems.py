"""Collect the problems of a policy, so that one reading reports all of them."""

from __future__ import annotations

from collections.abc import Iterable

from foureyes.policy.nodes import PROBLEMS_MAX, Entry, Node, PolicyErrors, Problem


class Problems:
    """What was found to be wrong so far, and what is worth a word though nothing is wrong with it."""

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self.notes: list[str] = []
        #: The group and number of rulings each section demands; checked when the groups are known.
        self.rulings: list[tuple[Node, str, int]] = []

    def add(self, at: Node | Entry, wrong: str, allowed: str, *, file: str = "") -> None:
        """Add a problem, up to the maximum number."""
        named = file or (at.node.file if isinstance(at, Entry) else at.file)
        self.extend((Problem(file=named, line=at.line, wrong=wrong, allowed=allowed),))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add the problems of another reader, without duplicates."""
        for one in problems:
            if len(self._found) < PROBLEMS_MAX and one not in self._found:
                self._found.append(one)

    def note(self, sentence: str) -> None:
        """Add a note for the reader, once."""
        if sentence not in self.notes and len(self.notes) < PROBLEMS_MAX:
            self.notes.append(sentence)

    def raise_if_any(self) -> None:
        """Raise PolicyErrors with all problems, if there are any."""
        if self._found:
            ordered = sorted(self._found, key=lambda one: (one.file, one.line))
            raise PolicyErrors(tuple(ordered))
