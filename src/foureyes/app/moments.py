"""Time comparisons for intervals and expiries that tolerate a clock which was set back."""

from __future__ import annotations

from datetime import datetime, timedelta


def is_time_again(last: datetime | None, now: datetime, every: timedelta) -> bool:
    """Whether what was done last then is to be done now; a last time that lies ahead was told by a wrong clock."""
    return last is None or not timedelta(0) <= now - last < every


def is_ahead(until: datetime, now: datetime, at_most: timedelta) -> bool:
    """Whether a moment is yet to come that was at most so far away; one further ahead was told by a wrong clock."""
    return now < until <= now + at_most
