"""Calls about accounts: humans enrol accounts and issue tokens; a service vouches for agents of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foureyes.app.accounts import NewToken, accounts, new_token, stream_of
from foureyes.app.calls.bodies import picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.office import Handed, Office
from foureyes.app.freeing_seats import SeatFreeing
from foureyes.app.late import LateNo, late_noes
from foureyes.core.enrolments import EnrolTogether, Newcomer, check_count
from foureyes.core.principals import Account, EnrolPrincipal, IssueToken, RemovePrincipal, RevokeToken
from foureyes.core.values import Who, WhoKind


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolForm:
    """Somebody who shall act here; a second time changes what is known of them."""

    name: str
    kind: str = "agent"
    operator: str = ""
    model_family: str = ""
    provider: str = ""
    roles: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccount:
    """One of several accounts; the scopes and the end are those of its token."""

    name: str
    kind: str = "agent"
    operator: str = ""
    model_family: str = ""
    provider: str = ""
    roles: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolManyForm:
    """Several accounts, which are enrolled in one act: all of them, or none."""

    accounts: tuple[NewAccount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameForm:
    """Whose account, and why."""

    name: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueForm:
    """A new token for an account; no scopes means all of its kind."""

    name: str
    scopes: tuple[str, ...] = ()
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeForm:
    """A token that shall open nothing any more."""

    name: str
    token: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoForm:
    """Nothing to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """It was done."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A token; the secret is shown this once and kept nowhere."""

    name: str
    token: str
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolledMany:
    """Every account with its token; the secrets are shown this once, and those of a service's agents are empty."""

    accounts: tuple[Issued, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenShown:
    """A token without its secret."""

    token: str
    scopes: tuple[str, ...]
    expires: datetime | None
    revoked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountShown:
    """Somebody who may act here."""

    who: Who
    roles: tuple[str, ...]
    vouched_by: str
    removed: bool
    tokens: tuple[TokenShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountsForm:
    """How many accounts, by name; `cursor` is what the page before said comes next."""

    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountsShown:
    """A page of those who may act here, or could."""

    accounts: tuple[AccountShown, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """Whom the credential speaks for, and what it is for."""

    who: Who
    roles: tuple[str, ...]
    scopes: tuple[str, ...]
    #: Commands spooled while the database was down and refused later; the latest first.
    refused_later: tuple[LateNo, ...] = ()
    #: CSRF token that a session sends as `X-Foureyes-Form` with every change; a token needs none.
    form: str = ""


async def enrol(office: Office, caller: Caller, form: EnrolForm) -> Enrolled:
    """Enrol somebody, or change what is known of them."""
    command = EnrolPrincipal(
        kind=form.kind,
        operator=form.operator,
        model_family=form.model_family,
        provider=form.provider,
        roles=form.roles,
    )
    await office.do(caller, command, Handed(key=form.key, stream=stream_of(form.name)))
    return Enrolled(name=form.name)


async def enrol_many(office: Office, caller: Caller, form: EnrolManyForm) -> EnrolledMany:
    """Enrol several in one act, all of them or none. A human's get a token each, a service's act through its own."""
    check_count(len(form.accounts))
    made = [None if caller.who.kind is WhoKind.SERVICE else new_token() for _ in form.accounts]
    newcomers = tuple(map(_newcomer, form.accounts, made))
    await office.do(caller, EnrolTogether(newcomers=newcomers), Handed(stream=stream_of(form.accounts[0].name)))
    issued = (
        Issued(name=one.name, token=token.id if token else "", secret=token.secret if token else "")
        for one, token in zip(form.accounts, made, strict=True)
    )
    return EnrolledMany(accounts=tuple(issued))


def _newcomer(one: NewAccount, token: NewToken | None) -> Newcomer:
    issue = IssueToken(token=token.id, hash=token.hash, scopes=one.scopes, expires=one.expires) if token else None
    return Newcomer(name=one.name, account=picked(EnrolPrincipal, one), token=issue)


async def remove_account(office: Office, caller: Caller, form: NameForm) -> Enrolled:
    """Let somebody act here no longer: all their tokens end, and others are asked for what they owe."""
    await office.do(caller, RemovePrincipal(reason=form.reason), Handed(key=form.key, stream=stream_of(form.name)))
    await SeatFreeing(store=office.store, gate=office.gate).free((form.name,))
    office.bell.ring()
    return Enrolled(name=form.name)


async def issue_token(office: Office, caller: Caller, form: IssueForm) -> Issued:
    """Give an account a token. Repeating it gives another one: a secret is not kept, so it cannot be shown again."""
    made = new_token()
    command = IssueToken(token=made.id, hash=made.hash, scopes=form.scopes, expires=form.expires)
    await office.do(caller, command, Handed(stream=stream_of(form.name)))
    return Issued(name=form.name, token=made.id, secret=made.secret)


async def revoke_token(office: Office, caller: Caller, form: RevokeForm) -> Enrolled:
    """Take a token back."""
    command = RevokeToken(token=form.token, reason=form.reason)
    await office.do(caller, command, Handed(key=form.key, stream=stream_of(form.name)))
    return Enrolled(name=form.name)


async def list_accounts(office: Office, _: Caller, form: AccountsForm) -> AccountsShown:
    """Everybody who may act here, or could, by name."""
    limit = limited(form.limit)
    (after,) = parts_of(form.cursor, tuple[str]) if form.cursor else ("",)
    found = await office.store.read(lambda reading: accounts(reading, after, limit + 1))
    more = cursor_of(found[limit - 1].who.name) if len(found) > limit else ""
    return AccountsShown(accounts=tuple(map(_account, found[:limit])), next=more)


async def me(office: Office, caller: Caller, _: NoForm) -> Me:
    """Whom the credential speaks for, what it is for, and what was refused to them at last."""
    late = await office.store.read(lambda reading: late_noes(reading, caller.who.name))
    return Me(
        who=caller.who,
        roles=caller.account.roles,
        scopes=tuple(sorted(caller.scopes)),
        refused_later=late,
        form=caller.form,
    )


def _account(one: Account) -> AccountShown:
    tokens = tuple(
        TokenShown(token=token.id, scopes=token.scopes, expires=token.expires, revoked=token.revoked)
        for token in one.tokens
    )
    return AccountShown(who=one.who, roles=one.roles, vouched_by=one.vouched_by, removed=one.removed, tokens=tokens)


def calls() -> Iterator[Call[Any]]:
    """Every call about accounts."""
    for form, answer, needs, changes in (
        (EnrolForm, enrol, Need.VOUCH, True),
        (EnrolManyForm, enrol_many, Need.VOUCH, True),
        (NameForm, remove_account, Need.VOUCH, True),
        (IssueForm, issue_token, Need.HUMAN, True),
        (RevokeForm, revoke_token, Need.HUMAN, True),
        (AccountsForm, list_accounts, Need.HUMAN, False),
        (NoForm, me, Need.READ, False),
    ):
        says = (answer.__doc__ or "").strip()
        keyed = answer not in (issue_token, enrol_many)  # a secret is not kept, so it cannot be shown again
        yield Call(name=answer.__name__, says=says, needs=needs, form=form, answer=answer, changes=changes, keyed=keyed)
