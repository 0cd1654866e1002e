"""Nobody judges the work of their own party. T42: one service is one party, and so are the members of one session."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Review
from tests.sim.checker.shapes import Delivered, Json
from tests.sim.checker.world import World

Texts = Iterator[str]
#: The highest level of independence if a model family is only claimed.
CLAIMED_LEVEL_MAX = 1


def t42_no_party_judges_itself(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """Checks each reviewer who is drawn for a seat, takes it or reports on it."""
    who = body["reviewer"] if "reviewer" in body else body["seat"]["reviewer"]
    if who is None or who["kind"] == "human":
        return
    name, makers = who["name"], review.contributors
    service = world.services.get(name, "")
    if service and any(world.services.get(one) == service or one == service for one in makers):
        yield f"{name} judges the work of {sorted(makers)}, and {service} speaks for both"
    if any(name in world.mates.get(one, ()) for one in makers):
        yield f"{name} judges the work of {sorted(makers)}, with whom it works in one session"


def t42_a_claimed_family_lifts_no_level(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """No clearance relies on a model family that only a service claims."""
    makers = sorted(one for one in review.contributors if one in world.services)
    if makers and body["level"] > CLAIMED_LEVEL_MAX and all(one in world.services for one in review.contributors):
        reports = [one.who for (_, number), one in review.counted.items() if number == review.number]
        if not any(one["kind"] == "human" for one in reports):
            yield f"level {body['level']} for {makers}, whose family is only claimed"
