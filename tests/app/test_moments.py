"""A clock that is set back delays nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from foureyes.app.moments import is_ahead, is_time_again

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_it_is_time_again_after_a_while_and_after_a_clock_was_set_back() -> None:
    """Each minute; a last time that lies ahead does not count."""
    times = [None, NOW - MINUTE, NOW - MINUTE / 2, NOW, NOW + MINUTE / 60]
    assert [is_time_again(one, NOW, MINUTE) for one in times] == [True, True, False, False, True]


def test_a_moment_is_ahead_only_as_far_as_it_can_be() -> None:
    """What lies further ahead was noted before the clock was set back."""
    times = [NOW - MINUTE, NOW, NOW + MINUTE / 2, NOW + MINUTE, NOW + timedelta(hours=49)]
    assert [is_ahead(one, NOW, MINUTE) for one in times] == [False, False, True, True, False]
