"""Late refusals: commands that were spooled while the database was down and refused when it was back, by asker."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from foureyes.app.ports import Reading
from foureyes.app.spooling import REFUSED_LATER

#: Most refusals read for one asker, and most shown.
READ_MAX = 1_000
SHOWN_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LateNo:
    """A command that was spooled and refused at last: by its key and what it was about, since when, and why."""

    key: str
    about: str
    at: datetime
    code: str
    sentence: str
    next_step: str


def late_noes(reading: Reading, asker: str) -> tuple[LateNo, ...]:
    """Return the late refusals of an asker, the latest first."""
    rows = [json.loads(body) for _, body in reading.rows(REFUSED_LATER, f"{asker}/", limit=READ_MAX)]
    found = [
        LateNo(
            key=one["key"],
            about=one["stream"],
            at=datetime.fromisoformat(one["at"]),
            code=one["code"],
            sentence=one["sentence"],
            next_step=one["next_step"],
        )
        for one in rows
    ]
    return tuple(sorted(found, key=lambda one: (one.at, one.key), reverse=True)[:SHOWN_MAX])
