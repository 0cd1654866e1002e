"""Agreement of the critic for configuration files with files that others have labelled."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import configs_catalogue
from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.exposure import CRITIC
from foureyes.reviewers.critics.exposure.hcl import read_hcl
from foureyes.reviewers.critics.exposure.rules import PREFIX
from foureyes.reviewers.critics.exposure.tree import UnreadableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled file or resource, with its label and the critic's answer."""

    source: str
    check: str
    thing: str
    bad: bool
    said: bool


def cases(row: dict[str, object]) -> Iterator[Case]:
    """The labelled cases of one row; none if the check is not in scope."""
    source, check, path, text = (str(row[key]) for key in ("src", "check", "path", "text"))
    wanted = configs_catalogue.rules_of(source, check)
    if not wanted:
        return
    file = File(path=path, content=text.encode(), changed=((1, text.count("\n") + 1),))
    hits = [
        (one.line, one.rule.id.removeprefix(PREFIX))
        for one in CRITIC.look(Change(title="", kind="code", files=(file,))).hits
    ]
    if "label" in row:
        said = any(rule in wanted for _, rule in hits)
        yield Case(source=source, check=check, thing=path, bad=row["label"] == "FAILED", said=said)
        return
    met = {name for line, rule in hits if rule in wanted for name in _resource_at(text, line)}
    for key, bad in (("failing", True), ("passing", False)):
        listed = row[key]
        for name in listed if isinstance(listed, list) else []:
            yield Case(source=source, check=check, thing=str(name), bad=bad, said=re.sub(r"\[.*", "", str(name)) in met)


def _resource_at(text: str, line: int) -> list[str]:
    try:
        blocks = sorted((one.body.line, one) for one in read_hcl(text) if one.labels) if text else []
    except (UnreadableError, TypeError):
        return []
    before = [one for start, one in blocks if start <= line]
    return [".".join(before[-1].labels)] if before else []


def score(folder: Path) -> list[dict[str, object]]:
    """Precision, recall and F1 of every `configs_*.jsonl` in a folder, per source and over all."""
    found: list[dict[str, object]] = []
    for path in sorted(folder.glob("configs_*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
        all_cases = [case for row in rows for case in cases(row)]
        outside = sorted(
            {str(row["check"]) for row in rows if not configs_catalogue.rules_of(row["src"], row["check"])}
        )
        groups: dict[str, list[Case]] = defaultdict(list)
        for case in all_cases:
            groups[case.source].append(case)
        for source, group in [*sorted(groups.items()), ("all", all_cases)]:
            found.append({"file": path.name, "source": source, **_figures(group), "out_of_scope": outside})
    return found


def _figures(group: list[Case]) -> dict[str, object]:
    right = sum(one.bad and one.said for one in group)
    false = sum(one.said and not one.bad for one in group)
    missed = sum(one.bad and not one.said for one in group)
    total = 2 * right + false + missed
    return {
        "checks": len({one.check for one in group}),
        "names": sorted({one.check for one in group}),
        "cases": len(group),
        "tp": right,
        "fp": false,
        "fn": missed,
        "f1": round(2 * right / total, 3) if total else 1.0,
    }


def main() -> None:
    """Print the figures and, with a second argument, every wrong case."""
    folder = Path(sys.argv[1])
    for figures in score(folder):
        print(figures)
    if len(sys.argv) > 2:  # noqa: PLR2004 - a folder and a word
        for path in sorted(folder.glob("configs_*.jsonl")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
                for case in cases(json.loads(line)):
                    if case.bad != case.said:
                        print(number, case)


if __name__ == "__main__":
    main()
