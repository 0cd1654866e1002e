"""Quality of the built-in programs on data sets that others have labelled.

    python -m bench.quality FOLDER [PYTHON]

The folder holds any of `commands_*.jsonl`, `secrets_*.jsonl`, `configs_*.jsonl`, `injection_*.jsonl` and
`martian_findings_*.jsonl`. Writes a line for each figure, and how often each rule stopped something harmless into the
package, where `foureyes rules` shows it. PYTHON is one that has the extra `foureyes[secrets]`, if this one has not.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench import configs_catalogue, matching, quality_commands, quality_configs, quality_injection, quality_secrets
from bench.lines import LEAST, MOST, Figure, keep
from bench.page import write
from foureyes.reviewers.critics import commands, critic, exposure, injection, secrets
from foureyes.reviewers.critics.critic import Judged, Rule, State
from foureyes.reviewers.critics.exposure.rules import PREFIX

MEASURED = Path(critic.__file__).with_name("measured.json")
COMMAND = "python -m bench.quality FOLDER"
Scores = list[dict[str, Any]]
SECRETS_FACTS = ("rows", "precision", "recall", "recall_at_5_percent")


def main() -> None:
    folder, python = Path(sys.argv[1]), "".join(sys.argv[2:3])
    keep(*_commands(folder), *_secrets(folder, python), *_configs(folder), *_injection(folder), *_merging(folder))
    write_measured(folder)
    write()


def _figure(name: str, what: str, measured: float, *, demand: float | None, bound: str, more: dict[str, Any]) -> Figure:
    return Figure(
        figure=f"quality.{name}",
        what=what,
        measured=measured,
        unit="",
        command=COMMAND,
        correct=bool(more.get("rows", 1)),
        demand=demand,
        bound=bound,
        more=more,
    )


def _commands(folder: Path) -> Iterator[Figure]:
    scores = quality_commands.score(folder)
    overall: dict[str, Any] = next(one for one in scores if one["source"] == "all")
    bad, good = {"rows": overall["block_rows"]}, {"rows": overall["allow_rows"]}
    per = {str(one["source"]): one["recall"] for one in scores if one["source"] != "all" and one["recall"] is not None}
    recall, blocks, unknown = (overall[key] for key in ("recall", "blocks_on_allow", "unknown_on_allow"))
    yield _figure(
        "commands.recall",
        "dangerous commands blocked",
        recall,
        demand=0.90,
        bound=LEAST,
        more={**bad, "per_source": per},
    )
    yield _figure("commands.false", "harmless commands blocked", blocks, demand=0.03, bound=MOST, more=good)
    yield _figure("commands.unknown", "harmless commands not understood", unknown, demand=0.10, bound=MOST, more=good)


def _secrets(folder: Path, python: str) -> Iterator[Figure]:
    for one in _rows(quality_secrets.score(folder, python)):
        with_extra = bool(one["extra"])
        demand = 0.85 if with_extra else 0.65
        name, words = ("extra", "with the extra") if with_extra else ("base", "without the extra")
        facts: dict[str, Any] = {key: one[key] for key in SECRETS_FACTS if key in one}
        facts |= {"f1_without_identifiers": one["without_identifiers"]["f1"], "f1_of_blocks": one["blocked"]["f1"]}
        yield _figure(
            f"secrets.{name}", f"secrets found, F1, {words}", one["f1"], demand=demand, bound=LEAST, more=facts
        )


def _configs(folder: Path) -> Iterator[Figure]:
    for one in _rows(quality_configs.score(folder)):
        if one["source"] == "all":
            tried = {"in_scope": one["names"], "out_of_scope": one["out_of_scope"]}
            facts = {"rows": one["cases"], "checks": one["checks"], **tried}
            yield _figure(
                "configs", "configuration checks in scope, F1", one["f1"], demand=0.85, bound=LEAST, more=facts
            )


def _injection(folder: Path) -> Iterator[Figure]:
    for one in _rows(quality_injection.score(folder)):
        own, benign = one["file"] == "own", one["label"] == "benign"
        demand, bound = (1.0, LEAST) if own else (0.02, MOST) if benign else (None, LEAST)
        kind = str(one["kind"]).replace(" ", "-")
        what = f"{one['label']}, {one['kind']}: share flagged" + (" (own corpus)" if own else "")
        name = f"injection.{'own' if own else one['label']}.{kind}"
        yield _figure(name, what, one["flagged"], demand=demand, bound=bound, more={"rows": one["rows"]})


def _merging(folder: Path) -> Iterator[Figure]:
    found: dict[str, Any] = dict(matching.measure(folder))["pairs_with_a_true_finding"]  # type: ignore[assignment]
    facts = {key: found[key] for key in ("precision", "recall")}
    yield _figure(
        "merging", "findings of several reviewers merged, pair F1", found["f1"], demand=0.65, bound=LEAST, more=facts
    )


def _rows(scores: Iterable[dict[str, object]]) -> Scores:
    return [dict(one) for one in scores]


def write_measured(folder: Path) -> None:
    """Write how often each rule stopped what should have passed; a rule that was not tried has no rate."""
    rules = {**_of_commands(folder), **_of_secrets(folder), **_of_configs(folder), **_of_injection(folder)}
    told = {rule: {"harmless": harmless, "blocked": blocked} for rule, (harmless, blocked) in sorted(rules.items())}
    MEASURED.write_text(f"{json.dumps({'rules': told}, indent=1)}\n", encoding="utf-8")


Rates = dict[str, tuple[int, int]]


def _rates(rules: Iterable[Rule], harmless: int, blocked: Iterable[str]) -> Rates:
    counted = Counter(blocked)
    return {rule.id: (harmless, counted[rule.id]) for rule in rules if rule.severity != "minor"}


def _of_commands(folder: Path) -> Rates:
    rows = [row for path in folder.glob("commands_*.jsonl") for row in quality_commands.rows(path)]
    good = [commands.judge_command(row["command"]) for row in rows if row["label"] != "block"]
    return _rates(commands.CRITIC.rules, len(good), _blocks(good))


def _of_secrets(folder: Path) -> Rates:
    harmless, blocked = quality_secrets.false_blocks(folder)
    return _rates(secrets.CRITIC.rules, harmless, blocked)


def _of_injection(folder: Path) -> Rates:
    lines = [line for path in folder.glob("injection_*.jsonl") for line in path.read_text(encoding="utf-8").split("\n")]
    rows = [json.loads(line) for line in lines if line]
    good = [quality_injection.judge(row["text"], row["kind"]) for row in rows if row["label"] == "benign"]
    return _rates(injection.CRITIC.rules, len(good), _blocks(good))


def _of_configs(folder: Path) -> Rates:
    """A file that passes one check may fail another, so a rule is tried only by the checks it answers."""
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    lines = [line for path in folder.glob("configs_*.jsonl") for line in path.read_text(encoding="utf-8").split("\n")]
    for row in (json.loads(line) for line in lines if line):
        names = {f"{PREFIX}{one}" for one in configs_catalogue.rules_of(row["src"], row["check"])}
        for case in quality_configs.cases(row):
            tried.update(names if not case.bad else ())
            wrong.update(names if case.said and not case.bad else ())
    grave = {rule.id for rule in exposure.CRITIC.rules if rule.severity != "minor"}
    return {rule: (count, wrong[rule]) for rule, count in tried.items() if rule in grave}


def _blocks(judged: Iterable[Judged]) -> Iterator[str]:
    return (hit.rule.id for one in judged for hit in one.hits if hit.state is State.BLOCK)


if __name__ == "__main__":
    if importlib.util.find_spec("credsweeper") is None and len(sys.argv) < 3:  # noqa: PLR2004 - a folder and a Python
        print("The extra foureyes[secrets] is not installed: its figures are left as they are.", file=sys.stderr)
    main()
