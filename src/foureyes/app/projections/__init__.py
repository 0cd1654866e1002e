"""Following projections: answers to questions about more than one review, one file each."""

from foureyes.app.projections.accuracy import ACCURACY
from foureyes.app.projections.costs import COSTS
from foureyes.app.projections.decisions import DECISIONS
from foureyes.app.projections.findings import FINDINGS
from foureyes.app.projections.lessons import LESSONS
from foureyes.app.projections.metrics import METRICS
from foureyes.app.projections.own_ids import OWN_IDS
from foureyes.app.projections.pairings import PAIRINGS
from foureyes.app.projections.projection import Projection
from foureyes.app.projections.rulings import RULINGS
from foureyes.app.projections.sessions import SESSIONS
from foureyes.app.projections.suppressions import SUPPRESSIONS

#: Every following projection by name.
PROJECTIONS: dict[str, Projection] = {
    one.name: one
    for one in (
        ACCURACY,
        COSTS,
        DECISIONS,
        FINDINGS,
        LESSONS,
        METRICS,
        OWN_IDS,
        PAIRINGS,
        RULINGS,
        SESSIONS,
        SUPPRESSIONS,
    )
}

__all__ = ["PROJECTIONS", "Projection"]
