"""Browser sign-in of humans: a single-use link creates a session that the server keeps."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from foureyes.app.accounts import account, hash_of, removals
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import LINKS, SIGN_INS, START
from foureyes.app.sweeping import sweep
from foureyes.core.principals import Account

LINK_LIFE = timedelta(minutes=10)
SIGN_IN_LIFE = timedelta(hours=12)
#: Name of the session cookie.
COOKIE = "foureyes_session"
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """A human who is signed in, and since when."""

    account: Account
    since: datetime
    ends: datetime


def new_link(tx: Writing, human: str, now: datetime) -> str | None:
    """Return the secret of a single-use sign-in link for this human; None if there is no such human."""
    found = account(tx, human)
    if found is None or found.removed or not found.who.is_human:
        return None
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    body = json.dumps({"human": human, "removals": removals(tx, human), "ends": (now + LINK_LIFE).isoformat()})
    tx.follow(LINKS, {hash_of(secret): body}, START)
    return secret


def human_of(reading: Reading, secret: str, now: datetime) -> str | None:
    """Return whom a link signs in; None if it is used, expired or unknown. Does not use it up."""
    found = reading.row(LINKS, hash_of(secret))
    link = json.loads(found) if found else None
    return str(link["human"]) if link and now < datetime.fromisoformat(link["ends"]) else None


def redeemed(tx: Writing, secret: str, now: datetime) -> str | None:
    """Sign in with a link and use it up; returns the secret of the new session, or None."""
    key = hash_of(secret)
    tx.lock(f"{LINKS}/{key}")
    found = tx.row(LINKS, key)
    if found is None:
        return None
    link = json.loads(found)
    for table in (LINKS, SIGN_INS):
        sweep(tx, table, key, now)
    tx.follow(LINKS, {key: None}, START)
    person = _human(tx, link)
    if now >= datetime.fromisoformat(link["ends"]) or person is None:
        return None
    session = secrets.token_urlsafe(_SECRET_BYTES)
    body = {
        "human": link["human"],
        "removals": link.get("removals", 0),
        "since": now.isoformat(),
        "ends": (now + SIGN_IN_LIFE).isoformat(),
    }
    tx.follow(SIGN_INS, {hash_of(session): json.dumps(body)}, START)
    return session


def signed_in(reading: Reading, session: str, now: datetime) -> SignIn | None:
    """Return who is signed in with this session; None if it is unknown or expired, or the human was removed."""
    found = reading.row(SIGN_INS, hash_of(session))
    if found is None:
        return None
    row = json.loads(found)
    since, ends = datetime.fromisoformat(row["since"]), datetime.fromisoformat(row["ends"])
    person = _human(reading, row)
    if now >= ends or person is None:
        return None
    return SignIn(account=person, since=since, ends=ends)


def sign_out(tx: Writing, session: str) -> None:
    """End a session."""
    tx.follow(SIGN_INS, {hash_of(session): None}, START)


def form_mark(session: str) -> str:
    """Return the CSRF token for forms of this session."""
    return hash_of(f"form:{session}")


def _human(reading: Reading, row: Mapping[str, Any]) -> Account | None:
    """Return the human a row was made for; None if they were removed since, even if they were enrolled again."""
    found = account(reading, row["human"])
    if found is None or found.removed or not found.who.is_human:
        return None
    return found if removals(reading, row["human"]) == row.get("removals", 0) else None
