"""The notification targets of a policy by name, and which of them get a notice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from foureyes.core.independence import normal
from foureyes.core.rules import Rules
from foureyes.notify.channels import Channel, channel_of, hook_of
from foureyes.notify.notices import Notice, On, Party
from foureyes.policy.notifying import Notify, Person

#: The receiver of every event: a program, not one of the parties.
PROGRAM = "program"
_NAME_CHARS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One place where a party or person is told."""

    #: The same for the same address, without the values of environment variables.
    name: str
    channel: Channel
    #: A party, or a program.
    party: str
    person: Person | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """All targets, by name, and what each party is told of."""

    targets: Mapping[str, Target] = field(default_factory=dict)
    on: On = field(default_factory=dict)

    @classmethod
    def of(cls, notify: Notify, environment: Mapping[str, str]) -> Desk:
        """Return the desk of a policy; raises BadAddress if an address is not complete."""
        return cls(targets={one.name: one for one in _targets(notify, environment)}, on=dict(notify.events))

    def programs(self) -> Iterator[Target]:
        """Yield the targets that are told everything."""
        return (one for one in self.targets.values() if one.party == PROGRAM)

    def told(self, notice: Notice, rules: Rules | None) -> Iterator[Target]:
        """Yield the targets of this notice."""
        for one in self.targets.values():
            if one.person is None:
                is_told = one.party == notice.party and not notice.apart
            else:
                is_told = _is_theirs(one.person, notice, rules)
            if is_told:
                yield one


def _is_theirs(person: Person, notice: Notice, rules: Rules | None) -> bool:
    """True if a person is asked for a report by name, or belongs to the group that decides."""
    if notice.party is Party.REVIEWER:
        return normal(person.name) in map(normal, notice.names)
    if notice.party is not Party.HUMAN:
        return False
    if not notice.group:
        return True
    groups = rules.groups if rules else ()
    members = (member for one in groups if one.name == notice.group for member in one.members)
    return normal(person.name) in map(normal, members)


def _targets(notify: Notify, environment: Mapping[str, str]) -> Iterator[Target]:
    lists = (
        (Party.HUMAN, notify.human),
        (Party.CREATOR, notify.author),
        (Party.REVIEWER, notify.reviewer),
        (Party.THREAD, notify.thread),
    )
    for party, addresses in lists:
        for one in addresses:
            yield Target(name=_name(party, one), channel=channel_of(one, environment), party=party)
    for hook in notify.webhooks:
        program = hook_of(hook.url, hook.secret, environment)
        yield Target(name=_name(PROGRAM, hook.url), channel=program, party=PROGRAM)
    for person in notify.people:
        for one in person.to:
            name, channel = _name(person.name, one), channel_of(one, environment)
            yield Target(name=name, channel=channel, party=Party.HUMAN, person=person)


def _name(whose: str, address: str) -> str:
    """Return a name made from the address as the policy spells it: with variable names, not their values."""
    scheme = address.partition("://")[0]
    digest = hashlib.sha256(f"{whose}\n{address}".encode()).hexdigest()[:_NAME_CHARS]
    return f"{scheme}-{digest}"
