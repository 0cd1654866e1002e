"""The demands of the simulated policies, written by hand for the checker; nothing here is computed.

A stage says how its verdicts count (`none`: only the quorum, `all`, `majority` of the chain, `tally`), its seats, what
blocks, and its other conditions. A field that is left out has the default of `StagePolicy`.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

KINDS: Json = {
    "story": ("resolve",),
    "create_core": ("peer",),
    "architecture_decision": ("peer",),
    "breaking_change": ("peer",),
    "security_change": ("peer", "security"),
    "database_migration": ("peer",),
    "fix_typo": ("peer",),
    "deploy": ("infrastructure",),
    "answer": ("default",),
    "research": ("research",),
    "article": ("content",),
    "trade": ("trading",),
    "vote": ("vote",),
    "milestone": ("session",),
    "task": ("panel",),
    "careful_task": ("panel_human",),
    "single_task": ("panel_single",),
    "script": ("solo",),
    "guarded": ("guarded",),
    "verified": ("verified",),
    "committee": ("committee",),
    "orphan": ("orphan",),
    "release": ("resolve", "security"),
    "launch": ("session", "solo"),
    "mystery": ("mystery",),
    "hollow": ("hollow",),
    "unmanned": ("unmanned",),
    "nowhere": ("nobody_wrote_this",),
}
CREATE_CORE = (
    "correct_interface_design",
    "proper_error_handling",
    "has_comprehensive_tests",
    "follows_naming_conventions",
    "no_breaking_changes",
    "documentation_complete",
    "single_responsibility",
    "size_appropriate",
)
ARCHITECTURE = (
    "problem_clearly_stated",
    "options_evaluated",
    "tradeoffs_documented",
    "recommendation_justified",
    "impacts_identified",
)
CRITERIA = {
    "create_core": CREATE_CORE,
    "architecture_decision": ARCHITECTURE,
    "": ("does_what_it_says", "errors_handled", "nothing_broken"),
}
PEOPLE = frozenset({"hana", "hugo", "hedda"})


def first() -> Json:
    """The policy a world begins with."""
    return {
        "protocols": protocols(),
        "kinds": KINDS,
        "default": ("resolve",),
        "paths": {"auth/": "security_change", "migrations/": "database_migration"},
        "skip_kinds": frozenset({"fix_typo", "story"}),
        "skip_autonomy": "aggressive",
        "skip_learned": True,
        "groups": {"board": PEOPLE, "empty": frozenset()},
        "reopenings_max": 4,
        "single_use_kinds": frozenset({"trade"}),
    }


def second() -> Json:
    """The stricter policy: nothing is skipped, and risky bytes meet the default chain too."""
    changed = {
        "resolve": _resolve(reviewers=3, blind="each_round"),
        "peer": _peer(checklist=False),
        "session": _session(reviewers=3),
        "panel": _panel(("haiku", "sonnet"), human=True, fixes=2),
    }
    return {
        **first(),
        "protocols": {**protocols(), **changed},
        "risks": (("high", ("default",)),),
        "skip_kinds": frozenset(),
        "skip_autonomy": "",
        "skip_learned": False,
        "expires_seconds": 7_200,
    }


def third() -> Json:
    """Reviews are switched off."""
    return {**first(), "enabled": False, "skip_kinds": frozenset(), "skip_autonomy": "", "skip_learned": False}


def protocols() -> Json:
    """Every review style of the first policy."""
    return {
        "resolve": _resolve(reviewers=2, blind="first"),
        "peer": _peer(checklist=True),
        "session": _session(reviewers=2),
        "panel": _panel(("haiku", "sonnet"), human=False, fixes=2),
        "panel_human": _panel(("haiku", "sonnet"), human=True, fixes=1),
        "panel_single": _panel(("sonnet",), human=False, fixes=2),
        "solo": _solo(),
        "default": _chain("default", ("format",), retries=3, exhausted="return_error", vote="majority"),
        "security": _chain("security", ("format", "security!"), retries=2),
        "research": _chain("research", ("format", "factual!"), retries=3),
        "infrastructure": _chain("infrastructure", ("format", "security!", "operational"), retries=2),
        "financial": _chain("financial", ("format", "financial", "factual!"), retries=1),
        "content": _chain("content", ("creative", "factual!"), retries=3, exhausted="return_to_author"),
        "trading": _chain("trading", ("format", "security!", "quantitative"), retries=1),
        "vote": _chain("vote", ("one", "two", "three"), retries=0, exhausted="return_to_author", vote="majority"),
        "guarded": _guarded(),
        "verified": _verified(),
        "committee": _committee("committee", "board", needs=2),
        "orphan": _committee("orphan", "empty", needs=1),
        "mystery": {"style": "chain", "revisions_max": 1, "stages": [_never("mystery", seats=1)]},
        "hollow": {"style": "chain", "revisions_max": 1, "stages": [_never("hollow", seats=0)]},
        "nobody_wrote_this": {"style": "solo", "stages": [_never("nobody_wrote_this", seats=0)], "revisions_max": 99},
        "unmanned": {"style": "chain", "revisions_max": 1, "stages": [_never("unmanned", seats=1)]},
    }


def _resolve(*, reviewers: int, blind: str) -> Json:
    stage = {"name": "resolve", "vote": "none", "quorum": reviewers, "blocking": "minor", "blind": blind}
    stage["seats"] = tuple({"who": "anyone"} for _ in range(reviewers))
    return {"style": "resolve", "revisions_max": 10, "exhausted": "shelve", "stages": [{**stage, "seats_max": 10}]}


def _peer(*, checklist: bool) -> Json:
    stage = {"name": "peer", "seats": ({"who": "matrix"},), "blind": "off", "confidence_min": 80}
    return {"style": "peer", "revisions_max": 3, "stages": [{**stage, "criteria": CRITERIA if checklist else {}}]}


def _session(*, reviewers: int) -> Json:
    seats = tuple({"who": "reviewer"} for _ in range(reviewers))
    return {"style": "session", "revisions_max": 10, "stages": [{"name": "session", "vote": "tally", "seats": seats}]}


def _panel(models: tuple[str, ...], *, human: bool, fixes: int) -> Json:
    seats = tuple({"who": model} for model in models)
    spec = {"name": "spec", "seats": seats}
    quality = {"name": "quality", "seats": seats, "human": human, "agreed": ("spec", "quality")}
    return {"style": "panel", "revisions_max": fixes, "stages": [spec, quality]}


def _solo() -> Json:
    seats = ({"who": "linter"}, {"who": "agent"}, {"who": "reviewer"})
    stage = {"name": "solo", "vote": "none", "seats": seats, "programs": False, "coverage": 100, "seats_max": 8}
    return {"style": "solo", "revisions_max": 2, "stages": [stage]}


def _chain(
    name: str, layers: tuple[str, ...], *, retries: int, exhausted: str = "escalate_to_human", vote: str = "all"
) -> Json:
    """Layers in order; an exclamation mark is a veto."""
    stages = [
        {
            "name": f"{name}.{layer.rstrip('!')}",
            "vote": vote,
            "seats": ({"who": layer.rstrip("!"), "veto": layer.endswith("!")},),
            "late_is_advisory": False,
        }
        for layer in layers
    ]
    return {"style": "chain", "revisions_max": retries, "exhausted": exhausted, "stages": stages}


def _guarded() -> Json:
    stage = {
        "name": "guarded",
        "vote": "none",
        "quorum": 2,
        "distinct": "operator",
        "programs": False,
        "seats": ({"who": "agent"}, {"who": "reviewer"}),
        "coverage": 80,
        "blind": "each_round",
        "independence": ("operator",),
        "of_author": ("model_family",),
        "keeps": ("rebase", "message", "content"),
        "seats_max": 4,
    }
    checks = {"name": "checks", "seats": ({"who": "tests"},), "keeps": ("rebase", "message", "content")}
    return {"style": "solo", "revisions_max": 3, "stages": [checks, stage]}


def _verified() -> Json:
    stage = {
        "name": "verified",
        "vote": "none",
        "programs": False,
        "blocking": "minor",
        "own_blocking": "important",
        "seats": ({"who": "linter"}, {"who": "anyone"}, {"who": "verifier", "part": "verify"}),
    }
    return {"style": "solo", "revisions_max": 2, "failures_max": 1, "stages": [stage]}


def _committee(name: str, group: str, *, needs: int) -> Json:
    stage = {"name": f"{name}.risk", "seats": ({"who": "hardin or auditor", "veto": True},)}
    return {"style": "chain", "revisions_max": 1, "ruling_needs": needs, "ruling_group": group, "stages": [stage]}


def _never(name: str, *, seats: int) -> Json:
    """A stage that only a human can pass."""
    return {"name": name, "seats": tuple({"who": "anyone"} for _ in range(seats)), "human": True}
