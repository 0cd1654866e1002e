"""The filter of the metrics call: an account or everybody with a role, and a type of work."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.ports import Reading
from foureyes.app.projections.metrics import kinds
from foureyes.core.assign import same_role
from foureyes.core.kinds import canonical_kind
from foureyes.core.refusals import Code, refuse

#: The roles of the document, known even if no account holds them yet.
ROLES = (
    *("architect", "core-developer", "app-developer", "tester"),
    *("auditor", "optimizer", "idea-refiner", "learner"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What is counted only: work in which one of these had a part, of this type; nothing stands for all."""

    names: frozenset[str] = frozenset()
    kind: str = ""


def filter_of(office: Office, reading: Reading, caller: Caller, *, agent: str, kind: str) -> Filter:
    """The filter that was asked for; a name, role or type that nobody knows is refused with those that are known."""
    return Filter(
        names=_names(office, reading, caller, agent) if agent else frozenset(),
        kind=_kind(office, reading, kind) if kind else "",
    )


def _names(office: Office, reading: Reading, caller: Caller, agent: str) -> frozenset[str]:
    """The accounts of this name, or of this role, however it is hyphenated."""
    wanted, pool = same_role(agent), office.gate.pool(reading)
    accounts = {caller.who.name, *(one.who.name for one in pool)}
    roles = dict.fromkeys((*ROLES, *(role for one in pool for role in sorted(one.roles))))
    named = {name for name in accounts if same_role(name) == wanted}
    if not named and wanted not in {same_role(role) for role in roles}:
        known = sorted(accounts) if caller.who.is_human else [caller.who.name]
        allowed = tuple(dict.fromkeys((*known, *roles)))
        raise refuse(Code.UNKNOWN_WORD, what="The agent", word=agent[:80], allowed=allowed, field="agent")
    holders = {one.who.name for one in pool if wanted in {same_role(role) for role in one.roles}}
    # For a role without holders nothing is counted; an empty filter would count everything.
    return frozenset(named | holders) or frozenset({agent})


def _kind(office: Office, reading: Reading, kind: str) -> str:
    wanted = canonical_kind(kind)
    rules = office.gate.policies.current(reading).policy.rules
    of_policy = (canonical_kind(one.kind) for one in rules.kinds)
    counted = (unquote(name.partition("/")[2]) for name, _ in kinds(reading))
    known = dict.fromkeys((*words.REVIEW_TYPES, *words.EXEMPT_TYPES, *of_policy, *map(canonical_kind, counted)))
    if wanted not in known:
        raise refuse(Code.UNKNOWN_WORD, what="The type", word=kind[:80], allowed=tuple(known), field="type")
    return wanted
