"""The back-off for a notification target that fails."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from foureyes.app.moments import is_ahead

#: How long a target is left alone after its first failure, and at most.
PAUSE, PAUSE_MAX = timedelta(seconds=10), timedelta(hours=1)
DOUBLINGS_MAX = 20


@dataclass(slots=True, kw_only=True)
class Health:
    """The failures of one target in this process."""

    failures: int = 0
    not_before: datetime | None = None

    def rests(self, now: datetime) -> datetime | None:
        """Return until when it is left alone; a time too far ahead is from before the clock was set back."""
        until = self.not_before
        return until if until is not None and is_ahead(until, now, PAUSE_MAX) else None

    def failed(self, now: datetime, wait_seconds: int) -> datetime:
        """Record a failure: leave the target alone, longer each time, and at least as long as it asks for."""
        pause = PAUSE * 2 ** min(self.failures, DOUBLINGS_MAX)
        self.failures += 1
        self.not_before = now + min(PAUSE_MAX, max(pause, timedelta(seconds=wait_seconds)))
        return self.not_before

    def arrived(self) -> None:
        """Record a success."""
        self.failures, self.not_before = 0, None
