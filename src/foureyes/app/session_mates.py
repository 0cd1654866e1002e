"""Session mates: agents that work in the same session as the makers of a piece of work, kept in rows beside the log.

The rows are written in the transaction of the signal, so that no agent can report before they exist.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import quote, unquote

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import SIGNALLED, START, Stored
from foureyes.app.shelf import dated
from foureyes.codec.shapes import shape
from foureyes.core.events import SignalReceived
from foureyes.core.facts import Mates
from foureyes.core.sessions import AGENTS_MAX

#: Sessions count if an author signalled in them within this time before the work was opened, whatever the work says of
#: itself. An agent that was silent in a session for longer was away from it.
BEFORE_OPENING = timedelta(hours=24)
#: How long the sessions of an agent are kept, and how many of them.
KEPT_FOR = timedelta(days=30)
SESSIONS_MAX = 100
#: Stays of an agent kept per session: the first one, and the last ones.
STAYS_MAX = 40
_put, _take = shape(datetime)

#: When an agent was in a session: the first and the last signal of each stay, the oldest stay first.
Stays = tuple[tuple[datetime, datetime], ...]


def note_signal(tx: Writing, session: str, agent: str, now: datetime) -> None:
    """Record that an agent works in a session; for a session without rows, record all its agents from its log."""
    if not tx.rows(SIGNALLED, _in(session), limit=1):
        note_session(tx, session)
    _keep(tx, session, agent, _longer(_stays_of(tx, session, agent), now))


def note_session(tx: Writing, name: str) -> int:
    """Record from its log who worked in a session; returns how many events it has."""
    past = tuple(tx.events(f"session/{name}"))
    for agent, stays in _folded(past).items():
        _keep(tx, name, agent, stays)
    return len(past)


def mates_of(reading: Reading, makers: Iterable[str], session: str, opened: datetime) -> Mates:
    """Return who works with these makers in a session.

    The session is the one that the work names, or one they were in when it was opened. What a maker signals after the
    opening changes nothing. An agent that joined a session after the maker did so by its own act; if the maker joined
    later, or only names the session, it was the maker's act.
    """
    names, since = tuple(makers), opened - BEFORE_OPENING
    came, found = set[str](), set[str]()
    for maker in names:
        for one in {name for name, at in _sessions(reading, maker).items() if at >= since}:
            workers = _workers(reading, one)
            stays = workers.get(maker, ())
            began = next((first for first, last in stays if first <= opened and last >= since), None)
            if began is None:
                continue
            active = {name: times[0][0] for name, times in workers.items() if times[-1][1] >= since}
            found |= active.keys()
            came |= {name for name, first in active.items() if first > began}
    if session:
        found |= _workers(reading, session).keys()
    mates = frozenset(found - set(names))
    return Mates(names=mates, by_maker=mates - came)


def sessions_of(reading: Reading, agent: str) -> list[str]:
    """Return the sessions that an agent signalled in lately, the last one first."""
    lately = _sessions(reading, agent)
    return sorted(lately, key=lambda name: lately[name], reverse=True)


def _keep(tx: Writing, session: str, agent: str, stays: Stays) -> None:
    last = stays[-1][1]
    lately = {name: at for name, at in _sessions(tx, agent).items() if last - at <= KEPT_FOR} | {session: last}
    newest = sorted(lately, key=lambda name: lately[name])[-SESSIONS_MAX:]
    rows: dict[str, str | None] = {
        f"{_in(session)}{quote(agent, safe='')}": json.dumps([[_put(one), _put(end)] for one, end in stays]),
        _by(agent): json.dumps({name: _put(lately[name]) for name in newest}),
    }
    tx.follow(SIGNALLED, rows, START)


def _longer(stays: Stays, at: datetime) -> Stays:
    """Return the stays with one more signal."""
    if stays and at - stays[-1][1] <= BEFORE_OPENING:
        return (*stays[:-1], (stays[-1][0], max(at, stays[-1][1])))
    return (*stays[:1], *stays[1:][-(STAYS_MAX - 2) :], (at, at))


def _workers(reading: Reading, session: str) -> dict[str, Stays]:
    prefix = _in(session)
    rows = reading.rows(SIGNALLED, prefix, limit=AGENTS_MAX)
    if rows:
        return {unquote(key.removeprefix(prefix)): _read(body) for key, body in rows}
    return _folded(tuple(reading.events(f"session/{session}")))


def _stays_of(reading: Reading, session: str, agent: str) -> Stays:
    body = reading.row(SIGNALLED, f"{_in(session)}{quote(agent, safe='')}")
    return _read(body) if body else ()


def _read(body: str) -> Stays:
    """Parse the stays in a row; a row of an earlier release has the time of the last signal alone."""
    if not body.startswith("["):
        return ((_take(body), _take(body)),)
    return tuple((_take(first), _take(last)) for first, last in json.loads(body))


def _folded(past: tuple[Stored, ...]) -> dict[str, Stays]:
    found: dict[str, Stays] = {}
    for event, at in dated(past):
        if isinstance(event, SignalReceived):
            found[event.agent] = _longer(found.get(event.agent, ()), _take(at))
    return found


def _sessions(reading: Reading, agent: str) -> dict[str, datetime]:
    body = reading.row(SIGNALLED, _by(agent))
    return {name: _take(at) for name, at in json.loads(body).items()} if body else {}


def _in(session: str) -> str:
    return f"in/{quote(session, safe='')}/"


def _by(agent: str) -> str:
    return f"by/{quote(agent, safe='')}"
