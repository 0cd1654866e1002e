"""How do things stand here? Nothing that takes longer the more was ever reviewed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
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
#: Open reviews whose findings are counted; each is read from the log.
NEWEST_MAX = 3
#: What is due is looked at as far as this, for something that somebody owes.
URGENT_MAX = 20
#: Behind every time there is.
_EVER = "9999-12-31T23:59:59Z"
_NOW = "now_"
_PARTIES = {"reviewer": "a reviewer", "author": "the author", "human": "a human"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one look at the store shows."""

    open: int
    waits: dict[str, int]
    ended: dict[str, int]
    suspects: tuple[str, ...]
    newest: tuple[str, ...]
    #: What is due, by review and request, the most urgent first.
    urgent: tuple[tuple[str, str], ...]
    pulse: Pulse
    #: Whether hooks stop nothing here.
    off: Silence | None
    #: Seats of the policy in force that nobody can hold.
    vacant: tuple[Vacancy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What somebody owes, and until when."""

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
            newest = [await gate.read(name, human) for name in found.newest]
            due = await _due(gate, found, human)
            answer = _answer(parts, found, due, newest, await here.last_or_none(parts))
            return await parts.scrub(answer, *found.newest, *((due.review,) if due else ()))

    return asyncio.run(look())


def _nobody(parts: Parts) -> str:
    """That no server runs here; of a database that several share, this folder knows its own server alone."""
    if not parts.settings.is_postgres:
        return "no server"
    return "no server of this data folder; others may share the database"


def _vacant(parts: Parts) -> Callable[[Reading], tuple[Vacancy, ...]]:
    """The seats that nobody can hold on the server at work; none is looked for where no server is."""
    server = running(parts.settings.home)
    if server is None or not server.is_server:
        return lambda _: ()
    policies, now = Policies(parts.policy()), parts.now()
    sends = partial(is_given, server.sends)
    return lambda reading: vacant_beside(reading, policies.current(reading).policy, now, sends)


def _look(now: datetime, vacant: Callable[[Reading], tuple[Vacancy, ...]], reading: Reading) -> Found:
    rows = reading.reviews(Listing(state="open", limit=OPEN_MAX))
    waits: dict[str, int] = {}
    for party in (party for row in rows for party in row.waits.split()):
        waits[party] = waits.get(party, 0) + 1
    counted = totals(reading)
    ended = {name.removeprefix(_NOW): count for name, count in counted.items() if name.startswith(_NOW)}
    return Found(
        open=len(rows),
        waits=dict(sorted(waits.items())),
        ended={name: count for name, count in sorted(ended.items()) if name != "open" and "waiting" not in name},
        newest=tuple(row.review for row in rows[:NEWEST_MAX]),
        suspects=tuple(f"{one.kind}/{one.author}: {one.why}" for one in check_trust(reading)),
        urgent=tuple(reading.due(_EVER, URGENT_MAX)),
        pulse=pulse(reading, now),
        off=silenced.off_here(reading, now),
        vacant=vacant(reading),
    )


async def _due(gate: Gate, found: Found, human: Who) -> Owed | None:
    """The most urgent request that somebody owes; a seat that stands open for whoever comes is nobody's debt."""
    seen: dict[str, Seen] = {}
    for review, request in found.urgent:
        if review not in seen:
            seen[review] = await gate.read(review, human)
        turn = next((one for one in seen[review].explanation.turns if one.request == request), None)
        if turn and not is_vacant(seen[review].view.review, request):
            return Owed(review=review, what=f"{', '.join(turn.who)}: {turn.what}", at=turn.due)
    return None


def _newest(seen: Seen) -> dict[str, Json]:
    """One of the last open reviews: what tells it from the others."""
    review = seen.view.review
    return {
        "review": review.id,
        "title": review.title,
        "author": review.author.name,
        "files": files_of(review),
        "revision": review.revision,
        "findings": sum(not one.is_settled for one in review.findings.values()),
        "by_severity": dict[str, Json](open_by_severity(review)),
        "turn": seen.explanation.situation.turn,
        "opened": seen.opened,
    }


def _answer(
    parts: Parts,
    found: Found,
    due: Owed | None,
    newest: list[Seen],
    outcome: Outcome | None,
) -> Answer:
    server, last, spooled = running(parts.settings.home), signing.book_end(parts), spool_bytes(parts.settings.spool)
    width, now, going = terminal_width(), parts.now(), found.pulse
    # Alone at a terminal nobody is there who would tell anybody.
    tells = server is not None or bool(going.workers) or parts.settings.is_postgres
    ended = ", ".join(f"{count} {name}" for name, count in found.ended.items())
    urgent = f"{due.what} in review {due.review}, {_when(due.at, now)}" if due else ""
    lines = [
        *here.shown(outcome, width),
        *rows("Hooks", [silenced.told(found.off) if found.off else ""], width, "care"),
        Line(""),
        *rows("Open reviews", [_open(found), *(_one(one, now) for one in newest)], width, ""),
        *rows("Ended", [ended], width, "dim"),
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
        "open": found.open,
        "newest": [_newest(one) for one in newest],
        "waits": found.waits,
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
    code = exit_code(outcome) if outcome else codes.OK
    return Answer(code=codes.BLOCKED if found.suspects else code, lines=tuple(lines), data=data)


def _not_told(found: Outbox) -> list[str]:
    """Who cannot be told what waits for them, since when, and why."""
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
    """How the requests of a kind stand; what there is none of is not said."""
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


def _open(found: Found) -> str:
    if not found.open:
        return "none"
    more = " or more" if found.open == OPEN_MAX else ""
    waits = ", ".join(f"{count:,} for {_PARTIES.get(party, party)}" for party, count in found.waits.items())
    return f"{found.open:,}{more}, waiting {waits or 'for nobody'}"


def _one(seen: Seen, now: datetime) -> str:
    """`x7k2: Uncommitted changes on main of shop; a.py; 2 critical; turn: mara: answers; round 1, 3 h old`."""
    review, turn = seen.view.review, seen.explanation.situation.turn
    opened = age((now - datetime.fromisoformat(seen.opened)).total_seconds())
    facts = (
        review.title,
        files_of(review),
        by_severity(open_by_severity(review)) or "no open finding",
        f"turn: {turn}" if turn else "",
        f"round {review.revision}, {opened} old",
    )
    return f"{review.id}: {'; '.join(fact for fact in facts if fact)}"


def _when(due: datetime, now: datetime) -> str:
    at = f"{due.astimezone():%Y-%m-%d %H:%M}"
    return f"overdue since {at}" if due < now else f"due {at}"


def _checkpoint(last: Checkpointed | None) -> str:
    if last is None:
        return "none was signed yet; `foureyes log checkpoint` does"
    return f"{last.checkpoint.number}, {last.checkpoint.at.astimezone():%Y-%m-%d %H:%M}"
