"""Offers open work that the caller may volunteer to review: content whose reviewers are not chosen but volunteer.

What is offered is the review, not one of its seats, for as long as it is open: which seats are taken would tell of
reports that the caller may not know of.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.ports import Reading
from foureyes.app.rows import InboxRow, Listing, ReviewRow, Urgency
from foureyes.app.session_mates import mates_of
from foureyes.codec.shapes import shape
from foureyes.core.assign import REVIEWING, is_closed
from foureyes.core.facts import Facts, Principal
from foureyes.core.independence import normal
from foureyes.core.model import Review
from foureyes.core.parties import bars_of
from foureyes.core.rules import Rules, Stage, Style
from foureyes.core.scene import Scene
from foureyes.core.stack import stages_of

_read_time = shape(datetime)[1]
#: Most open reviews of each kind examined, the newest first.
OFFERED_MAX = 20


def offers(office: Office, caller: Caller, after: Urgency, reading: Reading) -> list[tuple[InboxRow, str]]:
    """What is open and the caller may volunteer for, behind this place of their inbox."""
    pool = office.gate.pool(reading)
    mine = next((one for one in pool if one.who.name == caller.who.name), None)
    if mine is None or mine.who.kind not in REVIEWING or mine.who.is_human:
        return []
    rules = office.gate.policies.current(reading).policy.rules
    rows = [row for kind in _open_kinds(rules) for row in _listed(reading, kind)]
    found = ((_offer(office, mine, row, reading), row.title) for row in rows)
    return [(offer, title) for offer, title in found if offer and offer.urgency > after]


def _open_kinds(rules: Rules) -> Iterator[str]:
    """The kinds whose reviewers come by themselves; an empty one stands for every kind."""
    if any(_is_open(rules, name) for name in rules.default):
        yield ""
        return
    yield from (one.kind for one in rules.kinds if any(_is_open(rules, name) for name in one.protocols))


def _is_open(rules: Rules, name: str) -> bool:
    protocol = rules.protocol(name)
    return protocol is not None and any(one.options.style is Style.RESOLVE for one in protocol.stages)


def _listed(reading: Reading, kind: str) -> tuple[ReviewRow, ...]:
    return reading.reviews(Listing(state="open", kind=kind, limit=OFFERED_MAX))


def _offer(office: Office, mine: Principal, row: ReviewRow, reading: Reading) -> InboxRow | None:
    review = office.gate.whole(reading, row.review)
    rules = office.gate.policies.rules(reading, review.rules)
    stages = stages_of(rules, review, office.gate.policies.stricter(reading, review.stricter))
    stage = next((one for one in stages if one.options.style is Style.RESOLVE), None)
    if stage is None or not review.seats_of(stage.name):
        return None
    if not _may_come(office, mine, review, stage, reading, opened=_read_time(row.opened)):
        return None
    return InboxRow(
        review=review.id,
        request=stage.name,
        kind="report",
        who=mine.who.name,
        held=False,
        queued=False,
        revision=review.revision,
        due="",
    )


def _may_come(
    office: Office, mine: Principal, review: Review, stage: Stage, reading: Reading, *, opened: datetime
) -> bool:
    """Whether the caller neither sits there already nor has a hand in the work; other reviewers are not asked."""
    involved = {*(one.name for one in review.contributors), review.author.name, *review.origin.targets}
    sitting = {one.reviewer.name for one in review.seats.values() if one.reviewer}
    if normal(mine.who.name) in set(map(normal, involved)) or mine.who.name in sitting:
        return False
    rules = office.gate.policies.rules(reading, review.rules)
    mates = mates_of(reading, [one.name for one in review.contributors], review.origin.session, opened)
    facts = Facts(pool=office.gate.pool(reading), mates=mates)
    scene = Scene(rules=rules, review=review, facts=facts, now=office.clock())
    return bars_of(scene, stage, ()).problem(mine) is None and not is_closed(scene, stage, mine, "")
