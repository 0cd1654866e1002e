"""Consent to send work to a reviewer or to run a command of its policy: asked once, and the answer is kept."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.cli.parts import Parts
from foureyes.home import consents

#: Stands for every reviewer, and for no command.
ALL = "all"
#: How a command is told from a reviewer.
RUNS = "run: "
QUESTION = "May it? Type yes or no (kept until you use --ask), or nothing for not now:"
WORDS = {"yes": True, "y": True, "no": False, "n": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """Answers for a person who already said what they want, else asks them."""

    parts: Parts
    #: Reviewers that may receive the work in this run.
    given: tuple[str, ...] = ()
    #: Ask again, whatever was said before.
    anew: bool = False

    def may_send(self, name: str, sends: str) -> bool:
        """Whether this reviewer may get the work, or this command may run; silence is no."""
        runs = name.startswith(RUNS)
        if is_given(self.given, name):
            return True
        home = self.parts.settings.home
        # The same command in another repository is another question: neither answer takes the other's place.
        kept = f"{RUNS}{sends}" if runs else name
        known = None if self.anew else consents.answer(home, kept, sends)
        if known is not None:
            return known
        said = self._asked(_run_lines(sends) if runs else _send_lines(name, sends))
        if said is None:
            return False
        person = self.parts.human().name
        consents.remember(home, kept, sends, yes=said, by=person, at=self.parts.now())
        return said

    def _asked(self, lines: tuple[str, ...]) -> bool | None:
        """Yes, no, or neither; whoever mistypes is asked once more instead of being taken for silent."""
        for said_before in ((), ("That was neither yes nor no.",)):
            said = self.parts.console.ask(said_before or lines, QUESTION).casefold()
            if not said or said in WORDS:
                return WORDS.get(said)
        return None


def is_given(given: tuple[str, ...], name: str) -> bool:
    """Whether a yes that was given beforehand is for this one; `all` is for every reviewer, and for no command."""
    runs = name.startswith(RUNS)
    return name in given or (not runs and bool({name.casefold(), ALL} & {one.casefold() for one in given}))


def _send_lines(name: str, sends: str) -> tuple[str, str]:
    return (
        f"{name} can look at this work too. It would get what changed and what is around it, secrets taken out.",
        f"It goes to: {sends}",
    )


def _run_lines(runs: str) -> tuple[str, str]:
    return (
        f"{runs}.",
        "It runs with your rights and is in no sandbox: allow it only where you would run the tests of this author.",
    )
