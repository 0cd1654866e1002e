"""Count how many real commits `foureyes review` stops, and by which rules.

    python -m bench.quality_commits FOLDER [--first N]

FOLDER holds `commits_*.jsonl.gz` (merged work, nearly all of it good) and may hold `known_bad_*.jsonl.gz` (fixed holes,
reversed). Each row is a commit: `repo`, `commit`, `subject` and `files` with `path`, `mode`, `before` and `after`. It
is replayed as two commits of a new repository, and `foureyes review --no-agents` looks at the second; what counts is
the code it ends with. Prints a line of JSON for each commit that is stopped or not understood, and writes a line for
each figure. `--first` takes only so many rows of each file, to try something out, and writes no line.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bench.lines import Figure, keep
from bench.page import write
from bench.review import BLOCKED, UNCLEAR, run
from foureyes.app.reviewers import LINK_MODE

COMMAND = "python -m bench.quality_commits FOLDER"
GIT = ("git", "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "core.autocrlf=false", "-c", "gc.auto=0")
#: The codes of a review that came to a result; anything else is an error of the command.
RESULTS = frozenset({0, BLOCKED, 3, UNCLEAR})
#: The demand: at most this share of the merged commits is stopped.
STOPPED_MOST = 0.02
MERGED, KNOWN_BAD = "commits", "known_bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The result of the command for one commit."""

    repo: str
    commit: str
    code: int
    #: The rule, the place and the sentence of each finding that stops it.
    stops: tuple[tuple[str, str, str], ...]
    #: The command's headline.
    sentence: str


def replay_all(folder: Path, kind: str, first: int | None) -> Iterator[Replayed]:
    """The commits of all files of this kind, one after the other."""
    for path in sorted(folder.glob(f"{kind}_*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, first):
                yield replay(json.loads(line))


def replay(row: dict[str, Any]) -> Replayed:
    """Review one commit as a change."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-commit-") as folder:
        _commit_both(Path(folder), row)
        ran = run(Path(folder), "HEAD~1..HEAD")
    outcome: dict[str, Any] = ran.outcome
    assert ran.code in RESULTS, outcome
    stops = tuple(
        (str(one["rule"]), f"{one['path']}:{one['line']}", str(one["text"]))
        for one in outcome["findings"]
        if one["blocking"]
    )
    return Replayed(
        repo=row["repo"], commit=row["commit"], code=ran.code, stops=stops, sentence=str(outcome["headline"])
    )


def figures(replayed: list[Replayed], kind: str) -> Iterator[Figure]:
    """The share of each exit code; for merged work also with each repository left out once."""
    bad = kind == KNOWN_BAD
    what = "changes that open a hole again" if bad else "merged commits"
    stopped, unclear = (_share([one.code == code for one in replayed]) for code in (BLOCKED, UNCLEAR))
    facts = {"rows": len(replayed), "rules": _rules(replayed)}
    yield _figure(
        f"{kind}.stopped",
        f"{what} that are stopped (exit {BLOCKED})",
        stopped,
        demand=None if bad else STOPPED_MOST,
        more=facts | ({} if bad else _without_one(replayed)),
    )
    what = f"{what} of which nothing can be said (exit {UNCLEAR})"
    yield _figure(f"{kind}.unclear", what, unclear, demand=None, more={"rows": len(replayed)})


def _figure(name: str, what: str, measured: float, *, demand: float | None, more: dict[str, Any]) -> Figure:
    return Figure(
        figure=f"quality.replayed.{name}",
        what=what,
        measured=measured,
        unit="",
        command=COMMAND,
        correct=True,
        demand=demand,
        more=more,
    )


def _rules(replayed: list[Replayed]) -> dict[str, int]:
    """The number of commits each rule stops, the largest first."""
    return dict(Counter(rule for one in replayed for rule in {rule for rule, _, _ in one.stops}).most_common())


def _without_one(replayed: list[Replayed]) -> dict[str, float]:
    """The least and the most that are stopped with one repository left out: no single one makes the figure."""
    repos: dict[str, list[bool]] = defaultdict(list)
    for one in replayed:
        repos[one.repo].append(one.code == BLOCKED)
    shares = [_share([stop for name, stops in repos.items() if name != repo for stop in stops]) for repo in repos]
    return {"without_one_least": min(shares), "without_one_most": max(shares)}


def _share(stops: list[bool]) -> float:
    return round(sum(stops) / len(stops), 4) if stops else 0.0


def _commit_both(folder: Path, row: dict[str, Any]) -> None:
    _git(folder, "init", "-q")
    for side in ("before", "after"):
        for one in row["files"]:
            _write(folder / one["path"], one[side], one["mode"])
        _git(folder, "add", "-A", "-f", ".")
        _git(folder, "commit", "-q", "--allow-empty", "--no-verify", "-m", row["subject"] or "none")


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
    path.chmod(0o755 if mode == "100755" else 0o644)


def _git(folder: Path, *words: str) -> None:
    subprocess.run((*GIT, "-C", str(folder), *words), check=True, capture_output=True)  # noqa: S603 - our own


def main() -> None:
    """Print what is stopped, and write the figures down."""
    reader = argparse.ArgumentParser()
    reader.add_argument("folder", type=Path, metavar="FOLDER")
    reader.add_argument("--first", type=int, metavar="N")
    given = reader.parse_args()
    found: list[Figure] = []
    for kind in (MERGED, KNOWN_BAD):
        replayed: list[Replayed] = []
        for one in replay_all(given.folder, kind, given.first):
            replayed.append(one)
            if one.code in (BLOCKED, UNCLEAR):
                said = one.stops or one.sentence
                print(json.dumps({"repo": one.repo, "commit": one.commit[:12], "exit": one.code, "says": said}))
        found += figures(replayed, kind) if replayed else ()
    if not found:
        reader.error(f"there is no {MERGED}_*.jsonl.gz in {given.folder}")
    if given.first is not None:
        for figure in found:
            print(json.dumps({"figure": figure.figure, "measured": figure.measured, **figure.more}))
        return
    keep(*found)
    write()


if __name__ == "__main__":
    main()
