"""Whom does a credential speak for? A token, a session of a signed-in human, or a service for an agent of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from foureyes.app.accounts import Find, Roll, Unread, account, bearer, credential_for, hash_of
from foureyes.app.calls.call import Caller, scopes_of
from foureyes.app.ports import Quick, Reading, Store
from foureyes.app.signing_in import signed_in
from foureyes.core.principals import Scope

#: For which of its agents a service acts.
AGENT_HEADER = "foureyes-agent"
#: So long a credential counts that was seen to be good, while nobody can look it up.
LATELY = timedelta(minutes=10)
LATELY_MAX = 4_096
#: What somebody may do for an agent they vouch for: nothing that is theirs alone.
_NEVER_FOR_OTHERS = frozenset({Scope.VOUCH.value, Scope.PUBLISH.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What a door was given: a token or a session, and the name of the agent a service acts for."""

    token: str = ""
    session: str = ""
    agent: str = ""


def credential_of(headers: Mapping[str, str], session: str = "") -> Credential:
    """What came along with a request: a bearer token, else the session of a cookie."""
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
        """Remember whom a credential speaks for; forget one that opens nothing."""
        key = _key(given)
        if caller is None or caller.signed_in is not None:
            self._seen.pop(key, None)
            return
        if len(self._seen) >= LATELY_MAX and key not in self._seen:
            self._seen.clear()
        self._seen[key] = caller, now

    def recalled(self, given: Credential, now: datetime) -> Caller | None:
        """Whom it spoke for when it was last looked up, where that is not long ago."""
        caller, then = self._seen.get(_key(given), (None, now))
        return replace(caller, remembered=True) if caller and now - then <= LATELY else None


def _key(given: Credential) -> str:
    return hash_of(f"{given.token} {given.session} {given.agent}")


async def caller_of(store: Store, given: Credential, now: datetime, roll: Roll | None = None) -> Caller | None:
    """Who calls; nobody where the credential is unknown, over, or not theirs to use so.

    With a roll the store is asked as always, but an account whose log is as it was is not read again.
    """
    if roll is None or not given.token:
        return await store.read(lambda reading: look_up(reading, given, now))
    try:
        return await store.read(Quick(lambda reading: look_up(reading, given, now, roll.recall)))
    except Unread:
        return await store.read(lambda reading: look_up(reading, given, now, roll.read))


def look_up(reading: Reading, given: Credential, now: datetime, find: Find = account) -> Caller | None:
    """The same on one look at the store."""
    if given.token:
        return _by_token(reading, given, now, find)
    found = signed_in(reading, given.session, now) if given.session and not given.agent else None
    return Caller(account=found.account, signed_in=found.since) if found else None


def _by_token(reading: Reading, given: Credential, now: datetime, find: Find) -> Caller | None:
    found = bearer(reading, given.token, now, find)
    if found is None:
        return None
    holder, token = found
    scopes = scopes_of(holder, token.scopes)
    if not given.agent:
        return Caller(account=holder, scopes=scopes, credential=token.id)
    agent = find(reading, given.agent) if Scope.VOUCH in scopes else None
    if agent is None or agent.removed or agent.vouched_by != holder.who.name:
        return None
    # Each agent is a session of its own, though all of them come through one token.
    name = credential_for(token, agent.who.name)
    return Caller(account=agent, scopes=scopes - _NEVER_FOR_OTHERS, credential=name)
