"""A policy can be shown, explained for a work, and compared with a new one."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import gates
from foureyes.core.rules import Rules
from foureyes.core.values import RiskLevel
from foureyes.policy import SHIPPED, Mode, Policy, shipped
from foureyes.policy.diff import Change, Direction, diff, diff_text
from foureyes.policy.explain import explain
from foureyes.policy.show import show
from foureyes.policy.words import gate_words, span_words
from tests.policy.reading import loaded, minimal

TEAM = shipped("team").policy


def changed(old: str, new: str) -> list[str]:
    """The differences between two files, as lines."""
    return [str(one) for one in diff(loaded(minimal(old)).policy, loaded(minimal(new)).policy)]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_policy_is_shown_with_its_kinds_its_people_and_its_styles(name: str) -> None:
    text = show(shipped(name).policy)
    assert f"policy {name}, exact version {shipped(name).policy.digest}" in text
    assert "  every other kind: " in text
    assert "nobody knows" not in text


def test_a_shown_policy_says_who_looks_and_what_must_hold() -> None:
    lines = show(TEAM).splitlines()
    for line in (
        "mode: enforce, docs: watch",
        "  security_change: peer, then chain security",
        "  auth/ is security_change too",
        "  high or more: chain security",
        "    asks hardin: the program security and nobody else on security, with a veto",
        "    asks hardin, where at hand beside it: codex on security, with a veto",
        "    asks an account with the role hardin, where one is enrolled beside it on security, with a veto",
        "    needs 2 different reviewers who vouch for this very version (programs do not count)",
        "  new versions: at most 10, then it is shelved",
        "  production: independence of level 2",
        "  a review may cost 1.00 USD, a day 10.00 USD",
        "also defined: chain default, chain research, chain financial, chain content, chain trading",
    ):
        assert line in lines


def test_what_a_policy_leaves_to_others_is_shown_too() -> None:
    policy = loaded(
        minimal(
            """\
            enabled: false
            ignore: ["docs/**"]
            humans: {leads: [ann, bob], none: []}
            budget: {review_usd: null}
            clearance: {expires_hours: 12, single_use: [trade]}
            solo:
              independence: [operator]
              keeps: [rebase]
              ruling: {needs: 2, group: leads}
              times: {human_hours: null}
            peer:
              review_required:
                skip_if:
                  - {action_type: fix_typo}
                  - {autonomy_level: high, except_for: [deploy]}
                  - {has_auto_skip_pattern: true}
            """
        )
    ).policy
    lines = show(policy).splitlines()
    for line in (
        "reviews are switched off, except of vetoes, of high risk and of kinds that are never skipped",
        "  docs/**",
        "  leads: ann, bob",
        "  none: nobody",
        "  a review may cost any sum, a day 10.00 USD",
        "  an approval ends after 12 hours",
        "  good for going live once: trade",
        "  reviewers differ from the author and each other in operator",
        "  reports stay good after a mere rebase",
        "  it takes 2 humans of leads to let it pass",
        "  a human has 2 days to decide, and is only reminded after that",
        "  fix_typo, where a program proves that only prose, comments or layout changed",
        "  authors of autonomy high, where a program proves that only prose, comments or layout changed, except deploy",
        "  authors whose record a human has enabled: 10 successes, 90% sure on average",
    ):
        assert line in lines


def test_every_gate_has_words() -> None:
    known = [getattr(gates, name) for name in gates.__all__ if hasattr(getattr(gates, name), "judge")]
    made = [
        kind(**({"chain": ("a",)} if kind is gates.Majority else {"check": "tests"} if kind is gates.Evidence else {}))
        for kind in known
        if kind not in {gates.Standards, gates.Unknown}
    ]
    assert all("nobody knows" not in gate_words(one) for one in made)
    assert "it never passes" in gate_words(gates.Unknown(name="x"))


def test_it_is_explained_which_kind_path_or_risk_demanded_what() -> None:
    """D-08: the styles are those the core itself computes."""
    text = explain(TEAM, "Create Core", ("auth/login.py", "notes.txt"), RiskLevel.HIGH)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == "create_core of high risk under policy team:"
    assert "because it is create_core" in lines
    assert "because auth/login.py matches auth/, which makes it security_change" in lines
    assert "because its risk is high" in lines
    assert "in all: at most 2 new versions" in lines
    assert "never without reviewers: it is security_change" in lines
    assert "enforced: it stops" in lines


def test_what_is_not_read_watched_or_skipped_is_explained() -> None:
    policy = loaded(
        minimal(
            """\
            mode: watch
            ignore: ["docs/**"]
            risks: {low: peer}
            peer: {review_required: {skip_if: [{action_type: fix_typo}]}}
            """
        )
    ).policy
    lines = [line.strip() for line in explain(policy, "odd", ("docs/a.txt",)).splitlines()]
    assert "because it is odd, which is judged as every other kind" in lines
    assert "because its risk is low or more" in lines
    assert "not read: docs/a.txt" in lines
    assert "perhaps without reviewers, by the rules trivial" in lines
    assert "watched: it is said what would stop it, nothing is stopped" in lines
    off = replace(policy, rules=replace(policy.rules, enabled=False))
    assert "the policy switches reviews off" in explain(off, "odd")
    assert "the policy has no fast lane" in explain(TEAM, "odd")


def test_an_undefined_style_is_explained_as_one_that_never_passes() -> None:
    broken = replace(TEAM, rules=replace(TEAM.rules, default=("nowhere",)))
    assert "nowhere, which nobody defined: it never passes" in explain(broken, "odd")


def test_the_same_policy_has_no_differences() -> None:
    assert diff_text(TEAM, TEAM) == "the policies say the same"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "resolve: {min_reviewers: 1, seats_max: 10}\n", "weaker: resolve / Quorum / reviewers: 2 becomes 1"),
        ("", "resolve: {min_reviewers: 3}\n", "stricter: resolve / Quorum / reviewers: 2 becomes 3"),
        ("", "resolve: {blind: false}\n", "weaker: resolve / blind: first becomes off"),
        ("", "resolve: {blind: each_round}\n", "stricter: resolve / blind: first becomes each_round"),
        (
            "",
            "resolve: {blocking_severity: important}\n",
            "weaker: resolve / Resolved / at least: minor becomes important",
        ),
        ("", "enabled: false\n", "weaker: enabled: true becomes false"),
        ("", "mode: watch\n", "weaker: every other kind: enforce becomes watch"),
        ("mode: watch\n", "mode: {default: watch, deploy: enforce}\n", "stricter: deploy: watch becomes enforce"),
        ("", "ignore: ['docs/**']\n", "weaker: ignore: docs/** is new"),
        ("ignore: ['docs/**']\n", "", "stricter: ignore: docs/** is gone"),
        ("paths: {'auth/': deploy}\n", "", "weaker: paths: auth/ as deploy is gone"),
        ("", "risks: {high: peer}\n", "stricter: risks: high is new"),
        ("targets: {live: 3}\n", "targets: {live: 1}\n", "weaker: target live: level 3 becomes 1"),
        ("", "targets: {live: 1}\n", "stricter: every other target: level 0 becomes 1"),
        ("targets: {live: 3}\n", "targets: {live: 3, lab: 1}\n", "weaker: target lab: level 3 becomes 1"),
        ("targets: {live: 3}\n", "", "weaker: every other target: level 3 becomes 0"),
        ("targets: {live: 3}\n", "targets: {live: 3, lab: 3}\n", "other: targets: listed otherwise, the same levels"),
        ("", "solo: {independence: [operator]}\n", "stricter: solo / independence: operator is new"),
        ("", "solo: {keeps: [rebase]}\n", "weaker: solo / keeps: rebase is new"),
        ("", "solo: {coverage: 50}\n", "weaker: solo / Coverage / percent: 100 becomes 50"),
        ("", "resolve: {coverage: 50}\n", "stricter: resolve: Coverage is new"),
        ("", "solo: {ruling: {needs: 2}}\n", "stricter: solo / ruling needs: 1 becomes 2"),
        ("", "panel: {auto_approve: true}\n", "weaker: panel / quality / Agreement / auto approve: false becomes true"),
        ("", "clearance: {expires_hours: 5}\n", "stricter: clearance expires: none becomes 5 hours"),
        (
            "clearance: {expires_hours: 5}\n",
            "clearance: {expires_hours: 30}\n",
            "weaker: clearance expires: 5 hours becomes 30 hours",
        ),
        ("", "humans: {leads: [ann]}\n", "other: groups: leads is new"),
        ("humans: {leads: [ann]}\n", "humans: {leads: [ann, bob]}\n", "weaker: groups / leads / members: bob is new"),
        ("", "peer: {standards: {mode: advisory}}\n", "weaker: peer / Standards / mode: strict becomes advisory"),
        (
            "",
            "peer: {standards: {approve: {min_confidence: 60}}}\n",
            "weaker: peer / Standards / confidence min: 80 becomes 60",
        ),
        ("", "peer: {review_required: {skip_if: [{action_type: typo}]}}\n", "weaker: skips: trivial is new"),
        ("", "peer: {learning: {audit_percent: 5}}\n", "weaker: learning / audit percent: 10 becomes 5"),
        ("", "budget: {review_usd: 2}\n", "other: budget / review usd micro: 1000000 becomes 2000000"),
        ("", "session: {reviewers: 1}\n", "weaker: session / seats: reviewer (2) is gone"),
        (
            "peer: {review_required: {skip_if: [{action_type: a}]}}\n",
            "peer: {review_required: {skip_if: [{action_type: a}, {action_type: b}]}}\n",
            "weaker: skips / trivial / kinds: b is new",
        ),
        (
            "",
            "peer: {escalation: {auto_escalate_to_human: [{review_type: deploy, reviewer_confidence: '<90'}]}}\n",
            "stricter: peer / Certainty / kinds: deploy is new",
        ),
        (
            "reviewers: {a: {command: codex}}\n",
            "reviewers: {a: {command: claude}}\n",
            "other: reviewers / a / holders: command codex is gone",
        ),
        (
            "peer: {criteria: {task: {required: [{a: b}]}}}\n",
            "peer: {criteria: {task: {required: [{a: b}, {c: d}]}}}\n",
            "stricter: peer / Standards / criteria / task / required: c is new",
        ),
        ("", "session: {silence_minutes: 20}\n", "other: session silence: 15 minutes becomes 20 minutes"),
        ("", "reviewers: {auditor: {command: codex}}\n", "other: reviewers: auditor is new"),
        (
            "",
            "chains: {security: {layers: [{agent: seldon, scope: format}]}}\n",
            "weaker: security: security.security is gone",
        ),
        ("", "kinds: {deploy: [solo, peer]}\n", "stricter: deploy is judged by peer too"),
        (
            "kinds: {default: [solo, peer]}\n",
            "kinds: {deploy: solo, default: [solo, peer]}\n",
            "weaker: deploy is no longer judged by peer",
        ),
        ("kinds: {x: [solo, peer]}\n", "kinds: {x: [peer, solo]}\n", "other: x is judged in another order: peer, solo"),
    ],
)
def test_a_difference_is_said_and_weighed(old: str, new: str, says: str) -> None:
    """D-07: a human sees a weakening before the policy holds."""
    assert says in changed(old, new)


def test_a_lost_veto_is_a_weakening() -> None:
    layers = "chains: {x: {layers: [{agent: ann, scope: security, veto: %s}]}}\n"
    assert "weaker: x / x.security / seats / ann on security / veto: true becomes false" in changed(
        layers.replace("%s", "true"), layers.replace("%s", "false")
    )


def test_weakenings_come_first() -> None:
    found = diff(TEAM, shipped("solo").policy)
    order = [one.direction for one in found]
    assert diff_text(TEAM, shipped("solo").policy).splitlines() == [str(one) for one in found]
    assert order == sorted(order, key=[Direction.WEAKER, Direction.OTHER, Direction.STRICTER].index)
    assert Change(direction=Direction.WEAKER, words="task is no longer judged by panel") in found


def test_any_change_of_the_rules_is_a_difference() -> None:
    """Nothing that is written down can change unseen."""
    policy = shipped("peer").policy
    others = [
        replace(policy.rules, limits=replace(policy.rules.limits, notes_max=1)),
        replace(policy.rules, learning=replace(policy.rules.learning, fresh_for=timedelta(days=8))),
        replace(policy.rules, skips=policy.rules.skips[::-1]),
        replace(policy.rules, protocols=policy.rules.protocols[1:]),
    ]
    assert all(diff(policy, _with(policy, rules)) for rules in others)


def _with(policy: Policy, rules: Rules) -> Policy:
    return replace(policy, rules=rules)


def test_spans_are_said_in_the_largest_unit_that_fits() -> None:
    assert [span_words(timedelta(minutes=one)) for one in (1, 15, 60, 90, 2880)] == [
        "1 minute",
        "15 minutes",
        "1 hour",
        "90 minutes",
        "2 days",
    ]
    assert span_words(timedelta(seconds=30)) == "30 seconds"


def test_work_is_enforced_where_one_of_its_kinds_is_whatever_its_author_calls_it() -> None:
    """D-07: a label adds and takes nothing away, so none of them turns enforcing into watching."""
    policy = loaded(
        minimal(
            """\
            mode: {default: watch, security_change: enforce, docs: watch}
            paths: {"auth/**": security_change}
            """
        )
    ).policy
    watched, enforced = "watched: it is said what would stop it, nothing is stopped", "enforced: it stops"
    for kind, paths, wanted in (
        ("docs", ("a.txt",), watched),
        ("other", (), watched),
        ("docs", ("a.txt", "auth/login.py"), enforced),
        ("Security-Change", (), enforced),
    ):
        assert explain(policy, kind, paths).splitlines()[-1].strip() == wanted, (kind, paths)
    strict = loaded(minimal("mode: {docs: watch}\n")).policy
    assert [strict.mode_of(kinds) for kinds in ((), ("docs",), ("docs", "other"))] == [
        Mode.ENFORCE,
        Mode.WATCH,
        Mode.ENFORCE,
    ]
