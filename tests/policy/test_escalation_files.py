"""Escalation rules as short formulas, and a matrix in its long form, load as circulated."""

from dataclasses import replace
from datetime import timedelta
from textwrap import indent

import pytest

from foureyes.core import gates, protocols
from foureyes.core.peer_data import MATRIX
from foureyes.core.rules import MatrixRow, Rules, Stage
from foureyes.policy import Loaded, policy_text, read_policy
from foureyes.policy.peer import CONSERVATIVE
from foureyes.policy.peer_conditions import DISPUTED, OPTIONS, REASONS
from foureyes.policy.peer_lists import ESCALATE_WHEN
from tests.policy.documents import ESCALATION, ONCE, ROWS, TWICE
from tests.policy.reading import loaded, minimal, refused


def stage(rules: Rules) -> Stage:
    found = rules.protocol("peer")
    assert found
    return found.stages[0]


def matrix(found: Loaded) -> tuple[MatrixRow, ...]:
    return stage(found.policy.rules).options.matrix


def gate(rules: Rules, kind: type) -> object:
    return next(one for one in stage(rules).gates if isinstance(one, kind))


def test_the_formulas_say_what_is_shipped() -> None:
    """001-22, 001-23, 001-24, 001-61, 001-63: alone, by name and inline the document is the shipped style."""
    alone = loaded(ESCALATION, "escalation.yaml").policy
    inline = loaded(minimal("kinds: {default: peer}\npeer:\n") + indent(ESCALATION, "  ")).policy.rules
    named = loaded(minimal("kinds: {default: peer}\npeer: {file: when.yaml}\n"), when_yaml=ESCALATION).policy.rules
    assert alone.rules.protocol("peer") == protocols.peer()
    assert alone.rules == replace(inline, digest=alone.rules.digest) == replace(named, digest=alone.rules.digest)
    assert alone.rules.default == ("peer",)
    assert read_policy(policy_text(alone)) == alone


def test_every_number_and_kind_of_the_formulas_arrives() -> None:
    """001-22, 001-23, 001-24: each where the core keeps it, beside the kinds that always count."""
    text = ESCALATION
    for old, new in {
        "revision_count > 3": "revision_count > 4",
        "review_time > 2_hours": "review_time > 90_minutes",
        "reviewer_confidence > 40": "reviewer_confidence > 41",
        "[security_change, breaking_change]": "[security_change, Database-Migration]",
        "reviewer_confidence < 90": "reviewer_confidence < 91",
        "== architecture_decision": "in [architecture_decision, api_design]",
        "48_hours": "49_hours",
    }.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    rules = loaded(text).policy.rules
    found = rules.protocol("peer")
    assert found
    assert found.revisions_max == 4
    assert gate(rules, gates.ConfidenceGap) == gates.ConfidenceGap(gap_max=41)
    assert gate(rules, gates.Certainty) == gates.Certainty(
        confidence_min=91,
        kinds=("security_change", "breaking_change", "database_migration"),
        choice_kinds=("architecture_decision", "api_design"),
    )
    times = stage(rules).options.times
    assert (times.total, times.human) == (timedelta(minutes=90), timedelta(hours=49))
    assert times.human_fallback


def test_what_is_built_in_and_what_is_not_kept_is_said() -> None:
    """001-22, 001-23, 001-63: accepted, and nobody has to guess what became of it."""
    assert loaded(ESCALATION).notes[:4] == (DISPUTED, REASONS, OPTIONS, CONSERVATIVE)
    silent = loaded("auto_escalate: [{condition: revision_count > 3}]\n").notes
    assert not set(silent) & {DISPUTED, REASONS, OPTIONS, CONSERVATIVE}


#: Lines between what was changed and where it is wrong: a text of several lines begins above, a missing `and` is gone
#: from its entry, and of two the second is too much.
AWAY = {
    "reviewer_confidence > 101": -1,
    "reviewer_rejects alone": -1,
    "review_type alone asks nobody": -1,
    "review_time > 3_hours": 3,
    "and: multiple_valid_options": 3,
}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("revision_count > 3", "moon_phase > 3", "'moon_phase > 3' is no condition"),
        ("revision_count > 3", "revision_count >= 3", "'revision_count >= 3' is no condition"),
        ("revision_count > 3", "revision_count < 3", "'revision_count < 3' is no condition"),
        ("revision_count > 3", "revision_count > 3 or true", "'revision_count > 3 or true' is no condition"),
        ("revision_count > 3", "revision_count > 0", "the number of 'revision_count > 0'"),
        ("revision_count > 3", "revision_count > 21", "the number of 'revision_count > 21'"),
        ("revision_count > 3", "3", "condition must be text"),
        ("revision_count > 3", "''", "an entry of auto_escalate has no condition"),
        ("condition: revision_count > 3", "when: never", "unknown key 'when'"),
        ("revision_count > 3", "review_time > 3_hours", "the condition review_time stands here twice"),
        ("review_time > 2_hours", "review_time > 2_moons", "'review_time > 2_moons' is no condition"),
        ("review_time > 2_hours", "review_time > 2", "'review_time > 2' is no condition"),
        ("review_time > 2_hours", "review_time > 721_hours", "the number of 'review_time > 721_hours'"),
        ("reviewer_confidence > 40", "reviewer_confidence > 101", "the number of"),
        ("    and: creator_disagrees\n", "", "reviewer_rejects alone"),
        ("and: creator_disagrees", "and: it_rains", "reviewer_rejects with 'it_rains'"),
        ('reason: "To and fro"', "and: creator_disagrees", "'revision_count > 3' takes no `and`"),
        ("    and: reviewer_confidence < 90\n", "", "review_type alone asks nobody"),
        ("reviewer_confidence < 90", "reviewer_confidence < 101", "the number of 'reviewer_confidence < 101'"),
        ("reviewer_confidence < 90", "reviewer_confidence > 90", "review_type with 'reviewer_confidence > 90'"),
        ("and: reviewer_confidence < 90", "and: multiple_valid_options", "stands here twice"),
        ("security_change, breaking_change", "security_change, ../x", "review_type: '../x' is no name"),
        ("security_change, breaking_change", "security_change,", "review_type: '' is no name"),
        ("security_change, breaking_change", "breaking-change, breaking_change", "review_type names the same twice"),
        ("[creator, reviewer]", "[creator]", "allowed_by has 1 names"),
        ("[creator, reviewer]", "[creator, anyone]", "allowed_by does not know 'anyone'"),
        ("requires_reason: true", "requires_reason: false", "requires_reason must be true"),
        ("48_hours", "48", "human_response_timeout is 48"),
        ("48_hours", "0_hours", "human_response_timeout is '0_hours'"),
        ("48_hours", "2_moons", "human_response_timeout is '2_moons'"),
        ("48_hours", "null", "human_response_timeout is nothing"),
        ("conservative_default", "auto_approve", "timeout_action must be one of conservative_default"),
    ],
)
def test_a_formula_that_the_code_does_not_keep_is_refused_with_its_line(old: str, new: str, says: str) -> None:
    """001-22, 001-23, 001-61, 001-63: the grammar is closed."""
    assert ESCALATION.count(old) == 1
    text = ESCALATION.replace(old, new)
    at = ESCALATION[: ESCALATION.index(old)].count("\n") + 1
    found = [one for one in refused(text, "escalation.yaml") if says in one.wrong]
    assert found, refused(text, "escalation.yaml")
    assert [one.line - at for one in found] == [AWAY.get(new or says, 0)]


def test_a_refused_formula_names_all_that_are_allowed() -> None:
    found = refused("auto_escalate:\n  - condition: creator_is_tired\n")
    assert [(one.line, one.wrong) for one in found] == [(2, "'creator_is_tired' is no condition")]
    for word in ("reviewer_rejects", "revision_count", "review_time", "creator_confidence", "review_type", "< 90"):
        assert word in found[0].allowed


@pytest.mark.parametrize("strange", ["7", "[7]", "[[]]", "{a: b}", "null", "[null]", "''", "[{}]"])
def test_something_else_than_a_list_of_formulas_is_refused(strange: str) -> None:
    assert refused(f"auto_escalate: {strange}\n")[0].line == 1


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            "auto_escalate: []\nescalation: {auto_escalate_to_human: []}\n",
            1,
            "auto_escalate and escalation.auto_escalate_to_human say the same",
        ),
        (
            "escalation: {human_timeout: 48}\nhuman_response_timeout: 48_hours\n",
            2,
            "human_response_timeout and escalation.human_timeout say the same",
        ),
        (
            "escalation: {human_timeout: null}\ntimeout_action: conservative_default\n",
            2,
            "timeout_action without a time: human_timeout is null",
        ),
    ],
)
def test_two_forms_of_one_thing_do_not_stand_in_one_document(text: str, line: int, says: str) -> None:
    assert [(one.line, one.wrong) for one in refused(text)] == [(line, says)]


def test_a_formula_of_any_length_is_answered_at_once() -> None:
    """No formula can make its own reading slow."""
    for long in ("review_type in [" + "a," * 3_000, "revision_count >" + " " * 7_000 + "3x", "9" * 7_000 + "_hours"):
        assert refused(f"auto_escalate:\n  - condition: '{long}'\n")


#: The conditions that every row of the document has.
WHEN = ("They cannot agree", "It touches everything")


def test_the_long_matrix_says_rationale_twice_in_every_row_and_neither_is_lost() -> None:
    """001-16, 001-17, 001-51: as it stands in its document; each belongs to the reviewer before it."""
    reasons = ("Why the first one looks, in two lines.", "Why the other one does.")
    rows = tuple(replace(one, reasons=reasons, escalate_when=WHEN) for one in MATRIX)
    assert matrix(loaded(TWICE, "matrix.yaml")) == rows


def test_a_rationale_that_stands_twice_for_one_reviewer_is_refused() -> None:
    """001-16: anywhere but behind the backup it is a key that stands twice, with its line."""
    row = ROWS[0].replace("  backup_reviewer", "  rationale: again\n  backup_reviewer")
    (found,) = refused(row, "matrix.yaml")
    assert (found.wrong, found.line) == ("the key 'rationale' stands here twice", 7)


def test_without_the_second_the_long_matrix_is_the_shipped_one() -> None:
    """001-16, 001-17, 001-51: the same roles, and the document's own reasons in one line each."""
    found = loaded(ONCE, "matrix.yaml")
    reasons = ("Why the first one looks, in two lines.",)
    assert matrix(found) == tuple(replace(one, reasons=reasons, escalate_when=WHEN) for one in MATRIX)
    assert found.policy.rules.default == ("peer",)
    assert ESCALATE_WHEN in found.notes
    assert read_policy(policy_text(found.policy)) == found.policy


def test_the_long_matrix_stands_alone_by_name_and_under_its_key() -> None:
    """001-16: the same rows, wherever they stand."""
    head = "kinds: {default: peer}\n"
    named = loaded(minimal(head + "peer: {file: matrix.yaml}\n"), matrix_yaml=ONCE)
    inline = loaded(minimal(head + "peer:\n  reviewer_matrix:\n") + indent(ONCE, "    "))
    document = loaded("reviewer_matrix:\n" + indent(ONCE, "  "))
    switched = loaded("enabled: true\n" + ONCE)
    assert matrix(loaded(ONCE)) == matrix(named) == matrix(inline) == matrix(document) == matrix(switched)


def test_both_reasons_can_be_written_under_one_key() -> None:
    """001-17: what the second rationale was for."""
    found = loaded("dev:\n  primary_reviewer: ann\n  backup_reviewer: bob\n  rationale: [One, Two]\n")
    assert matrix(found)[-1] == MatrixRow(
        creator="dev", primary="ann", backup="bob", escalate="human", reasons=("One", "Two")
    )


@pytest.mark.parametrize(
    ("row", "line", "says"),
    [
        ("primary_reviewer: ann", 1, "dev has no primary and backup"),
        ("primary_reviewer: human\n  backup_reviewer: bob", 1, "human is no reviewing role here"),
        ("primary_reviewer: ann\n  primary: ann\n  backup: bob", 2, "primary and primary_reviewer are the same key"),
        (
            "primary_reviewer: ann\n  backup: bob\n  reasons: [a]\n  rationale: b",
            5,
            "reasons and rationale are the same",
        ),
        ("primary_reviewer: ann\n  backup: bob\n  escalate_when: [{a: b}]", 4, "keys and values is no sentence"),
        ("primary_reviewer: ann\n  backup: bob\n  escalate_whn: [a]", 4, "unknown key 'escalate_whn'"),
        ("primary_reviewer: ann\n  backup: bob\n  focus: [a]", 4, "unknown key 'focus'"),
        ("primary_reviewer: [ann]\n  backup: bob", 2, "primary_reviewer: a list is no name"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line(row: str, line: int, says: str) -> None:
    """001-16: strict in its long form, too; a role's profile is no part of the matrix."""
    found = [one for one in refused(f"dev:\n  {row}\n", "matrix.yaml") if says in one.wrong]
    assert found, refused(f"dev:\n  {row}\n", "matrix.yaml")
    assert found[0].line == line


def test_a_role_may_have_the_name_of_a_key() -> None:
    """A document with keys of its own is never taken for bare rows."""
    text = "reviewer_matrix:\n  primary_reviewer: {primary: ann, backup: bob}\n"
    named = loaded(minimal("kinds: {default: peer}\npeer: {file: p.yaml}\n"), p_yaml=text)
    assert matrix(named)[-1].creator == matrix(loaded(text))[-1].creator == "primary_reviewer"
