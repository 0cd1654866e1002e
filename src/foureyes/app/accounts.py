"""Accounts and their tokens: reads them from the log, resolves a token to its account, and decides account commands.

The rows beside the log only say where to look; the log decides.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import cast

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import ACCOUNTS, START, TOKENS, TOLD, Known
from foureyes.app.shelf import read_events
from foureyes.core.enrolments import EnrolTogether, decide_together
from foureyes.core.events import PrincipalEvent, PrincipalRemoved, TokenIssued
from foureyes.core.facts import Principal
from foureyes.core.names import looks
from foureyes.core.principals import (
    Account,
    Census,
    EnrolPrincipal,
    PrincipalCommand,
    Scope,
    Token,
    account_of,
    decide_principal,
)
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who

PREFIX = "principal/"
#: Lock held while a command on an account is decided: similar names must not be enrolled at the same time.
LOCK = "principals"
#: Key prefix for the folded name of a reviewer hosted on this machine.
_MACHINE = "machine:"
#: The row that changes with every account change, so that the pool is read again.
_CHANGED = ".changed"
_PAGE = 1_000
#: Most accounts kept in memory.
ROLL_MAX = 4_096
_SECRET_BYTES = 32
_ID_BYTES = 5
_WORD_BYTES = 8
#: Prefix of every token, so that scanners and people recognise a leaked one.
MARK = "foureyes_"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A credential that was just made: the secret is shown once and kept nowhere."""

    id: str
    secret: str
    hash: str


def new_token() -> NewToken:
    """Make a credential of 256 random bits."""
    name = secrets.token_hex(_ID_BYTES)
    secret = f"{MARK}{name}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return NewToken(id=name, secret=secret, hash=hash_of(secret))


def hash_of(secret: str) -> str:
    """Return the hash under which a secret is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def stream_of(name: str) -> str:
    """Return the name of an account's stream."""
    return PREFIX + name


def account(reading: Reading, name: str) -> Account | None:
    """Return the account with this name as the log has it; None if there never was one."""
    return _read(reading, name, reading.known(stream_of(name), "", ""))


def _read(reading: Reading, name: str, known: Known) -> Account | None:
    if not known.version:
        return None
    past = read_events(reading, stream_of(name), known)
    return account_of(cast("PrincipalEvent", event) for event, _ in past)


def removals(reading: Reading, name: str) -> int:
    """Count how often an account was removed: links and sessions from before a removal stay invalid for ever."""
    stream = stream_of(name)
    past = read_events(reading, stream, reading.known(stream, "", ""))
    return sum(isinstance(event, PrincipalRemoved) for event, _ in past)


def accounts(reading: Reading, after: str = "", limit: int | None = None) -> tuple[Account, ...]:
    """Return all accounts ever enrolled, by name, at most `limit` of them after `after`; removed ones are marked."""
    found = (one for name in _names(reading, after) if (one := account(reading, name)) is not None)
    return tuple(islice(found, limit))


def changed_word(reading: Reading) -> str:
    """Return a word that differs whenever an account has changed."""
    return reading.row(ACCOUNTS, _CHANGED) or ""


class Unread(Exception):  # noqa: N818 - expected: read it, where that may take its time
    """An account is not at hand, or not as its stream ends now."""


class Roll:
    """The accounts that were read lately. One is used only where its stream still ends as it did."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._held: dict[str, tuple[Known, Account]] = {}

    def read(self, reading: Reading, name: str) -> Account | None:
        """Read the account from the log and cache it."""
        known = reading.known(stream_of(name), "", "")
        found = _read(reading, name, known)
        if found is not None:
            if len(self._held) >= ROLL_MAX:
                self._held.clear()
            self._held[name] = known, found
        return found

    def recall(self, reading: Reading, name: str) -> Account | None:
        """Return the cached account; raises Unread if its log must be read."""
        known = reading.known(stream_of(name), "", "")
        held, found = self._held.get(name, (None, None))
        if held != known:
            raise Unread
        return found

    def end_of(self, one: Account) -> Known | None:
        """Return the stream end that this account was read from; None if another read has replaced it since."""
        known, found = self._held.get(one.who.name, (None, None))
        return known if found is one else None


Find = Callable[[Reading, str], Account | None]


def bearer(reading: Reading, secret: str, now: datetime, find: Find = account) -> tuple[Account, Token] | None:
    """Return the account and token that a secret belongs to; None if it is unknown, revoked or expired."""
    known = hash_of(secret)
    name = reading.row(TOKENS, known)
    found = find(reading, name) if name else None
    if found is None or found.removed:
        return None
    # The row only says where to look; the account's own log must have issued this token.
    token = next((one for one in found.tokens if secrets.compare_digest(one.hash, known)), None)
    return (found, token) if token and token.opens(now) else None


def is_good(reading: Reading, name: str, credential: str, at: datetime) -> bool:
    """True if the credential of a command is still valid: not revoked or expired, and its account not removed."""
    found = account(reading, name)
    if found is None or found.removed:
        return False
    if any(one.id == credential and one.opens(at) for one in found.tokens):
        return True
    voucher = account(reading, found.vouched_by) if found.vouched_by else None
    if voucher is None or voucher.removed:
        return False
    return any(credential_for(one, name) == credential and one.opens(at) for one in voucher.tokens)


def check_good(reading: Reading, name: str, credential: str, at: datetime) -> None:
    """Refuse a command whose credential could not be checked when it came and is not valid now."""
    if not is_good(reading, name, credential, at):
        raise Refusal(
            Code.NOT_ELIGIBLE,
            "The token this came with was revoked or over, or its account was removed, before this was decided.",
            "Ask a human for another token, and send it again with a new key.",
        )


def credential_for(token: Token, agent: str) -> str:
    """Return the credential id of a service's token used for one of its agents: each agent is a session of its own."""
    return f"{token.id}-{agent}"


def decide(
    tx: Writing, stream: str, command: PrincipalCommand, actor: Who, now: datetime
) -> tuple[PrincipalEvent, ...]:
    """Decide a command on an account inside the transaction, and update the rows that lead to the account."""
    tx.lock(LOCK)
    name = stream.removeprefix(PREFIX)
    everybody = accounts(tx)
    found = next((one for one in everybody if one.who.name == name), None)
    if found is None and isinstance(command, EnrolPrincipal):
        _check_machine(tx, name)
    census = replace(
        _census(everybody, actor),
        operators=frozenset(one.who.operator for one in everybody if one.who.name != name and not one.removed),
    )
    events = decide_principal(found, command, actor, name=name, census=census, now=now)
    _follow(tx, ((name, events),))
    return events


def decide_many(
    tx: Writing, command: EnrolTogether, actor: Who, now: datetime
) -> tuple[tuple[str, tuple[PrincipalEvent, ...]], ...]:
    """Enrol several accounts inside the transaction; returns the stream of each with its events."""
    tx.lock(LOCK)
    everybody = {one.who.name: one for one in accounts(tx)}
    for one in command.newcomers:
        if one.name not in everybody:
            _check_machine(tx, one.name)
    census = _census(tuple(everybody.values()), actor)
    found = decide_together(everybody, command, actor, census=census, now=now)
    _follow(tx, found)
    return tuple((stream_of(name), events) for name, events in found)


def _census(everybody: tuple[Account, ...], actor: Who) -> Census:
    return Census(
        names=frozenset(one.who.name for one in everybody),
        operators=frozenset(one.who.operator for one in everybody if not one.removed),
        humans=sum(one.who.is_human and not one.removed for one in everybody),
        roles=frozenset(role for one in everybody if one.who.name == actor.name for role in one.roles),
        vouching=frozenset(one.vouched_by for one in everybody if not one.removed),
        vouched=sum(one.vouched_by == actor.name for one in everybody),
    )


def _follow(tx: Writing, decided: Iterable[tuple[str, tuple[PrincipalEvent, ...]]]) -> None:
    """Write the rows that lead to these accounts, and those that lead from a token to its account."""
    found = tuple(decided)
    # A random word, not a counter: a count that was rolled back must not come again for other accounts.
    tx.follow(ACCOUNTS, {**{name: "" for name, _ in found}, _CHANGED: secrets.token_hex(_WORD_BYTES)}, START)
    hashes = {one.hash: name for name, events in found for one in events if isinstance(one, TokenIssued)}
    if hashes:
        tx.follow(TOKENS, cast("dict[str, str | None]", hashes), START)


def keep_names(tx: Writing, names: Iterable[str]) -> None:
    """Record the names of reviewers hosted on this machine, so that no account gets one of them or a similar name."""
    rows = {_MACHINE + looks(one): one for one in names if tx.row(TOLD, _MACHINE + looks(one)) is None}
    if rows:
        tx.follow(TOLD, cast("dict[str, str | None]", rows), START)


def _check_machine(tx: Writing, name: str) -> None:
    """Refuse the name of a hosted reviewer: a seat is held by name, so an account of that name would speak for it."""
    if known := tx.row(TOLD, _MACHINE + looks(name)):
        said = f"{name} is" if known == name else f"{name} looks like {known},"
        sentence = f"{said} a reviewer that a server hosts here; an account would speak for it."
        raise Refusal(Code.DUPLICATE, sentence, f"Choose another name, such as {known}-1.")


def _names(reading: Reading, after: str) -> Iterable[str]:
    after = max(after, _CHANGED)
    while page := reading.rows(ACCOUNTS, after=after, limit=_PAGE):
        yield from (name for name, _ in page)
        after = page[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pool:
    """The principals that were read, with the change word and time of reading, and until when they are valid."""

    changed: str
    at: datetime
    #: When the first token with scope `review` expires.
    until: datetime | None
    principals: tuple[Principal, ...]

    def holds(self, changed: str, now: datetime) -> bool:
        """True if no account or token can have changed since.

        A clock set back would make expired tokens valid again.
        """
        return self.changed == changed and self.at <= now and (self.until is None or now < self.until)


@dataclass(slots=True)
class Enrolled:
    """A directory of the accounts in the store; read again when one of them changed, or a token of theirs ended."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _known: _Pool | None = field(default=None, init=False)

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return all principals with their roles; available ones may report now, by a token or by signing in."""
        changed, now = changed_word(reading), self.clock()
        if self._known is None or not self._known.holds(changed, now):
            self._known = _read_pool(reading, changed, now)
        return self._known.principals


def _read_pool(reading: Reading, changed: str, now: datetime) -> _Pool:
    known = accounts(reading)
    everybody = [one for one in known if not one.removed]
    opening = {one.who.name: _reviewing(one, now) for one in everybody}
    vouching = {name for name, held in opening.items() if any(Scope.VOUCH in token.scopes for token in held)}
    principals = tuple(
        Principal(
            who=one.who,
            roles=frozenset(one.roles),
            # A seat given to a reviewer who cannot report would wait until its deadline.
            available=bool(one.who.is_human or opening[one.who.name] or one.vouched_by in vouching),
            vouched_by=one.vouched_by,
        )
        for one in everybody
    )
    gone = tuple(
        Principal(who=one.who, available=False, vouched_by=one.vouched_by, removed=True) for one in known if one.removed
    )
    ends = (token.expires for held in opening.values() for token in held if token.expires)
    return _Pool(changed=changed, at=now, until=min(ends, default=None), principals=(*principals, *gone))


def _reviewing(one: Account, now: datetime) -> list[Token]:
    """Return the tokens with which this account may report now."""
    return [token for token in one.tokens if Scope.REVIEW in token.scopes and token.opens(now)]
