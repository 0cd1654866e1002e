"""The form fields for a token's scopes and expiry, and how both are shown with each token."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from foureyes.app.calls.about_accounts import TokenShown
from foureyes.core.principals import SCOPES, TOKEN_DAYS_MAX, Scope
from foureyes.core.values import WhoKind
from foureyes.web.door import Turned, Visit
from foureyes.web.frame import line, ticked
from foureyes.web.html import Html, element, together

DAY_DIGITS_MAX = 4
#: What each scope allows, as its checkbox says.
_GOOD_FOR = {
    Scope.READ: "look at work, reviews and what is asked",
    Scope.AUTHOR: "ask for reviews, revise and answer",
    Scope.REVIEW: "take seats and report",
    Scope.SIGNAL: "say what is done in a session",
    Scope.PUBLISH: "use what was cleared",
    Scope.VOUCH: "enrol agents of its own and act for them",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The scopes and the expiry that a new token shall have."""

    scopes: tuple[Scope, ...]
    ends: datetime | None

    def __str__(self) -> str:
        """The wish in words."""
        return f"for {', '.join(self.scopes)}{_until(self.ends)}"

    def sent(self) -> dict[str, object]:
        """The wish as the call takes it."""
        return {"scopes": [str(one) for one in self.scopes], "expires": self.ends and self.ends.isoformat()}


def fields(kinds: Iterable[WhoKind], *, kind: str = "", chosen: Iterable[str] = (), days: str = "") -> Html:
    """Checkboxes for all scopes that a token of these kinds may have, and a field for its days.

    The usual scopes of `kind` are ticked, unless some are `chosen`.
    """
    among, some = tuple(kinds), frozenset(chosen)
    usual = next((scopes for one, scopes in SCOPES.items() if one == kind), tuple(Scope))
    boxes = (_box(one, among, checked=one in (some or usual)) for one in Scope)
    return together(
        element("fieldset", element("legend", "What the token is for"), *boxes, _left_out(among)),
        line("days", "Days", "After so many it opens nothing any more; empty: it has no end.", value=days),
    )


def wished(visit: Visit, kind: str) -> Wish:
    """The ticked scopes that a token of this kind may have; refused if there are none, instead of meaning all."""
    allowed = next((scopes for one, scopes in SCOPES.items() if one == kind), ())
    scopes = tuple(one for one in allowed if visit.sent.get(_name(one)) == "yes")
    if not scopes:
        step = f"Go back, and tick one of {', '.join(allowed)}." if allowed else "Go back, and choose another kind."
        raise Turned(422, "The token would be for nothing.", step)
    return Wish(scopes=scopes, ends=_end(visit.sent.get("days", "").strip(), visit.office.clock()))


def said(token: TokenShown, now: datetime) -> str:
    """A token in the list: its scopes and its expiry."""
    if token.revoked:
        return f"Token {token.token}: revoked"
    if token.expires is not None and token.expires <= now:
        return f"Token {token.token}: over since {token.expires:%Y-%m-%d %H:%M} UTC"
    return f"Token {token.token}: for {', '.join(token.scopes)}{_until(token.expires)}"


def _box(one: Scope, among: tuple[WhoKind, ...], *, checked: bool) -> Html | None:
    may = [kind for kind in among if one in SCOPES[kind]]
    if not may:
        return None
    only = "" if len(may) == len(among) else f" ({', '.join(may)} only)"
    return ticked(_name(one), f"{one}: {_GOOD_FOR[one]}{only}", checked=checked)


def _left_out(among: tuple[WhoKind, ...]) -> Html | None:
    """The note, shown if several kinds may be chosen, that scopes another kind has are ignored."""
    return element("p", "What its kind may not have is left out.", class_="soft small") if len(among) > 1 else None


def _name(one: Scope) -> str:
    return f"for_{one}"


def _end(days: str, now: datetime) -> datetime | None:
    if not days:
        return None
    is_number = days.isascii() and days.isdecimal() and len(days) <= DAY_DIGITS_MAX
    if not is_number or not 1 <= int(days) <= TOKEN_DAYS_MAX:
        raise Turned(422, f"{days[:80]!r} is no number of days from 1 to {TOKEN_DAYS_MAX}.", "Go back, and correct it.")
    return now + timedelta(days=int(days))


def _until(end: datetime | None) -> str:
    return f", until {end:%Y-%m-%d %H:%M} UTC" if end else ""
