"""Every planted bug is found by the invariant it names, and the same worlds without it are clean."""

import ast
import inspect

import pytest

from tests.crash.planting import PLANTED_HOLES
from tests.sim.planted import (
    bugs_actors,
    bugs_beside,
    bugs_blind,
    bugs_bounds,
    bugs_findings,
    bugs_live,
    bugs_objections,
    bugs_veto,
)
from tests.sim.planted.bugs import BUGS
from tests.sim.planted.elsewhere import AREAS, ELSEWHERE, HOLES, INCIDENTS
from tests.sim.planted.hunt import STEPS_MAX, WORLD_STEPS, control, hunt
from tests.sim.planted.plant import Bug

MODULES = (bugs_actors, bugs_beside, bugs_blind, bugs_bounds, bugs_findings, bugs_live, bugs_objections, bugs_veto)

#: Worlds played once without a bug; a bug found in a later one has that world played too.
CONTROLS = (1, 2, 3)


@pytest.mark.parametrize("bug", BUGS, ids=[one.name for one in BUGS])
def test_a_planted_bug_is_found_by_its_invariant(bug: Bug) -> None:
    found = hunt(bug)
    assert found.by is not None, f"{bug.invariant} said nothing in {found.steps} steps, first was {found.first}"
    assert found.steps <= STEPS_MAX
    for seed in {*range(bug.seed, found.seed + 1)} - {*CONTROLS}:
        steps = found.in_world if seed == found.seed else WORLD_STEPS
        assert [str(one) for one in control(seed, steps)] == []


@pytest.mark.parametrize("seed", CONTROLS)
def test_the_same_world_without_a_bug_is_clean(seed: int) -> None:
    assert [str(one) for one in control(seed, WORLD_STEPS)] == []


def test_a_bug_is_gone_when_the_hunt_is_over() -> None:
    for bug in BUGS:
        before = _at(bug)
        with bug.planted():
            assert _at(bug) is not before
        assert _at(bug) is before


def _at(bug: Bug) -> object:
    module, _, path = bug.where.partition(":")
    found: object = __import__(module, fromlist=["*"])
    for name in path.split("."):
        found = inspect.getattr_static(found, name)
    return found


def test_there_are_enough_bugs_each_with_its_own_name_and_sentence() -> None:
    assert len(BUGS) >= 45
    assert len({one.name for one in BUGS}) == len(BUGS)
    assert [one.name for one in BUGS if not one.what or not one.source] == []


def test_no_bug_is_written_and_not_planted() -> None:
    """Two of the same name in one file would hide the first."""
    written = [
        node.name
        for module in MODULES
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert sorted(name.replace("_", " ") for name in written) == sorted(one.name for one in BUGS)


def test_every_hole_and_incident_is_planted_or_listed_with_its_area() -> None:
    told = {one.source for one in BUGS} | {one.hole for one in ELSEWHERE} | set(PLANTED_HOLES)
    assert [one for one in (*HOLES, *INCIDENTS) if one not in told] == []
    assert [one for one in ELSEWHERE if one.hole not in (*HOLES, *INCIDENTS) or one.area not in AREAS] == []
