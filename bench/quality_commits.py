"""Count how many real commits `foureyes review` stops, and by which rules.

Each row is a commit: `repo`, `commit`, `subject` and `files` with `path`, `mode`, `before` and `after`. It is replayed
as two commits of a new repository and read as the command reads it; the programs of the default policy judge it.
`python -m bench.quality_commits FOLDER` reads `commits_*.jsonl.gz` (merged work, nearly all of it good) and
`known_bad_*.jsonl.gz` (fixed holes, reversed) and prints a line of JSON for each stopped commit and each set.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foureyes.app.reviewers import GONE_MODE, LINK_MODE, Change, Look
from foureyes.core.values import Severity
from foureyes.git.reading import read_range
from foureyes.reviewers.at_hand import CRITICS, FACTUAL, shipped_critic
from foureyes.reviewers.critic_run import CriticRun, FactualCritic, look_at

GIT = ("git", "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "core.autocrlf=false", "-c", "gc.auto=0")
STOPS = (Severity.IMPORTANT.name.lower(), Severity.CRITICAL.name.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What the programs say of one commit."""

    repo: str
    commit: str
    #: The rule, the place and the sentence of each finding that stops it.
    stops: tuple[tuple[str, str, str], ...]
    is_unclear: bool


def score(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Every stopped commit of the sets of this kind, then the figures of each set."""
    for path in sorted(folder.glob(f"{kind}_*.jsonl.gz")):
        replayed: list[Replayed] = []
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                one = replay(json.loads(line))
                replayed.append(one)
                if one.stops:
                    yield {"set": path.name, "repo": one.repo, "commit": one.commit[:12], "stops": one.stops}
        yield {"set": path.name, **_figures(replayed)}


def replay(row: dict[str, Any]) -> Replayed:
    """One commit, judged as the change it was."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-commit-") as folder:
        change = _change(Path(folder), row)
    looks = [_look(name, change) for name in CRITICS]
    stops = tuple(
        (draft.rule, f"{draft.place.path}:{draft.place.start}" if draft.place else "", draft.text)
        for look in looks
        for draft in look.findings
        if draft.severity in STOPS
    )
    return Replayed(repo=row["repo"], commit=row["commit"], stops=stops, is_unclear=any(look.unclear for look in looks))


def _change(folder: Path, row: dict[str, Any]) -> Change:
    _git(folder, "init", "-q")
    for side in ("before", "after"):
        for one in row["files"]:
            _write(folder / one["path"], one[side], one["mode"])
        _git(folder, "add", "-A", "-f", ".")
        _git(folder, "commit", "-q", "--allow-empty", "--no-verify", "-m", row["subject"] or "none")
    change = read_range(folder, "HEAD~1..HEAD")
    # Everything is in memory; what still asks the repository would ask one that is gone.
    assert not change.unread, change.unread
    return change


def _write(path: Path, text: str | None, mode: str) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    if text is None:
        return
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == LINK_MODE:
        path.symlink_to(text)
        return
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(0o755 if mode == "100755" and mode != GONE_MODE else 0o644)


def _git(folder: Path, *words: str) -> None:
    subprocess.run((*GIT, "-C", str(folder), *words), check=True, capture_output=True)  # noqa: S603 - our own


def _look(name: str, change: Change) -> Look:
    critic = FactualCritic(today=None, strict=False) if name == FACTUAL else shipped_critic(name)
    return look_at(CriticRun(critic=critic, change=change))


def _figures(replayed: list[Replayed]) -> dict[str, Any]:
    """The share that is stopped, with each repository left out once: no single one makes the figure."""
    rules = Counter(rule for one in replayed for rule in {rule for rule, _, _ in one.stops})
    repos: dict[str, list[bool]] = defaultdict(list)
    for one in replayed:
        repos[one.repo].append(bool(one.stops))
    every = [stop for stops in repos.values() for stop in stops]
    without = {
        repo: _share([stop for name, stops in repos.items() if name != repo for stop in stops]) for repo in repos
    }
    return {
        "commits": len(replayed),
        "stopped": sum(every),
        "share": _share(every),
        "share_without_one_least": min(without.values(), default=0.0),
        "share_without_one_most": max(without.values(), default=0.0),
        "unclear": sum(one.is_unclear and not one.stops for one in replayed),
        "per_repo": {repo: sum(stops) for repo, stops in sorted(repos.items()) if any(stops)},
        "rules": dict(rules.most_common()),
    }


def _share(stops: list[bool]) -> float:
    return round(sum(stops) / len(stops), 4) if stops else 0.0


def main() -> None:
    """Print the results, one a line."""
    for kind in ("commits", "known_bad"):
        for result in score(Path(sys.argv[1]), kind):
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
