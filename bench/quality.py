"""How good is what the programs say, on data that nobody here wrote?

    python -m bench.quality FOLDER

The folder holds any of `commands_*.jsonl`, `secrets_*.jsonl`, `configs_*.jsonl`, `injection_*.jsonl` and
`martian_findings_*.jsonl`. Writes a line for each figure, and how often each rule stopped something harmless into the
package, where `foureyes rules` shows it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench import matching, quality_commands, quality_configs, quality_injection, quality_secrets
from bench.lines import LEAST, MOST, Figure, keep
from foureyes.reviewers.critics import critic

MEASURED = Path(critic.__file__).with_name("measured.json")
COMMAND = "python -m bench.quality FOLDER"
Scores = list[dict[str, Any]]


def main() -> None:
    folder = Path(sys.argv[1])
    keep(*_commands(folder), *_secrets(folder), *_configs(folder), *_injection(folder), *_merging(folder))
    write_measured(folder)


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


def _secrets(folder: Path) -> Iterator[Figure]:
    for one in _rows(quality_secrets.score(folder)):
        with_extra = bool(one["extra"])
        demand = 0.85 if with_extra else 0.65
        name, words = ("extra", "with the extra") if with_extra else ("base", "without the extra")
        facts = {key: one[key] for key in ("rows", "precision", "recall", "recall_at_5_percent") if key in one}
        yield _figure(
            f"secrets.{name}", f"secrets found, F1, {words}", one["f1"], demand=demand, bound=LEAST, more=facts
        )


def _configs(folder: Path) -> Iterator[Figure]:
    for one in _rows(quality_configs.score(folder)):
        if one["source"] == "all":
            facts = {"rows": one["cases"], "checks": one["checks"]}
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
    """How often each rule stopped what should have passed, by the critic it belongs to."""
    rules: dict[str, dict[str, int]] = {}
    for module in (quality_commands, quality_secrets, quality_configs, quality_injection):
        harmless, blocked = module.false_blocks(folder)
        counted: Counter[str] = Counter(blocked)
        for rule in module.RULES:
            rules[rule] = {"harmless": harmless, "blocked": counted[rule]}
    text = json.dumps({"rules": dict(sorted(rules.items()))}, indent=1)
    MEASURED.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    if importlib.util.find_spec("credsweeper") is None:
        print("The extra foureyes[secrets] is not installed: its figures are left as they are.", file=sys.stderr)
    main()
