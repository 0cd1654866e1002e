"""Background task that opens a review of a session that was silent for too long, though no agent asked for one.

The review is opened before the silence is recorded, each under a key that only this silence has: a process that
repeats this after a crash, or does it at the same time, completes it once.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import cast

from foureyes.app.accounts import account
from foureyes.app.asks import Ask
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_sessions import STREAM
from foureyes.app.calls.files import work_sent
from foureyes.app.calls.seed_003 import KIND, context_of, texts_of, title_of
from foureyes.app.gate import Gate
from foureyes.app.moments import is_ahead
from foureyes.app.ports import Damaged, Reading, Store
from foureyes.app.projections.sessions import quiet, session_facts
from foureyes.app.shelf import read_events
from foureyes.codec.shapes import shape
from foureyes.core import commands as c
from foureyes.core import sessions
from foureyes.core.events import SideEvent, SignalReceived, SignalType
from foureyes.core.refusals import Refusal
from foureyes.core.values import CLOCK, Origin

#: Most silences handled in one pass.
DUE_MAX = 100
#: How long a session is skipped after its silence did not count or the gate refused it.
REFUSED_FOR = timedelta(minutes=1)
log = logging.getLogger("foureyes.tending")
_time = shape(datetime)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Silent:
    """A session that was silent for too long, and what its agents said last."""

    session: str
    since: datetime
    said: dict[str, str]

    @property
    def key(self) -> str:
        """The idempotency key that only this silence has."""
        return "silence-" + hashlib.sha256(f"{self.session} {_time[0](self.since)}".encode()).hexdigest()[:32]


@dataclass(slots=True, kw_only=True)
class QuietSessions:
    """Opens the reviews that silence asks for."""

    store: Store
    gate: Gate
    clock: Callable[[], datetime]
    _refused: dict[str, datetime] = field(default_factory=dict)

    async def noticed(self) -> int:
        """Handle the sessions that have been silent for too long; returns how many."""
        now = self.clock()
        self._refused = {name: until for name, until in self._refused.items() if is_ahead(until, now, REFUSED_FOR)}
        found = 0
        for name in await self.store.read(partial(self._due, now)):
            try:
                silent = await self.store.read(partial(self._silent, name, now))
                if silent is not None:
                    try:
                        await self._reviewed(silent)
                    except Refusal as refusal:
                        # These bytes may not be reviewed again; the silence is recorded all the same.
                        log.warning("a silence is not reviewed: %s", refusal.sentence)
                    await self.gate.handle(
                        Ask(actor=CLOCK, key=silent.key, command=sessions.DetectSilence(), stream=STREAM + name)
                    )
                    found += 1
                    continue
            except (Refusal, Damaged) as error:
                # This session is tried again later; the others are handled now.
                log.warning("a silence: %s", error)
            self._refused[name] = now + REFUSED_FOR
        return found

    def _due(self, now: datetime, reading: Reading) -> list[str]:
        silence = self.gate.policies.current(reading).policy.session_silence
        rows = quiet(reading, DUE_MAX + len(self._refused))
        return [name for since, name in rows if since + silence <= now and name not in self._refused]

    def _silent(self, name: str, now: datetime, reading: Reading) -> _Silent | None:
        """Read the session from the log itself, because the projection may lag behind."""
        stream = STREAM + name
        past = read_events(reading, stream, reading.known(stream, "", ""))
        session = sessions.fold(name, ((cast("SideEvent", event), _time[1](at)) for event, at in past))
        silence = self.gate.policies.current(reading).policy.session_silence
        due = sessions.silence_due(session, session_facts(reading, name, silence))
        if due is None or now < due:
            return None
        spoken = [one for one, _ in past if isinstance(one, SignalReceived) and one.type != SignalType.USER_MANUAL]
        # The last speaker comes last, and becomes the author of the work.
        said = dict[str, str]()
        for one in spoken:
            said.pop(one.agent, None)
            said[one.agent] = one.summary
        return _Silent(session=name, since=due - silence, said=said)

    async def _reviewed(self, silent: _Silent) -> None:
        """Open the review of what was said last; none if all those agents were removed."""
        command, blobs = await self.store.read(partial(_opening, silent))
        if command is not None:
            await self.gate.handle(Ask(actor=CLOCK, key=f"{silent.key}-review", command=command, blobs=blobs))


def _opening(silent: _Silent, reading: Reading) -> tuple[c.OpenReview | None, dict[str, bytes]]:
    there = [found.who for name in silent.said if (found := account(reading, name)) and not found.removed]
    if not there:
        return None, {}
    spoken = {name: text.strip() or "(no word)" for name, text in silent.said.items()}
    files = tuple(texts_of(spoken, silent.session, _time[0](silent.since)))
    work = work_sent(reading, files)
    command = c.OpenReview(
        review="",
        kind=KIND,
        title=title_of(sessions.TIMEOUT_FALLBACK, silent.session),
        digest=work.digest,
        parts=work.parts,
        protocols=(words.SESSION,),
        trigger=sessions.TIMEOUT_FALLBACK,
        origin=Origin(session=silent.session, targets=tuple(silent.said)),
        context=context_of(tuple((f"{name}_summary", text) for name, text in silent.said.items())),
        on_behalf_of=there[-1],
    )
    return command, dict(work.blobs)
