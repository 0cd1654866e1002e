"""Finds which of the reviewers that a policy names can look on this machine, and why the others cannot."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from foureyes.app.reviewers import AtHand, Missing, Reviewer
from foureyes.app.reviewing.outcome import Options
from foureyes.core.assign import same_role
from foureyes.core.rules import Style
from foureyes.home.trouble import Trouble
from foureyes.policy.people import COMMANDS
from foureyes.policy.policy import Command, Holder, Model, Policy, Program, Run
from foureyes.reviewers.critic_run import FactualCritic, ShippedCritic
from foureyes.reviewers.critics.critic import Critic, Rule
from foureyes.reviewers.program import ProgramReviewer, Seconds

if TYPE_CHECKING:
    from foureyes.reviewers.models.reviewer import ModelReviewer

#: Our critics by name; each is imported in the child process that runs it.
CRITICS: Mapping[str, str] = {
    "format": "foureyes.reviewers.critics.format",
    "security": "foureyes.reviewers.critics.security",
    "injection": "foureyes.reviewers.critics.injection",
    "factual": "foureyes.reviewers.critics.factual",
    "python": "foureyes.reviewers.critics.python",
}
#: In this style every reviewer found looks, whether or not the policy names it.
ALONE = "solo"
FACTUAL = "factual"
AGENT = "agent"
PROGRAMS_ONLY = "you asked for programs only"
#: The prefix of the name under which consent to run a command is asked for.
RUNS = "run: "


def critic(name: str) -> Critic:
    """Return one of our critics."""
    return shipped_critic(name).load()


def shipped_critic(name: str) -> ShippedCritic:
    """Return one of our critics by its name, not imported yet."""
    return ShippedCritic(name=name, module=CRITICS[name])


@dataclass(slots=True, kw_only=True)
class Search:
    """Looks for reviewers; the person is asked before a reviewer may send work out."""

    environ: Mapping[str, str]
    here: Path
    #: The origin of the work and of its policy, in words: consent to run a command holds for this place alone.
    where: str = ""
    #: The current day, for facts that are outdated by now.
    today: date | None = None
    retired: Collection[str] = ()
    seconds: Seconds = Seconds()
    _found: dict[str, list[Reviewer]] = field(default_factory=dict)
    _missing: dict[str, Missing] = field(default_factory=dict)
    _agents: dict[str, Reviewer] | None = None
    _absent: dict[str, Missing] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _models_found: set[str] = field(default_factory=set)

    def at_hand(self, policy: Policy, options: Options) -> AtHand:
        """Return the reviewers that the policy names, and the programs by their own names."""
        for name in CRITICS:
            self._add(name, self._program(name), options)
        for role in policy.reviewers:
            self._role(role.name, role.holders, options)
        for turn, name in enumerate(_unheld(policy, options)):
            self._fill(name, turn, options)
        if policy.name == ALONE and not options.critics_only and not options.named_only:
            self._models(options)
        if options.critics_only:
            self._miss(Missing(name="agents and models", why=PROGRAMS_ONLY))
        self._check_named(options)
        gone = ", ".join(sorted(self.retired))
        return AtHand(
            reviewers={role: tuple(who) for role, who in self._found.items()},
            missing=tuple(self._missing.values()),
            models=frozenset(self._models_found),
            notes=(f"Retired here, so nobody looks for it: {gone}.",) if gone else (),
        )

    def _check_named(self, options: Options) -> None:
        """Raise Trouble for an unknown name: a typing error must not leave out every reviewer, or none."""
        known = self._known | set(self._missing)
        wrong = [one for one in (*options.only, *options.without) if one not in known]
        if wrong:
            names = ", ".join(sorted(self._known)) or "nobody"
            raise Trouble(f"Nobody here is called {wrong[0]!r}.", f"Here are: {names}.", usage=True)

    def _role(self, role: str, holders: Iterable[Holder], options: Options) -> None:
        models: list[Model] = []
        for holder in holders:
            match holder:
                case Program(name=name) if name in CRITICS:
                    self._add(role, self._program(name), options)
                case Program(name=name):
                    self._miss(Missing(name=name, why="there is no program of that name", next_step="foureyes rules"))
                case Run():
                    self._run(role, holder, options)
                case Command(name=name):
                    self._command(role, name, options)
                case Model():
                    models.append(holder)
        if models and options.critics_only:
            self._unasked(role, options)
        elif models:
            self._of_models(role, models, options)

    def _program(self, name: str) -> Reviewer:
        critic = FactualCritic(today=self.today) if name == FACTUAL else shipped_critic(name)
        return ProgramReviewer(critic=critic, retired=self.retired, seconds=self.seconds)

    def _run(self, role: str, holder: Run, options: Options) -> None:
        """Add a command of the policy if a person allows it.

        The author of the policy need not be the person who reviews.
        """
        from foureyes.reviewers.critics.evidence import EvidenceReviewer  # noqa: PLC0415 - few policies name one

        reviewer = EvidenceReviewer(name=role, command=holder.argv)
        if not self._is_wanted(role, options):
            return
        if options.critics_only:
            self._miss(Missing(name=role, why=f"{PROGRAMS_ONLY}, and it would run `{holder.line}`"))
            return
        name = f"{RUNS}{holder.line}"
        place = self.where or f"the policy for {self.here}"
        if options.may_send(name, f"{place} wants to run `{holder.line}` on this machine, with the work in it"):
            self._add(role, reviewer, options)
            return
        step = f"foureyes review --ask, or --yes-send {shlex.quote(name)} for one run"
        self._miss(Missing(name=role, why=f"not allowed yet: it would run `{holder.line}` here", next_step=step))

    def _command(self, role: str, name: str, options: Options) -> None:
        if options.critics_only:
            self._unasked(name, options)
        elif one := self._agent(name):
            self._add(role, one, options)

    def _agent(self, name: str) -> Reviewer | None:
        if self._agents is None:
            from foureyes.reviewers.agents.at_hand import at_hand  # noqa: PLC0415 - programs alone need none of it

            found, missing = at_hand(self.environ, self.here)
            self._agents = {one.who.name: one for one in found}
            self._absent = {one.name: one for one in missing}
        one = self._agents.get(name)
        if one is None and name in self._absent:
            self._miss(self._absent[name])
        return one

    def _fill(self, role: str, turn: int, options: Options) -> None:
        """Give a role that the policy assigns to no agent or model to those found.

        Each role starts with another one of them.
        """
        if options.critics_only or options.named_only:
            return
        agents = [one for name in COMMANDS if (one := self._agent(name))]
        minds = [*agents, *self._keyed()]
        for index in range(len(minds)):
            self._add(role, minds[(index + turn) % len(minds)], options)
        if not self._found.get(role):
            step = f"name somebody under `reviewers` in the policy, such as {role}: {{command: claude}}"
            self._miss(Missing(name=role, why="nobody at hand can take this role", next_step=step))

    def _keyed(self) -> tuple[ModelReviewer, ...]:
        from foureyes.reviewers.models.at_hand import at_hand  # noqa: PLC0415 - likewise

        found, missing = at_hand(self.environ)
        for one in missing:
            self._miss(one)
        self._models_found.update(one.who.name for one in found)
        return found

    def _models(self, options: Options) -> None:
        for reviewer in self._keyed():
            self._add(AGENT, reviewer, options, reviewer.receivers)

    def _of_models(self, role: str, models: list[Model], options: Options) -> None:
        from foureyes.reviewers.models.at_hand import for_role  # noqa: PLC0415 - likewise

        reviewer, missing = for_role(role, models, self.environ)
        for one in missing:
            self._miss(one)
        if reviewer is not None:
            self._models_found.add(reviewer.who.name)
            self._add(role, reviewer, options, reviewer.receivers)

    def _add(self, role: str, reviewer: Reviewer, options: Options, receivers: str = "") -> None:
        """Add a reviewer, unless the person excluded it or has not agreed to who receives the work."""
        name, sends = reviewer.who.name, receivers or reviewer.sends
        if not self._is_wanted(name, options):
            return
        held = self._found.setdefault(role, [])
        if any(one.who.name == name for one in held):
            return
        known = next((one for who in self._found.values() for one in who if one.who.name == name), None)
        if known is None and sends and not options.may_send(name, sends):
            step = f"foureyes review --ask, or --yes-send {name} for one run"
            self._miss(Missing(name=name, why=f"not allowed yet: {sends} would receive it", next_step=step))
            return
        held.append(known or reviewer)

    def _unasked(self, name: str, options: Options) -> None:
        """Note a reviewer that was not looked for: the name is valid, and excluding it is no typing error."""
        self._known.add(name)
        if name in options.without or name in options.only:
            self._miss(Missing(name=name, why="you left it out" if name in options.without else PROGRAMS_ONLY))

    def _is_wanted(self, name: str, options: Options) -> bool:
        """True if the person wants this reviewer asked; a reviewer that is left out is listed."""
        self._known.add(name)
        if name in options.without:
            self._miss(Missing(name=name, why="you left it out"))
            return False
        if options.only and name not in options.only:
            self._miss(Missing(name=name, why=f"you asked for {', '.join(options.only)} only"))
            return False
        return True

    def _miss(self, missing: Missing) -> None:
        self._missing.setdefault(missing.name, missing)


def _unheld(policy: Policy, options: Options) -> list[str]:
    """Return the roles that the styles in question ask for and the policy assigns to no reviewer."""
    held = {same_role(one.name) for one in policy.reviewers} | set(CRITICS)
    names = dict.fromkeys((*policy.rules.default, *((options.style,) if options.style else ())))
    stages = [stage for name in names if (one := policy.rules.protocol(name)) for stage in one.stages]
    wanted = [
        role
        for stage in stages
        if stage.options.style in (Style.SOLO, Style.PANEL)
        for rule in stage.seats
        for role in rule.roles
    ]
    return [role for role in dict.fromkeys(wanted) if same_role(role) not in held]


def rules() -> Iterator[tuple[str, Rule]]:
    """Yield every rule, with the name of the reviewer it belongs to."""
    from foureyes.reviewers.critics import evidence  # noqa: PLC0415 - few policies name a command

    for name in CRITICS:
        yield from ((name, rule) for rule in critic(name).rules)
    yield from ((evidence.NAME, rule) for rule in evidence.RULES)
