"""Parses when a provider's limit ends, from the messages its command line prints for people."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

#: A limit that seems to end later than this was misread.
WAIT_MAX = timedelta(days=32)
TEXT_CHARS_MAX = 4_000
_EPOCH = re.compile(r"\b(1[6-9]\d{8}|2\d{9})\b")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_CLOCK = re.compile(
    r"(?:resets?|again|until|at)\s{1,3}(?:at\s)?(?:on\s)?"
    r"(?:(?P<month>[a-z]{3})[a-z]{0,6}\s(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?:(?P<year>\d{4}),?\s)?(?:at\s)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::\d{2})?\s?(?P<half>[ap]m)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:in|after|for)\s{1,3}((?:\d{1,7}(?:\.\d{1,9})?\s?[a-z]{1,7}[\s,]{0,2}(?:and\s)?){1,4})", re.IGNORECASE
)
_PART = re.compile(r"(\d{1,7}(?:\.\d{1,9})?)\s?([a-z]{1,7})", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def limit_end(text: str, now: datetime) -> datetime | None:
    """Return when the limit ends, in UTC; None if the text does not say. Agents run with their clock in UTC."""
    words = text[:TEXT_CHARS_MAX]
    for found in (_epoch(words), _clock(words, now), _span(words, now)):
        if found is not None and now < found <= now + WAIT_MAX:
            return found
    return None


def over_its_limit(called: str, until: datetime | None) -> str:
    """Return the sentence for people."""
    return f"{called} is over its limit until {until:%H:%M} UTC." if until else f"{called} is over its limit."


def _epoch(text: str) -> datetime | None:
    found = _EPOCH.search(text)
    return datetime.fromtimestamp(int(found[1]), UTC) if found else None


def _clock(text: str, now: datetime) -> datetime | None:
    found = _CLOCK.search(text)
    if found is None:
        return None
    hour = int(found["hour"]) % 12 + (12 if found["half"].lower() == "pm" else 0)
    try:
        at = now.astimezone(UTC).replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
        if found["month"] is None:
            return at if at > now else at + timedelta(days=1)
        month = _MONTHS.index(found["month"].lower()) + 1
        return at.replace(year=int(found["year"] or at.year), month=month, day=int(found["day"]))
    except ValueError:
        return None


def _span(text: str, now: datetime) -> datetime | None:
    found = _SPAN.search(text)
    if found is None:
        return None
    parts = [(float(many), unit.lower()) for many, unit in _PART.findall(found[1])]
    seconds = sum(many * _UNITS.get(unit[0], 0) for many, unit in parts if unit not in ("ms", "months", "month"))
    fits = 0 < seconds <= WAIT_MAX.total_seconds()
    return now.astimezone(UTC) + timedelta(seconds=seconds) if fits else None
