"""Authenticates callers: resolves a token, a session cookie or a service's agent header to the account behind it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from foureyes.app.accounts import ROLL_MAX, Find, Roll, Unread, account, bearer, credential_for, hash_of, stream_of
from foureyes.app.calls.call import Caller, scopes_of
from foureyes.app.ports import Quick, Reading, Store, Writing
from foureyes.app.rows import SIGN_INS, START, TOKENS, Known
from foureyes.app.signing_in import form_mark, signed_in
from foureyes.core.principals import Account, Scope, Token

#: Header that names the agent a service acts for.
AGENT_HEADER = "foureyes-agent"
CREDENTIAL_HEADERS = (AGENT_HEADER, "authorization")
#: How long a credential that was valid counts while the store cannot look it up.
LATELY = timedelta(minutes=10)
LATELY_MAX = 4_096
#: Scopes that a service cannot use on behalf of an agent it vouches for.
_NEVER_FOR_OTHERS = frozenset({Scope.VOUCH.value, Scope.PUBLISH.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What a door was given: a token or a session, and the name of the agent a service acts for."""

    token: str = ""
    session: str = ""
    agent: str = ""
    #: Cache key: a hash, so that the credential itself is never kept.
    key: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Hash the credential once."""
        object.__setattr__(self, "key", hash_of(f"{self.token} {self.session} {self.agent}"))


def credential_of(headers: Mapping[str, str], session: str = "") -> Credential:
    """Return the credential of a request: a bearer token, else the session of a cookie."""
    agent = headers.get(AGENT_HEADER, "")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return Credential(token=token.strip(), agent=agent)
    return Credential(session=session, agent=agent)


@dataclass(slots=True)
class Lately:
    """Whose token this process saw to be good in the last minutes; never a human's session."""

    _seen: dict[str, tuple[Caller, datetime]] = field(default_factory=dict)

    def saw(self, given: Credential, caller: Caller | None, now: datetime) -> None:
        """Remember whom a credential speaks for; forget one that is not valid."""
        key = given.key
        if caller is None or caller.signed_in is not None:
            self._seen.pop(key, None)
            return
        if len(self._seen) >= LATELY_MAX and key not in self._seen:
            self._seen.clear()
        self._seen[key] = caller, now

    def recalled(self, given: Credential, now: datetime) -> Caller | None:
        """Return whom the credential spoke for at its last lookup, if that is recent."""
        caller, then = self._seen.get(given.key, (None, now))
        return replace(caller, remembered=True) if caller and now - then <= LATELY else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """A caller who came with a token, and the accounts that this rests on."""

    caller: Caller
    token: Token
    by: tuple[Account, ...]


class Acquaintances:
    """Who came with which token lately. What they are is used only where the logs it was read from end as they did."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._roll = Roll()
        self._met: dict[str, tuple[_Met, tuple[tuple[str, Known | None], ...]]] = {}

    def again(self, reading: Reading, given: Credential, now: datetime) -> Caller | None:
        """Return whom a token speaks for now, without reading a log; raises Unread if one must be read."""
        met, ends = self._met.get(given.key, (None, ()))
        for stream, end in ends:
            if reading.known(stream, "", "") != end:
                met = None
        if met is None:
            return self._looked_up(reading, given, now, self._roll.recall)
        if not met.token.opens(now):
            del self._met[given.key]
            return None
        return met.caller

    def anew(self, reading: Reading, given: Credential, now: datetime) -> Caller | None:
        """Return whom a token speaks for, read from the logs."""
        return self._looked_up(reading, given, now, self._roll.read)

    def _looked_up(self, reading: Reading, given: Credential, now: datetime, find: Find) -> Caller | None:
        found = _by_token(reading, given, now, find)
        if found is None:
            return None
        if len(self._met) >= ROLL_MAX:
            self._met.clear()
        # If another task has read the account meanwhile its end is unknown, so this entry is not reused.
        self._met[given.key] = found, tuple((stream_of(one.who.name), self._roll.end_of(one)) for one in found.by)
        return found.caller


async def caller_of(store: Store, given: Credential, now: datetime, met: Acquaintances | None = None) -> Caller | None:
    """Return the caller; None if the credential is unknown, expired, or may not be used this way.

    With `met` the store is asked as always, but logs that have not changed are not read again.
    """
    if met is None or not given.token:
        return await store.read(lambda reading: look_up(reading, given, now))
    try:
        return await store.read(Quick(lambda reading: met.again(reading, given, now)))
    except Unread:
        return await store.read(lambda reading: met.anew(reading, given, now))


def look_up(reading: Reading, given: Credential, now: datetime, find: Find = account) -> Caller | None:
    """Return the caller behind a credential, on one consistent look at the store."""
    if given.token:
        met = _by_token(reading, given, now, find)
        return met.caller if met else None
    found = signed_in(reading, given.session, now) if given.session and not given.agent else None
    return Caller(account=found.account, signed_in=found.since, form=form_mark(given.session)) if found else None


def is_over(reading: Reading, given: Credential, now: datetime) -> bool:
    """True if a credential was valid once and has expired. It is then removed, so that no clock change revives it."""
    if given.session:
        found = reading.row(SIGN_INS, hash_of(given.session))
        return found is not None and now >= datetime.fromisoformat(json.loads(found)["ends"])
    known = hash_of(given.token)
    name = reading.row(TOKENS, known)
    holder = account(reading, name) if name else None
    tokens = holder.tokens if holder else ()
    return any(
        secrets.compare_digest(one.hash, known) and one.expires is not None and now >= one.expires for one in tokens
    )


def put_down(tx: Writing, given: Credential) -> None:
    """Remove the lookup row of an expired credential, so that a clock set back does not make it valid again."""
    table, secret = (SIGN_INS, given.session) if given.session else (TOKENS, given.token)
    tx.follow(table, {hash_of(secret): None}, START)


def _by_token(reading: Reading, given: Credential, now: datetime, find: Find) -> _Met | None:
    found = bearer(reading, given.token, now, find)
    if found is None:
        return None
    holder, token = found
    scopes = scopes_of(holder, token.scopes)
    if not given.agent:
        return _Met(caller=Caller(account=holder, scopes=scopes, credential=token.id), token=token, by=(holder,))
    agent = find(reading, given.agent) if Scope.VOUCH in scopes else None
    if agent is None or agent.removed or agent.vouched_by != holder.who.name:
        return None
    # Each agent is a session of its own, although all of them use one token.
    name = credential_for(token, agent.who.name)
    caller = Caller(account=agent, scopes=scopes - _NEVER_FOR_OTHERS, credential=name)
    return _Met(caller=caller, token=token, by=(holder, agent))
