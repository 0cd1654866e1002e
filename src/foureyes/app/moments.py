"""Time comparisons for intervals and expiries that tolerate a clock which was set back."""

from __future__ import annotations

from datetime import datetime, timedelta


def is_time_again(last: datetime | None, now: datetime, every: timedelta) -> bool:
    """True if something last done at `last` is due again.

    A `last` in the future came from a wrong clock and counts as due.
    """
    return last is None or not timedelta(0) <= now - last < every


def is_ahead(until: datetime, now: datetime, at_most: timedelta) -> bool:
    """True if `until` lies in the future, by no more than `at_most`; further ahead it came from a wrong clock."""
    return now < until <= now + at_most
