"""Checks at server start: the server refuses to serve while anything that could break its guarantees is wrong.

A check that cannot be made counts as failed. The doors call `self_check` with what they know; `refusals` says which
checks failed, each with its next step. A policy that switches reviews off passes: the core still demands them for high
risk, vetoes and the kinds that are never skipped.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from foureyes.app.book import BadLine
from foureyes.app.checkpoints import last_line
from foureyes.app.keys import check_keys
from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading, Store, Unavailable
from foureyes.app.verify import GUARD, UNGUARDED
from foureyes.app.verify_start import check_start
from foureyes.policy.floor import floor_problems
from foureyes.policy.policy import Policy

LOCAL_NAMES = frozenset({"localhost"})
UNIX = "unix:"
_LOOK = "Mend this, then start again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a check found: nothing wrong, or a sentence and what to do."""

    name: str
    sentence: str = ""
    next_step: str = ""

    @property
    def is_ok(self) -> bool:
        """True if the check found nothing wrong."""
        return not self.sentence


class Unfit(Exception):  # noqa: N818 - a state of the installation, told to whoever starts it
    """Something must be mended first: what it is, and the next step."""

    def __init__(self, sentence: str, next_step: str = _LOOK) -> None:
        """Keep what is shown to the user."""
        super().__init__(f"{sentence} {next_step}")
        self.sentence = sentence
        self.next_step = next_step


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing to look at; `look` raises when it is not as it must be."""

    name: str
    look: Callable[[], Awaitable[None] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """Where a server listens, and what stands before it."""

    host: str
    tls: bool = False
    proxy: bool = False
    #: The host names it serves; requests for other names are refused.
    hosts: tuple[str, ...] = ()


async def self_check(checks: Iterable[Check]) -> tuple[Found, ...]:
    """Run all checks; one failure does not hide the next."""
    return tuple([await _found(one) for one in checks])


def refusals(found: Sequence[Found]) -> tuple[str, ...]:
    """Return why the server must not serve, a line for each failure; empty if it may.

    No checks at all is a failure.
    """
    if not found:
        return ("self-check: nothing was looked at. Call it with the checks of this installation.",)
    return tuple(f"{one.name}: {one.sentence} {one.next_step}" for one in found if not one.is_ok)


def checks_of(
    store: Store,
    *,
    policy: Policy,
    checkpoints: Path,
    keys: Path | None = None,
    bind: Bind | None = None,
    more: Iterable[Check] = (),
) -> tuple[Check, ...]:
    """Return the checks of every server; `more` are those of its store, its data folder and its spool.

    A process that signs nothing has no keys, and one without an address has no bind. A store checks its own settings
    whenever it connects (journal and sync mode; fsync and synchronous_commit), so opening it is that check.
    """
    bound = () if bind is None else (Check(name="address", look=partial(check_bind, bind)),)
    return (
        Check(name="checkpoint", look=partial(check_head, store, checkpoints)),
        Check(name="guards", look=partial(check_guards, store)),
        Check(name="policy", look=partial(check_floor, store, policy)),
        *(() if keys is None else (Check(name="keys", look=partial(check_keys, keys)),)),
        *bound,
        *more,
    )


async def check_head(store: Store, checkpoints: Path) -> None:
    """Refuse a log that does not hold what was signed: it was cut, forked, edited, or replaced by an old one."""
    try:
        last = last_line(checkpoints)
        damages = await store.read(lambda reading: check_start(reading, last, checkpoints))
    except BadLine as error:
        raise Unfit(f"A checkpoint cannot be read: {error}.", "Run `foureyes log verify`.") from error
    if damages:
        first = damages[0]
        raise Unfit(f"{first.place} is {first.what}.", first.next_step)


async def check_guards(store: Store) -> None:
    """Refuse a database that would let the log be changed: a person must find out why, so it is not repaired here."""
    gone = await store.read(lambda reading: reading.unguarded())
    if gone:
        raise Unfit(f"{', '.join(gone)}: {UNGUARDED}.", GUARD)


async def check_floor(store: Store, policy: Policy) -> None:
    """Refuse a policy, the default or the one in force, that lets work pass without a second reviewer."""

    def rules(reading: Reading) -> Iterator[str]:
        for one in {id(found): found for found in (policy, Policies(policy).current(reading).policy)}.values():
            yield from (f"The policy {one.name} is below the floor: {why}." for why in floor_problems(one.rules))

    problems = await store.read(lambda reading: list(rules(reading)))
    if problems:
        raise Unfit(problems[0], "Activate a policy that `foureyes policy check` accepts.")


def check_bind(bind: Bind) -> None:
    """Refuse to listen on a public address unless the traffic is protected and the server's names are known."""
    if is_local(bind.host):
        return
    if not (bind.tls or bind.proxy):
        raise Unfit(
            f"{bind.host} can be reached by others, and nothing protects what they send.",
            "Listen on 127.0.0.1, give a certificate, or declare the proxy that has one.",
        )
    if not bind.hosts:
        raise Unfit(f"{bind.host} can be reached by others, under any name.", "List the host names it is called by.")


def is_local(host: str) -> bool:
    """True if only this machine can reach it."""
    if host in LOCAL_NAMES or host.startswith(UNIX):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


async def _found(check: Check) -> Found:
    try:
        looking = check.look()
        if looking is not None:
            await looking
    except Exception as error:  # noqa: BLE001 - the outermost boundary: what cannot be looked at is not fit
        sentence, next_step = _said(error)
        return Found(name=check.name, sentence=sentence, next_step=next_step)
    return Found(name=check.name)


def _said(error: Exception) -> tuple[str, str]:
    """Return sentence and next step of our own errors; other errors are shown as they are."""
    if isinstance(error, Unfit | Unavailable):
        return error.sentence, error.next_step
    if isinstance(error, Damaged):
        return str(error), "Stop, and restore the last backup."
    sentence, next_step = getattr(error, "sentence", ""), getattr(error, "next_step", "")
    return (str(sentence), str(next_step)) if sentence else (f"{type(error).__name__}: {error}.", _LOOK)
