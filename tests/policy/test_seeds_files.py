"""The source documents' files load unchanged, with their own words and messages."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import gates, protocols
from foureyes.core.chains import CHAINS
from foureyes.core.rules import Exhausted, KindRule, Protocol, Rules, Stage
from foureyes.policy import load_text, policy_text, read_policy, shipped
from foureyes.policy.chains import step_problem
from foureyes.policy.load import shipped_text
from tests.policy.reading import loaded, minimal, refused

PEER = shipped_text("peer.yaml").decode()
STEP = (
    '{"step": 5, "name": "security_review", "action": "dispatch", "agent": "%s", "critic_chain": "%s", "can_veto": %s}'
)
CHAIN = '{"chains": {"x": {"layers": [{"agent": "ann", "scope": "format"}]}}}'


def peer(rules: Rules) -> Stage:
    found = rules.protocol("peer")
    assert found
    return found.stages[0]


def gate(rules: Rules, kind: type) -> object:
    return next(one for one in peer(rules).gates if isinstance(one, kind))


def chain(rules: Rules, name: str) -> Protocol:
    found = rules.protocol(name)
    assert found
    return found


def test_the_peer_document_stands_alone_inline_and_as_a_named_file() -> None:
    """001-13, 001-16, 001-18, 001-19, 001-22: the same document, the same style, wherever it stands."""
    alone = loaded(PEER, "review-policy.yaml").policy.rules
    indented = PEER.replace("\n", "\n  ")
    inline = loaded(minimal(f"kinds: {{default: peer}}\npeer:\n  {indented}")).policy.rules
    named = loaded(
        minimal("kinds: {default: peer}\npeer: {file: review-policy.yaml}\n"), **{"review-policy_yaml": PEER}
    )
    assert alone == replace(inline, digest=alone.digest)
    assert alone == replace(named.policy.rules, digest=alone.digest)
    assert chain(alone, "peer") == protocols.peer()


def test_the_switch_of_the_peer_document_stands_at_the_top() -> None:
    """001-12: off leaves reviewers out of everything and is said; under `peer` it would be a trap, so it is refused."""
    assert loaded(PEER).policy.rules.enabled
    off = loaded(PEER.replace("enabled: true", "enabled: false"))
    assert not off.policy.rules.enabled
    assert "Reviews are switched off" in off.notes[0]
    assert refused(minimal("peer: {enabled: false}\n"))


def test_criteria_may_say_what_exactly_to_look_at() -> None:
    """001-18, 001-50: the long form of a criterion keeps its checks."""
    rules = loaded(
        """\
        criteria:
          create_core:
            required:
              has_comprehensive_tests:
                description: "Tests cover happy path and edge cases"
                checks:
                  - "At least 5 tests present"
                  - "Tests actually run and pass"
            optional:
              performance_acceptable:
                description: "No obvious performance issues"
        """
    ).policy.rules
    standards = gate(rules, gates.Standards)
    assert isinstance(standards, gates.Standards)
    found = next(one for one in standards.criteria if one.kind == "create_core")
    assert found.required == (("has_comprehensive_tests", "Tests cover happy path and edge cases"),)
    assert found.checks == (("has_comprehensive_tests", ("At least 5 tests present", "Tests actually run and pass")),)
    assert read_policy(policy_text(loaded(PEER).policy)) == loaded(PEER).policy


def test_the_numbers_of_the_peer_document_arrive() -> None:
    """001-19, 001-22, 001-23, 001-24, 001-25, 001-26: each number where the core keeps it."""
    text = PEER
    for old, new in {
        "default_timeout_minutes: 30": "default_timeout_minutes: 31",
        "min_confidence: 80": "min_confidence: 81",
        'review_cycles: ">3"': 'review_cycles: ">4"',
        'time_exceeded: ">2 hours"': 'time_exceeded: ">3 hours"',
        'confidence_gap: ">40"': 'confidence_gap: ">41"',
        'reviewer_confidence: "<90"': 'reviewer_confidence: "<91"',
        'both_confidence: "<60"': 'both_confidence: "<61"',
        "human_timeout: 48": "human_timeout: 49",
        "target_review_time_minutes: 15": "target_review_time_minutes: 16",
        "max_review_time_minutes: 30": "max_review_time_minutes: 32",
        "parallel_reviews_max: 3": "parallel_reviews_max: 4",
        "review_queue_max: 5": "review_queue_max: 6",
        "min_successful_reviews: 10": "min_successful_reviews: 11",
        "min_confidence_avg: 0.9": "min_confidence_avg: 0.91",
        "lookback_period_days: 30": "lookback_period_days: 33",
        "increase_per_success: 0.05": "increase_per_success: 0.06",
        "decrease_per_failure: 0.15": "decrease_per_failure: 0.16",
        "suggest_skip_after_eligible_days: 7": "suggest_skip_after_eligible_days: 8",
    }.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    rules = loaded(text).policy.rules
    options = peer(rules).options
    assert (options.confidence_min, chain(rules, "peer").revisions_max) == (81, 4)
    assert gate(rules, gates.ConfidenceGap) == gates.ConfidenceGap(gap_max=41)
    assert gate(rules, gates.Certainty) == gates.Certainty(confidence_min=91, both_min=61)
    assert options.times.unstarted == timedelta(minutes=31)
    assert (options.times.total, options.times.human) == (timedelta(hours=3), timedelta(hours=49))
    assert (options.times.target, options.times.longest) == (timedelta(minutes=16), timedelta(minutes=32))
    assert (rules.limits.parallel_max, rules.limits.queued_max) == (4, 6)
    learning = rules.learning
    assert (learning.successes_min, learning.confidence_min_percent, learning.lookback.days) == (11, 91, 33)
    assert (learning.increase_percent, learning.decrease_percent, learning.suggest_after.days) == (6, 16, 8)


def test_without_a_time_for_humans_they_are_only_reminded() -> None:
    """B2: `human_timeout: null` waits for ever."""
    assert not peer(loaded("escalation: {human_timeout: null}\n").policy.rules).options.times.human_fallback


def test_where_a_document_says_a_number_twice_the_stricter_one_holds() -> None:
    """001-15, 001-26: the fast lane's numbers stand in two places."""
    twice = PEER.replace("min_successes: 10", "min_successes: 12").replace(
        "min_confidence: 0.9", "min_confidence: 0.95"
    )
    learning = loaded(twice).policy.rules.learning
    assert (learning.successes_min, learning.confidence_min_percent) == (12, 95)


def test_a_second_opinion_is_asked_where_the_document_wants_one() -> None:
    """B14: between request-changes and approval the backup may be asked too."""
    rules = loaded("standards:\n  second_opinion: true\n  mode: advisory\n").policy.rules
    standards = gate(rules, gates.Standards)
    assert isinstance(standards, gates.Standards)
    assert (standards.second_opinion_from, standards.mode) == (60, gates.Mode.ADVISORY)


def test_what_the_document_requires_is_added_to_what_the_file_says() -> None:
    text = minimal(
        "kinds: {create_core: solo, default: solo}\npeer:\n  review_required: {actions: [core-creation, deploy]}\n"
    )
    assert loaded(text).policy.rules.kinds == (
        KindRule(kind="create_core", protocols=("solo", "peer")),
        KindRule(kind="deploy", protocols=("peer",)),
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("min_checklist_pass_rate: 1.0", "min_checklist_pass_rate: 0.5", "min_checklist_pass_rate must be 1.0"),
        ("max_critical_concerns: 0", "max_critical_concerns: 1", "max_critical_concerns must be 0"),
        ("min_confidence: 80", "min_confidence: 0.8", "min_confidence must be 0-100"),
        ('critical_concerns: ">0"', 'critical_concerns: ">1"', "critical_concerns is no such condition"),
        ('- confidence: "<60"', '- confidence: "<90"', "confidence is no such condition"),
        ("- would_break_system: true", "- would_be_ugly: true", "would_be_ugly is no ground to reject"),
        ("      - would_break_system: true\n", "", "would_break_system is missing"),
        ("and_creator_disagrees: true", "and_creator_disagrees: false", "and_creator_disagrees must be true"),
        ('time_exceeded: ">2 hours"', 'time_exceeded: ">2 moons"', "time_exceeded is '>2 moons'"),
        ('review_cycles: ">3"', "review_cycles: 3", "review_cycles is 3"),
        ("reviewer_confidence:", "reviewer_confidenc:", "unknown key 'reviewer_confidenc'"),
        ("human_timeout: 48", "human_timeout: 0", "human_timeout must be 1-8760 or null"),
        ("has_auto_skip_pattern: true", "has_auto_skip_pattern: false", "has_auto_skip_pattern must be true"),
        ("async_reviews: true", "async_reviews: false", "async_reviews must be true"),
        ("per_success: 0.05", "per_success: 0.055", "finer than a percent"),
        ("min_successes: 10", "action_type: fix_typo", "an entry of skip_if names one reason"),
        ("    primary: optimizer\n", "", "architect has no primary and backup"),
        ("    primary: optimizer\n", "    primary: human\n", "human is no reviewing role"),
        ("notify_human_on: [review_escalated,", "notify_human_on: [full_moon,", "notify_human_on does not know"),
    ],
)
def test_a_peer_document_that_promises_something_else_is_refused(old: str, new: str, says: str) -> None:
    """001-19, 001-20, 001-21, 001-22: what the code does not do cannot be written."""
    assert PEER.count(old) == 1
    found = refused(PEER.replace(old, new), "review-policy.yaml")
    assert [one for one in found if says in one.wrong], found


def test_chains_stand_alone_inline_and_as_a_named_file() -> None:
    """002-14: one document, the same chains."""
    alone = loaded(CHAIN, "critic-chains.json").policy.rules
    inline = loaded(minimal("chains:\n  x: {layers: [{agent: ann, scope: format}]}\n")).policy.rules
    named = loaded(minimal("chains: {file: config/critic-chains.json}\n"), **{"config__critic-chains_json": CHAIN})
    assert chain(alone, "x") == chain(inline, "x") == chain(named.policy.rules, "x")
    assert chain(alone, "x").stages[0].gates == (gates.Unanimous(),)
    assert [one.name for one in alone.protocols if one in CHAINS] == [one.name for one in CHAINS]


def test_what_is_wrong_in_a_named_file_is_said_with_its_own_name_and_line() -> None:
    """002-14: the file that is wrong is the one to open."""
    text = minimal("chains: {file: c.json}\nnmae: x\n")
    found = refused(text, c_json='{"chains": {\n"x": {"layers": 7}}}')
    assert [(one.file, one.line) for one in found] == [("c.json", 2), ("foureyes.yaml", 3)]
    found = refused(text, c_json='{"chains":\n{,}}')
    assert [(one.file, one.line) for one in found] == [("c.json", 2), ("foureyes.yaml", 3)]


def test_criteria_of_every_other_kind_can_be_written() -> None:
    """B26: the default set is one like the others."""
    rules = loaded("criteria: {default: {required: [{works: 'It works'}]}}\n").policy.rules
    standards = gate(rules, gates.Standards)
    assert isinstance(standards, gates.Standards)
    assert standards.default.required == (("works", "It works"),)
    assert standards.for_kinds(("odd",)) == (standards.default,)


def test_a_chain_of_the_file_takes_the_place_of_a_shipped_one() -> None:
    rules = loaded(minimal("chains:\n  security: {layers: [{agent: ann, scope: security, veto: true}]}\n")).policy.rules
    assert len(chain(rules, "security").stages) == 1
    assert chain(rules, "security").stages[0].has_veto


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ('{"layers": []}', "has no layers"),
        ("{}", "has no layers"),
        ('{"layers": {"agent": "a", "scope": "b"}}', "has no layers"),
        ('{"layers": [{"agent": "a"}]}', "a layer has an agent and a scope"),
        (
            '{"layers": [{"agent": "a", "scope": "format"}, {"agent": "b", "scope": "format"}]}',
            "two layers judge format",
        ),
        ('{"layers": [{"agent": "a", "scope": "format", "veto": "yes"}]}', "veto must be true or false"),
        ('{"layers": [{"agent": "a", "scope": "format", "vetoes": true}]}', "unknown key 'vetoes'"),
        ('{"layers": [{"agent": "a", "scope": "format"}], "max_retries": -1}', "max_retries must be 0-10"),
        ('{"layers": [{"agent": "a", "scope": "format"}], "max_retries": true}', "max_retries must be 0-10"),
        (
            '{"layers": [{"agent": "a", "scope": "format"}], "on_final_reject": "approve"}',
            "on_final_reject must be one of",
        ),
        (
            '{"layers": [{"agent": "a", "scope": "format"}], "require_unanimous": 1}',
            "require_unanimous must be true or false",
        ),
    ],
)
def test_a_chain_that_is_wrong_is_refused_at_load(wrong: str, says: str) -> None:
    """002-14: an invalid file never becomes rules."""
    found = refused('{"chains": {\n"x": ' + wrong + "}}", "critic-chains.json")
    assert (found[0].line, found[0].file) == (2, "critic-chains.json")
    assert says in found[0].wrong


@pytest.mark.parametrize("name", ["resolve", "file", "steps", "a b", ""])
def test_a_chain_cannot_have_a_name_that_means_something_else(name: str) -> None:
    assert refused('{"chains": {"' + name + '": {"layers": [{"agent": "a", "scope": "format"}]}}}', "c.json")


def test_a_step_is_judged_by_the_chain_it_names() -> None:
    """C5: where step and chain say the same of the veto."""
    text = CHAIN[:-1] + ', "steps": [' + STEP % ("hardin", "security", "true") + "]}"
    rules = loaded(text, "critic-chains.json").policy.rules
    assert rules.protocols_for("security_review") == ("security",)


@pytest.mark.parametrize(
    ("agent", "named", "veto", "says"),
    [
        ("hardin", "security", "false", "can_veto is false, but hardin has a veto in the chain security"),
        ("seldon", "security", "true", "can_veto is true, but seldon has no veto in the chain security"),
        ("nobody", "security", "true", "can_veto is true, but nobody has no veto in the chain security"),
        ("hardin", "nowhere", "true", "critic_chain names a chain that nobody defined"),
    ],
)
def test_a_step_against_its_chain_is_an_error_of_the_configuration(
    agent: str, named: str, veto: str, says: str
) -> None:
    """C5: the chain is the authority."""
    text = CHAIN[:-1] + ',\n"steps": [' + STEP % (agent, named, veto) + "]}"
    found = refused(text, "critic-chains.json")
    assert [(one.line, one.wrong) for one in found] == [(2, says)]
    assert (
        step_problem(next((one for one in CHAINS if one.name == named), None), agent, can_veto=veto == "true") == says
    )


def test_the_keys_of_the_panel_keep_their_meaning_and_their_defaults() -> None:
    """004-29, P1: strategy, parallel_models and single_model; nothing is decided without a human unless told to."""
    assert chain(loaded("review: {}\n").policy.rules, "panel") == protocols.panel()
    full = """\
        review:
          strategy: parallel
          parallel_models: [haiku, sonnet]
          single_model: opus
          speculative_quality: true
          max_fix_iterations: 2
          fix_timeout_turns: 10
          auto_approve: true
          auto_reject: true
        """
    assert chain(loaded(full).policy.rules, "panel") == protocols.panel(auto_approve=True, auto_reject=True)
    single = loaded(full.replace("strategy: parallel", "strategy: single")).policy.rules
    assert [seat.roles for stage in chain(single, "panel").stages for seat in stage.seats] == [("opus",), ("opus",)]
    assert loaded(full).policy.rules.default == ("panel",)


def test_other_keys_of_the_project_are_not_ours_and_that_is_said() -> None:
    assert (
        loaded("review: {}\nproject: {name: x}\n").notes[0].endswith("only `review` is ours in such a file: project.")
    )


def test_a_project_file_can_be_named_and_its_keys_are_not_mixed_with_others() -> None:
    """004-29: by name only `review` is read; inline nothing stands beside it unread."""
    project = "review: {strategy: single}\nproject: {}\n"
    named = loaded(minimal("panel: {file: project.yaml}\n"), project_yaml=project)
    assert [seat.roles for seat in chain(named.policy.rules, "panel").stages[0].seats] == [("opus",)]
    assert named.notes[0].startswith("Not read, because only `review` is ours")
    assert refused(minimal("panel: {review: {}, strategy: single}\n"))[0].wrong == "unknown key 'review'"


@pytest.mark.parametrize(
    ("key", "wrong", "says"),
    [
        ("max_fix_iterations", "0", "max_fix_iterations must be 1-5"),
        ("max_fix_iterations", "6", "max_fix_iterations must be 1-5"),
        ("max_fix_iterations", "true", "max_fix_iterations must be 1-5"),
        ("fix_timeout_turns", "4", "fix_timeout_turns must be 5-30"),
        ("fix_timeout_turns", "31", "fix_timeout_turns must be 5-30"),
        ("auto_approve", "1", "auto_approve must be true or false"),
        ("b_only_critical", "ignore", "b_only_critical must be one of human, fix"),
    ],
)
def test_the_panel_keeps_its_own_messages(key: str, wrong: str, says: str) -> None:
    """004-01, 004-02: the limits, and the words they are refused in."""
    assert refused(f"review:\n  {key}: {wrong}\n", "project.yml")[0].wrong == says
    assert refused(f"version: 1\npanel:\n  {key}: {wrong}\n")[0].line == 3


def test_the_shipped_file_is_read_like_any_other() -> None:
    assert load_text("peer.yaml", PEER.encode(), shipped_text).policy == shipped("peer").policy


def test_the_ends_of_a_chain_are_those_the_core_knows() -> None:
    for end in ("escalate_to_human", "return_error", "return_to_author"):
        text = minimal(f"chains:\n  x: {{layers: [{{agent: a, scope: format}}], on_final_reject: {end}}}\n")
        assert chain(loaded(text).policy.rules, "x").stages[0].options.exhausted is Exhausted(end)
