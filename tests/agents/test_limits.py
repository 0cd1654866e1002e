"""The end of a rate limit is parsed from messages written for people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foureyes.reviewers.agents.limits import limit_end, over_its_limit

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("You've hit your session limit · resets 2pm (UTC)", (16, 14, 0)),
        ("You've hit your session limit · resets 6:20am (UTC)", (17, 6, 20)),
        ("You've hit your weekly limit · resets Nov 20, 3pm (UTC)", (20, 15, 0)),
        ("You’ve hit your usage limit. Upgrade to Pro (…) or try again at 12:05 PM.", (16, 12, 5)),
        ("You've hit your usage limit. Try again at Nov 21st, 2026 12:15 AM.", (21, 0, 15)),
        ("Claude AI usage limit reached|1794837600", (16, 14, 0)),
        ("You exceeded your current quota. Please retry in 3600s.", (16, 10, 30)),
        ("Rate limit reached. Please try again in 1h30m0.5s.", (16, 11, 0)),
        ("Your quota will reset after 4 hours and 30 minutes.", (16, 14, 0)),
        ("Please try again in 2 days 1 hour", (18, 10, 30)),
    ],
)
def test_the_end_of_a_limit_is_read(words: str, end: tuple[int, int, int]) -> None:
    found = limit_end(words, NOW)
    assert found is not None
    assert (found.day, found.hour, found.minute) == end


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Too many requests.",
        "resets 45:99pm",
        "resets Foo 99, 3pm",
        "in 0s",
        "in 500ms",
        "in 9999999 days",
        "reset 1999999999 2999999999",
        "again at " * 10_000,
        "in " + "9" * 100_000,
    ],
)
def test_an_end_that_is_not_said_is_unknown(words: str) -> None:
    assert limit_end(words, NOW) is None


def test_people_read_when_it_ends() -> None:
    until = limit_end("resets 2pm", NOW)
    assert over_its_limit("Codex", until) == "Codex is over its limit until 14:00 UTC."
    assert over_its_limit("Codex", None) == "Codex is over its limit."
