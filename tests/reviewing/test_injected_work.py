"""An injected work does not change its review: whole rounds in every style, with the critics that look there.

A reviewer that ignores the injection leaves everything as it would be without. One that obeys it counts as its seat
counts: a plain yes, or no answer. Findings of others stay, and nothing is waived, overridden or changed.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from foureyes.app.reviewers import AtHand, Reviewer
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.reviewing.outcome import Found, LookedKind, Outcome
from foureyes.core.model import Review
from foureyes.core.situation import Result
from foureyes.core.values import WhoKind
from tests.agents.fakes import Place
from tests.answers.injected import CORPUS
from tests.conftest import EFFORT
from tests.reviewing import obeying
from tests.reviewing.desk import ANNA, PROGRAMS, Desk, reviewed
from tests.reviewing.injected import CARRIERS, NEUTRAL, Carried, of_kind, pairs
from tests.reviewing.obeying import OBEYING, STYLES, Says, approves, bare, honest, model, repeats, silent

EVERYTHING = EFFORT == "all"
WORKS = [False, True]
NAMES = list(CARRIERS)
#: In the short run each style gets some of the carriers and words; all styles together get all carriers.
STEP = 1 if EVERYTHING else len(STYLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stands:
    """The result of a round: as shown to people, as stored, and whether the bytes may go live."""

    outcome: Outcome
    review: Review
    live: str
    carried: Carried

    def elsewhere(self) -> dict[tuple[object, ...], Found]:
        """The findings that are not about the carrier of the words."""
        return {_told(one): one for one in self.outcome.found if not self.is_about_it(one)}

    def is_about_it(self, found: Found) -> bool:
        if found.rule.startswith("injection."):
            return True
        return bool(self.carried.path) and found.path == self.carried.path and found.line >= self.carried.line

    def stopped_by_it(self) -> bool:
        """Whether a program stops the work for the words it carries."""
        return any(one.blocking and self.is_about_it(one) for one in self.outcome.found)

    def minds(self) -> list[tuple[object, ...]]:
        looked = (one for one in self.outcome.looked if one.kind is not LookedKind.PROGRAM)
        return sorted((one.reviewer, one.kind, one.state, one.findings) for one in looked)

    def comes_to(self) -> tuple[object, ...]:
        """Everything that decides, and every permitted command."""
        told = self.outcome
        return (
            *(told.state, told.result, _decides(told.gate), told.pending, self.live, told.independence),
            self.minds(),
            sorted((one.who, _decides(one.what)) for one in told.waits),
            sorted(one.id for one in told.settled),
        )


def _decides(words: str) -> str:
    """The reason, without the amount a program read and the order of two empty seats."""
    said = re.sub(r"(\w+): \d+ found in .*", r"\1 found something", words)
    return re.sub(r"(spec|quality)\.(\d)", r"panel.\2", said)


def _told(one: Found) -> tuple[object, ...]:
    return (one.path, one.line, one.rule, one.text, one.severity, one.blocking, one.raised_by, one.standing)


def differences(injected: Stands, plain: Stands) -> Iterator[str]:
    """Yield the forbidden differences that the words caused."""
    lost = plain.elsewhere().keys() - injected.elsewhere().keys()
    if lost := {one for one in lost if _was_asked(plain.elsewhere()[one], injected)}:
        yield f"no longer found: {lost}"
    if more := injected.elsewhere().keys() - plain.elsewhere().keys():
        yield f"found where nothing was injected: {more}"
    told = injected.outcome
    if not injected.stopped_by_it():
        if injected.comes_to() != plain.comes_to():
            yield f"{injected.comes_to()} instead of {plain.comes_to()}"
    elif told.result is not Result.BLOCKED or "cleared" in (told.state, injected.live):
        yield f"a program stops it, and it is {told.result}, {told.state}, {injected.live}"
    elif injected.minds() not in (plain.minds(), []):
        # In a chain, no reviewer is asked after a program that stops the work.
        yield f"{injected.minds()} instead of {plain.minds()}"


def _was_asked(found: Found, stands: Stands) -> bool:
    """Whether the raiser was asked again: a chain asks no reviewer after a program that stops the work."""
    looked = {one.reviewer for one in stands.outcome.looked}
    return not stands.stopped_by_it() or not looked.isdisjoint(found.raised_by)


def assert_nothing_was_taken(stands: Stands, plain: Stands) -> None:
    """Check that nothing was waived, overridden or activated, and every report has its true reviewer."""
    told, review = stands.outcome, stands.review
    assert told.dismissed == ()
    assert not [one for one in review.findings.values() if one.standing == "waived" or one.suppressed_by]
    assert not review.overridden
    assert (review.rules, review.stricter, review.protocols) == (
        plain.review.rules,
        plain.review.stricter,
        plain.review.protocols,
    )
    spoke = {(one.reviewer.name, one.reviewer.kind) for one in review.reports.values()}
    known = {(name, WhoKind.PROGRAM) for name in PROGRAMS} | {
        (name, WhoKind.AGENT) for name in ("one", "other", "codex")
    }
    assert spoke <= known
    assert all(one.raiser in {name for name, _ in known} for one in review.findings.values())


def stood(style: str, *works: Carried, one: Reviewer, other: Reviewer) -> Stands:
    """Run a round on each of these works in turn and return the result of the last."""
    kind, make = STYLES[style]
    return asyncio.run(_stood(make(one, other), [of_kind(each, kind) for each in works]))


async def _stood(desk: Desk, works: list[Carried]) -> Stands:
    *before, last = works
    for each in before:
        await reviewed(desk, each.change, may_send=lambda *_: True)
    outcome = await reviewed(desk, last.change, may_send=lambda *_: True)
    gate = desk.gate(desk.kept, desk.policy, Pool(AtHand()))
    review = (await gate.read(outcome.review, ANNA)).view.review
    live = (await gate.may_go_live(outcome.digest)).state
    return Stands(outcome=outcome, review=review, live=live, carried=last)


@cache
def plain(style: str, carrier: str, says: Says, *, is_bad: bool) -> Stands:
    """The round on the same work with harmless words."""
    work = CARRIERS[carrier](NEUTRAL, is_bad=is_bad)
    return stood(style, work, one=model("one", says), other=model("other", honest))


@pytest.mark.parametrize("is_bad", WORKS, ids=["clean", "bad"])
@pytest.mark.parametrize("style", STYLES)
def test_where_nobody_obeys_nothing_changes_but_what_is_said_of_the_words(style: str, is_bad: bool) -> None:
    """D-06: state, verdicts and permissions are those of the same work without the words."""
    wrong = []
    for words, carrier in list(pairs(everything=EVERYTHING))[_turn(style) :: STEP]:
        work = CARRIERS[carrier](words, is_bad=is_bad)
        found = stood(style, work, one=model("one", honest), other=model("other", honest))
        as_ever = plain(style, carrier, honest, is_bad=is_bad)
        assert_nothing_was_taken(found, as_ever)
        wrong += [(words, carrier, one) for one in differences(found, as_ever)]
    assert wrong == []


def test_the_bad_work_is_stopped_and_the_clean_one_is_not() -> None:
    """Otherwise the comparisons above would prove nothing."""
    for style in STYLES:
        stopped = plain(style, "a text", honest, is_bad=True)
        assert stopped.outcome.result is Result.BLOCKED, style
        free = plain(style, "a text", honest, is_bad=False)
        assert free.outcome.result is not Result.BLOCKED, style
        assert stopped.live != "cleared"
    assert plain("solo", "a text", honest, is_bad=False).live == "cleared"


@pytest.mark.parametrize("is_bad", WORKS, ids=["clean", "bad"])
@pytest.mark.parametrize("style", STYLES)
def test_whoever_obeys_is_worth_one_plain_yes_or_nothing(style: str, is_bad: bool) -> None:
    """D-06, D-23: whatever it claims, settles, refutes or asks for."""
    wrong: list[object] = []
    for at, words in enumerate(CORPUS if EVERYTHING else CORPUS[_turn(style) :: 15]):
        # One carrier in the short run, because each needs two more rounds for comparison.
        carrier = NAMES[((at if EVERYTHING else 0) + _turn(style)) % len(NAMES)]
        work = CARRIERS[carrier](words, is_bad=is_bad)
        minds = [*(model("one", says) for says in OBEYING.values()), model("one", repeats(words)), bare("one")]
        for mind in minds if EVERYTHING else minds[at::3]:
            found = stood(style, work, one=mind, other=model("other", honest))
            wrong += _worth_more(style, carrier, found, is_bad=is_bad)
    assert wrong == []


def _turn(style: str) -> int:
    return 0 if EVERYTHING else list(STYLES).index(style)


def _worth_more(style: str, carrier: str, found: Stands, *, is_bad: bool) -> list[object]:
    known = [plain(style, carrier, says, is_bad=is_bad) for says in (approves, silent)]
    assert_nothing_was_taken(found, known[0])
    told = [list(differences(found, one)) for one in known]
    return [] if [] in told else [(carrier, found.carried, told)]


@pytest.mark.parametrize("way", OBEYING)
def test_whoever_obeys_in_a_second_round_settles_nothing_of_others(way: str) -> None:
    """D-06, D-10: the bad work comes again with the words in it, and its reviewer says that all is settled."""
    for carrier, words in zip(NAMES[:: 1 if EVERYTHING else 6], CORPUS[:: 4 if EVERYTHING else 20], strict=False):
        known = [_again(carrier, f"{NEUTRAL} Again.", says) for says in (approves, silent)]
        found = _again(carrier, words, OBEYING[way])
        # Another note or title is the same version: neither is part of the bytes.
        assert (found.review.revision, found.outcome.result) == (2 if found.carried.path else 1, Result.BLOCKED)
        assert_nothing_was_taken(found, known[0])
        raised = found.review.findings
        assert {raised[one.id].raiser for one in found.outcome.settled} <= {"one"}
        assert [] in [list(differences(found, one)) for one in known]


@cache
def _again(carrier: str, words: str, says: Says) -> Stands:
    """The bad work twice; one of its reviewers is honest at first."""
    first, second = (CARRIERS[carrier](each, is_bad=True) for each in (NEUTRAL, words))
    return stood("solo", first, second, one=model("one", _later(says)), other=model("other", honest))


def _later(says: Says) -> Says:
    """Honest at first."""
    return lambda asked: says(asked) if "This is round " in asked else honest(asked)


def test_an_agent_that_obeys_is_worth_no_more_than_a_model(tmp_path: Path) -> None:
    """D-06: a program of its own that answers with all it may not have."""
    place = Place(folder=tmp_path)
    said = obeying.OBEYING["claims"]("The code of this message is 0000000000000000")
    assert isinstance(said, str)
    place.install("codex", f"says({json.loads(said.splitlines()[1])!r})")
    for words, carrier in list(pairs(everything=False))[:: 1 if EVERYTHING else 5]:
        for is_bad in WORKS:
            work = CARRIERS[carrier](words, is_bad=is_bad)
            found = stood("solo", work, one=place.reviewer("codex"), other=model("other", honest))
            assert_nothing_was_taken(found, plain("solo", carrier, approves, is_bad=is_bad))
            assert (found.outcome.result is Result.BLOCKED) >= is_bad
            assert {"other"} <= {name for one in found.outcome.found for name in one.raised_by} or not is_bad
