"""Decision links: signed single-use links with which a human answers one question without signing in.

A link is signed with a key that only the machine has, so that nobody else can make one; a row of it is kept by its
hash, so that it is used once, expires, and survives a restart. A copy of the database opens nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from foureyes.app.accounts import account, hash_of, removals
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import DECIDING_LINKS, START
from foureyes.app.sweeping import sweep
from foureyes.core.principals import Account

LIFE = timedelta(days=3)
KEY_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Whose decision about what a link carries; and whether it was used."""

    human: str
    review: str
    request: str
    made: datetime
    ends: datetime
    #: How often its human had been removed when it was made; a later removal invalidates it.
    removals: int = 0
    used: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a link is made for: the letter it stands in, and the question."""

    letter: str
    human: str
    review: str
    request: str


def made(tx: Writing, key: bytes, asked: Asked, now: datetime) -> str | None:
    """Return the secret of a link, the same for the same letter; None if there is no such human."""
    if human(tx, asked.human) is None:
        return None
    signed = json.dumps([asked.letter, asked.human, asked.review, asked.request])
    secret = base64.urlsafe_b64encode(hmac.digest(key, signed.encode(), hashlib.sha256)).decode().rstrip("=")
    name = hash_of(secret)
    sweep(tx, DECIDING_LINKS, name, now)
    if tx.row(DECIDING_LINKS, name) is None:
        link = Link(
            human=asked.human,
            review=asked.review,
            request=asked.request,
            made=now,
            ends=now + LIFE,
            removals=removals(tx, asked.human),
        )
        _put(tx, name, link)
    return secret


def link_of(reading: Reading, secret: str, now: datetime) -> Link | None:
    """Return the link of this secret; None if it expired, is unknown, or its human was removed. Does not use it up."""
    found = _read(reading, hash_of(secret))
    if found is None or now >= found.ends or human(reading, found.human) is None:
        return None
    return found if removals(reading, found.human) == found.removals else None


def taken(tx: Writing, secret: str, now: datetime) -> Link | None:
    """Use a link up before it decides, so that only one of two concurrent requests gets it.

    None if used or expired.
    """
    tx.lock(f"{DECIDING_LINKS}/{hash_of(secret)}")
    found = link_of(tx, secret, now)
    if found is None or found.used:
        return None
    _put(tx, hash_of(secret), found, used=True)
    return found


def give_back(tx: Writing, secret: str) -> None:
    """Make a link usable again after its decision was refused, so that it can be corrected."""
    name = hash_of(secret)
    found = _read(tx, name)
    if found is not None:
        _put(tx, name, found)


def human(reading: Reading, name: str) -> Account | None:
    """Return the human account of this name that may decide here."""
    found = account(reading, name)
    return found if found and found.who.is_human and not found.removed else None


def _put(tx: Writing, name: str, link: Link, *, used: bool = False) -> None:
    body = {
        "human": link.human,
        "review": link.review,
        "request": link.request,
        "made": link.made.isoformat(),
        "ends": link.ends.isoformat(),
        "removals": link.removals,
        "used": used,
    }
    tx.follow(DECIDING_LINKS, {name: json.dumps(body, sort_keys=True)}, START)


def _read(reading: Reading, name: str) -> Link | None:
    found = reading.row(DECIDING_LINKS, name)
    if found is None:
        return None
    row = json.loads(found)
    return Link(
        human=row["human"],
        review=row["review"],
        request=row["request"],
        made=datetime.fromisoformat(row["made"]),
        ends=datetime.fromisoformat(row["ends"]),
        removals=row.get("removals", 0),
        used=row["used"],
    )
