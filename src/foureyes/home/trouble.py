"""Trouble: the exception for a problem on this machine, with the next step that solves it."""

from __future__ import annotations


class Trouble(Exception):  # noqa: N818 - a state of the machine, told to the person in front of it
    """Something here keeps the program from doing its work: a sentence about the problem, and the next step."""

    def __init__(self, sentence: str, next_step: str, *, usage: bool = False, blocked: bool = False) -> None:
        """Keep what is shown; `usage`: the command was used wrongly; `blocked`: it is not allowed now."""
        super().__init__(f"{sentence} {next_step}")
        self.sentence = sentence
        self.next_step = next_step
        self.usage = usage
        self.blocked = blocked
