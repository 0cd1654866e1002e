"""The part of `check` that needs the core: judge bytes from the log, and check the log against its last checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from foureyes.app.book_end import BadEnd, BookMark, signed_end, why_not_held
from foureyes.app.live import Judge, Live
from foureyes.app.policies import Policies
from foureyes.app.ports import Reading
from foureyes.app.shelf import Held, Shelf
from foureyes.core.rules import Rules
from foureyes.home.trouble import Trouble
from foureyes.policy.nodes import PolicyErrors
from foureyes.policy.policy import Policy

#: A policy without demands for any target: its no holds under every policy. Each review's own rules are in the store.
_NONE = Policy(name="none", rules=Rules(digest="", protocols=()))


def judge(
    reading: Reading,
    name: str,
    target: str,
    now: datetime,
    *,
    default: Callable[[], Policy | None],
    is_local: bool = True,
) -> Live:
    """Judge these bytes from the log, in one read of the store.

    Until a human activates a policy, the targets of the default policy apply, as they do for the gate. Its file is read
    only if it can turn a yes into a no.
    """
    policies = Policies(_NONE)
    found = Judge(reading=reading, policies=policies, load=_load, now=now, is_local=is_local).judge(name, target)
    if not found.allowed or policies.current(reading).activated is not None:
        return found
    policies = Policies(_read(default) or _NONE)
    return Judge(reading=reading, policies=policies, load=_load, now=now, is_local=is_local).judge(name, target)


def why_not_signed(reading: Reading, found: Live, mark: BookMark) -> str:
    """Why this log does not match the last checkpoint outside the store; empty if it does."""
    try:
        end = signed_end(mark)
    except BadEnd as error:
        return str(error)
    why = why_not_held(reading, end, f"review/{found.review}") if end else ""
    return f"{why} Nothing goes live on this store." if why else ""


def _read(default: Callable[[], Policy | None]) -> Policy | None:
    try:
        return default()
    except PolicyErrors as error:
        raise Trouble(
            f"What the target demands is not known, the policy cannot be read: {error.problems[0]}",
            "Mend it until `foureyes policy check` takes it.",
        ) from error


def _load(reading: Reading, stream: str) -> Held | None:
    return Shelf(1).get(reading, stream, reading.known(stream, "", ""))
