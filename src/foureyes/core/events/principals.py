"""Events about accounts and their tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.values import WhoKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalEnrolled:
    """Somebody may act here from now on; a later one replaces what was said before."""

    name: str
    kind: WhoKind
    operator: str
    model_family: str
    provider: str
    roles: tuple[str, ...]
    by: str
    vouched_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalRemoved:
    """Somebody may no longer act here: every token ends with this, and no seat is offered."""

    name: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenIssued:
    """A credential was shown once; only the hash of it is kept."""

    name: str
    token: str
    hash: str
    scopes: tuple[str, ...]
    by: str
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRevoked:
    """A credential no longer opens anything."""

    name: str
    token: str
    by: str
    reason: str


PrincipalEvent = PrincipalEnrolled | PrincipalRemoved | TokenIssued | TokenRevoked
