"""The whole table of who may do what in which state, kept in `who_may.txt` so that every change shows up.

`python -m tests.core.test_who_may` writes the table anew; read the difference before you commit it.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from foureyes.core import commands as c
from foureyes.core.decide import decide
from foureyes.core.refusals import Refusal
from foureyes.core.values import CLOCK, Failure, Outcome, Who, WhoKind
from tests.cast import ANN, BOB, CHECKED, DEV, EVE, HANNA, HUGO, LINTER, Play, finding

TABLE = Path(__file__).with_name("who_may.txt")
CLARA = Who(name="clara", kind=WhoKind.HUMAN)
HOOK = Who(name="hook", kind=WhoKind.SERVICE)

#: Clara opened the review for its author; Ann and Bob hold its two seats; Hugo is the author in the states that say so.
ACTORS = {
    "author": DEV,
    "human author": HUGO,
    "contributor": CLARA,
    "holder": ANN,
    "other reviewer": BOB,
    "outsider": EVE,
    "program": LINTER,
    "service": HOOK,
    "human": HANNA,
    "clock": CLOCK,
}
STATES = ("waiting for reports", "waiting for the author", "ruling pending", "cleared", "rejected", "shelved")


@cache
def state(name: str, author: Who) -> Play:
    """A story in this state, with every pending request due by now."""
    play = Play(author=author)
    play.do(
        CLARA,
        c.OpenReview(review="r1", kind="story", title="A story", digest="d1", on_behalf_of=author),
    )
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.do(BOB, c.TakeSeat(seat="resolve.2"))
    if name == "waiting for reports":
        return play
    play.report(ANN, findings=(finding("a gap"),))
    play.report(BOB, evidence=CHECKED)
    if name == "waiting for the author":
        return play
    play.do(author, c.RequestRuling(reason="I do not agree"))
    option = {"cleared": "as_is", "rejected": "reject", "shelved": "shelve"}.get(name)
    if option:
        play.do(HUGO if author is not HUGO else HANNA, c.GiveRuling(request="ruling-1", option=option, reason="so"))
    return play


def asked(play: Play) -> Iterator[c.ReviewCommand]:
    """Yield one of each command, as it fits the state best."""
    outcome = play.review.outcome or Outcome.CLEARED
    yield c.SubmitRevision(digest="d2")
    yield c.AnswerFinding(finding="resolve.1-F1", text="filled")
    yield c.WithdrawReview(reason="no longer needed")
    yield c.TakeSeat(stage="resolve")
    yield c.RenewSeat(seat="resolve.1")
    yield c.LeaveSeat(seat="resolve.1")
    yield c.SubmitReport(revision=1, evidence=CHECKED, summary="I looked")
    yield c.ReportInconclusive(seat="resolve.1", revision=1, reason=Failure.CRASHED)
    yield c.KeepReport(seat="resolve.1", revision=1)
    yield c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True, note="my mistake")
    yield c.VerifyFinding(finding="resolve.1-F1", revision=1, result="refuted", evidence="I tried it")
    yield c.RequestRuling(reason="I want a human")
    yield c.GiveRuling(request="ruling-1", option="as_is", reason="fine")
    yield c.OverrideStage(stage="resolve", revision=1, digest="d1", reason="I looked")
    yield c.WaiveFinding(finding="resolve.1-F1", reason="not real")
    yield c.ReopenReview(reason="once more", undoes=outcome)
    yield c.ReportEscape(text="it crashes", severity="critical")
    yield c.AddNote(text="hello")
    yield c.PassDeadline(request=next(iter(play.review.requests), "revision"))


def answer(play: Play, actor: Who, command: c.ReviewCommand) -> str:
    """`ok` or the code of the refusal; deadlines are asked about when they have passed."""
    due = [one.due for one in play.review.requests.values()] if isinstance(command, c.PassDeadline) else []
    try:
        facts = play.facts_at(play.review)
        decide(play.rules, play.review, command, actor=actor, facts=facts, now=max([play.now, *due]))
    except Refusal as refusal:
        return refusal.code
    return "taken"


@cache
def answers(name: str) -> dict[str, dict[str, str]]:
    """The answers in one state, by command and principal."""
    found: dict[str, dict[str, str]] = {}
    for who, actor in ACTORS.items():
        play = state(name, HUGO if actor is HUGO else DEV)
        for command in asked(play):
            found.setdefault(type(command).__name__, {})[who] = answer(play, actor, command)
    return found


def lines(name: str) -> Iterator[str]:
    yield f"{name}:"
    for command, said in answers(name).items():
        for code in sorted(set(said.values()), key=lambda one: (one != "taken", one)):
            yield f"  {command:<18} {code:<16} {', '.join(who for who in said if said[who] == code)}"
    yield ""


def table() -> str:
    return "\n".join(line for name in STATES for line in lines(name))


def test_the_whole_table_of_who_may_do_what_is_as_it_was_read() -> None:
    assert table().splitlines() == TABLE.read_text(encoding="utf-8").splitlines()


def takers(command: type) -> set[str]:
    """The principals that may run this command in at least one state."""
    return {who for name in STATES for who, said in answers(name)[command.__name__].items() if said == "taken"}


AUTHORS = {"author", "human author"}
HUMANS = {"human", "contributor"}
EVERYBODY = set(ACTORS)


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        (c.SubmitRevision, AUTHORS),
        (c.AnswerFinding, AUTHORS),
        (c.WithdrawReview, AUTHORS),
        (c.TakeSeat, {"holder", "other reviewer", "outsider", "program", "human"}),
        (c.RenewSeat, {"holder"}),
        (c.LeaveSeat, {"holder"}),
        (c.SubmitReport, {"holder", "other reviewer", "outsider", "program", "human"}),
        (c.ReportInconclusive, {"holder"}),
        (c.KeepReport, set()),
        (c.SettleFinding, {"holder"}),
        (c.VerifyFinding, set()),
        (c.RequestRuling, AUTHORS | HUMANS | {"holder", "other reviewer"}),
        (c.GiveRuling, HUMANS),
        (c.OverrideStage, HUMANS),
        (c.WaiveFinding, HUMANS),
        (c.ReopenReview, HUMANS),
        (c.ReportEscape, EVERYBODY),
        (c.AddNote, EVERYBODY),
        (c.PassDeadline, {"clock"}),
    ],
)
def test_nobody_else_ever_gets_a_command_through(command: type, allowed: set[str]) -> None:
    """D-04: whatever the state, only these; the author never judges, no agent decides for a human."""
    assert takers(command) == allowed


def test_an_ended_review_takes_only_what_brings_it_back_stands_beside_it_or_lifts_an_objection() -> None:
    """U-03: what stands against its bytes can be lifted after the end; a cleared review takes a waiver only."""
    beside, lifts = {"AddNote", "ReportEscape"}, {"SettleFinding", "OverrideStage"}
    back = {
        "cleared": {"SubmitRevision", "ReopenReview"},
        "rejected": {"RequestRuling", "ReopenReview"},
        "shelved": {"SubmitRevision", "ReopenReview"},
    }
    for name, wanted in back.items():
        taken = {command for command, said in answers(name).items() if "taken" in said.values()}
        assert taken - beside - {"WaiveFinding"} <= (wanted if name == "cleared" else wanted | lifts), name


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
