"""Session mates: who signalled as a worker in the same session as somebody, kept in rows beside the log.

The rows are written in the transaction of the signal, so that nobody can report before they are there. A session from
before they were kept is folded from its log.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import cast
from urllib.parse import quote, unquote

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import SIGNALLED, START, Stored
from foureyes.app.shelf import dated
from foureyes.codec.shapes import shape
from foureyes.core.events import SideEvent
from foureyes.core.sessions import AGENTS_MAX, Session, fold

#: Sessions in which an author signalled so long before the work was opened count, whatever the work says of itself.
BEFORE_OPENING = timedelta(hours=24)
#: So long the sessions of an agent are kept, and so many of them.
KEPT_FOR = timedelta(days=30)
SESSIONS_MAX = 100
_put, _take = shape(datetime)


def note_signal(tx: Writing, session: Session, agent: str, now: datetime) -> None:
    """Keep that an agent works in a session; of a session from before rows were kept, everybody."""
    prefix = _in(session.id)
    rows: dict[str, str | None] = {f"{prefix}{quote(agent, safe='')}": _put(now)}
    if not tx.rows(SIGNALLED, prefix, limit=1):
        rows = {f"{prefix}{quote(name, safe='')}": _put(at) for name, at in session.agents} | rows
    lately = {name: at for name, at in _sessions(tx, agent).items() if now - at <= KEPT_FOR} | {session.id: now}
    newest = sorted(lately, key=lambda name: lately[name])[-SESSIONS_MAX:]
    rows[_by(agent)] = json.dumps({name: _put(lately[name]) for name in newest})
    tx.follow(SIGNALLED, rows, START)


def note_session(tx: Writing, name: str) -> int:
    """Keep who worked in a session, by its log; how many events it has."""
    past = tuple(tx.events(f"session/{name}"))
    session = _folded(name, past)
    for agent, at in session.agents:
        note_signal(tx, session, agent, at)
    return len(past)


def mates_of(reading: Reading, makers: Iterable[str], session: str, opened: datetime) -> frozenset[str]:
    """Who works with these makers: in the session that the work names, or in one they signalled in lately."""
    names, since = tuple(makers), opened - BEFORE_OPENING
    found = {name for name, _ in _workers(reading, session)} if session else set[str]()
    for maker in names:
        lately = [name for name, at in _sessions(reading, maker).items() if at >= since]
        found |= {name for one in lately for name, at in _workers(reading, one) if at >= since}
    return frozenset(found - set(names))


def sessions_of(reading: Reading, agent: str) -> list[str]:
    """The sessions that an agent signalled in lately, the last one first."""
    lately = _sessions(reading, agent)
    return sorted(lately, key=lambda name: lately[name], reverse=True)


def _workers(reading: Reading, session: str) -> Iterator[tuple[str, datetime]]:
    prefix = _in(session)
    rows = reading.rows(SIGNALLED, prefix, limit=AGENTS_MAX)
    if rows:
        yield from ((unquote(key.removeprefix(prefix)), _take(at)) for key, at in rows)
        return
    yield from _folded(session, tuple(reading.events(f"session/{session}"))).agents


def _folded(session: str, past: tuple[Stored, ...]) -> Session:
    return fold(session, ((cast("SideEvent", event), _take(at)) for event, at in dated(past)))


def _sessions(reading: Reading, agent: str) -> dict[str, datetime]:
    body = reading.row(SIGNALLED, _by(agent))
    return {name: _take(at) for name, at in json.loads(body).items()} if body else {}


def _in(session: str) -> str:
    return f"in/{quote(session, safe='')}/"


def _by(agent: str) -> str:
    return f"by/{quote(agent, safe='')}"
