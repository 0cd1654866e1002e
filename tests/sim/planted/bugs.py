"""All planted bugs, in one list."""

from __future__ import annotations

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
from tests.sim.planted.plant import Bug, bugs_in

BUGS: tuple[Bug, ...] = bugs_in(
    bugs_live, bugs_findings, bugs_veto, bugs_objections, bugs_actors, bugs_blind, bugs_bounds, bugs_beside
)
