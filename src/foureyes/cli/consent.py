"""May the work be sent to somebody outside this machine? The person in front of it says so once, and it is kept."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.cli.parts import Parts
from foureyes.home import consents

#: Stands for every reviewer.
ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """Answers for a person who already said what they want, else asks them."""

    parts: Parts
    #: Reviewers that may receive the work in this run.
    given: tuple[str, ...] = ()
    #: Ask again, whatever was said before.
    anew: bool = False

    def may_send(self, name: str, sends: str) -> bool:
        """Whether this reviewer may get the work; silence is no."""
        if {name.casefold(), ALL} & {one.casefold() for one in self.given}:
            return True
        home = self.parts.settings.home
        known = None if self.anew else consents.answer(home, name, sends)
        if known is not None:
            return known
        said = self._asked(name, sends)
        if said not in ("yes", "no"):
            return False
        person = self.parts.human().name
        consents.remember(home, name, sends, yes=said == "yes", by=person, at=self.parts.now())
        return said == "yes"

    def _asked(self, name: str, sends: str) -> str:
        lines = (
            f"{name} can look at this work too. It would get what changed and what is around it, secrets taken out.",
            f"It goes to: {sends}",
        )
        question = "May it? Type yes or no (kept until you use --ask), or nothing for not now:"
        return self.parts.console.ask(lines, question).casefold()
