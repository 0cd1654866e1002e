"""What the gate takes from outside besides its store: the time, a random draw and the ids of new reviews."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

#: Unambiguous letters and digits: 32 of them, so a random byte chooses each equally often.
_LETTERS = "abcdefghjkmnpqrstvwxyz0123456789"
_ID_LETTERS = 12


def new_id() -> str:
    """Return a new review id: 60 random bits that nobody can guess or choose."""
    return "".join([_LETTERS[one % len(_LETTERS)] for one in secrets.token_bytes(_ID_LETTERS)])


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the gate takes from outside besides its store; tests put their own here."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    draw: Callable[[], int] = lambda: secrets.randbits(48)
    mint: Callable[[], str] = new_id
