"""When may a person be told? Not in the quiet hours; and what needs no decision once a day, all in one."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from foureyes.policy.notifying import Person, within


def resumes(person: Person, now: datetime) -> datetime | None:
    """When the quiet hours that it is now are over; None where it is none."""
    if person.quiet is None:
        return None
    begin, end = person.quiet
    local = now.astimezone(ZoneInfo(person.zone))
    return _next(person, local, end) if within(local.time(), begin, end) else None


def digest_at(person: Person, since: datetime) -> datetime:
    """When the digest comes that something of this moment is in."""
    return _next(person, since.astimezone(ZoneInfo(person.zone)), person.digest)


def _next(person: Person, local: datetime, wanted: time) -> datetime:
    """The first moment behind `local` at which a clock on the wall there shows this time, in UTC."""
    zone = ZoneInfo(person.zone)
    for days in range(3):
        day = local.date() + timedelta(days=days)
        found = datetime.combine(day, wanted, tzinfo=zone).astimezone(UTC)
        if found > local.astimezone(UTC):
            return found
    message = f"no {wanted} within three days"
    raise AssertionError(message)
