"""How do things stand here? Nothing that takes longer the more was ever reviewed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import click

from foureyes.app.book import Line as Checkpointed
from foureyes.app.gate import Gate, Seen
from foureyes.app.ports import Reading
from foureyes.app.projections.metrics import totals
from foureyes.app.rebuilding import check_trust
from foureyes.app.rows import Listing
from foureyes.cli import codes, signing
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.core.values import Who
from foureyes.home.lock import running

OPEN_MAX = 1000
LISTED_MAX = 10
#: Open reviews whose findings are counted; each is read from the log.
NEWEST_MAX = 3
#: Behind every time there is.
_EVER = "9999-12-31T23:59:59Z"
_NOW = "now_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one look at the store shows."""

    open: int
    waits: dict[str, int]
    ended: dict[str, int]
    suspects: tuple[str, ...]
    newest: tuple[str, ...]
    most_urgent: tuple[str, str] | None


@click.command()
@answering
def status(parts: Parts) -> Answer:
    """Say how things stand: open reviews, what is due, the last checkpoint.

    Exit code 2 where track records were damaged; otherwise 0.
    """

    async def look() -> Answer:
        async with parts.store() as store:
            found = await store.read(_look)
            gate, human = parts.gate(store), parts.human()
            newest = [_newest(await gate.read(name, human)) for name in found.newest]
            return _answer(parts, found, await _due(gate, found, human), newest)

    return asyncio.run(look())


def _look(reading: Reading) -> Found:
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
        most_urgent=next(iter(reading.due(_EVER, 1)), None),
    )


async def _due(gate: Gate, found: Found, human: Who) -> tuple[str, str, str] | None:
    """Review, what is owed, and when, of the most urgent request."""
    if found.most_urgent is None:
        return None
    review, request = found.most_urgent
    explanation = await gate.explain(review, human)
    turn = next((one for one in explanation.turns if one.request == request), None)
    return (review, f"{', '.join(turn.who)}: {turn.what}", turn.due.isoformat()) if turn else None


def _newest(seen: Seen) -> dict[str, Json]:
    """One of the last open reviews, with how many findings are open in it."""
    review = seen.view.review
    count = sum(not one.is_settled for one in review.findings.values())
    return {"review": review.id, "title": review.title, "revision": review.revision, "findings": count}


def _answer(parts: Parts, found: Found, due: tuple[str, str, str] | None, newest: list[dict[str, Json]]) -> Answer:
    server, last, spooled = running(parts.settings.home), signing.book_end(parts), _spooled(parts)
    more = "or more" if found.open == OPEN_MAX else ""
    waits = ", ".join(f"{count} for {party}" for party, count in found.waits.items()) or "for nobody"
    lines = [
        Line(f"At work: {server.in_words()}" if server else "No server is running here."),
        Line(f"Open reviews: {found.open} {more}".rstrip() + (f", waiting {waits}" if found.open else "")),
        *(
            Line(f"  {one['review']}: {one['findings']} open findings in round {one['revision']}, {one['title']}")
            for one in newest
        ),
        Line("Ended: " + (", ".join(f"{count} {name}" for name, count in found.ended.items()) or "none counted yet")),
        Line(f"Most urgent: review {due[0]}, {due[1]}, due {due[2]}" if due else "Nothing is due."),
        Line(_checkpoint(last)),
    ]
    if spooled:
        lines.append(Line(f"Spool: {spooled} bytes wait for the database in {parts.settings.spool}", "care"))
    lines += [
        Line(f"Damaged track record {one} Run `foureyes rebuild trust`.", "bad") for one in found.suspects[:LISTED_MAX]
    ]
    data: dict[str, Json] = {
        "server": {"pid": server.pid, "address": server.address, "started": server.started} if server else None,
        "open": found.open,
        "newest": newest,
        "waits": found.waits,
        "ended": found.ended,
        "due": {"review": due[0], "what": due[1], "at": due[2]} if due else None,
        "checkpoint": {"number": last.checkpoint.number, "at": last.checkpoint.at.isoformat()} if last else None,
        "spool_bytes": spooled,
        "damaged_trust": list(found.suspects),
    }
    return Answer(code=codes.BLOCKED if found.suspects else codes.OK, lines=tuple(lines), data=data)


def _checkpoint(last: Checkpointed | None) -> str:
    if last is None:
        return "No checkpoint was signed yet; `foureyes log checkpoint` does."
    return f"Last checkpoint: {last.checkpoint.number}, {last.checkpoint.at.isoformat()}"


def _spooled(parts: Parts) -> int:
    """Bytes in the spool's files; a server that holds the spool is not disturbed by looking at them."""
    return sum(one.stat().st_size for one in Path(parts.settings.spool).glob("*.spool"))
