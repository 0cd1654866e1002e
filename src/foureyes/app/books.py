"""The projections from which the gate reads pairings, rulings, suppressions, costs and session facts."""

from __future__ import annotations

from foureyes.app.facts import Books
from foureyes.app.projections.costs import day_usd_micro
from foureyes.app.projections.pairings import recent_pairings
from foureyes.app.projections.rulings import past_rulings
from foureyes.app.projections.sessions import session_facts
from foureyes.app.projections.suppressions import suppressions

#: These may lag behind the log by events that were not followed yet: a revoked suppression may count a moment longer.
BOOKS = Books(
    pairings=recent_pairings,
    rulings=past_rulings,
    suppressions=suppressions,
    day_usd_micro=day_usd_micro,
    session=session_facts,
)
