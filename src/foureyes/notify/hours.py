"""Quiet hours and the daily digest: when a person may be told, and when the rest is sent in one message."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from foureyes.policy.notifying import Person, within


def resumes(person: Person, now: datetime) -> datetime | None:
    """Return when the current quiet hours end; None outside of them."""
    if person.quiet is None:
        return None
    begin, end = person.quiet
    local = now.astimezone(ZoneInfo(person.zone))
    return _next(person, local, end) if within(local.time(), begin, end) else None


def digest_at(person: Person, since: datetime) -> datetime:
    """Return when the digest is sent that includes something of this moment."""
    return _next(person, since.astimezone(ZoneInfo(person.zone)), person.digest)


def _next(person: Person, local: datetime, wanted: time) -> datetime:
    """Return the first moment behind `local` at which the local time there is `wanted`, in UTC."""
    zone = ZoneInfo(person.zone)
    for days in range(3):
        day = local.date() + timedelta(days=days)
        found = datetime.combine(day, wanted, tzinfo=zone).astimezone(UTC)
        if found > local.astimezone(UTC):
            return found
    message = f"no {wanted} within three days"
    raise AssertionError(message)
