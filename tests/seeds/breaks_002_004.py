"""The edits that disable the rules of seeds 002, 003 and 004 and of the decisions inside them."""

from tests.seeds.shapes import Break

AGREEMENT = "core/gates/agreement.py"
CHAINS = "core/chains.py"
DRAFTS = "core/drafts.py"
LESSONS = "core/lessons.py"
MAJORITY = "core/gates/majority.py"
POLICY_CHAINS = "policy/chains.py"
PROTOCOLS = "core/protocols.py"
SESSIONS = "core/sessions.py"
SETTLE = "core/settle.py"
TALLY = "core/gates/tally.py"
UNANIMOUS = "core/gates/unanimous.py"


def _one(file: str, old: str, new: str) -> tuple[Break, ...]:
    return (Break(file=file, old=old, new=new),)


BREAKS_002: dict[str, tuple[Break, ...]] = {
    "002-01": _one("core/assess.py", "if one.judgement.move is not Move.PASS:", "if one.judgement.move is Move.WAIT:"),
    "002-02": _one(UNANIMOUS, "move=Move.REVISE", "move=Move.ESCALATE"),
    "002-03": _one("core/scene.py", " - self.review.retries)", ")"),
    "002-04": _one(SETTLE, "Exhausted.RETURN_ERROR: Outcome.REJECTED", "Exhausted.RETURN_ERROR: Outcome.SHELVED"),
    "002-07": _one(CHAINS, "unanimous=False, retries_max=3", "unanimous=False, retries_max=2"),
    "002-08": _one(
        CHAINS, '"security", (SELDON, HARDIN), unanimous=True', '"security", (SELDON, HARDIN), unanimous=False'
    ),
    "002-09": _one(CHAINS, '"research", (SELDON, GAAL)', '"research", (GAAL, SELDON)'),
    "002-10": _one(
        CHAINS,
        "(SELDON, HARDIN, DANEEL), unanimous=True, retries_max=2",
        "(SELDON, HARDIN), unanimous=True, retries_max=2",
    ),
    "002-11": _one(
        CHAINS,
        "(SELDON, MALLOW, GAAL), unanimous=True, retries_max=1",
        "(SELDON, MALLOW, GAAL), unanimous=True, retries_max=3",
    ),
    "002-12": _one(CHAINS, "exhausted=Exhausted.RETURN_TO_AUTHOR", "exhausted=Exhausted.ESCALATE"),
    "002-13": _one(CHAINS, '_layer("amaryl", "quantitative")', '_layer("amaryl", "quantitative", veto=True)'),
    "002-14": _one(POLICY_CHAINS, "or not 1 <= len(node.items) <= LAYERS_MAX:", "or len(node.items) > LAYERS_MAX:"),
    "002-17": _one(UNANIMOUS, "if against or review.is_vetoed(stage.name):", "if review.is_vetoed(stage.name):"),
    "002-22": _one(
        "core/answers/author.py",
        "check_author(review, actor)\n    _check_work(",
        "_check_work(",
    ),
    "002-23": _one("core/answers/human.py", 'check_human(review, actor, "override a stage")', "_check_going(scene)"),
    "002-24": _one(
        DRAFTS, "if seat.scope and draft.scope and draft.scope != seat.scope:", "if seat.id == draft.scope:"
    ),
    "002-25": _one(UNANIMOUS, "reason=said_by(review, against) or VETO_STANDS", "reason=stage.name"),
    "C1": _one(
        "core/evolve/reports.py",
        "if seat.veto and event.verdict is Verdict.REJECT:",
        "if event.verdict is Verdict.REJECT:",
    ),
    "C2": _one(MAJORITY, "> len(self.chain):", ">= len(self.chain):"),
    "C3": _one(SETTLE, "if scene.remaining() > 0:", "if scene.remaining() > 1:"),
    "C4": _one(
        "core/answers/author.py", "seat.veto or change not in stage.options.keeps", "change not in stage.options.keeps"
    ),
    "C5": _one(POLICY_CHAINS, "if can_veto and agent not in vetoes:", "if can_veto and not vetoes:"),
    "C6": _one(
        "core/options.py", "if veto or not options.times.human_fallback:", "if not options.times.human_fallback:"
    ),
    "C8": _one(DRAFTS, "return OUT_OF_SCOPE", 'return ""'),
    "C9": _one(
        "core/answers/author.py",
        "Outcome.RETURNED, Outcome.CLEARED}",
        "Outcome.RETURNED, Outcome.CLEARED, Outcome.REJECTED}",
    ),
    "C10": _one("core/answers/settling.py", "tried % (stage.options.failures_max + 1) == 0", "tried < 0"),
}

BREAKS_003: dict[str, tuple[Break, ...]] = {
    "003-01": _one(SESSIONS, "{SignalType.MILESTONE, SignalType.BLOCKER,", "{SignalType.BLOCKER,"),
    "003-02": _one(SESSIONS, "SignalType.MILESTONE, SignalType.BLOCKER,", "SignalType.MILESTONE,"),
    "003-03": _one(SESSIONS, "SignalType.BLOCKER, SignalType.REQUEST_REVIEW,", "SignalType.BLOCKER,"),
    "003-05": _one(SESSIONS, "SILENCE = timedelta(minutes=15)", "SILENCE = timedelta(minutes=16)"),
    "003-08": _one(TALLY, "move=Move.ESCALATE", "move=Move.CLARIFY"),
    "003-09": _one(TALLY, "len(concerns) >= self.concerns_pause", "len(concerns) > self.concerns_pause"),
    "003-10": _one(TALLY, 'flags=("one concern",), ', ""),
    "003-11": _one(SESSIONS, "session.resumed_at, facts.continued_at)", "session.resumed_at)"),
    "003-12": _one(TALLY, "blockers = [one for one in reports if", "blockers = [one for one in reports[:1] if"),
    "003-13": _one(PROTOCOLS, "style=Style.SESSION, concern_is_finding=True", "style=Style.SESSION"),
    "003-14": _one(SESSIONS, "SignalType.USER_MANUAL})", "SignalType.USER_MANUAL, SignalType.PROGRESS})"),
    "O1": (
        Break(file=TALLY, old="        if owes:\n", new="        if owes and reports:\n"),
        Break(file="core/answers/clock.py", old="scene.now >= request.limit", new="scene.now < request.due"),
    ),
    "O2": _one(TALLY, "        if owes:\n", "        if owes and not reports:\n"),
    "O3": _one(
        "core/evolve/reports.py",
        "reports=put(review.reports, (event.seat, event.revision), report)",
        "reports=put(review.reports, (event.seat, event.revision), before or report)",
    ),
    "O4": _one(
        PROTOCOLS,
        "gates.Tally(concerns_pause=2), gates.Resolved(at_least=Severity.IMPORTANT))",
        "gates.Tally(concerns_pause=2),)",
    ),
    "O5": _one(
        SESSIONS,
        "since is None or status(session, reviews_waiting=facts.reviews_waiting) is Status.PAUSED",
        "since is None",
    ),
    "O6": _one("core/claims.py", "SUMMARY_WORDS_MAX = 200", "SUMMARY_WORDS_MAX = 300"),
    "O7": _one("core/assign.py", " or normal(who.name) in {normal(one) for one in review.origin.targets}:", ":"),
    "O8": _one(SETTLE, "if any(one.digest == current.digest for one in earlier):", "if len(earlier) > 99:"),
}

BREAKS_004: dict[str, tuple[Break, ...]] = {
    "004-01": _one(PROTOCOLS, "max_fix_iterations: int = 2", "max_fix_iterations: int = 3"),
    "004-02": _one("core/answers/author.py", "0 < stage.options.turns_max < turns", "turns < 0"),
    "004-03": _one(
        AGREEMENT,
        "return Judgement(move=Move.PASS, reason=reason, flags=flags",
        "return Judgement(move=Move.WAIT, reason=reason, flags=flags",
    ),
    "004-04": _one(
        AGREEMENT, "one.blocks(Severity.IMPORTANT) for one in noted", "one.blocks(Severity.MINOR) for one in noted"
    ),
    "004-09": _one(LESSONS, "        example=event.example,\n", ""),
    "004-11": _one(
        LESSONS, "if one.kind is LessonKind.FALSE_POSITIVE and one.by.is_human", "if one.kind is LessonKind.RULE"
    ),
    "004-13": _one(LESSONS, "frequency=known.frequency + 1", "frequency=known.frequency"),
    "004-14": _one(LESSONS, "ARCHIVED_AFTER = timedelta(days=30)", "ARCHIVED_AFTER = timedelta(days=31)"),
    "004-15": _one(SETTLE, "if scene.review.revision == 1 and", "if scene.review.revision == 0 and"),
    "004-16": _one(
        "core/assess.py",
        "return Assessment(stages=tuple(judged), speaking=one)",
        "return Assessment(stages=tuple(judged), speaking=judge_stage(review, stages_of(rules, review)[-1]))",
    ),
    "004-17": _one(SETTLE, "if scene.review.revision == 1 and", "if scene.review.revision >= 1 and"),
    "004-18": _one(PROTOCOLS, "for model in models)", "for model in (*models, *models))"),
    "004-19": _one("core/matching/stages.py", "groups=found.groups", "groups=()"),
    "004-20": _one(AGREEMENT, '("clean", 100)', '("clean", 85)'),
    "004-21": _one(AGREEMENT, '("minor only", 85)', '("minor only", 100)'),
    "004-22": _one(AGREEMENT, '"agreed critical", 90,', '"agreed critical", 60,'),
    "004-23": _one(AGREEMENT, '"split", 40,', '"split", 50,'),
    "004-24": _one(AGREEMENT, '"different issues", 60,', '"different issues", 50,'),
    "004-25": _one(AGREEMENT, '"B-only critical", 70,', '"B-only critical", 40,'),
    "004-26": _one(AGREEMENT, 'if scenario == "agreed critical"', 'if scenario != "split"'),
    "004-27": _one(AGREEMENT, "if not self.auto_approve:", "if not self.auto_reject:"),
    "004-29": _one("policy/styles.py", 'table.choice("strategy") == "single"', 'table.choice("strategy") == "one"'),
    "P1": _one(PROTOCOLS, "    auto_approve: bool = False,", "    auto_approve: bool = True,"),
    "P2": _one(SETTLE, "if scene.remaining() > 0:", "if scene.remaining() > 1:"),
    "P3": _one(AGREEMENT, "else self.b_only_critical_fixes and", "else self.auto_reject and"),
    "P4": _one(AGREEMENT, "if agreed or contradicted or single or", "if single or"),
    "P5": _one(
        AGREEMENT,
        "if not (one.is_settled or one.suppressed_by",
        "if not (one.is_settled or one.is_advisory or one.suppressed_by",
    ),
    "P6": _one(AGREEMENT, "if failing else self._passed", "if len(failing) == len(reports) else self._passed"),
    "P7": _one("core/matching/places.py", "LINES_APART_MAX = 3", "LINES_APART_MAX = 4"),
    "P8": _one("core/matching/stages.py", "contradictions=found.contradictions", "contradictions=()"),
    "P10": _one(AGREEMENT, "if models < 2 and not self.auto_approve_single:", "if models < 1:"),
    "P11": _one(LESSONS, "return lesson.kind is LessonKind.PATTERN and ", "return "),
    "P12": _one(
        LESSONS, "if (veto or severity >= Severity.CRITICAL) and not suppression.grave:", "if veto and not veto:"
    ),
    "P13": _one(
        "core/answers/author.py", "0 < stage.options.turns_max < turns", "0 < stage.options.turns_max + 1 < turns"
    ),
    "P14": _one(AGREEMENT, "== reports[-1].seat}", "== reports[0].seat}"),
}

BREAKS_002_004 = BREAKS_002 | BREAKS_003 | BREAKS_004
