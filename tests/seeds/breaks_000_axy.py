"""The edits that disable the rules of seed 000, of decisions A and X, and of the first dozen of Y."""

from tests.seeds.shapes import Break

RESOLVED = "core/gates/resolved.py"
QUORUM = "core/gates/quorum.py"
DRAFTS = "core/drafts.py"
CLAIMS = "core/claims.py"
SETTLE = "core/settle.py"
PROTOCOLS = "core/protocols.py"
SETTLING = "core/answers/settling.py"
OPTIONS = "core/options.py"
VIEWS = "core/views.py"
LIFECYCLE = "core/evolve/lifecycle.py"
FINDINGS = "core/evolve/findings.py"


def _one(file: str, old: str, new: str) -> tuple[Break, ...]:
    return (Break(file=file, old=old, new=new),)


ENOUGH = "if have >= self.reviewers and not"
WORN = "return last_word and finding.reopened >= self.answers_max"

BREAKS_000: dict[str, tuple[Break, ...]] = {
    "000-01": _one(QUORUM, ENOUGH, "if have >= 0 or not"),
    "000-02": _one(CLAIMS, "if command.verdict is not None:\n            raise", "if False:\n            raise"),
    "000-03": _one(DRAFTS, "            number += 1\n", "            number += 0\n"),
    "000-04": _one("core/evidence.py", "len(found) >= WORDS_MIN and", "True or"),
    "000-05": _one(FINDINGS, "standing=Standing.ANSWERED", "standing=Standing.OPEN"),
    "000-06": _one("core/checks.py", "if actor.name != review.author.name:", "if False:"),
    "000-07": _one(
        "core/answers/seats.py", "if seat.reviewer is None or seat.reviewer.name != actor.name:", "if False:"
    ),
    "000-08": _one(FINDINGS, "reopened=old.reopened + 1", "reopened=old.reopened"),
    "000-09": _one(
        FINDINGS, "standing=Standing.RESOLVED, note=event.note, settled_in=event.revision", "standing=Standing.RESOLVED"
    ),
    "000-10": _one(QUORUM, 'reason = f"Need {self.reviewers} reviewer', 'reason = f"Want {self.reviewers} reviewer'),
    "000-11": _one(
        RESOLVED, 'f"{len(unsettled)} feedback items unresolved"', 'f"{len(unsettled)} items of feedback open"'
    ),
    "000-12": _one(RESOLVED, '"All feedback resolved by all reviewers"', '"Nothing is open"'),
    "000-13": _one(
        PROTOCOLS,
        "        gates.Quorum(reviewers=min_reviewers, programs=False),\n"
        "        gates.Resolved(at_least=Severity.MINOR, shelves=True, revision_answers=False),\n",
        "        gates.Resolved(at_least=Severity.MINOR, shelves=True, revision_answers=False),\n"
        "        gates.Quorum(reviewers=min_reviewers, programs=False),\n",
    ),
    "000-14": _one(
        VIEWS,
        "    if stage.options.blind is Blind.FIRST:\n        return bool(mine)",
        "    if True:\n        return True",
    ),
    "000-15": _one(DRAFTS, "if word not in named:", "if not named:"),
    "000-16": _one(PROTOCOLS, "gates.Resolved(at_least=Severity.MINOR,", "gates.Resolved(at_least=Severity.IMPORTANT,"),
    "000-17": _one(SETTLING, "if not _is_answered(scene, finding):", "if False:"),
    "000-18": _one(QUORUM, ENOUGH, 'if have >= self.reviewers or review.kind == "story" or not'),
    "000-19": _one(DRAFTS, "    return any(change.start <=", "    return False and any(change.start <="),
    "000-20": _one("core/answers/author.py", "outcome=Outcome.WITHDRAWN", "outcome=Outcome.SHELVED"),
    "000-21": _one(RESOLVED, WORN, "return last_word and finding.reopened > self.answers_max"),
    "000-24": _one(
        "core/skips.py",
        "return found if isinstance(found, Skip) else None",
        "return found if isinstance(found, Skip) else Skip(\n"
        '            reason="a good record", pattern="", enabled_by=""\n'
        "        ) if (scene.facts.trust and scene.facts.trust.trust > 90) else None",
    ),
}

BREAKS_A: dict[str, tuple[Break, ...]] = {
    "A1": _one(
        "core/model.py",
        "not self.is_settled and not self.is_advisory",
        "not self.is_settled and not self.is_advisory and not self.rebuttal",
    ),
    "A2": _one("core/independence.py", 'demanded = ("reviewer", *facts)', "demanded = tuple(facts)"),
    "A3": _one(
        "core/answers/clock.py",
        "yield from _replaced(scene, request, LeftBecause.TIMED_OUT if seat.lease is None else LeftBecause.CRASHED)",
        "yield from ()",
    ),
    "A4": _one("core/evidence.py", "len(found) >= WORDS_MIN and", "bool(text) or"),
    "A5": _one(LIFECYCLE, 'return argued_anew(going, "")', "return going"),
    "A7": _one(VIEWS, "    return review.revision in mine", "    return bool(mine)"),
    "A8": _one(
        SETTLING,
        "    if finding.standing is Standing.OPEN:\n        check_reason",
        "    if False:\n        check_reason",
    ),
    "A9": _one(PROTOCOLS, "gates.Resolved(at_least=Severity.MINOR,", "gates.Resolved(at_least=Severity.IMPORTANT,"),
}

BREAKS_X: dict[str, tuple[Break, ...]] = {
    "X1": _one(CLAIMS, "    if report.blocking:\n", "    if False:\n"),
    "X2": _one(PROTOCOLS, "min_reviewers: int = 2", "min_reviewers: int = 1"),
    "X3": _one(DRAFTS, "return BELOW_FLOOR if review.revision > 1 and", "return BELOW_FLOOR if False and"),
    "X4": _one("core/checks.py", '"moderate": Severity.IMPORTANT', '"moderate": Severity.MINOR'),
    "X5": _one("core/scene.py", "min(caps, default=0)", "max(caps, default=0)"),
    "X6": _one(VIEWS, "        if one.stage in whole or _holds(one, viewer)\n", "        if one.stage\n"),
    "X7": _one(OPTIONS, "if veto or not options.times.human_fallback:", "if not options.times.human_fallback:"),
    "X8": _one("core/skips.py", "enabled_by=found.enabled_by", 'enabled_by=""'),
    "X10": _one(
        "core/gates/agreement.py",
        "move = Move.REVISE if fixes else Move.ESCALATE",
        "move = Move.REVISE if fixes or any(one.confidence == 100 for one in reports) else Move.ESCALATE",
    ),
    "X11": _one(LIFECYCLE, "outcome=event.outcome, reason=event.reason, requests={}", "outcome=event.outcome"),
}

BREAKS_Y: dict[str, tuple[Break, ...]] = {
    "Y1": _one(SETTLE, "if not new and not review.requests:", "if False:"),
    "Y2": _one(SETTLE, "if not _is_ordered(review.revision_request()):", "if True:"),
    "Y3": _one(
        SETTLING, "if holder and (spent or tried % (stage.options.failures_max + 1) == 0):", "if holder and spent:"
    ),
    "Y4": _one(DRAFTS, "if stage.options.late_is_advisory and is_late(", "if False and is_late("),
    "Y5": _one(DRAFTS, "    return own and not seat.veto and severity_of", "    return False and severity_of"),
    "Y6": _one(
        "core/skips.py",
        "if review.kind in map(canonical_kind, rule.kinds) and",
        "if review.kind in rule.kinds or False and",
    ),
    "Y7": _one(PROTOCOLS, "style=Style.SESSION, concern_is_finding=True", "style=Style.SESSION"),
    "Y8": _one(
        "core/evolve/rulings.py",
        "return number == review.revision and stage in",
        "return False and number > 0 and stage in",
    ),
    "Y9": _one(DRAFTS, "    if seat.part is Part.COUNSEL:\n", "    if False:\n"),
    "Y10": _one(
        "core/answers/human.py", "final = option.effect not in OPENING or agreeing >= ruling.needs", "final = True"
    ),
    "Y11": _one(OPTIONS, "return Effect.REVISE if clock_revisions == 0 else Effect.SHELVE", "return Effect.PASS_STAGE"),
    "Y12": _one(
        LIFECYCLE,
        "counts = event.number > 1 and event.change is not ChangeKind.CLARIFICATION",
        "counts = event.number > 1",
    ),
}

BREAKS_000_AXY = {**BREAKS_000, **BREAKS_A, **BREAKS_X, **BREAKS_Y}
