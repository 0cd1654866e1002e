"""The `why` command: why a review is open or cleared, requirement by requirement, and whose turn it is."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import datetime

import click

from foureyes.app.gate import Seen
from foureyes.app.reviewing.outcome import Outcome as Told
from foureyes.cli import codes
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.fitting import terminal_width
from foureyes.cli.here import account, account_data, last
from foureyes.cli.outcome_data import finding as finding_data
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.cli.showing import told
from foureyes.cli.silenced import off_now, with_note
from foureyes.cli.telling import Thing, exit_code
from foureyes.core.explain import Explained, Explanation, Status, Turn
from foureyes.core.local import is_local
from foureyes.core.model import Review
from foureyes.core.risk import kinds_for
from foureyes.home.trouble import Trouble
from foureyes.policy.policy import Mode, Policy

_TONES = {Status.MET: "good", Status.NOT_MET: "bad", Status.ERROR: "bad", Status.NOT_APPLICABLE: "dim"}


#: The id of a finding: its seat and its number.
_FINDING = re.compile(r".+-F[0-9]+")


@click.command()
@click.argument("review", required=False, default="", metavar="[REVIEW|FINDING]")
@answering
def why(parts: Parts, review: str) -> Answer:
    """Say why a review is open or shut, and whose turn it is.

    REVIEW is the last one of this place if none is named. Exit codes as of `review`. 0: cleared, or nothing blocks.
    2: something stops it, or it ended without. 3: somebody still owes an answer. 4: nobody could say. A FINDING of the
    last review of this place is told in full: 2 if it blocks, else 0.
    """
    if _FINDING.fullmatch(review):
        return _finding(asyncio.run(last(parts)), review)

    async def look() -> Answer:
        outcome = await last(parts, review.removeprefix("review/"))
        there = await parts.having(outcome.review)
        async with there.store() as store:
            gate = there.gate(store)
            seen = await gate.read(outcome.review, parts.human())
            policy = await store.read(lambda reading: gate.policies.named(reading, seen.view.review.rules))
        answer = _with_mode(explained(seen, outcome), seen, policy)
        return with_note(await parts.scrub(answer, outcome.review), await off_now(parts))

    return asyncio.run(look())


def _finding(outcome: Told, name: str) -> Answer:
    """One finding with its places."""
    found = next((one for one in outcome.found if name in one.ids), None)
    if found is None:
        step = "Run: foureyes fix --all"
        raise Trouble(f"Review {outcome.review} has no open finding {name!r}.", step, usage=True)
    others = tuple(one for one in outcome.found if found.cause and one.cause == found.cause and one is not found)
    lines = tuple(told(Thing(first=found, others=others), terminal_width(), everything=True))
    code = codes.BLOCKED if found.blocking else codes.OK
    return Answer(code=code, lines=lines, data={"review": outcome.review, "finding": finding_data(found)})


def explained(seen: Seen, outcome: Told) -> Answer:
    """The gate's judgement in words, which come from the core."""
    found, review = seen.explanation, seen.view.review
    head, *words = found.in_words()
    needs, waits = words[: len(found.requirements)], words[len(found.requirements) :]
    opened = _local(datetime.fromisoformat(seen.opened))
    lines = (
        *account(outcome, terminal_width()),
        Line(head, "dim"),
        Line(f"{review.title} ({review.kind}), by {review.author.name}, opened {opened}"),
        *(
            Line(f"  {text}", _TONES.get(one.status, "care"))
            for text, one in zip(needs, found.requirements, strict=True)
        ),
        *(Line(f"  {text}.{_due(one, review)}") for text, one in zip(waits, found.turns, strict=True)),
    )
    return Answer(code=exit_code(outcome), lines=lines, data={**_data(seen, found), **account_data(outcome)})


def _with_mode(answer: Answer, seen: Seen, policy: Policy) -> Answer:
    """The answer with the mode of hooks for such work (block or only warn), which does not affect the gate."""
    review = seen.view.review
    kinds = kinds_for(policy.rules, review.kind, [one.name for one in review.current.parts])
    mode = policy.mode_of(kinds)
    note = Line("  mode: watch (hooks warn, never block)", "dim")
    lines = (*answer.lines, note) if mode is Mode.WATCH else answer.lines
    return replace(answer, lines=lines, data={**answer.data, "mode": mode.value})


def _local(when: datetime) -> str:
    """The time in the reader's time zone."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def _data(seen: Seen, found: Explanation) -> dict[str, Json]:
    review = seen.view.review
    return {
        "review": found.review,
        "state": found.outcome.value if found.outcome else "open",
        "revision": found.revision,
        "digest": found.digest,
        "title": review.title,
        "kind": review.kind,
        "author": review.author.name,
        "opened": seen.opened,
        "requirements": [_requirement(one) for one in found.requirements],
        "turns": [_turn(one, review) for one in found.turns],
    }


def _requirement(one: Explained) -> dict[str, Json]:
    return {
        "stage": one.stage,
        "requirement": one.requirement,
        "status": one.status.value,
        "reason": one.reason,
        "findings": list(one.findings),
    }


def _due(one: Turn, review: Review) -> str:
    """When an answer is due; empty for a local review, because no server enforces its deadline."""
    return "" if is_local(review) else f" Due {_local(one.due)}"


def _turn(one: Turn, review: Review) -> dict[str, Json]:
    return {
        "request": one.request,
        "who": list(one.who),
        "what": one.what,
        "how": one.how,
        "due": None if is_local(review) else one.due.isoformat(),
    }
