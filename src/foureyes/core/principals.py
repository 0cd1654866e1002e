"""Accounts and tokens: who may enrol or remove an account, and what its tokens may be used for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from foureyes.core.events.principals import (
    PrincipalEnrolled,
    PrincipalEvent,
    PrincipalRemoved,
    TokenIssued,
    TokenRevoked,
)
from foureyes.core.names import check_name, check_operator, is_name
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who, WhoKind

ENROLLED_KINDS = (WhoKind.AGENT, WhoKind.PROGRAM, WhoKind.HUMAN, WhoKind.SERVICE)
TEXT_CHARS_MAX = 200
REASON_CHARS_MAX = 2_000
ROLES_MAX = 50
TOKENS_MAX = 50
#: Maximum names one service vouches for, removed ones included, because every change of an account reads them all.
VOUCHED_MAX = 2_000
#: The longest lifetime in days offered to a human for a token, apart from no expiry.
TOKEN_DAYS_MAX = 3_650
_HASH = re.compile(r"[0-9a-f]{64}").fullmatch


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    AUTHOR = "author"
    REVIEW = "review"
    SIGNAL = "signal"
    PUBLISH = "publish"
    VOUCH = "vouch"


#: The maximum scopes of a token by kind of account; a human signs in and has no token.
SCOPES: dict[WhoKind, tuple[Scope, ...]] = {
    WhoKind.AGENT: (Scope.READ, Scope.AUTHOR, Scope.REVIEW, Scope.SIGNAL),
    WhoKind.PROGRAM: (Scope.READ, Scope.REVIEW, Scope.PUBLISH),
    WhoKind.SERVICE: (Scope.READ, Scope.AUTHOR, Scope.REVIEW, Scope.SIGNAL, Scope.PUBLISH, Scope.VOUCH),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolPrincipal:
    """Let somebody act here, or change what is known of them; the stream names them."""

    kind: str
    operator: str = ""
    model_family: str = ""
    provider: str = ""
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePrincipal:
    """Let somebody act here no longer."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueToken:
    """Give an account a credential, named by its id and known by its hash; no scopes means all of its kind."""

    token: str
    hash: str
    scopes: tuple[str, ...] = ()
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken:
    """Take a credential back."""

    token: str
    reason: str


PrincipalCommand = EnrolPrincipal | RemovePrincipal | IssueToken | RevokeToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A credential of an account, without its secret."""

    id: str
    hash: str
    scopes: tuple[str, ...]
    expires: datetime | None = None
    revoked: bool = False

    def opens(self, now: datetime) -> bool:
        """True if the token is neither revoked nor expired."""
        return not self.revoked and (self.expires is None or now < self.expires)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What is known of somebody who may act here."""

    who: Who
    roles: tuple[str, ...] = ()
    vouched_by: str = ""
    removed: bool = False
    removed_by: str = ""
    tokens: tuple[Token, ...] = ()

    def token(self, name: str) -> Token | None:
        """The token with this id."""
        return next((one for one in self.tokens if one.id == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Who is enrolled already."""

    names: frozenset[str] = frozenset()
    humans: int = 0
    #: The operators of all accounts.
    operators: frozenset[str] = frozenset()
    #: The actor's roles, as a human assigned them.
    roles: frozenset[str] = frozenset()
    #: Services whose agents are enrolled.
    vouching: frozenset[str] = frozenset()
    #: The number of names the actor vouches for, removed ones included.
    vouched: int = 0


def account_of(events: Iterable[PrincipalEvent]) -> Account | None:
    """The account after these events; None without events."""
    account: Account | None = None
    for event in events:
        account = _evolved(account, event)
    return account


def account_after(account: Account | None, events: Iterable[PrincipalEvent]) -> Account:
    """The account after these further events."""
    for event in events:
        account = _evolved(account, event)
    return _known(account)


def decide_principal(
    account: Account | None, command: PrincipalCommand, actor: Who, *, name: str, census: Census, now: datetime
) -> tuple[PrincipalEvent, ...]:
    """Answer a command about one account."""
    match command:
        case EnrolPrincipal():
            return (_enrolled(account, command, actor, name, census),)
        case RemovePrincipal():
            account = _there(account, name)
            _check_over(account, actor)
            _check_reason(command.reason)
            if account.who.is_human and census.humans <= 1:
                raise Refusal(Code.EMPTY_GROUP, f"{name} is the last human.", "Enrol another human first.")
            return (PrincipalRemoved(name=name, by=actor.name, reason=command.reason),)
        case IssueToken():
            return (_issued(_there(account, name), command, actor, now),)
        case RevokeToken():
            return (_revoked(_there(account, name), command, actor),)
        case _:
            assert_never(command)


def _evolved(account: Account | None, event: PrincipalEvent) -> Account:
    match event:
        case PrincipalEnrolled():
            is_vouched = bool(event.vouched_by)
            who = Who(
                name=event.name,
                kind=event.kind,
                operator=event.operator,
                # A service's statements about its own agents stay in the log only; no decision uses them.
                model_family="" if is_vouched else event.model_family,
                provider="" if is_vouched else event.provider,
            )
            tokens = account.tokens if account else ()
            return Account(who=who, roles=event.roles, vouched_by=event.vouched_by, tokens=tokens)
        case PrincipalRemoved():
            known = _known(account)
            ended = tuple(replace(one, revoked=True) for one in known.tokens)
            return replace(known, removed=True, removed_by=event.by, tokens=ended)
        case TokenIssued():
            known = _known(account)
            token = Token(id=event.token, hash=event.hash, scopes=event.scopes, expires=event.expires)
            return replace(known, tokens=(*known.tokens, token))
        case TokenRevoked():
            known = _known(account)
            left = (replace(one, revoked=one.revoked or one.id == event.token) for one in known.tokens)
            return replace(known, tokens=tuple(left))
        case _:
            assert_never(event)


def _known(account: Account | None) -> Account:
    if account is None:
        raise ValueError("an account begins with its enrolment")
    return account


def _enrolled(
    account: Account | None, command: EnrolPrincipal, actor: Who, name: str, census: Census
) -> PrincipalEnrolled:
    kind = _kind(command.kind)
    check_name(name, census.names if account is None else ())
    vouched = actor.name if actor.kind is WhoKind.SERVICE else ""
    _check_enrols(account, kind, actor, census)
    texts = (command.operator, command.model_family, command.provider, *command.roles)
    if len(command.roles) > ROLES_MAX:
        raise refuse(Code.TOO_MANY, what="Roles", size=len(command.roles), most=ROLES_MAX)
    for one in texts:
        if len(one) > TEXT_CHARS_MAX or (one and not one.isprintable()):
            raise refuse(Code.TOO_LONG, what=f"{one[:20]!r}…", size=len(one), most=TEXT_CHARS_MAX)
    if vouched and command.operator not in ("", actor.operator):
        # All agents of a service are one party, otherwise it could form a quorum by itself.
        raise refuse(Code.UNKNOWN_WORD, what="The operator", word=command.operator, allowed=actor.operator)
    strange = next((one for one in command.roles if one and one not in census.roles), "") if vouched else ""
    if strange:
        # A role decides who is asked to review others' work, so a human assigns it, not the vouching service.
        held = ", ".join(sorted(census.roles)) or "none"
        raise Refusal(
            Code.NOT_ELIGIBLE,
            f"{actor.name} gives its agents its own roles alone: {held}.",
            f"Ask a human to enrol {actor.name} with {strange!r} too.",
        )
    operator = command.operator or actor.operator or actor.name
    if operator not in census.operators and not (account and account.who.operator == operator):
        # Operators enrolled before this check existed are kept.
        check_operator(operator, census.operators)
    if account and name in census.vouching and operator != account.who.operator:
        # Old and new agents would have different operators: two parties, but one service.
        raise Refusal(
            Code.DUPLICATE,
            f"{name} vouches for agents under the operator {account.who.operator}.",
            "Leave the operator as it is, or remove its agents first.",
        )
    return PrincipalEnrolled(
        name=name,
        kind=kind,
        operator=operator,
        model_family=command.model_family,
        provider=command.provider,
        roles=tuple(dict.fromkeys(one for one in command.roles if one)),
        by=actor.name,
        vouched_by=vouched,
    )


def _kind(word: str) -> WhoKind:
    if word not in {one.value for one in ENROLLED_KINDS}:
        raise refuse(Code.UNKNOWN_WORD, what="The kind", word=word, allowed=tuple(ENROLLED_KINDS), field="kind")
    return WhoKind(word)


def _check_enrols(account: Account | None, kind: WhoKind, actor: Who, census: Census) -> None:
    """Allow a human, a service for its own agents, and the person who starts the first server for the first human."""
    if account and account.who.kind is not kind:
        raise Refusal(
            Code.DUPLICATE, f"{account.who.name} is enrolled as {account.who.kind}.", "Enrol another name for this."
        )
    if actor.is_human:
        return
    if actor.kind is WhoKind.SERVICE:
        if account and account.removed_by not in ("", actor.name):
            raise Refusal(Code.HUMAN_ONLY, f"{account.who.name} was removed by another.", "Ask a human to enrol them.")
        if account is None and census.vouched >= VOUCHED_MAX:
            step = "Use the name of one that is gone again, or ask a human to enrol them."
            raise Refusal(Code.LIMIT_REACHED, f"{actor.name} vouches for {VOUCHED_MAX} names already.", step)
        if kind is WhoKind.AGENT and (account is None or account.vouched_by == actor.name):
            return
        raise Refusal(Code.HUMAN_ONLY, "A service vouches for agents of its own only.", "Ask a human to enrol them.")
    if actor.kind is WhoKind.PERSON and kind is WhoKind.HUMAN and not census.humans:
        return
    raise refuse(Code.HUMAN_ONLY, what="enrol somebody")


def _there(account: Account | None, name: str) -> Account:
    if account is None or account.removed:
        raise Refusal(Code.UNKNOWN_WORD, f"Nobody is enrolled as {name[:80]!r}.", "Look at the list of accounts.")
    return account


def _check_over(account: Account, actor: Who) -> None:
    """Allow a human for every account, and a service for the agents it vouches for."""
    if actor.is_human or (actor.kind is WhoKind.SERVICE and account.vouched_by == actor.name):
        return
    raise refuse(Code.HUMAN_ONLY, what="change an account")


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise refuse(Code.REASON_MISSING, what="This")
    if len(reason) > REASON_CHARS_MAX:
        raise refuse(Code.TOO_LONG, what="The reason", size=len(reason), most=REASON_CHARS_MAX)


def _issued(account: Account, command: IssueToken, actor: Who, now: datetime) -> TokenIssued:
    name, allowed = account.who.name, SCOPES.get(account.who.kind, ())
    if not actor.is_human:
        raise refuse(Code.HUMAN_ONLY, what="issue a token")
    if not allowed:
        raise Refusal(Code.HUMAN_ONLY, f"{name} is a human, and humans sign in.", "Send them a sign-in link.")
    if account.vouched_by:
        raise Refusal(
            Code.NOT_ELIGIBLE, f"{account.vouched_by} vouches for {name}.", "Let it act for them with its own token."
        )
    if not is_name(command.token) or _HASH(command.hash) is None:
        raise refuse(Code.BAD_VALUE, what="a token is named by its id and the SHA-256 of its secret")
    if account.token(command.token):
        raise refuse(Code.DUPLICATE, what="A token with this id")
    if sum(one.opens(now) for one in account.tokens) >= TOKENS_MAX:
        raise Refusal(
            Code.LIMIT_REACHED, f"{name} has {TOKENS_MAX} tokens that open something.", "Revoke one of them first."
        )
    unknown = next((one for one in command.scopes if one not in allowed), "")
    if unknown:
        raise refuse(Code.UNKNOWN_WORD, what="The scope", word=unknown, allowed=tuple(allowed), field="scopes")
    if command.expires is not None and command.expires <= now:
        raise Refusal(Code.BAD_NUMBER, "The token would have ended already.", "Name a time to come.")
    scopes = tuple(dict.fromkeys(command.scopes)) or tuple(str(one) for one in allowed)
    return TokenIssued(
        name=name, token=command.token, hash=command.hash, scopes=scopes, by=actor.name, expires=command.expires
    )


def _revoked(account: Account, command: RevokeToken, actor: Who) -> TokenRevoked:
    _check_over(account, actor)
    token = account.token(command.token)
    if token is None:
        raise Refusal(Code.UNKNOWN_WORD, f"{account.who.name} has no such token.", "Look at the list of tokens.")
    if token.revoked:
        raise refuse(Code.DUPLICATE, what="This")
    _check_reason(command.reason)
    return TokenRevoked(name=account.who.name, token=token.id, by=actor.name, reason=command.reason)
