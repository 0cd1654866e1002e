"""`foureyes rules` lists every rule that a finding may name, with its reason and how often it was wrong."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from foureyes.reviewers import critics
from foureyes.reviewers.at_hand import CRITICS, critic
from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.evidence import RULES as EVIDENCE
from foureyes.reviewers.critics.python.known import all_rules, is_passed_on, rule_of
from tests.cli.desk import Desk

DEPTH_MAX = 6
SEVERITIES = ("critical", "important", "minor")


def held(value: object, depth: int = 0) -> Iterator[Rule]:
    """Yield every rule within a value: tables of checks hold them in tuples, mappings and small records."""
    if isinstance(value, Rule):
        yield value
    elif depth < DEPTH_MAX and isinstance(value, Mapping):
        yield from (rule for pair in value.items() for one in pair for rule in held(one, depth + 1))
    elif depth < DEPTH_MAX and isinstance(value, tuple | list | set | frozenset):
        yield from (rule for one in value for rule in held(one, depth + 1))
    elif depth < DEPTH_MAX and dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        yield from (rule for name in names for rule in held(getattr(value, name, None), depth + 1))


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(critics.__path__, f"{critics.__name__}."):
        if not found.name.endswith(("__main__", "sweep_child")):  # run alone, imports what is not installed
            yield importlib.import_module(found.name)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    rows = Desk(home=tmp_path_factory.mktemp("rules") / "home").run("rules", "--json").data["rules"]
    found = {row["id"]: row for row in rows}
    assert len(found) == len(rows), "each once"
    return found


def test_every_rule_that_any_module_of_the_critics_holds_is_listed(listed: dict[str, dict[str, object]]) -> None:
    everywhere = {rule.id for module in modules() for rule in held(vars(module))}
    assert len(everywhere) > 800, "the search itself finds them"
    assert everywhere - set(listed) == set()


def test_so_is_every_rule_that_a_critic_or_a_command_of_the_policy_says_it_has(
    listed: dict[str, dict[str, object]],
) -> None:
    said = {rule.id for name in CRITICS for rule in critic(name).rules} | {rule.id for rule in EVIDENCE}
    assert said == set(listed)


def test_a_python_tool_cannot_name_a_check_that_is_not_listed(listed: dict[str, dict[str, object]]) -> None:
    """The same table decides what is passed on, whatever a newer bandit or ruff may report."""
    codes = [f"{letter}{number:03}" for letter in "BSFE" for number in range(1000)]
    passed = [rule_of(tool, code).id for tool in ("bandit", "ruff") for code in codes if is_passed_on(tool, code)]
    assert len(passed) > 100
    assert set(passed) - set(listed) == set()
    assert {rule.id for rule in all_rules()} - set(listed) == set()


def test_each_has_a_reason_a_way_out_and_a_measured_rate_or_the_word_that_it_has_none(
    listed: dict[str, dict[str, object]], tmp_path: Path
) -> None:
    for row in listed.values():
        assert row["title"], row
        assert row["why"], row
        assert row["fix"], row
        assert row["severity"] in SEVERITIES, row
    ran = Desk(home=tmp_path / "home").run("rules", "evidence")
    assert "evidence.command.fails  critical  not measured" in ran.out
    measured = sum(row["measured"] is not None for row in listed.values())
    out = Desk(home=tmp_path / "home").run("rules", "--all").out
    assert (out.count(" harmless)"), out.count("  not measured")) == (measured, len(listed) - measured)
