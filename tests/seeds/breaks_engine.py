"""The edits that disable the rules behind the rows that the engine proves."""

from tests.seeds.shapes import Break

BREAKS_ENGINE: dict[str, tuple[Break, ...]] = {
    "001-77": (
        Break(
            file="engine/steps.py",
            old="for command in (TakeSeat(seat=run.seat, lease=LEASE), RenewSeat(seat=run.seat, lease=LEASE)):",
            new="for command in (TakeSeat(seat=run.seat, lease=LEASE),):",
        ),
    ),
    "001-82": (
        Break(
            file="engine/dispatching.py",
            old="minds, most = self.pool.minds(), self.limits.parallel_max",
            new="minds, most = self.pool.minds(), self.limits.parallel_max - 1",
        ),
    ),
    "002-15": (
        Break(
            file="app/calls/seed_002.py",
            old="    if steps:\n        return form.called\n",
            new="    if steps:\n        return form.kind\n",
        ),
    ),
    "004-06": (
        Break(
            file="app/calls/about_reviews.py",
            old="        if review.outcome is not Outcome.CLEARED:",
            new="        if review.outcome is Outcome.WITHDRAWN:",
        ),
    ),
    "D-19": (
        Break(
            file="core/risk/__init__.py",
            old="for rule in rules.risks if rule.level <= risk.level for",
            new="for rule in rules.risks if rule.level < risk.level for",
        ),
    ),
}
