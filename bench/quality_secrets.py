"""Quality of the secrets critic on lines that others have labelled, with and without the extra.

Each row is a line of its own: `line_b64`, `label` (T: a secret, F: none, X: not counted), `category`, `ext`.
`python -m bench.quality_secrets FOLDER [PYTHON]`; PYTHON is one that has CredSweeper, if this one has not.
"""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import Judged, State
from foureyes.reviewers.critics.secrets import rules
from foureyes.reviewers.critics.secrets import sweep as extra
from foureyes.reviewers.critics.secrets.critic import SecretsCritic
from foureyes.reviewers.critics.secrets.extra import ask
from foureyes.reviewers.critics.secrets.find import find

FALSE_ALARMS_MAX = 0.05
#: The extra is slow on a loaded machine; its limit in a review is far lower.
SECONDS_MAX = 1_200

RULES = tuple(rule.id for rule in rules.ALL)

Sweeper = Callable[[Sequence[extra.Line]], extra.Sweep]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A labelled line as a file of one line."""

    file: File
    secret: bool
    category: str


def score(folder: Path, python: str = "") -> list[dict[str, Any]]:
    """One result for each file of rows, with and without the extra."""
    ways: list[tuple[bool, Sweeper | None]] = [(False, None)]
    if python or extra.installed():
        ways.append((True, partial(extra.sweep, seconds=SECONDS_MAX, command=_command(python))))
    return [
        {"set": path.name, "extra": way, **_measure(rows, sweeper)}
        for path in sorted(folder.glob("secrets_*.jsonl"))
        for rows in [list(_rows(path))]
        for way, sweeper in ways
    ]


def _command(python: str) -> tuple[str, ...]:
    return (python, "-I", str(Path(extra.__file__).with_name("sweep_child.py"))) if python else ()


def _rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if row["label"] in ("T", "F"):
                file = File(
                    path=f"rows/{number}{row['ext']}", content=base64.b64decode(row["line_b64"]), changed=((1, 1),)
                )
                yield Row(file=file, secret=row["label"] == "T", category=str(row["category"]).split(":")[0])


def _measure(rows: Sequence[Row], sweeper: Sweeper | None) -> dict[str, Any]:
    answer = _once(sweeper)
    judged = _look(rows, answer)
    told = {hit.path for hit in judged.hits}
    blocked = {hit.path for hit in judged.hits if hit.state is State.BLOCK}
    named = [row for row in rows if row.category != "UUID"]
    missed = Counter(row.category for row in rows if row.secret and row.file.path not in told)
    return {
        "rows": len(rows),
        "looked_at": judged.looked_at,
        **_figures(rows, told),
        "recall_at_5_percent": round(_recall_at(rows, _scores(rows, answer)), 3),
        #: Only findings that block, without identifiers, which most people do not count as secrets.
        "blocked": _figures(rows, blocked),
        "without_identifiers": _figures(named, told),
        "missed": dict(missed.most_common(8)),
    }


def _look(rows: Sequence[Row], answer: Sweeper) -> Judged:
    critic = SecretsCritic(sweeper=answer)
    return critic.look(Change(title="rows", kind="code", files=tuple(row.file for row in rows)))


def false_blocks(folder: Path) -> tuple[int, list[str]]:
    """The number of harmless lines, and the rule that stopped each of those that were stopped."""
    rows = [row for path in sorted(folder.glob("secrets_*.jsonl")) for row in _rows(path) if not row.secret]
    judged = _look(rows, _once(None))
    stopped = {(hit.path, hit.rule.id) for hit in judged.hits if hit.state is State.BLOCK}
    return len(rows), [rule for _, rule in sorted(stopped)]


def _once(sweeper: Sweeper | None) -> Sweeper:
    """The extra, called once for the same lines, or its absence."""
    answers: list[extra.Sweep] = []

    def answer(lines: Sequence[extra.Line]) -> extra.Sweep:
        if not answers:
            answers.append(sweeper(lines) if sweeper else extra.Sweep(trouble=extra.MISSING))
            assert sweeper is None or not answers[0].trouble, answers[0].trouble
        return answers[0]

    return answer


def _scores(rows: Sequence[Row], answer: Sweeper) -> dict[str, float]:
    """The critic's confidence for each row."""
    asked = ask([row.file for row in rows], answer)
    scores: dict[str, float] = {}
    for row in rows:
        text = row.file.text or ""
        found = (*find(text, row.file.path).found, *asked.found(row.file.path, text))
        scores[row.file.path] = max((one.score for one in found), default=0.0)
    return scores


def _figures(rows: Sequence[Row], told: set[str]) -> dict[str, float]:
    right = sum(row.secret and row.file.path in told for row in rows)
    wrong = sum(not row.secret and row.file.path in told for row in rows)
    secrets = sum(row.secret for row in rows)
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / secrets if secrets else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"f1": round(f1, 3), "precision": round(precision, 3), "recall": round(recall, 3)}


def _recall_at(rows: Sequence[Row], scores: dict[str, float]) -> float:
    """The best recall of any threshold with so few false alarms; a score of 0 is not a find."""
    secrets = sum(row.secret for row in rows)
    harmless = len(rows) - secrets
    best = 0.0
    for limit in sorted({score for score in scores.values() if score > 0}):
        wrong = sum(not row.secret and scores[row.file.path] >= limit for row in rows)
        right = sum(row.secret and scores[row.file.path] >= limit for row in rows)
        if harmless and secrets and wrong / harmless <= FALSE_ALARMS_MAX:
            best = max(best, right / secrets)
    return best


def main() -> None:
    """Print the results, one a line."""
    for result in score(Path(sys.argv[1]), *sys.argv[2:3]):
        print(json.dumps(result))


if __name__ == "__main__":
    main()
