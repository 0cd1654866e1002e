"""Consent to send work to a reviewer or to run a command of its policy: asked once, and the answer is kept."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.cli.parts import Parts
from foureyes.home import consents

#: Means every reviewer, but no command.
ALL = "all"
#: The prefix that distinguishes a command from a reviewer.
RUNS = "run: "
QUESTION = "May it? Type yes or no (kept until you use --ask), or nothing for not now:"
WORDS = {"yes": True, "y": True, "no": False, "n": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """Answers from what the person said before, or asks them."""

    parts: Parts
    #: Reviewers that may receive the work in this run.
    given: tuple[str, ...] = ()
    #: Ask again, even if an answer was kept.
    anew: bool = False

    def may_send(self, name: str, sends: str) -> bool:
        """True if this reviewer may receive the work, or this command may run; no answer means no."""
        runs = name.startswith(RUNS)
        if is_given(self.given, name):
            return True
        home = self.parts.settings.home
        # The same command in another repository is another question with an answer of its own.
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
        """Yes, no, or None for no answer; after a typing error the person is asked once more."""
        for said_before in ((), ("That was neither yes nor no.",)):
            said = self.parts.console.ask(said_before or lines, QUESTION).casefold()
            if not said or said in WORDS:
                return WORDS.get(said)
        return None


def is_given(given: tuple[str, ...], name: str) -> bool:
    """True if the command line already gave consent; `all` covers every reviewer, but no command."""
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
