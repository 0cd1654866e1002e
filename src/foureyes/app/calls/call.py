"""The description of one call (`Call`), its caller (`Caller`), and what a caller must hold to make it (`Need`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from foureyes.core.principals import Account, Scope
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who, WhoKind

if TYPE_CHECKING:
    from foureyes.app.calls.office import Office

B = TypeVar("B")
_SCOPES = frozenset(one.value for one in Scope)


class Need(StrEnum):
    """What a caller must hold: a token with the scope of this name, or a human's sign-in."""

    READ = "read"
    AUTHOR = "author"
    REVIEW = "review"
    SIGNAL = "signal"
    PUBLISH = "publish"
    VOUCH = "vouch"
    #: A human at a browser; no token has this scope.
    HUMAN = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls, as the credential says and nothing else."""

    account: Account
    scopes: frozenset[str] = frozenset()
    #: When the human signed in; None for tokens.
    signed_in: datetime | None = None
    #: The id of the credential; the same for one session at work, so that it distinguishes sessions.
    credential: str = ""
    #: The credential could not be looked up: it was valid lately, and only counts for calls that may be spooled.
    remembered: bool = False
    #: True if the command may be spooled: the call does nothing else.
    may_wait: bool = False
    #: The CSRF token of their session; empty for callers with a token.
    form: str = field(default="", repr=False)
    #: The actor of all commands.
    who: Who = field(init=False)

    def __post_init__(self) -> None:
        """Say once who it is: it is asked for again and again."""
        who = self.account.who
        object.__setattr__(self, "who", who if who.session else replace(who, session=self.credential))

    def check(self, need: Need) -> None:
        """Refuse what this credential is not for."""
        if self.signed_in is not None:
            return  # a signed-in human may make every call; the core refuses what a human may not do
        if need is Need.HUMAN:
            raise Refusal(
                Code.SIGN_IN_NEEDED, "This is for a human who is signed in.", "Ask a human; no token opens it."
            )
        if need.value not in self.scopes:
            held = ", ".join(sorted(self.scopes)) or "nothing"
            raise Refusal(
                Code.NOT_ELIGIBLE, f"This token is for {held}, not for {need}.", "Use a token with that scope."
            )

    def named(self, name: str) -> None:
        """An identity in what is sent must be the credential's."""
        if name and name != self.account.who.name:
            raise refuse(Code.IDENTITY_MISMATCH, name=name[:80], holder=self.account.who.name)


def scopes_of(account: Account, granted: tuple[str, ...]) -> frozenset[str]:
    """What a token is for."""
    return frozenset() if account.who.kind is WhoKind.HUMAN else _SCOPES.intersection(granted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[B]):
    """One thing that can be asked: the same at every door."""

    name: str
    says: str
    needs: Need
    form: type[B]
    answer: Callable[[Office, Caller, B], Awaitable[Any]]
    #: True if it changes anything.
    changes: bool = True
    #: True if it has an idempotency key; reads need none, and calls that create a new secret each time have none.
    keyed: bool = True
    #: True if the call may be spooled while the database is down. Only calls that are exactly one command qualify.
    spools: bool = False
    #: True if it redacts its answer itself, because it reports what it cut.
    cuts: bool = False
    #: How a seed's sentence about malformed input begins.
    misread: str = ""
