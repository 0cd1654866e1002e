"""Seed 001: which work its policy demands a review for, who reviews it, and by which criteria."""

from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest

from foureyes.core.events import ReportRequested, ReviewCleared, RevisionSubmitted, RulingRequested, StagesSkipped
from foureyes.core.facts import Facts
from foureyes.core.gates import Standards
from foureyes.core.peer_data import CRITERIA, DEFAULT_CRITERIA, MATRIX, REQUIRED_KINDS, TRIVIAL_KINDS
from foureyes.core.refusals import Code
from foureyes.core.rules import KindRule, Learning, Limits, PathRule, Rules, SkipRule, Times
from foureyes.core.values import BaseSource, ClearedBy, KnownBase, Outcome, Proof, Risk, RiskLevel, Who, WorkPart
from tests.cast import AUDITOR, BASE, FULL_DEFAULT, POOL, RULES, TRIVIAL, Play, holds, proven, rules_with
from tests.seeds.peer_play import NOT_DRAWN, approve, fast_lane, opened, opened_by, reviewer, ruling

AGGRESSIVE = (("autonomy_level", "aggressive"),)
SEED_MATRIX = {
    "architect": ("optimizer", "auditor", "human"),
    "core_developer": ("auditor", "tester", "architect"),
    "app_developer": ("architect", "core_developer", "human"),
    "optimizer": ("architect", "auditor", "human"),
    "tester": ("core_developer", "auditor", "architect"),
}


def skipped(kind: str, risk: Risk, rules: Rules = RULES, **fields: object) -> Play:
    return opened(kind, rules=rules, facts=Facts(pool=POOL, draw=NOT_DRAWN, **proven(risk=risk)), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind",
    [
        "create_core",
        "create_app",
        "architecture_decision",
        "major_refactor",
        "breaking_change",
        "security_change",
        "database_migration",
        "api_endpoint_change",
    ],
)
def test_each_kind_of_the_list_needs_a_review(kind: str) -> None:
    """001-13: the eight kinds, none missing and none more; a colleague is asked."""
    assert kind in REQUIRED_KINDS
    assert len(REQUIRED_KINDS) == 8
    play = opened(kind)
    assert (play.count(StagesSkipped), reviewer(play)) == (0, "auditor")


@pytest.mark.parametrize("kind", ["fix_typo", "update_formatting", "add_comment", "update_readme"])
def test_each_trivial_kind_needs_no_review_and_says_why(kind: str) -> None:
    """001-04: cleared by policy with the reason on the record, where the bytes are as harmless as the name."""
    assert kind in TRIVIAL_KINDS
    play = skipped(kind, TRIVIAL)
    skip = play.last(StagesSkipped)
    assert (skip.rule, skip.reason, skip.stages) == (
        "trivial",
        f"{kind} needs no review: only prose changed",
        ("peer",),
    )
    cleared = play.last(ReviewCleared)
    assert (cleared.by, cleared.level, cleared.flags) == (ClearedBy.POLICY, 0, ("skipped: peer",))


def test_a_trivial_name_on_bytes_that_are_not_is_reviewed() -> None:
    """001-04: the author's word for it is not enough."""
    assert reviewer(skipped("fix_typo", Risk(level=RiskLevel.MEDIUM))) == "auditor"


@pytest.mark.parametrize("kind", ["fix_typo", "update_formatting"])
def test_new_words_are_neither_a_typo_nor_formatting(kind: str) -> None:
    """U-02: a proof of harmless sentences serves the labels that speak of sentences."""
    facts = proven()
    words = replace(cast("Proof", facts["proof"]), is_small=False)
    known = Facts(pool=POOL, draw=NOT_DRAWN, **{**facts, "proof": words})  # type: ignore[arg-type]
    assert opened(kind, facts=known).count(StagesSkipped) == 0
    assert opened("update_readme", facts=known).count(StagesSkipped) == 1


@pytest.mark.parametrize("context", [(), AGGRESSIVE])
@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"risk": TRIVIAL}, id="nothing known"),
        pytest.param({**proven(), "base": KnownBase()}, id="a base nobody knows"),
        pytest.param({**proven(), "base": replace(BASE, source=BaseSource.LOCAL)}, id="a base of somebody's laptop"),
        pytest.param({**proven(), "base": replace(BASE, digest="base-2")}, id="a proof for another base"),
        pytest.param(
            {**proven(), "base": replace(BASE, digest=""), "proof": Proof(digest="d1", why="x")}, id="no base"
        ),
        pytest.param(proven("d0"), id="a proof for another work"),
        pytest.param({**proven(), "proof": Proof()}, id="no proof"),
        pytest.param({**proven(), "proof": Proof(base=BASE.digest, digest="d1")}, id="a proof that says nothing"),
    ],
)
def test_a_label_skips_only_with_a_proof_against_a_known_base(
    facts: dict[str, object], context: tuple[tuple[str, str], ...]
) -> None:
    """U-01, U-02: neither a base the gate does not know nor a proof about something else is enough."""
    known = Facts(pool=POOL, draw=NOT_DRAWN, **facts)  # type: ignore[arg-type]
    kind = "create_core" if context else "fix_typo"
    play = opened(kind, facts=known, context=context)
    assert (play.count(StagesSkipped), reviewer(play)) == (0, "auditor")
    assert play.last(RevisionSubmitted).known_base == known.base


def test_with_reviews_switched_off_nothing_needs_one_and_the_reason_says_so() -> None:
    """001-12: on by default; off clears by policy, with the reason on the record, and never what is never skipped."""
    assert RULES.enabled
    off = rules_with(enabled=False)
    play = opened("create_core", rules=off)
    skip = play.last(StagesSkipped)
    assert (skip.rule, skip.reason) == ("disabled", "Reviews are switched off by the policy")
    assert play.last(ReviewCleared).by is ClearedBy.POLICY
    assert reviewer(opened("security_change", rules=off)) == "auditor"


def test_aggressive_autonomy_skips_harmless_work() -> None:
    """001-14: with the label and low risk no reviewer is asked; without the label one is."""
    play = skipped("create_core", TRIVIAL, context=AGGRESSIVE)
    assert play.last(StagesSkipped).reason == "autonomy level aggressive needs no review: only prose changed"
    assert play.last(ReviewCleared).by is ClearedBy.POLICY
    assert reviewer(skipped("create_core", TRIVIAL)) == "auditor"
    assert reviewer(skipped("create_core", Risk(level=RiskLevel.MEDIUM), context=AGGRESSIVE)) == "auditor"


@pytest.mark.parametrize("kind", ["security_change", "breaking_change"])
def test_aggressive_autonomy_never_skips_security_and_breaking_changes(kind: str) -> None:
    """001-14: the two exceptions, whatever the risk computed from the bytes says."""
    assert reviewer(skipped(kind, TRIVIAL, context=AGGRESSIVE)) == "auditor"


def test_an_exception_holds_for_what_the_paths_make_of_the_work_too() -> None:
    """001-14: an author who calls an endpoint change something else does not get around the exception."""
    rules = rules_with(
        paths=(PathRule(pattern="api/**", kind="api_endpoint_change"),),
        skips=(SkipRule(name="autonomy", autonomy="aggressive", except_for=("api_endpoint_change",)),),
    )
    parts = (WorkPart(name="api/users.py", digest="p1"),)
    assert reviewer(skipped("create_core", TRIVIAL, rules, context=AGGRESSIVE, parts=parts)) == "auditor"
    elsewhere = (WorkPart(name="lib/users.py", digest="p1"),)
    cleared = skipped("create_core", TRIVIAL, rules, context=AGGRESSIVE, parts=elsewhere)
    assert cleared.review.outcome is Outcome.CLEARED


@pytest.mark.parametrize(("role", "row"), SEED_MATRIX.items())
def test_the_matrix_names_reviewer_backup_and_escalation_for_each_role(role: str, row: tuple[str, str, str]) -> None:
    """001-16: the primary is asked; without one the backup; without both a human."""
    primary, backup, escalate = row
    entry = next(one for one in MATRIX if one.creator == role)
    assert (entry.primary, entry.backup, entry.escalate) == row
    assert reviewer(opened_by(role, backup, primary)) == primary
    assert reviewer(opened_by(role, backup, "bystander")) == backup
    assert ruling(opened_by(role, "bystander")).reason == "nobody_can_hold"
    assert opened_by(role, primary).review.seats["peer.1"].candidates == (primary, backup)
    assert escalate in {"human", "architect"}


def test_the_matrix_says_in_words_why_these_colleagues_look() -> None:
    """001-17: two reasons an entry, one for each reviewer, naming them."""
    for row in MATRIX:
        assert len(row.reasons) == 2, row.creator
        for role, reason in zip((row.primary, row.backup), row.reasons, strict=True):
            assert reason.lower().startswith(role.replace("_", " ")), reason
            assert len(reason.split()) >= 4, reason


def test_an_idea_refiner_is_reviewed_by_the_architect_then_the_optimizer_then_a_human() -> None:
    """001-51: the row that only the second matrix of the seed has."""
    entry = next(one for one in MATRIX if one.creator == "idea_refiner")
    assert (entry.primary, entry.backup, entry.escalate) == ("architect", "optimizer", "human")
    assert reviewer(opened_by("idea-refiner", "optimizer", "architect")) == "architect"
    assert reviewer(opened_by("idea-refiner", "optimizer", "auditor")) == "optimizer"
    assert ruling(opened_by("idea-refiner", "auditor")).reason == "nobody_can_hold"


def test_each_kind_with_criteria_of_its_own_has_as_many_as_the_seed_lists() -> None:
    """001-18: required and optional, by name where the seed's pages name them."""
    sizes = {one.kind: (len(one.required), len(one.optional)) for one in CRITERIA}
    assert sizes == {
        "create_core": (8, 3),
        "create_app": (5, 2),
        "architecture_decision": (5, 2),
        "major_refactor": (4, 1),
    }
    required = {one.kind: [name for name, _ in one.required] for one in CRITERIA}
    assert required["major_refactor"] == [
        "backwards_compatible",
        "tests_still_pass",
        "improvement_measurable",
        "no_scope_creep",
    ]
    assert required["create_app"][0] == "uses_right_cores"
    assert required["architecture_decision"][1] == "options_evaluated"
    assert all(text for one in CRITERIA for _, text in (*one.required, *one.optional))


def test_a_kind_without_criteria_of_its_own_is_judged_by_the_default_set() -> None:
    """B26: the four other kinds of the seed use the built-in set, and an approval must fill it in."""
    standards = Standards(criteria=CRITERIA, default=DEFAULT_CRITERIA)
    others = set(REQUIRED_KINDS) - {one.kind for one in CRITERIA}
    assert others == {"breaking_change", "security_change", "database_migration", "api_endpoint_change"}
    for kind in others:
        assert standards.for_kinds((kind,)) == (DEFAULT_CRITERIA,)
        play = opened(kind)
        empty = play.a_report(verdict="approve", confidence=95)
        assert play.refused(AUDITOR, empty) is Code.CHECKLIST_INCOMPLETE
        approve(play, checklist=FULL_DEFAULT)
        assert play.review.outcome is Outcome.CLEARED
    assert len(DEFAULT_CRITERIA.required) == 3


def test_the_limits_are_those_of_the_seed() -> None:
    """001-25: target 15, at most 30, 3 parallel, 5 queued, 30 minutes until a reminder that it was not begun."""
    times, limits = Times(), Limits()
    assert (times.target, times.longest, times.unstarted) == tuple(timedelta(minutes=n) for n in (15, 30, 30))
    assert (limits.parallel_max, limits.queued_max) == (3, 5)
    play = opened("create_core")
    assert play.last(ReportRequested).due == play.now + timedelta(minutes=30)


@pytest.mark.parametrize(
    ("minutes", "word"), [(0, "ok"), (15, "ok"), (15.1, "warn"), (18, "warn"), (30, "warn"), (30.1, "bad")]
)
def test_a_review_is_quick_up_to_the_target_and_bad_above_the_maximum(minutes: float, word: str) -> None:
    """001-25, B21: 18 minutes against a target of 15 are not ok."""
    assert Times().pace(timedelta(minutes=minutes)) == word


def test_the_numbers_behind_learning_are_those_of_the_seed() -> None:
    """001-26: 10 successes, average 0.9, 30 days back, +0.05 and -0.15, suggested after 7 days."""
    learning = Learning()
    assert (learning.successes_min, learning.confidence_min_percent, learning.lookback.days) == (10, 90, 30)
    assert (learning.increase_percent, learning.decrease_percent, learning.suggest_after.days) == (5, 15, 7)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("create-core", "create_core"),
        ("core_creation", "create_core"),
        ("Core-Creation", "create_core"),
        ("app_creation", "create_app"),
        ("refactor", "major_refactor"),
        ("architecture", "architecture_decision"),
    ],
)
def test_a_kind_has_one_spelling_whatever_the_caller_wrote(said: str, kind: str) -> None:
    """B12: hyphen, underscore and case are the same, and known aliases are taken."""
    play = opened(said)
    assert (play.review.kind, reviewer(play)) == (kind, "auditor")


def test_a_policy_may_spell_a_kind_as_it_likes() -> None:
    """B12, B8: a hyphen in the policy file neither loses its protocols nor opens the fast lane for a guarded path."""
    rules = rules_with(
        kinds=(
            KindRule(kind="Create-Core", protocols=("peer",)),
            KindRule(kind="security-change", protocols=("peer",)),
        ),
        paths=(PathRule(pattern="auth/**", kind="security-change"),),
    )
    assert rules.protocols_for("create_core") == ("peer",)
    parts = (WorkPart(name="auth/login.py", digest="p1"),)
    assert reviewer(opened(rules=rules, facts=fast_lane(), parts=parts)) == "auditor"
    harmless = (WorkPart(name="lib/list.py", digest="p1"),)
    assert opened(rules=rules, facts=fast_lane(), parts=harmless).review.outcome is Outcome.CLEARED


@pytest.mark.parametrize("role", ["core_developer", "core-developer", "Core-Developer"])
def test_a_role_is_the_same_however_it_is_hyphenated(role: str) -> None:
    """B12: on the author's side of the matrix and on the reviewer's."""
    assert reviewer(opened_by(role, "auditor")) == "auditor"
    assert reviewer(opened_by("app_developer", role)) == role


def test_a_role_without_a_row_gets_an_eligible_agent_of_another_family() -> None:
    """B25: learner and auditor have no row; an agent that shares the author's family or hides its own is not asked."""
    author = Who(name="author", model_family="claude", session="s-a")
    same = holds(Who(name="sibling", model_family="claude", session="s-b"), "auditor")
    unknown = holds(Who(name="stranger", session="s-c"), "auditor")
    other = holds(Who(name="cousin", model_family="gpt", session="s-d"))
    for role in ("learner", "auditor"):
        play = Play(facts=Facts(pool=(holds(author, role), same, unknown, other)), author=author)
        play.open("create_core")
        assert reviewer(play) == "cousin"


def test_a_role_without_a_row_and_without_another_family_gets_a_human() -> None:
    """B25: nobody of another family is there, so a human is asked at once."""
    author = Who(name="author", model_family="claude", session="s-a")
    same = holds(Who(name="sibling", model_family="claude", session="s-b"), "auditor")
    play = Play(facts=Facts(pool=(holds(author, "learner"), same)), author=author)
    play.open("create_core")
    assert (ruling(play).reason, play.count(RulingRequested)) == ("nobody_can_hold", 1)
