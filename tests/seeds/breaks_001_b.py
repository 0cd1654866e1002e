"""The edits that disable the rules of seed 001 and of decisions B."""

from tests.seeds.shapes import Break

BREAKS_001_B: dict[str, tuple[Break, ...]] = {
    "001-01": (
        Break(file="core/independence.py", old='demanded = ("reviewer", *facts)', new="demanded = tuple(facts)"),
    ),
    "001-04": (
        Break(
            file="core/skips.py",
            old="if review.kind in map(canonical_kind, rule.kinds) and",
            new="if False and",
        ),
    ),
    "001-05": (
        Break(
            file="app/projections/decisions.py", old="case e.StageOverridden() | e.FindingWaived():", new="case None:"
        ),
    ),
    "001-07": (Break(file="app/heads.py", old="opened=opened,", new="opened=updated,"),),
    "001-08": (
        Break(file="core/evolve/lifecycle.py", old="note=event.note,", new='note="",'),
        Break(file="core/asks.py", old="reasons=(judgement.reason,),", new="reasons=(),"),
    ),
    "001-09": (
        Break(
            file="app/projections/metrics.py",
            old="review.author.name, one.event.reviewer.name)",
            new='review.author.name, "")',
        ),
    ),
    "001-10": (
        Break(
            file="core/skips.py",
            old="or record.kind != review.kind or normal(record.author) != normal(review.author.name)",
            new="or False",
        ),
    ),
    "001-12": (Break(file="core/skips.py", old="if not scene.rules.enabled and", new="if False and"),),
    "001-13": (Break(file="core/peer_data.py", old='    "api_endpoint_change",\n)', new=")"),),
    "001-14": (
        Break(file="core/skips.py", old="if kinds_of(scene) & NEVER_SKIPPED or", new="if False or"),
        Break(
            file="core/skips.py",
            old="if not kinds_of(scene).isdisjoint(map(canonical_kind, rule.except_for)):",
            new="if False:",
        ),
    ),
    "001-15": (Break(file="core/trust.py", old="return _why_too_thin(record, learning)", new='return ""'),),
    "001-16": (
        Break(
            file="core/peer_data.py",
            old='primary="auditor",\n        backup="tester",',
            new='primary="tester",\n        backup="auditor",',
        ),
    ),
    "001-17": (
        Break(
            file="core/peer_data.py",
            old='reasons=("Auditor reviews code quality and conventions", "Tester ensures it\'s testable"),',
            new="reasons=(),",
        ),
    ),
    "001-18": (
        Break(
            file="core/peer_data.py",
            old='            ("size_appropriate", "Under 300 lines or properly split"),\n',
            new="",
        ),
    ),
    "001-19": (
        Break(file="core/gates/standards.py", old="confidence_min: int = 80", new="confidence_min: int = 0"),
        Break(file="core/claims.py", old="if missing and standards.mode is Mode.STRICT:", new="if False:"),
    ),
    "001-20": (Break(file="core/gates/standards.py", old="if doubts or short:", new="if False:"),),
    "001-21": (
        Break(
            file="core/claims.py",
            old="if not set(report.grounds) & {*REJECT_GROUNDS, UNNAMED_GROUND}:",
            new="if False:",
        ),
    ),
    "001-22": (
        Break(
            file="core/gates/confidence_gap.py",
            old="author - report.confidence > self.gap_max",
            new="author - report.confidence > 1000",
        ),
        Break(file="core/answers/clock.py", old="elif scene.now >= request.limit:", new="elif False:"),
    ),
    "001-23": (
        Break(file="core/gates/certainty.py", old="if are(review.kinds, self.kinds) and (", new="if False and ("),
        Break(file="core/gates/certainty.py", old="if are(review.kinds, self.choice_kinds) and", new="if False and"),
    ),
    "001-24": (
        Break(
            file="core/rules.py",
            old="human: timedelta = timedelta(hours=48)",
            new="human: timedelta = timedelta(hours=480)",
        ),
    ),
    "001-25": (Break(file="core/rules.py", old="parallel_max: int = 3", new="parallel_max: int = 30"),),
    "001-26": (
        Break(
            file="core/rules.py",
            old="suggest_after: timedelta = timedelta(days=7)",
            new="suggest_after: timedelta = timedelta(days=0)",
        ),
    ),
    "001-30": (
        Break(
            file="core/claims.py",
            old="if stage.options.answers and len(command.answers) != len(asked):",
            new="if False:",
        ),
    ),
    "001-31": (
        Break(
            file="core/protocols.py",
            old='Protocol(name="peer", stages=(stage,), revisions_max=3)',
            new='Protocol(name="peer", stages=(stage,), revisions_max=30)',
        ),
    ),
    "001-32": (
        Break(
            file="core/answers/anyone.py",
            old="disputes = review.outcome is Outcome.REJECTED and",
            new="disputes = False and",
        ),
    ),
    "001-49": (
        Break(
            file="core/asks.py",
            old="recommendation=recommend(choices, reason, review.kind, scene.facts.past_rulings),",
            new="recommendation=None,",
        ),
    ),
    "001-51": (Break(file="core/peer_data.py", old='creator="idea_refiner"', new='creator="nobody"'),),
    "001-53": (Break(file="core/trust.py", old="confidence < learning.approval_confidence_min", new="confidence < 0"),),
    "001-54": (Break(file="core/trust.py", old="if not recent or not all(recent):", new="if False:"),),
    "001-55": (
        Break(
            file="core/trust.py", old="if record.suggested_at or record.enabled_by or", new="if record.enabled_by or"
        ),
    ),
    "001-56": (Break(file="core/trust.py", old="if not actor.is_human:", new="if False:"),),
    "001-57": (Break(file="core/trust.py", old="<= learning.fresh_for:", new="<= 100 * learning.fresh_for:"),),
    "001-58": (
        Break(
            file="core/trust.py",
            old='reason=f"Auto-skip: {record.successes} successful reviews, {percent}% avg confidence",',
            new='reason="Auto-skip",',
        ),
    ),
    "001-59": (
        Break(
            file="core/trust.py",
            old="trust=min(TRUST_MAX, record.trust + learning.increase_percent),",
            new="trust=record.trust + learning.increase_percent,",
        ),
    ),
    "001-60": (Break(file="core/trust.py", old="if counted.trust >= learning.trust_min_percent:", new="if True:"),),
    "001-61": (Break(file="core/answers/anyone.py", old="if not involved and not actor.is_human:", new="if False:"),),
    "001-62": (
        Break(file="core/asks.py", old="positions=positions_of(review, stage, argument),", new="positions=(),"),
    ),
    "001-63": (
        Break(
            file="core/options.py",
            old="return Effect.REVISE if clock_revisions == 0 else Effect.SHELVE",
            new="return None",
        ),
    ),
    "001-64": (
        Break(
            file="core/evolve/rulings.py",
            old="bound = event.effect is Effect.REJECT and not event.by_clock",
            new="bound = False",
        ),
    ),
    "001-68": (Break(file="core/assign.py", old=".active < limits.parallel_max", new=".active < 1000"),),
    "001-69": (Break(file="core/answers/clock.py", old="if request.by_clock:", new="if True:"),),
    "001-70": (
        Break(file="core/gates/certainty.py", old="max(sure, author) < self.both_min", new="max(sure, author) < 0"),
    ),
    "001-71": (Break(file="core/stages.py", old="if one.contradicts and one.count == 1", new="if False"),),
    "001-72": (
        Break(file="core/answers/clock.py", old="elif seat.lease is None and request.step is None:", new="elif False:"),
    ),
    "001-73": (
        Break(file="core/settle.py", old="if scene.remaining() > 0:", new="if True:"),
        Break(file="core/answers/author.py", old="or scene.remaining() > 0 or", new="or True or"),
    ),
    "001-74": (Break(file="core/decide.py", old="stricter=policy.applies_in_flight)", new="stricter=True)"),),
    "001-75": (Break(file="core/trust.py", old="needs_successes=learning.successes_min,", new="needs_successes=0,"),),
    "001-76": (Break(file="app/spooling.py", old="refused = await self._handed_in(one)", new="refused = False"),),
    "001-78": (
        Break(
            file="core/evolve/reports.py",
            old="left=(*seat.left, event.reviewer), draft=event.draft or seat.draft)",
            new='left=(*seat.left, event.reviewer), draft="")',
        ),
    ),
    "001-79": (Break(file="core/options.py", old="if veto or not options.times.human_fallback:", new="if True:"),),
    "001-80": (Break(file="core/checks.py", old="    if revision != review.revision:", new="    if False:"),),
    "001-81": (
        Break(
            file="app/trusting.py",
            old="if row.checksum != _checksum(row.kind, row.author, row.body):",
            new="if False:",
        ),
    ),
    "001-83": (
        Break(
            file="core/evolve/lifecycle.py",
            old="resubmissions=review.resubmissions + counts,",
            new="resubmissions=review.resubmissions,",
        ),
    ),
    "B1": (
        Break(
            file="core/protocols.py",
            old='Protocol(name="peer", stages=(stage,), revisions_max=3)',
            new='Protocol(name="peer", stages=(stage,), revisions_max=2)',
        ),
    ),
    "B2": (
        Break(
            file="core/options.py",
            old="return Effect.REVISE if clock_revisions == 0 else Effect.SHELVE",
            new="return Effect.PASS_STAGE",
        ),
    ),
    "B3": (Break(file="core/rules.py", old="successes_min: int = 10", new="successes_min: int = 8"),),
    "B4": (
        Break(
            file="core/trust.py",
            old="Fraction(record.confidence_sum, 100 * record.successes)",
            new="Fraction(record.confidence_sum, record.successes)",
        ),
    ),
    "B5": (
        Break(file="core/trust.py", old="if not recent or not all(recent):", new="if not recent or not any(recent):"),
    ),
    "B7": (
        Break(
            file="core/trust.py",
            old="if now - record.eligible_since < learning.suggest_after or not eligible(",
            new="if not eligible(",
        ),
    ),
    "B8": (Break(file="core/skips.py", old="if kinds_of(scene) & NEVER_SKIPPED or", new="if False or"),),
    "B9": (
        Break(
            file="core/trust.py",
            old="record.trust - learning.escape_percent",
            new="record.trust - learning.decrease_percent",
        ),
    ),
    "B10": (Break(file="core/rules.py", old="trust_min_percent: int = 80", new="trust_min_percent: int = 60"),),
    "B12": (Break(file="core/kinds.py", old='kind.strip().lower().replace("-", "_").replace(" ", "_")', new="kind"),),
    "B13": (Break(file="core/claims.py", old="if missing and standards.mode is Mode.STRICT:", new="if False:"),),
    "B14": (
        Break(file="core/claims.py", old="if report.confidence is None or report.confidence < least:", new="if False:"),
    ),
    "B15": (
        Break(
            file="core/answers/author.py",
            old="frozenset({Outcome.SHELVED, Outcome.RETURNED, Outcome.CLEARED})",
            new="frozenset(Outcome)",
        ),
    ),
    "B16": (Break(file="core/assign.py", old=".active < limits.parallel_max", new=".active <= limits.parallel_max"),),
    "B17": (Break(file="core/assign.py", old=".queued < limits.queued_max", new=".queued < 1000"),),
    "B18": (
        Break(file="core/answers/clock.py", old="elif scene.now >= request.limit:", new="elif False:"),
        Break(file="core/asks.py", old="limit = min(limit, known.until)", new="limit = max(limit, known.until)"),
    ),
    "B22": (Break(file="core/gates/confidence_gap.py", old="> self.gap_max", new=">= self.gap_max"),),
    "B23": (
        Break(file="core/gates/certainty.py", old="if are(review.kinds, self.choice_kinds) and", new="if False and"),
    ),
    "B24": (
        Break(file="core/asks.py", old="if stage and judgement and reason in TIE_BREAKABLE and", new="if False and"),
    ),
    "B25": (Break(file="core/assign.py", old="if row else OTHER_FAMILY", new="if row else ()"),),
    "B26": (
        Break(
            file="core/gates/standards.py",
            old="if are(wanted, (one.kind,))) or (self.default,)",
            new="if are(wanted, (one.kind,))) or self.criteria[:1]",
        ),
    ),
    "B27": (
        Break(
            file="app/spooling.py",
            old="if count := self.waiting:",
            new="if (count := self.waiting) > 1_000_000:",
        ),
    ),
    "B28": (Break(file="core/checks.py", old="    if revision != review.revision:", new="    if False:"),),
    "B29": (Break(file="core/trust.py", old="if audit_draw % 100 < max(1, learning.audit_percent):", new="if False:"),),
    "B30": (Break(file="core/asks.py", old="if stage and judgement and judgement.counsel:", new="if False:"),),
}
