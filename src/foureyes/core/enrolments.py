"""Enrol several accounts in one step: all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from foureyes.core.events.principals import PrincipalEvent
from foureyes.core.principals import Account, Census, EnrolPrincipal, IssueToken, account_after, decide_principal
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who, WhoKind

#: Accounts per enrolment; kept small because every change of an account reads all accounts.
ENROLMENTS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """An account to be enrolled, with its first token where it gets one."""

    name: str
    account: EnrolPrincipal
    token: IssueToken | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolTogether:
    """Let several act here; none of them where one cannot be enrolled."""

    newcomers: tuple[Newcomer, ...]


def check_count(count: int) -> None:
    """Refuse an empty list and one that is too long."""
    if not 1 <= count <= ENROLMENTS_MAX:
        raise refuse(Code.BAD_NUMBER, what="The number of accounts", value=count, low=1, high=ENROLMENTS_MAX)


def decide_together(
    known: Mapping[str, Account], command: EnrolTogether, actor: Who, *, census: Census, now: datetime
) -> tuple[tuple[str, tuple[PrincipalEvent, ...]], ...]:
    """The events of each account by its name; a refusal names the entry that is wrong.

    `known` are the accounts with these names, and `census` covers all accounts.
    """
    check_count(len(command.newcomers))
    found = list[tuple[str, tuple[PrincipalEvent, ...]]]()
    for number, one in enumerate(command.newcomers):
        try:
            _check_once(one.name, [name for name, _ in found])
            before = known.get(one.name)
            events = _enrolled(before, one, actor, census, now)
        except Refusal as refusal:
            raise _at(number, one.name, refusal) from None
        found.append((one.name, events))
        census = _counted(census, one.name, before, account_after(before, events), actor)
    return tuple(found)


def _check_once(name: str, before: list[str]) -> None:
    if name in before:
        raise Refusal(Code.DUPLICATE, f"{name} is in the list twice.", "Name each account once.")


def _enrolled(
    before: Account | None, one: Newcomer, actor: Who, census: Census, now: datetime
) -> tuple[PrincipalEvent, ...]:
    if one.token is not None and before is not None and not before.removed:
        # Sending a list twice must not issue second tokens.
        step = "Take it out of the list; another token for it is made by itself."
        raise Refusal(Code.DUPLICATE, f"{one.name} is enrolled already.", step)
    enrolled = decide_principal(before, one.account, actor, name=one.name, census=census, now=now)
    if one.token is None:
        return enrolled
    after = account_after(before, enrolled)
    return (*enrolled, *decide_principal(after, one.token, actor, name=one.name, census=census, now=now))


def _counted(census: Census, name: str, before: Account | None, after: Account, actor: Who) -> Census:
    """The census with this account enrolled."""
    is_new = before is None or before.vouched_by != actor.name
    return replace(
        census,
        names=census.names | {name},
        operators=census.operators | {after.who.operator},
        vouched=census.vouched + (is_new and actor.kind is WhoKind.SERVICE),
    )


def _at(number: int, name: str, refusal: Refusal) -> Refusal:
    """Extend a refusal with the entry it is about, in its sentence and its fields."""
    place = f"accounts[{number}]"
    field = refusal.fields.get("field")
    fields = {**refusal.fields, "entry": number, "field": f"{place}.{field}" if field else place}
    sentence = f"Nobody was enrolled. Account {number + 1} ({name[:80]}): {refusal.sentence}"
    return Refusal(refusal.code, sentence, refusal.next_step, fields=fields)
