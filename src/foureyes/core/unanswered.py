"""Texts that tell a human which seats got no answer, and what the last failed run said."""

from __future__ import annotations

from foureyes.core.assign import STEERED, roles_for
from foureyes.core.local import is_local
from foureyes.core.reasons import failure_words
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.vacancies import HOW_TO_FILL_HERE, how_to_fill

#: The text after this names a reviewer and is only for viewers who may see the whole stage.
LAST_ASKED = "; last asked: "


def lost(scene: Scene, stage: Stage, seats: list[str], *, steered: bool = False) -> str:
    """Why a human is asked about these seats: no candidate is left, or a contributor's act barred one."""
    if steered:
        return f"{STEERED} It is {', '.join(seats)}"
    silent = [one for one in seats if scene.review.failures.get((one, scene.review.revision))]
    vacant = ", ".join(one for one in seats if one not in silent)
    bound = [rule.program for one in seats if (rule := stage.rule_of(one)) and rule.program]
    if not silent:
        return f"Nobody can hold the seat {vacant}{_unhosted(bound) or f'. {_filling(scene, stage, seats)}'}"
    also = f", and nobody can hold the seat {vacant}" if vacant else ""
    return f"Nobody gave an answer on the seat {', '.join(silent)}{also}{last_asked(scene, silent)}"


def _filling(scene: Scene, stage: Stage, seats: list[str]) -> str:
    """What a human can do to fill these seats."""
    if is_local(scene.review):
        return HOW_TO_FILL_HERE
    known, rules = scene.review.seats, {one: stage.rule_of(one) for one in seats}
    roles = [
        known[one].candidates if one in known else roles_for(scene.review, rule, stage, scene.facts) if rule else ()
        for one, rule in rules.items()
    ]
    return how_to_fill(roles)


def _unhosted(programs: list[str]) -> str:
    """The text for seats bound to programs that this server does not run; no one else can hold them."""
    if not programs:
        return ""
    return f": the policy binds it to the program {', '.join(programs)}, which this server does not run"


def last_asked(scene: Scene, seats: list[str]) -> str:
    """The last failed run on these seats within this decision, with the reason; empty if there is none."""
    failed = scene.failed
    if failed is None or failed.seat not in seats or failed.revision != scene.review.revision:
        return ""
    return f"{LAST_ASKED}{failure_words(failed)}"


def for_anybody(text: str) -> str:
    """The text without the names of reviewers, for readers who must not know them yet."""
    return text.partition(LAST_ASKED)[0]
