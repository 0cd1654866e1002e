"""A silent session is noticed by the server's clock, and reviewed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from foureyes.app.asks import Ask
from foureyes.app.following import Follower
from foureyes.app.ports import Unavailable
from foureyes.app.quiet_sessions import QuietSessions
from foureyes.core import sessions
from foureyes.core.commands import OpenReview
from foureyes.core.refusals import Code, Refusal
from foureyes.core.sessions import DetectSilence
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five
from tests.http.test_seed_003 import APPROVED, CONCERNS, MILESTONE, S, result


@dataclass
class Team:
    """Two agents at work, two reviewers, and a server's clock."""

    web: Five = field(default_factory=Five)

    def __post_init__(self) -> None:
        self.house = self.web.house
        self.follower = Follower(self.house.store)
        self.clock = self.another()

    def another(self) -> QuietSessions:
        """The clock of another server on the same store."""
        return QuietSessions(store=self.house.store, gate=self.house.gate, clock=lambda: self.house.now)

    async def enter(self) -> None:
        self.claude, self.mia = await self.web.role("claude", "agent"), await self.web.role("mia", "agent")
        self.codex, self.gemini = [await self.web.role(one, "reviewer") for one in ("codex", "gemini")]

    async def says(self, who: dict[str, str], summary: str = "Half way.", **more: object) -> dict[str, object]:
        said = await self.web.done(f"{S}/signals", who, **{"type": "progress", "summary": summary, **more})
        assert isinstance(said, dict)
        return said

    async def passes(self, minutes: float) -> int:
        """Time passes, and the server looks."""
        self.house.wait(minutes=minutes)
        await self.follower.catch_up()
        return await self.clock.noticed()

    async def reviews(self) -> list[dict[str, object]]:
        """Those that were opened by the clock."""
        shown = (await self.web.found(f"{BASE}/reviews", self.claude))["reviews"]
        found = [(await self.web.found(f"{BASE}/reviews/{one['review']}", self.claude))["review"] for one in shown]
        return [one for one in found if one["trigger"] == sessions.TIMEOUT_FALLBACK]

    async def judged(self, payload: Mapping[str, object]) -> None:
        for name, who in (("codex", self.codex), ("gemini", self.gemini)):
            await self.web.found(f"{S}/requests", who)
            await self.web.done(f"{S}/results", who, **result(dict(payload), name))


@played
async def test_a_silence_is_noted_though_its_review_is_refused() -> None:
    """003-05: the recipients of silence notices are notified, and it is not retried for ever."""
    team = Team()
    await team.enter()
    await team.says(team.claude)
    handle = team.house.gate.handle

    async def refused(ask: Ask) -> object:
        if isinstance(ask.command, OpenReview):
            raise Refusal(Code.VETOED, "These bytes are vetoed.", "Change them.")
        return await handle(ask)

    object.__setattr__(team.house.gate, "handle", refused)
    assert await team.passes(minutes=16) == 1
    assert await team.passes(minutes=16) == 0


@played
async def test_fifteen_silent_minutes_start_one_review_of_what_was_said_last() -> None:
    """003-05, Y22: by the last member who signalled, about all; a second run of the clock finds nothing to do."""
    team = Team()
    await team.enter()
    await team.says(team.mia, "The schema is done.")
    await team.passes(1)
    await team.says(team.claude, "I begin with the parser.")
    assert await team.passes(14) == 0
    assert await team.passes(1) == 1
    (review,) = await team.reviews()
    opened = await team.house.review(f"review/{review['review']}")
    assert (opened.author.name, opened.contributors) == ("claude", (opened.author,))
    assert sorted(opened.origin.targets) == ["claude", "mia"]
    work = await team.web.found(f"{BASE}/reviews/{review['review']}/work", team.claude)
    assert {one["path"]: one["text"] for one in work["files"]} == {
        "claude.md": "I begin with the parser.\n",
        "mia.md": "The schema is done.\n",
        "of.session.md": "Session s1, silent since 2026-01-05T09:01:00.000000Z\n",
    }
    assert [await team.passes(minutes) for minutes in (0, 1, 600)] == [0, 0, 0]
    assert len(await team.reviews()) == 1
    assert (await team.house.log("session/s1")).count("SilenceDetected") == 1


@played
async def test_a_word_and_a_continue_begin_the_silence_anew_and_a_pause_has_none() -> None:
    """O5: what is paused by a human or waits for an answer is not silent; the end ends it."""
    team = Team()
    await team.enter()
    sue = await team.web.human()
    await team.says(team.claude, MILESTONE["summary"], type="milestone", files=MILESTONE["files"])
    await team.judged(CONCERNS)
    assert [await team.passes(20), await team.passes(20)] == [0, 0], "two concerns pause it"
    await team.web.done(f"{S}/clarifications", team.claude, text="The salt is added by the database.")
    assert await team.passes(10) == 0
    await team.judged(APPROVED)
    assert [await team.passes(14), await team.passes(1)] == [0, 1], "from the continue on"
    await team.judged(APPROVED)
    assert await team.passes(30) == 0, "nobody has said anything since: there is nothing new to look at"
    await team.says(team.claude)
    await team.web.done(f"{S}/pause", sue, reason="Lunch")
    assert await team.passes(60) == 0
    await team.says(team.claude, "I may not, but I do.")
    assert await team.passes(60) == 0
    await team.web.done(f"{S}/resume", sue, reason="Back")
    assert [await team.passes(14), await team.passes(1)] == [0, 1]
    await team.says(team.claude)
    await team.web.done(f"{S}/end", team.claude, reason="Done")
    assert await team.passes(60) == 0


@played
async def test_who_dies_between_the_review_and_the_note_of_it_leaves_both_to_the_next() -> None:
    """F1: one review, one note."""
    team = Team()
    await team.enter()
    await team.says(team.claude)
    takes = team.house.gate.handle

    async def dies(ask: object) -> object:
        if isinstance(ask.command, DetectSilence):  # type: ignore[attr-defined]
            raise Unavailable("The store sleeps.", "Wake it.")
        return await takes(ask)  # type: ignore[arg-type]

    object.__setattr__(team.house.gate, "handle", dies)
    with pytest.raises(Unavailable):
        await team.passes(16)
    object.__setattr__(team.house.gate, "handle", takes)
    assert len(await team.reviews()) == 1
    team.clock = team.another()
    assert await team.passes(1) == 1
    assert len(await team.reviews()) == 1
    assert (await team.house.log("session/s1")).count("SilenceDetected") == 1


@played
async def test_two_servers_that_notice_at_the_same_time_open_one_review() -> None:
    team = Team()
    await team.enter()
    await team.says(team.claude)
    assert await team.passes(16) == 1
    assert await team.another().noticed() == 0, "the log knows it, though what follows the log does not yet"
    assert len(await team.reviews()) == 1


@played
async def test_a_clock_that_jumps_notices_no_silence_twice_and_forgets_no_session() -> None:
    """F9: 49 hours ahead and back again."""
    team = Team()
    await team.enter()
    await team.says(team.claude)
    assert await team.passes(49 * 60) == 1
    await team.says(team.claude, "Still here.")
    team.house.wait(hours=-49)
    assert await team.passes(16) == 0
    await team.says(team.claude, "The clock was wrong.")
    assert [await team.passes(14), await team.passes(1)] == [0, 1]


@played
async def test_signals_that_come_twice_or_out_of_order_count_once_and_when_they_come() -> None:
    """003-14: the time that a signal says is its own affair; sent again it is not heard, and breaks no silence."""
    team = Team()
    await team.enter()
    later, earlier = [{**team.claude, "idempotency-key": one} for one in ("later", "earlier")]
    await team.says(later, "The second thing.", timestamp="2026-01-05T09:30:00Z")
    await team.passes(10)
    await team.says(earlier, "The first thing.", timestamp="2026-01-05T08:00:00Z")
    assert await team.passes(10) == 0
    for who, words, at in ((earlier, "first", "2026-01-05T08:00:00Z"), (later, "second", "2026-01-05T09:30:00Z")):
        await team.says(who, f"The {words} thing.", timestamp=at)
    assert await team.house.log("session/s1") == ["SignalReceived", "SignalReceived"]
    heard = (await team.web.found(S, team.claude))["signals"]
    assert [one["summary"] for one in heard] == ["The second thing.", "The first thing."]
    assert [await team.passes(4), await team.passes(1)] == [0, 1]
