"""The `status` command: open reviews, server, workers and what is due. Its cost does not grow with past reviews."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial

import click

from foureyes.app.book import Line as Checkpointed
from foureyes.app.gate import Gate, Seen
from foureyes.app.outbox import Outbox
from foureyes.app.policies import Policies
from foureyes.app.ports import Reading
from foureyes.app.projections.metrics import totals
from foureyes.app.pulse import Pulse, age_seconds, pulse
from foureyes.app.rebuilding import check_trust
from foureyes.app.reviewing.outcome import Outcome
from foureyes.app.rows import Listing, Pending
from foureyes.app.silences import Silence
from foureyes.app.vacancies import vacant_beside
from foureyes.app.workers import Worker
from foureyes.cli import codes, here, signing, silenced
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.consent import is_given
from foureyes.cli.fitting import terminal_width
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.cli.receipt_lines import rows
from foureyes.cli.telling import age, counted, exit_code
from foureyes.cli.up import vacant_data
from foureyes.core.explain import is_vacant
from foureyes.core.situation import by_severity, files_of, open_by_severity
from foureyes.core.vacancies import Vacancy
from foureyes.core.values import Who
from foureyes.home.lock import running
from foureyes.home.spool import spool_bytes

OPEN_MAX = 1000
LISTED_MAX = 10
#: How many open reviews are shown with their findings; each is read from the log.
NEWEST_MAX = 3
#: At most this many due requests are searched for one that is owed.
URGENT_MAX = 20
#: A time after every due time.
_EVER = "9999-12-31T23:59:59Z"
_NOW = "now_"
_PARTIES = {"reviewer": "a reviewer", "author": "the author", "human": "a human"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """The open reviews of a store: their number, how many wait for each party, and the ids of the newest."""

    count: int = 0
    waits: Mapping[str, int] = field(default_factory=dict)
    newest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One of the newest open reviews, and whose turn it is."""

    seen: Seen
    turn: str
    is_private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Everywhere:
    """What is open in the server's store and in the store of this machine, and the newest of both."""

    shared: Open
    private: Open
    newest: tuple[Listed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of one read of the store."""

    open: Open
    ended: dict[str, int]
    suspects: tuple[str, ...]
    #: Due requests, by review and request, the most urgent first.
    urgent: tuple[tuple[str, str], ...]
    pulse: Pulse
    #: Set if the hooks are off here.
    off: Silence | None
    #: Seats of the policy in force that nobody can hold.
    vacant: tuple[Vacancy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """The most urgent request, and when it is due."""

    review: str
    what: str
    at: datetime


@click.command()
@answering
def status(parts: Parts) -> Answer:
    """Say what is open here, whose turn it is and what to do next.

    Then how things stand elsewhere: open reviews, what is due, the last checkpoint.
    Exit code as of `review` for the review that is shown first; 0 where nothing was reviewed here, 2 where track
    records were damaged.
    """

    async def look() -> Answer:
        there = parts.at_hand
        async with there.store() as store:
            found = await store.read(partial(_look, parts.now(), _vacant(parts)))
            gate, human = there.gate(store), parts.human()
            outcome = await here.last_or_none(parts)
            due = await _due(gate, found, human)
            shared = () if there.is_local else [await gate.read(name, human) for name in found.open.newest]
        private, own = await _private(parts)
        served = (Listed(seen=one, turn=one.explanation.situation.turn, is_private=False) for one in shared)
        newest = sorted((*served, *own), key=lambda one: one.seen.opened, reverse=True)
        opened = Everywhere(shared=Open() if there.is_local else found.open, private=private, newest=tuple(newest))
        names = dict.fromkeys((*(one.seen.view.review.id for one in newest), *((due.review,) if due else ())))
        return await parts.scrub(_answer(parts, found, due, opened, outcome), *names)

    return asyncio.run(look())


async def _private(parts: Parts) -> tuple[Open, list[Listed]]:
    """What is open in the store of this machine; those reviews are shown with the turn of a local review."""
    own = parts.local
    if not own.has_store:
        return Open(), []
    async with own.store() as store:
        found = await store.read(_opened)
        gate, human = own.gate(store), parts.human()
        seen = [await gate.read(name, human) for name in found.newest]
    turns = [here.turn(await parts.stands(name)) for name in found.newest]
    return found, [Listed(seen=one, turn=turn, is_private=True) for one, turn in zip(seen, turns, strict=True)]


def _nobody(parts: Parts) -> str:
    """The words for no running server; on a shared database other folders may have one."""
    if not parts.settings.is_postgres:
        return "no server"
    return "no server of this data folder; others may share the database"


def _vacant(parts: Parts) -> Callable[[Reading], tuple[Vacancy, ...]]:
    """Reads the seats that nobody can hold on the running server; without a server it finds none."""
    server = running(parts.settings.home)
    if server is None or not server.is_server:
        return lambda _: ()
    policies, now = Policies(parts.policy()), parts.now()
    sends = partial(is_given, server.sends)
    return lambda reading: vacant_beside(reading, policies.current(reading).policy, now, sends)


def _look(now: datetime, vacant: Callable[[Reading], tuple[Vacancy, ...]], reading: Reading) -> Found:
    counted = totals(reading)
    ended = {name.removeprefix(_NOW): count for name, count in counted.items() if name.startswith(_NOW)}
    return Found(
        open=_opened(reading),
        ended={name: count for name, count in sorted(ended.items()) if name != "open" and "waiting" not in name},
        suspects=tuple(f"{one.kind}/{one.author}: {one.why}" for one in check_trust(reading)),
        urgent=tuple(reading.due(_EVER, URGENT_MAX)),
        pulse=pulse(reading, now),
        off=silenced.off_here(reading, now),
        vacant=vacant(reading),
    )


def _opened(reading: Reading) -> Open:
    rows = reading.reviews(Listing(state="open", limit=OPEN_MAX))
    waits = Counter(party for row in rows for party in row.waits.split())
    newest = tuple(row.review for row in rows[:NEWEST_MAX])
    return Open(count=len(rows), waits=dict(sorted(waits.items())), newest=newest)


async def _due(gate: Gate, found: Found, human: Who) -> Owed | None:
    """The most urgent request that an account owes; an unassigned seat is not owed by any account."""
    seen: dict[str, Seen] = {}
    for review, request in found.urgent:
        if review not in seen:
            seen[review] = await gate.read(review, human)
        turn = next((one for one in seen[review].explanation.turns if one.request == request), None)
        if turn and not is_vacant(seen[review].view.review, request):
            return Owed(review=review, what=f"{', '.join(turn.who)}: {turn.what}", at=turn.due)
    return None


def _newest(one: Listed) -> dict[str, Json]:
    """One of the newest open reviews, with the facts that distinguish it from the others."""
    review = one.seen.view.review
    return {
        "review": review.id,
        "title": review.title,
        "author": review.author.name,
        "files": files_of(review),
        "revision": review.revision,
        "findings": sum(not one.is_settled for one in review.findings.values()),
        "by_severity": dict[str, Json](open_by_severity(review)),
        "turn": one.turn,
        "opened": one.seen.opened,
        "private": one.is_private,
    }


def _answer(
    parts: Parts,
    found: Found,
    due: Owed | None,
    opened: Everywhere,
    outcome: Outcome | None,
) -> Answer:
    server, last, spooled = running(parts.settings.home), signing.book_end(parts), spool_bytes(parts.settings.spool)
    width, now, going = terminal_width(), parts.now(), found.pulse
    # Without a server or a worker no process sends notifications.
    tells = server is not None or bool(going.workers) or parts.settings.is_postgres
    urgent = f"{due.what} in review {due.review}, {_when(due.at, now)}" if due else ""
    lines = [
        *here.shown(outcome, width),
        *rows("Hooks", [silenced.told(found.off) if found.off else ""], width, "care"),
        Line(""),
        *rows("Open reviews", [_open(opened), *(_one(one, now) for one in opened.newest)], width, ""),
        *rows("Ended", [", ".join(f"{count} {name}" for name, count in found.ended.items())], width, "dim"),
        *rows("Most urgent", [urgent], width, ""),
        *rows("At work", [server.in_words() if server else _nobody(parts)], width, "" if server else "dim"),
        *rows("Workers", [_hosts(one) for one in going.workers], width, ""),
        *rows("Waiting", [_pending(one) for one in going.pending if one.requests], width, ""),
        *rows("Seats", [_seats(going)], width, "care" if going.lapsed else ""),
        *rows("Nobody for", [one.in_words() for one in found.vacant[:LISTED_MAX]], width, "care"),
        *rows("Outbox", [_untold(going) if tells else ""], width, ""),
        *rows("Checkpoint", [_checkpoint(last)], width, "dim"),
        *rows("Hooks off", [_off(one) for one in going.off[:LISTED_MAX] if one != found.off], width, "care"),
    ]
    lines += rows("Not told", _not_told(going.outbox), width, "care")
    if spooled:
        lines += rows("Spool", [f"{spooled} bytes wait for the database in {parts.settings.spool}"], width, "care")
    damaged = [f"{one} Run `foureyes rebuild trust`." for one in found.suspects[:LISTED_MAX]]
    lines += rows("Damaged", damaged, width, "bad")
    data: dict[str, Json] = {
        "here": here.data(outcome),
        "server": {"pid": server.pid, "address": server.address, "started": server.started} if server else None,
        "workers": [_worker(one) for one in going.workers],
        "pending": [asdict(one) for one in going.pending],
        "vacant": [vacant_data(one) for one in found.vacant],
        "leases": {"held": going.leased, "lapsed": going.lapsed},
        "off": silenced.data(found.off),
        "off_anywhere": [silenced.data(one) for one in going.off],
        "open": opened.shared.count + opened.private.count,
        "private": opened.private.count,
        "newest": [_newest(one) for one in opened.newest],
        "waits": opened.shared.waits,
        "ended": found.ended,
        "due": {"review": due.review, "what": due.what, "at": due.at.isoformat()} if due else None,
        "checkpoint": _signed(last, now),
        "spool_bytes": spooled,
        "outbox": {
            "waiting": going.outbox.waiting,
            "oldest": going.outbox.oldest,
            "types": [asdict(one) for one in going.types],
            "targets": [asdict(one) for one in going.outbox.targets],
        },
        "damaged_trust": list(found.suspects),
    }
    code = codes.BLOCKED if found.suspects else exit_code(outcome) if outcome else codes.OK
    return Answer(code=code, lines=tuple(lines), data=data)


def _not_told(found: Outbox) -> list[str]:
    """The notification targets that cannot be reached, since when, and why."""
    failing = [one for one in found.targets if one.failing_since]
    return [
        f"{one.target} ({one.whom}): {one.waiting} wait since {one.failing_since}, {one.why}"
        for one in failing[:LISTED_MAX]
    ]


def _hosts(worker: Worker) -> str:
    at_work = f"; {counted(worker.runs, 'run')} under way" if worker.runs else ""
    return f"{worker.name}: {', '.join(one.who.name for one in worker.offers[:LISTED_MAX])}{at_work}"


def _worker(worker: Worker) -> dict[str, Json]:
    names = [one.who.name for one in worker.offers]
    return {"worker": worker.name, "reviewers": names, "runs": worker.runs, "queued": worker.queued}


def _pending(one: Pending) -> str:
    """The requests of one kind; counts of zero are left out."""
    counts = (("held", one.held), ("queued", one.queued), ("overdue", one.overdue))
    how = ", ".join(f"{count:,} {word}" for word, count in counts if count)
    return f"{counted(one.requests, one.kind)}{f': {how}' if how else ''}"


def _seats(found: Pulse) -> str:
    if not found.leased and not found.lapsed:
        return ""
    lapsed = f", {found.lapsed:,} whose reviewer gave no sign of life in time" if found.lapsed else ""
    return f"{found.leased:,} with a reviewer at work{lapsed}"


def _untold(found: Pulse) -> str:
    if not found.types:
        return ""
    oldest = max(one.oldest_seconds for one in found.types)
    types = ", ".join(f"{one.waiting:,} {one.type}" for one in found.types[:LISTED_MAX])
    return f"{types}; the oldest waits for {age(oldest)}"


def _off(one: Silence) -> str:
    return f"{one.machine}, {one.place}: {silenced.told(one)}"


def _signed(last: Checkpointed | None, now: datetime) -> Json:
    if last is None:
        return None
    at = last.checkpoint.at
    return {"number": last.checkpoint.number, "at": at.isoformat(), "age_seconds": age_seconds(at, now)}


def _open(found: Everywhere) -> str:
    waits = ", ".join(f"{count:,} for {_PARTIES.get(party, party)}" for party, count in found.shared.waits.items())
    words = (
        f"{_many(found.shared)}, waiting {waits or 'for nobody'}" if found.shared.count else "",
        f"{_many(found.private)} private, on this machine only" if found.private.count else "",
    )
    return "; ".join(one for one in words if one) or "none"


def _many(found: Open) -> str:
    return f"{found.count:,}{' or more' if found.count == OPEN_MAX else ''}"


def _one(one: Listed, now: datetime) -> str:
    """One open review: `x7k2: Uncommitted changes on main; a.py; 2 critical; turn: mara: answers; round 1, 3 h old`."""
    review = one.seen.view.review
    opened = age((now - datetime.fromisoformat(one.seen.opened)).total_seconds())
    facts = (
        review.title,
        files_of(review),
        by_severity(open_by_severity(review)) or "no open finding",
        f"turn: {one.turn}" if one.turn else "",
        f"round {review.revision}, {opened} old",
        "private" if one.is_private else "",
    )
    return f"{review.id}: {'; '.join(fact for fact in facts if fact)}"


def _when(due: datetime, now: datetime) -> str:
    at = f"{due.astimezone():%Y-%m-%d %H:%M}"
    return f"overdue since {at}" if due < now else f"due {at}"


def _checkpoint(last: Checkpointed | None) -> str:
    if last is None:
        return "none was signed yet; `foureyes log checkpoint` does"
    return f"{last.checkpoint.number}, {last.checkpoint.at.astimezone():%Y-%m-%d %H:%M}"
