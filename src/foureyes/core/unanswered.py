"""How is a human told that nobody answered? Which seats are meant, and what the last one who tried said of it."""

from __future__ import annotations

from foureyes.core.assign import STEERED, roles_for
from foureyes.core.local import is_local
from foureyes.core.reasons import failure_words
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.vacancies import HOW_TO_FILL_HERE, how_to_fill

#: What stands behind this names a reviewer; it is for whoever sees the stage whole.
LAST_ASKED = "; last asked: "


def lost(scene: Scene, stage: Stage, seats: list[str], *, steered: bool = False) -> str:
    """Why a human is asked about seats that nobody is left for, or that a maker has barred somebody from."""
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
    """What a human can do so that somebody holds these seats."""
    if is_local(scene.review):
        return HOW_TO_FILL_HERE
    known, rules = scene.review.seats, {one: stage.rule_of(one) for one in seats}
    roles = [
        known[one].candidates if one in known else roles_for(scene.review, rule, stage, scene.facts) if rule else ()
        for one, rule in rules.items()
    ]
    return how_to_fill(roles)


def _unhosted(programs: list[str]) -> str:
    """What to say where the policy binds a program that is not run here: its seat passes to nobody else."""
    if not programs:
        return ""
    return f": the policy binds it to the program {', '.join(programs)}, which this server does not run"


def last_asked(scene: Scene, seats: list[str]) -> str:
    """Who had no answer on one of these seats just now, and why; empty where that was earlier or elsewhere."""
    failed = scene.failed
    if failed is None or failed.seat not in seats or failed.revision != scene.review.revision:
        return ""
    return f"{LAST_ASKED}{failure_words(failed)}"


def for_anybody(text: str) -> str:
    """A question to a human without who was asked: those who review may read it, and must not know yet."""
    return text.partition(LAST_ASKED)[0]
