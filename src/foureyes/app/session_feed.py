"""Sessions on the live feed: the status of each, sent when the feed begins and whenever it changes.

That a session is paused is told to everybody at once, so its status may be pushed to everybody. Nothing is sent while
the status stays the same, so that a report which the listener may not see yet does not show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from foureyes.app.calls.done import REVIEW
from foureyes.app.calls.office import Office
from foureyes.app.ports import Damaged, Reading, Unavailable
from foureyes.app.projections import sessions as rows
from foureyes.core.refusals import Code, Refusal

SESSION = "session/"
#: Stands for all sessions.
EVERY = "*"
SESSIONS_MAX = 2_000
PAGE = 200
NAME_CHARS_MAX = 300
#: A session that has ended.
ENDED = "ENDED"


@dataclass(slots=True, kw_only=True)
class SessionFeed:
    """What one listener was told of the sessions that it follows: one by its name, or every one."""

    office: Office
    wanted: str
    _told: dict[str, str] = field(default_factory=dict)

    async def begin(self) -> list[tuple[str, str]]:
        """Return every followed session that has not ended, with its status."""
        if not self.wanted:
            return []
        await self._caught_up()
        names = [self.wanted] if self.wanted != EVERY else await self.office.store.read(_open_sessions)
        return [one for one in await self._changed(names) if one[1] != ENDED]

    async def changed(self, grown: Iterable[str]) -> list[tuple[str, str]]:
        """Return the sessions among those with news whose status differs from what the listener was told."""
        if not self.wanted:
            return []
        await self._caught_up()
        names = await self.office.store.read(partial(_sessions_of, self.office, tuple(grown)))
        return await self._changed([one for one in names if self.wanted in (EVERY, one)])

    async def _caught_up(self) -> None:
        """Raise Unavailable while the database keeps back what was written last: the listener asks for all again."""
        if not await self.office.caught_up(rows.SESSIONS):
            raise Unavailable("Whether a session is paused is not known yet.", "Stop, and ask again in a moment.")

    def follows(self, session: str) -> bool:
        """True if reviews of this session are sent; if no session was chosen, all reviews are."""
        return not self.wanted or (bool(session) and self.wanted in (EVERY, session))

    async def _changed(self, names: Iterable[str]) -> list[tuple[str, str]]:
        found = await self.office.store.read(partial(_status, tuple(names)))
        new = [(name, status) for name, status in found if self._told.get(name) != status]
        self._told.update(new)
        return new


def session_feed(office: Office, wanted: str) -> SessionFeed:
    """Follow these sessions; refuses an impossible session name."""
    if len(wanted) > NAME_CHARS_MAX or not wanted.isprintable():
        raise Refusal(Code.BAD_VALUE, "That is no name of a session.", f"Name one session, or {EVERY} for all of them.")
    return SessionFeed(office=office, wanted=wanted)


def _open_sessions(reading: Reading) -> list[str]:
    found, after = list[str](), ""
    while page := rows.listed(reading, after, PAGE):
        found += [str(one["session"]) for _, one in page if not one["ended"]]
        if len(found) > SESSIONS_MAX:
            sentence = f"More than {SESSIONS_MAX} sessions have not ended."
            raise Refusal(Code.LIMIT_REACHED, sentence, "End those that are over, or name the session you follow.")
        after = page[-1][0]
    return found


def _sessions_of(office: Office, grown: tuple[str, ...], reading: Reading) -> list[str]:
    named = (_session_of(office, stream, reading) for stream in grown)
    return list(dict.fromkeys(filter(None, named)))


def _session_of(office: Office, stream: str, reading: Reading) -> str:
    if stream.startswith(SESSION):
        return stream.removeprefix(SESSION)
    if not stream.startswith(REVIEW):
        return ""
    try:
        return office.gate.whole(reading, stream.removeprefix(REVIEW)).origin.session
    except (Damaged, Refusal):
        return ""  # verifying the log reports alterations


def _status(names: tuple[str, ...], reading: Reading) -> list[tuple[str, str]]:
    found = ((name, rows.session(reading, name)) for name in names)
    return [(name, ENDED if row.get("ended_at") else rows.status_of(row)) for name, row in found if row.get("signals")]
