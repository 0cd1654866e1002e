"""Apply a stored event to the knowledge of the simulated people, who act on it as on the core's own events."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from foureyes.app.rows import Stored
from foureyes.codec import decode
from foureyes.core import events as e
from foureyes.core.drafts import LEASE_ENDED
from foureyes.core.evolve import evolve
from foureyes.core.facts import PolicyInForce
from foureyes.core.lessons import evolve_lessons
from foureyes.core.sessions import Session, evolve_session
from foureyes.core.trust import evolve_trust
from foureyes.core.values import CLOCK, Who, WhoKind
from tests.sim.world import person

if TYPE_CHECKING:
    from tests.sim.real.world import RealWorld

Json = dict[str, Any]
#: The actor of events that the gate itself writes about a track record.
TRUST = Who(name="trust", kind=WhoKind.SERVICE)


def plain_of(row: Stored) -> Json:
    """An event decoded from its bytes."""
    return {"type": row.type, "schema": row.schema, "body": json.loads(row.body)}


def envelope_of(row: Stored, who: Who) -> Json:
    """An event with its position and actor, for the checker; the log has only names of people."""
    actor = {**person(who), "name": row.actor}
    where = {"stream": row.stream, "version": row.version, "at": row.at, "key": row.cause}
    return {**where, "actor": actor, "event": plain_of(row)}


def note_row(world: RealWorld, row: Stored) -> None:
    """Apply one event."""
    plain = plain_of(row)
    world.logs.setdefault(row.stream, []).append(plain)
    event, at = decode(plain), datetime.fromisoformat(row.at)
    kind, _, name = row.stream.partition("/")
    if kind == "review":
        review = evolve(world.reviews.get(row.stream), event)  # type: ignore[arg-type]  # only these are on this stream
        world.reviews[row.stream] = review
        world.books.note(row.stream, review, event, at)  # type: ignore[arg-type]
        world.books.weigh(row.stream, review)
        _count(world, event, row.actor)
    elif kind == "lessons":
        world.beside.lessons[name] = evolve_lessons(world.beside.lessons.get(name, ()), event, at)  # type: ignore[arg-type]
    elif kind == "session":
        old = world.beside.sessions.get(name, Session(id=name))
        world.beside.sessions[name] = evolve_session(old, event, at)  # type: ignore[arg-type]
    elif kind == "trust":
        work, _, author = name.partition("/")
        record = world.books.record(work, author)
        world.books.trust[work, author] = evolve_trust(record, event, at)  # type: ignore[arg-type]
    elif isinstance(event, e.PolicyActivated):
        given = world.names[event.digest]
        in_flight = event.applies_in_flight
        world.in_force = PolicyInForce(digest=given.name, applies_in_flight=in_flight, rules=given.policy.rules)


def _count(world: RealWorld, event: e.Event, actor: str) -> None:
    """Count signs that the engine worked and was disturbed."""
    hosted, add = actor in world.bots.everybody, world.counts.add
    match event:
        case e.ReportSubmitted() if hosted:
            add("engine", "a hosted reviewer reports")
        case e.ReportFailed() if hosted:
            add("engine", "a hosted reviewer has no answer")
        case e.FindingVerified() if hosted:
            add("engine", "a hosted reviewer verifies")
        case e.SeatRenewed() if hosted:
            add("engine", "a hosted reviewer gives a sign of life")
        case e.FindingRaised(advisory=why) if hosted and why == LEASE_ENDED:
            add("engine", "a late answer is kept as advice")
        case e.SeatLeft(reviewer=name) if actor == CLOCK.name and name in world.bots.everybody:
            add("engine", "a hosted reviewer loses its seat")
        case e.SeatLeft(reviewer=name) if hosted:
            add("engine", "a hosted reviewer makes room")
        case e.DeadlinePassed():
            add("engine", "a deadline passes")
        case _:
            pass
