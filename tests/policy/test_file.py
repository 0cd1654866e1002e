"""The settings of a policy file reach the rules, and omitted ones have the shipped values."""

import os
import sys
from datetime import timedelta
from pathlib import Path
from subprocess import run

import pytest

from foureyes.core import gates
from foureyes.core.rules import Blind, Budget, Humans, KindRule, PathRule, RiskRule, Rules, SeatRule, Stage
from foureyes.core.values import ChangeKind, Part, RiskLevel, Severity
from foureyes.policy import FILE_NAME, Command, Mode, Model, PolicyErrors, Program, Role, Run, Target, shipped
from foureyes.policy.load import folder, load
from foureyes.policy.schema import SECTIONS
from foureyes.policy.shapes import Part as Section
from foureyes.policy.shapes import Special
from foureyes.policy.show import show
from tests.policy.reading import loaded, minimal, refused

EXAMPLE = """\
version: 1
reviewers:                               # who holds the roles; more can come over MCP and HTTP
  auditor: {command: codex}
  tester: {command: claude}
  hardin: [{program: security}, {model: anthropic:claude-sonnet-4-5}]
kinds:                                   # which kind of work is judged how; several styles stand behind each other
  story: resolve
  create_core: peer
  security_change: [peer, {chain: security}]
  task: panel
  default: solo
paths: {"migrations/**": database_migration, "auth/**": security_change}
ignore: ["docs/**", "*.lock"]
budget: {review_usd: 1, day_usd: 10}
resolve: {min_reviewers: 2, blind: true}
peer: {}
chains: {file: config/critic-chains.json}
session: {silence_minutes: 15}
panel: {strategy: parallel, parallel_models: [haiku, sonnet], max_fix_iterations: 2}
notify: {human: ["discord://webhook/token", "tgram://bot/chat"]}
"""
CHAINS = '{"chains": {"security": {"layers": [{"agent": "hardin", "scope": "security", "veto": true}]}}}'


def stage(rules: Rules, name: str) -> Stage:
    protocol = rules.protocol(name)
    assert protocol
    return protocol.stages[0]


def test_the_example_of_the_documentation_is_read_as_it_says() -> None:
    """D-19: kinds, paths and risk choose who looks, and how many."""
    found = loaded(EXAMPLE, **{"config__critic-chains_json": CHAINS})
    policy, rules = found.policy, found.policy.rules
    assert policy.name == "foureyes"
    assert policy.reviewers == (
        Role(name="auditor", holders=(Command(name="codex"),)),
        Role(name="tester", holders=(Command(name="claude"),)),
        Role(name="hardin", holders=(Program(name="security"), Model(provider="anthropic", name="claude-sonnet-4-5"))),
    )
    assert rules.kinds == (
        KindRule(kind="story", protocols=("resolve",)),
        KindRule(kind="create_core", protocols=("peer",)),
        KindRule(kind="security_change", protocols=("peer", "security")),
        KindRule(kind="task", protocols=("panel",)),
    )
    assert rules.default == ("solo",)
    assert rules.paths[1] == PathRule(pattern="auth/**", kind="security_change")
    assert policy.ignore == ("docs/**", "*.lock")
    assert policy.mode is Mode.ENFORCE
    assert [one.program for one in stage(rules, "security").seats] == ["security", "", ""]


def test_addresses_are_no_part_of_what_a_review_is_judged_by() -> None:
    with_them = loaded(minimal("notify: {human: ['discord://secret']}\n"))
    without = loaded(minimal(""))
    assert with_them.notify.human == ("discord://secret",)
    assert with_them.policy.digest == without.policy.digest
    assert "secret" not in repr(with_them)


def test_every_option_of_a_style_arrives() -> None:
    """D-24: M of N humans, groups, independence, what keeps a report, times and coverage."""
    rules = loaded(
        minimal(
            """\
            humans: {leads: [ann, bob, cleo]}
            resolve:
              min_reviewers: 3
              seats_max: 5
              blind: each_round
              max_revisions: 4
              answers_max: 5
              blocking_severity: important
              independence: [session, model_family]
              keeps: [rebase]
              ruling: {needs: 2, group: leads}
              coverage: 90
              later_severity: minor
              late_findings: blocking
              times:
                unassigned_minutes: 1
                volunteer_hours: 2
                unstarted_minutes: 3
                reassign_minutes: 4
                silent_minutes: 5
                total_minutes: 6
                author_hours: 7
                human_hours: 8
            """
        )
    ).policy.rules
    found = stage(rules, "resolve")
    options, times = found.options, found.options.times
    assert (len(found.seats), found.seats_max, options.blind) == (3, 5, Blind.EACH_ROUND)
    assert found.gates == (
        gates.Quorum(reviewers=3, programs=False),
        gates.Coverage(percent=90),
        gates.Resolved(at_least=Severity.IMPORTANT, answers_max=5, shelves=True, revision_answers=False),
    )
    assert options.independence == ("session", "model_family")
    assert options.keeps == {ChangeKind.REBASE}
    assert (options.ruling_needs, options.ruling_group, options.blocking) == (2, "leads", Severity.IMPORTANT)
    assert (options.floor, options.late_is_advisory) == (Severity.MINOR, False)
    minutes = (times.unassigned, times.unstarted, times.reassign, times.silent, times.total)
    assert minutes == tuple(timedelta(minutes=one) for one in (1, 3, 4, 5, 6))
    assert (times.volunteer, times.author, times.human) == tuple(timedelta(hours=one) for one in (2, 7, 8))
    assert rules.groups == (Humans(name="leads", members=frozenset({"ann", "bob", "cleo"})),)


def test_every_key_beside_the_styles_arrives() -> None:
    policy = loaded(
        minimal(
            """\
            name: ours
            enabled: true
            mode: {default: watch, Deploy: enforce}
            risks: {high: [peer, {chain: security}], low: solo}
            budget: {review_usd: 0.5, day_usd: null}
            targets: {production: 3}
            clearance: {expires_hours: 12, single_use: [trade, Deploy]}
            session: {silence_minutes: 7, reviewers: 3, role: critic}
            solo: {programs: [], agents: [claude, codex], quorum: 2, coverage: 80, blind: false, verifier: bob}
            peer: {times: {unassigned_minutes: 1, reassign_minutes: 2, silent_minutes: 3, author_hours: 4}}
            """
        )
    ).policy
    rules = policy.rules
    assert (policy.name, policy.mode, policy.mode_for("DEPLOY")) == ("ours", Mode.WATCH, Mode.ENFORCE)
    assert rules.risks == (
        RiskRule(level=RiskLevel.HIGH, protocols=("peer", "security")),
        RiskRule(level=RiskLevel.LOW, protocols=("solo",)),
    )
    assert rules.budget == Budget(review_usd_micro=500_000, day_usd_micro=0)
    assert policy.targets == (Target(name="production", level=3),)
    assert policy.level_for("production") == 3
    assert rules.clearance_expires == timedelta(hours=12)
    assert rules.single_use_kinds == {"trade", "deploy"}
    assert policy.session_silence == timedelta(minutes=7)
    assert [one.roles for one in stage(rules, "session").seats] == [("critic",)] * 3
    solo = stage(rules, "solo")
    assert (len(solo.seats), solo.options.blind) == (3, Blind.OFF)
    assert solo.seats[-1] == SeatRule(roles=("bob",), part=Part.VERIFY)
    assert "bob, who confirms or refutes each finding" in show(policy)
    times = stage(rules, "peer").options.times
    assert (times.unassigned, times.reassign, times.silent) == tuple(timedelta(minutes=one) for one in (1, 2, 3))
    assert times.author == timedelta(hours=4)
    assert solo.gates[:2] == (gates.Quorum(reviewers=2, programs=False, everyone=True), gates.Coverage(percent=80))


def test_an_empty_group_lets_nothing_pass_and_that_is_said() -> None:
    """D-24: an empty list is nobody, not everybody."""
    found = loaded(minimal("humans: {leads: []}\nsolo: {ruling: {group: leads}}\n"))
    assert found.policy.rules.group("leads") == frozenset()
    assert "The group leads is empty: it can let nothing pass." in found.notes


def test_what_decides_how_work_is_judged_is_read_even_where_it_is_ignored() -> None:
    """D-07: a policy cannot be changed unseen."""
    policy = loaded(minimal("ignore: ['*.yaml', 'docs/**', '*.md']\n")).policy
    assert policy.ignores("docs/a/b.txt")
    assert policy.ignores("values.yaml")
    assert not policy.ignores("src/main.py")
    assert not policy.ignores("Docs/a/b.txt"), "U-11: what demands less is taken by its letters"
    assert not any(
        map(
            policy.ignores,
            ("foureyes.yaml", "sub/FOUREYES.yaml", "docs/.CLAU\u200dDE/x", "AGENTS.md", "docs/deploy/x.txt"),
        )
    )


def test_a_kind_nobody_lists_is_noted() -> None:
    notes = loaded(minimal("paths: {'a/': databse_migration}\n")).notes
    assert notes[0].startswith("The kind databse_migration of a/ is not under `kinds`")


def test_a_role_that_nobody_holds_is_noted_and_programs_of_ours_come_by_themselves() -> None:
    (note,) = loaded(minimal("kinds: {default: solo}\n")).notes
    assert note == (
        "Nobody in this file holds agent: enrol agents with these roles, or write "
        "`reviewers: {agent: {command: claude}}`. Until then a human is asked instead."
    )


def test_without_a_file_the_shipped_solo_policy_holds(tmp_path: Path) -> None:
    found = load(tmp_path / FILE_NAME)
    assert found.policy == shipped("solo").policy
    assert found.notes[0] == "There is no foureyes.yaml: the shipped policy solo is used."


def test_a_file_is_read_from_its_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    """D-07: what lies outside of the policy's folder is no policy."""
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "critic-chains.json").write_text(CHAINS, encoding="utf-8")
    (home / FILE_NAME).write_text(minimal("chains: {file: config/critic-chains.json}\n"), encoding="utf-8")
    assert len(stage(load(home / FILE_NAME).policy.rules, "security").seats) == 1
    (tmp_path / "outside.json").write_text(CHAINS, encoding="utf-8")
    (home / "linked.json").symlink_to(tmp_path / "outside.json")
    (home / FILE_NAME).write_text(minimal("chains: {file: linked.json}\n"), encoding="utf-8")
    with pytest.raises(PolicyErrors, match=r"foureyes.yaml:2: .* leads out of the policy's folder"):
        load(home / FILE_NAME)
    with pytest.raises(PermissionError):
        folder(home)("../outside.json")


def test_a_policy_under_another_name_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "foureyes.yml").write_text("version: 1\n", encoding="utf-8")
    with pytest.raises(PolicyErrors, match=r"foureyes.yml:1: .* call it foureyes.yaml"):
        load(tmp_path / FILE_NAME)


def test_a_pipe_is_no_policy(tmp_path: Path) -> None:
    """Reading it would wait for ever."""
    os.mkfifo(tmp_path / FILE_NAME)
    with pytest.raises(PolicyErrors, match=r"foureyes.yaml:1: the file cannot be read"):
        load(tmp_path / FILE_NAME)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(PolicyErrors, match=r"foureyes.yaml:1: the file cannot be read"):
        load(tmp_path / FILE_NAME)


def test_a_base_revision_can_be_the_source() -> None:
    """D-07: whoever calls says where the bytes come from; a file in the working tree is not looked at."""
    asked: list[str] = []

    def base(name: str) -> bytes:
        asked.append(name)
        return {FILE_NAME: minimal("chains: {file: c.json}\n"), "c.json": CHAINS}[name].encode()

    load(Path("/nowhere") / FILE_NAME, base)
    assert asked == [FILE_NAME, "c.json"]


def test_reading_a_stored_policy_imports_no_yaml() -> None:
    """A command that only checks must start fast: a resolved policy needs no parser of files."""
    code = "import sys, foureyes.policy; sys.exit('yaml' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0


KEYS = [(section, key.name) for section, many in SECTIONS.items() for key in many]


#: The place of each section in a file.
PLACES = {
    "file": "{}",
    "ruling": "solo: {{ruling: {}}}",
    "times": "solo: {{times: {}}}",
    "chain": "chains: {{x: {}}}",
    "layer": "chains: {{x: {{layers: [{}]}}}}",
    "step": "chains: {{steps: [{}]}}",
    "peer times": "peer: {{times: {}}}",
    "review_required": "peer: {{review_required: {}}}",
    "skip_if": "peer: {{review_required: {{skip_if: [{}]}}}}",
    "matrix row": "peer: {{reviewer_matrix: {{dev: {}}}}}",
    "criteria set": "peer: {{criteria: {{task: {}}}}}",
    "criterion": "peer: {{criteria: {{task: {{required: {{a: {}}}}}}}}}",
    "standards": "peer: {{standards: {}}}",
    "approve": "peer: {{standards: {{approve: {}}}}}",
    "request_changes": "peer: {{standards: {{request_changes: {}}}}}",
    "reject": "peer: {{standards: {{reject: {}}}}}",
    "escalation": "peer: {{escalation: {}}}",
    "trigger": "peer: {{escalation: {{auto_escalate_to_human: [{}]}}}}",
    "condition": "peer: {{auto_escalate: [{}]}}",
    "manual_escalate": "peer: {{manual_escalate: {}}}",
    "performance": "peer: {{performance: {}}}",
    "learning": "peer: {{learning: {}}}",
    "auto_skip_eligibility": "peer: {{learning: {{auto_skip_eligibility: {}}}}}",
    "notifications": "peer: {{notifications: {}}}",
    "webhook": "notify: {{webhooks: [{}]}}",
    "person": "notify: {{people: {{ann: {}}}}}",
    "service": "services: {{reactor: {}}}",
}


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_no_key_is_left_unread(section: str, key: str) -> None:
    """A value that no key can have is refused under every key there is, with its line and the key's name or place."""
    wrong = "[[{nonsense: 7}]]"
    if section == "chains file":
        text, name = f'{{"chains": {{}},\n"{key}": [[7]]}}'.replace('"chains": {},\n"chains"', '\n"chains"'), "c.json"
    elif section == "file":
        text, name = (f"version: 1\n{key}: {wrong}\n" if key != "version" else f"\nversion: {wrong}\n"), FILE_NAME
    else:
        place = PLACES.get(section, section + ": {}")
        text, name = "version: 1\n" + place.format(f"{{{key}: {wrong}}}") + "\n", FILE_NAME
    found = refused(text, name)
    assert [one for one in found if one.line == 2 and "unknown key" not in one.wrong], found


def test_every_section_is_reached_from_the_file() -> None:
    named = {key.shape.section for many in SECTIONS.values() for key in many if isinstance(key.shape, Section)}
    special = {key.name for many in SECTIONS.values() for key in many if isinstance(key.shape, Special)}
    own = {
        "file",
        "chain",
        "layer",
        "step",
        "chains file",
        "skip_if",
        "matrix row",
        "criteria set",
        "criterion",
        "trigger",
        "condition",
        "webhook",
        "person",
        "service",
    }
    assert set(SECTIONS) == named | own | (special & set(SECTIONS))


def test_a_command_of_the_project_holds_a_role() -> None:
    """D-17: as it stands, without a shell."""
    policy = loaded("version: 1\nkinds: {default: solo}\nreviewers: {tests: {run: make 'all tests'}}\n").policy
    assert policy.reviewers[0].holders == (Run(argv=("make", "all tests")),)


@pytest.mark.parametrize("line", ["''", "'make \"'", "[make]", "1", "' '"])
def test_what_is_no_command_is_refused(line: str) -> None:
    with pytest.raises(PolicyErrors, match="nobody who can hold a role"):
        loaded(f"version: 1\nkinds: {{default: solo}}\nreviewers: {{tests: {{run: {line}}}}}\n")
