"""How a review stands: result, reason, turn and next commands, as every command about a review shows them first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Looked, Outcome
from foureyes.cli import receipt_lines, telling
from foureyes.cli.answer import Json, Line
from foureyes.cli.fitting import wrapped
from foureyes.cli.parts import Parts
from foureyes.cli.showing import INDENT, brief, head
from foureyes.core.refusals import Code, Refusal
from foureyes.core.situation import Result
from foureyes.home.trouble import Trouble

#: At most this many things to fix are listed; the rest is counted.
THINGS_MAX = 5
#: Output that already explains the review does not suggest this command.
WHY = "foureyes why "


async def last(parts: Parts, review: str = "") -> Outcome:
    """The outcome of a review; without a name, of the last one of this place."""
    try:
        return await parts.stands(review)
    except Refusal as refusal:
        if review or refusal.code is not Code.REVIEW_MISSING:
            raise
        raise Trouble("Nothing was reviewed here yet.", "Run: foureyes review", blocked=True) from None


async def last_or_none(parts: Parts) -> Outcome | None:
    """The outcome of the last review of this place, if there is one."""
    try:
        return await parts.stands()
    except Refusal as refusal:
        if refusal.code is not Code.REVIEW_MISSING:
            raise
        return None


def shown(outcome: Outcome | None, width: int) -> Iterator[Line]:
    """The lines about a review for people, as `status` shows them."""
    if outcome is None:
        yield Line("Nothing was reviewed here yet.")
        yield Line(f"{INDENT}{'Next':<{receipt_lines.LABEL}}", "strong", ((telling.AGAIN, "command"),))
        return
    yield from head(outcome, width)
    of = f" of {outcome.revisions_max}" if outcome.revisions_max else ""
    facts = f"{outcome.title} · round {outcome.revision}{of} · review {outcome.review}"
    yield from (Line(f"{INDENT}{one}", "dim") for one in wrapped(marked(facts), width - len(INDENT)))
    found = [one for one in telling.things(outcome.found) if one.blocking]
    yield from (brief(one, width) for one in found[:THINGS_MAX])
    if len(found) > THINGS_MAX:
        yield Line(f"{INDENT}and {len(found) - THINGS_MAX:,} more", "dim")
    yield from because(outcome, width)
    yield from receipt_lines.rows("Turn", [turn(outcome)], width, "")
    yield from receipt_lines.next_lines(_later(outcome), width)


def account(outcome: Outcome, width: int) -> Iterator[Line]:
    """Result, reason, turn and next commands: the first lines of every command about a review."""
    yield from head(outcome, width)
    yield from because(outcome, width)
    yield from receipt_lines.rows("Turn", [turn(outcome)], width, "")
    if not outcome.is_local:
        steps = [outcome.situation.next_step, *(f"`{one.line}` {one.does}." for one in telling.next_commands(outcome))]
        yield from receipt_lines.rows("Next", steps, width, "")
        return
    told = _later(outcome)
    commands = tuple(one for one in told.next if not one.line.startswith(WHY))
    if commands:
        yield from receipt_lines.next_lines(replace(told, next=commands), width)
    else:
        yield from receipt_lines.rows("Next", [outcome.situation.next_step], width, "")


def because(outcome: Outcome, width: int) -> Iterator[Line]:
    """Why the review is not cleared, in the gate's words, and which reviewers failed."""
    situation = outcome.situation
    said = "" if outcome.result is Result.CLEARED or not situation.reasons else situation.sentence
    yield from receipt_lines.rows("Why", [said], width, "")
    failed = [f"{one.reviewer}: {one.reason}" for one in _failed(outcome) if one.reason not in said]
    yield from receipt_lines.rows("Could not", failed[:THINGS_MAX], width, "care")


def _failed(outcome: Outcome) -> list[Looked]:
    return [one for one in outcome.looked if not one.answered and one.reason]


def account_data(outcome: Outcome) -> dict[str, Json]:
    """The data of `account` for scripts."""
    return {
        "result": outcome.result.value,
        "headline": telling.headline(outcome),
        "sentence": outcome.situation.sentence,
        "turn": turn(outcome),
        "next_step": outcome.situation.next_step,
        "next": [one.line for one in telling.next_commands(outcome)],
        "failed": [
            {"reviewer": one.reviewer, "reason": one.reason}
            for one in outcome.looked
            if not one.answered and one.reason
        ],
    }


def _later(outcome: Outcome) -> Outcome:
    """The outcome with its next commands; if they cannot name the work, they ask the person to name it as before."""
    said = telling.next_commands(outcome)
    if outcome.named is None:
        same = "name the work as before"
        said = tuple(replace(one, does=f"{one.does}; {same}") if one.line == telling.AGAIN else one for one in said)
    return replace(outcome, next=said)


def turn(outcome: Outcome) -> str:
    """Whose turn it is; for a server's review, in the gate's words."""
    if not outcome.is_local:
        return outcome.situation.turn
    if outcome.waits:
        return telling.listed(f"{one.who}: {one.what}" for one in outcome.waits)
    match outcome.result:
        case Result.BLOCKED if outcome.blocking:
            return "yours: fix each of them, or say why it is wrong"
        case Result.NOTHING_BLOCKS if outcome.state == "open":
            return f"whoever can vouch for it: {outcome.gate}"
        case Result.INCONCLUSIVE:
            return "yours: run it again"
        case _:
            return ""


def data(outcome: Outcome | None) -> Json:
    """The data of `shown` for scripts."""
    if outcome is None:
        return None
    return {
        "review": outcome.review,
        "title": outcome.title,
        "revision": outcome.revision,
        "blocking": len(outcome.blocking),
        **account_data(outcome),
    }
