"""The first screen shows the result, the few things that matter, and who did not review."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from foureyes.app.plain import marked
from foureyes.app.reviewers import Unread
from foureyes.app.reviewing.outcome import Command, Looked, LookedKind, LookedState, NotLooked, Outcome
from foureyes.cli import codes, telling
from foureyes.cli.answer import print_line
from foureyes.cli.fitting import width_of
from foureyes.cli.showing import shown
from foureyes.core.situation import Result
from tests.cli import outcomes
from tests.cli.outcomes import BLOCKED, CLEAN, EVERY, KEY, MANY, NOTE, PIPE
from tests.cli.screens import FOLDER, WIDTHS, screen, screens
from tests.cli.test_plain import Terminal


@pytest.fixture(autouse=True)
def _somewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_every_screen_reads_as_it_was_agreed() -> None:
    """If this fails on purpose: `python -m tests.cli.screens`, and read what changed."""
    made = dict(screens())
    assert {one.name for one in FOLDER.iterdir()} == set(made)
    for name, text in made.items():
        assert text == (FOLDER / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", EVERY)
def test_every_line_fits_but_commands_to_copy(name: str, width: int) -> None:
    for everything in (False, True):
        lines = shown(EVERY[name], width=width, everything=everything)
        wide = [str(one) for one in lines if width_of(str(one)) > width]
        commands = [marked(one.line)[:20] for one in telling.next_commands(EVERY[name])]
        assert [one for one in wide if not any(command in one for command in commands)] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_text_of_strangers_reaches_no_terminal(width: int) -> None:
    """T31: nothing in a name, a line, a sentence of anybody moves the cursor, the clipboard or the reader."""
    stream = Terminal()
    for everything in (False, True):
        for line in shown(outcomes.EVIL, width=width, everything=everything):
            print_line(line, stream)
    text = stream.getvalue()
    for ours in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"):
        text = text.replace(ours, "")
    for ours in ("\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m"):
        text = text.replace(ours, "")
    assert not set(text) & {*map(chr, (*range(10), *range(11, 32), *range(0x7F, 0xA0))), "\u202e", "\u2066"}


def test_a_thousand_findings_are_a_screen_and_not_a_flood() -> None:
    """D-21: the few that matter are shown, the rest is counted and can be unfolded."""
    text = screen("many", 80)
    assert len(text.splitlines()) < 80
    assert "500 things to fix" in text
    assert "--all" in text
    unfolded = screen("many", 80, everything=True).partition("\n  Next ")[0]
    assert unfolded.count("solo.1-F") == len(MANY.found)


def test_what_is_only_advice_is_folded_and_can_be_unfolded() -> None:
    """D-21: a note that stops nothing does not stand among what must be fixed."""
    assert NOTE in BLOCKED.found
    text = screen("blocked", 80)
    assert NOTE.text not in text
    assert "1 note that does not block; --all shows it" in " ".join(text.split())
    assert NOTE.text in screen("blocked", 80, everything=True)


def test_findings_with_one_cause_are_one_thing_with_its_places() -> None:
    """D-21: grouped by cause."""
    found = telling.things(BLOCKED.found)
    assert [(one.first.id, one.places) for one in found] == [("solo.1-F1", 1), ("solo.1-F2", 13), ("solo.2-F3", 1)]
    assert "The same in 12 more places: app/region_1.py:1" in screen("blocked", 120)


def test_what_blocks_comes_first_then_the_gravest() -> None:
    ranked = telling.things((NOTE, replace(PIPE, blocking=False), KEY))
    assert [one.first.rule for one in ranked] == [KEY.rule, PIPE.rule, ""]


def test_a_finding_shows_its_place_its_line_why_and_how_to_fix_it() -> None:
    text = screen("blocked", 120)
    for part in ("deploy.sh:14", PIPE.quote, PIPE.text, PIPE.why, PIPE.suggestion, PIPE.rule, "security and Claude"):
        assert part in text


def test_when_all_is_well_it_is_quiet_and_says_that_programs_approve_nothing() -> None:
    lines = screen("clean", 100).splitlines()
    assert 2 <= len(lines) <= 4
    assert "no model or person did: this is not an approval" in lines[0]


def test_who_did_not_look_and_what_was_not_read_is_said_even_then() -> None:
    """D-03, D-15 and D-23: a degraded panel and unread parts are said, not hidden."""
    outcome = replace(
        CLEAN,
        looked=(*CLEAN.looked, outcomes.CODEX),
        not_looked=(NotLooked(who="Gemini CLI", why="not installed"),),
        unread=(Unread(path="logo.png", why="binary"),),
        ignored=("docs/**",),
    )
    text = "\n".join(map(str, shown(outcome, width=120)))
    for part in ("Codex could not say (over its limit, until 14:00)", "Gemini CLI: not installed", "logo.png: binary"):
        assert part in text
    assert "docs/**" in text


def test_until_when_a_limit_holds_is_said_once() -> None:
    limited = replace(outcomes.CODEX, reason="Codex is over its limit until 14:00 UTC.")
    text = "\n".join(map(str, shown(replace(CLEAN, looked=(*CLEAN.looked, limited)), width=120)))
    assert "Codex could not say (Codex is over its limit until 14:00 UTC), 2.0 s" in text


def test_where_there_are_several_stages_each_look_says_its_own() -> None:
    """004-15: the same reviewer looks in each of them, and one line for it would be like the other."""
    looks = [replace(outcomes.CLAUDE, stage=stage, summary="") for stage in ("solo", "spec", "quality", "spec.3")]
    several = "\n".join(map(str, shown(replace(BLOCKED, looked=tuple(looks)), width=120)))
    for stage in ("solo", "spec", "quality"):
        assert f"Claude Code ({stage}) has findings" in several
    one = "\n".join(map(str, shown(replace(BLOCKED, looked=(looks[1], looks[3])), width=120)))
    assert "Claude Code has findings" in one


def test_what_is_unread_is_counted_where_it_is_much() -> None:
    outcome = replace(CLEAN, unread=tuple(Unread(path=f"f{n}.bin", why="binary") for n in range(500)))
    assert len(shown(outcome, width=80)) < 15
    assert "and 497 more" in "\n".join(map(str, shown(outcome, width=80)))
    assert "f499.bin" in "\n".join(map(str, shown(outcome, width=80, everything=True)))


RESULTS = {
    "nothing": (Result.NOTHING_BLOCKS, codes.OK),
    "held-up": (Result.PENDING, codes.PENDING),
    "blocked": (Result.BLOCKED, codes.BLOCKED),
    "clean": (Result.NOTHING_BLOCKS, codes.OK),
    "cleared": (Result.CLEARED, codes.OK),
    "reviewed": (Result.NOTHING_BLOCKS, codes.OK),
    "pending": (Result.PENDING, codes.PENDING),
    "nobody": (Result.INCONCLUSIVE, codes.INCONCLUSIVE),
    "unclear": (Result.INCONCLUSIVE, codes.INCONCLUSIVE),
    "stopped": (Result.INCONCLUSIVE, codes.INCONCLUSIVE),
    "rejected": (Result.BLOCKED, codes.BLOCKED),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_round_comes_to_has_its_exit_code(name: str) -> None:
    assert (EVERY[name].result, telling.exit_code(EVERY[name])) == RESULTS[name]


def test_nobody_who_answered_is_no_answer_and_a_blocker_outweighs_what_is_unclear() -> None:
    """D-03: neither approval nor veto."""
    assert replace(CLEAN, looked=()).result is Result.INCONCLUSIVE
    assert replace(BLOCKED, unclear="cannot be read").result is Result.BLOCKED
    assert replace(BLOCKED, pending=True).result is Result.BLOCKED


def test_bytes_that_were_not_taken_in_are_said_to_be_unseen() -> None:
    """D-03: what nobody looked at never passes by what was found in another version."""
    text = screen("held-up", 100)
    assert text.startswith("… Nobody looked at this version: a human is deciding about the version before.")
    assert "Looked before" in text
    assert replace(CLEAN, held_up="x").result is Result.INCONCLUSIVE
    assert replace(outcomes.CLEARED, held_up="x").result is Result.INCONCLUSIVE


def test_an_unknown_price_is_not_a_price_of_nothing() -> None:
    """D-09: the cost is shown as far as it is known."""
    assert telling.cost(None, 500) == "500 tokens, price not known"
    assert telling.cost(None, 0) == ""
    assert telling.cost(0, 500) == "500 tokens"
    assert telling.cost(9_000, 0) == "under $0.01"
    assert telling.cost(1_234_567, 1) == "$1.23, 1 token"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.0 s"), (9.96, "10.0 s"), (41.3, "41 s"), (60, "1 min"), (125.4, "2 min 5 s")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert telling.duration(seconds) == words


def test_a_critical_finding_is_offered_for_dismissal_by_somebody_who_signs_in_only() -> None:
    """U-52: the way out of a false alarm is named, and it is the one that works."""
    lines = [one.line for one in telling.next_commands(replace(BLOCKED, found=(PIPE,)))]
    assert [one for one in lines if "dismiss" in one] == [f'foureyes dismiss --critical {PIPE.id} --because "WHY"']
    offered = tuple(Command(line=f"foureyes dismiss {one} --because …") for one in ("solo.1-F1", "solo.1-F2"))
    left = telling.next_commands(replace(BLOCKED, next=offered))
    assert left == offered[1:]
    assert 'foureyes dismiss solo.1-F2 --because "WHY"' in [one.line for one in telling.next_commands(BLOCKED)]


def test_every_outcome_has_a_next_command() -> None:
    for outcome in EVERY.values():
        assert telling.next_commands(outcome)


def test_a_terminal_without_unicode_sees_signs_it_can_show() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    for line in shown(BLOCKED, width=80):
        print_line(line, stream)
    stream.seek(0)
    assert stream.read().startswith("x 2 things to fix")


def test_an_outcome_with_nothing_in_it_can_be_shown() -> None:
    bare = Outcome(review="", digest="", title="", kind="")
    look = Looked(reviewer="x", kind=LookedKind.HUMAN, state=LookedState.REJECTS)
    for outcome in (bare, replace(bare, looked=(look,)), replace(bare, pending=True, looked=(look,))):
        for width in WIDTHS:
            assert shown(outcome, width=width)
            assert shown(outcome, width=width, quiet=True)


def test_programs_share_a_line_because_their_findings_speak_and_all_names_each() -> None:
    rejects = replace(outcomes.program("security", LookedState.REJECTS), summary="2 found in 3 files")
    outcome = replace(BLOCKED, looked=(outcomes.program("format"), rejects))
    assert "2 programs: security and format; findings from security" in "\n".join(map(str, shown(outcome, width=100)))
    assert "security rejects, 0.1 s: 2 found" in "\n".join(map(str, shown(outcome, width=100, everything=True)))


def test_a_program_that_could_not_say_is_named_by_itself() -> None:
    """D-03: what has no answer does not hide among those that have."""
    lost = replace(outcomes.program("python", LookedState.INCONCLUSIVE), reason="crashed")
    text = "\n".join(map(str, shown(replace(BLOCKED, looked=(outcomes.program("format"), lost)), width=100)))
    assert "1 program: format; found nothing" in text
    assert "python could not say (crashed)" in text


def test_many_who_did_not_look_share_a_line() -> None:
    absent = tuple(NotLooked(who=f"a{n}", why=f"A{n} is not installed", next_step=f"get a{n}") for n in range(3))
    text = " ".join(" ".join(map(str, shown(replace(BLOCKED, not_looked=absent), width=100))).split())
    assert "a0, a1 and a2 (not installed)." in text
    assert "`foureyes doctor` says what to do." in text
    assert "--ask" not in text
    unasked = (*absent, NotLooked(who="tests", why="not allowed yet: it would run `make` here", next_step="s"))
    asks = " ".join(" ".join(map(str, shown(replace(BLOCKED, not_looked=unasked), width=100))).split())
    assert "`foureyes review --ask` asks you who may." in asks
    whole = " ".join(" ".join(map(str, shown(replace(CLEAN, not_looked=absent), width=100, everything=True))).split())
    assert "a2: A2 is not installed. get a2" in whole
