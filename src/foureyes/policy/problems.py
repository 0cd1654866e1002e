"""What was found to be wrong in a policy so far? Everything is collected, so that one reading says it all."""

from __future__ import annotations

from collections.abc import Iterable

from foureyes.policy.nodes import PROBLEMS_MAX, Entry, Node, PolicyErrors, Problem


class Problems:
    """What was found to be wrong so far, and what is worth a word though nothing is wrong with it."""

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self.notes: list[str] = []
        #: Which group, and how many of it, each section wants rulings from: checked when the groups are known.
        self.rulings: list[tuple[Node, str, int]] = []

    def add(self, at: Node | Entry, wrong: str, allowed: str, *, file: str = "") -> None:
        """Keep a problem; beyond so many they are only noise."""
        named = file or (at.node.file if isinstance(at, Entry) else at.file)
        self.extend((Problem(file=named, line=at.line, wrong=wrong, allowed=allowed),))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Keep what another reader found."""
        for one in problems:
            if len(self._found) < PROBLEMS_MAX and one not in self._found:
                self._found.append(one)

    def note(self, sentence: str) -> None:
        """Keep a sentence for the reader, once."""
        if sentence not in self.notes and len(self.notes) < PROBLEMS_MAX:
            self.notes.append(sentence)

    def raise_if_any(self) -> None:
        """End here if anything was wrong, with everything that was."""
        if self._found:
            ordered = sorted(self._found, key=lambda one: (one.file, one.line))
            raise PolicyErrors(tuple(ordered))
