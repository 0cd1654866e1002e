"""Audit of the proofs: disable a proven rule and check that its tests fail.

`python -m tests.seeds.audit [--draw 30] [--seed N] [--all] [--only ROW,ROW]` disables the rule behind each drawn row in
a copy of the repository, one row at a time, and runs the tests that name the row there: they must fail.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.seeds.audit_guard import CRASHED, WRONG_COPY
from tests.seeds.breaks import BREAKS
from tests.seeds.manifest import ALL_ROWS, ROOT, Naming, naming_below, rows_with_tests
from tests.seeds.shapes import Break

DRAW = 30
PROCESSES = 2
RUN_SECONDS_MAX = 600
PACKAGE = Path("src/foureyes")
#: Tests with a real model on this machine, which belong to the long run.
SLOW = ("tests/models/test_local_model.py",)
FOUND, NOT_FOUND, NO_BREAK = "found", "NOT FOUND", "NO BREAK"
ERRORS = {WRONG_COPY: "the copy was not imported", CRASHED: "the break crashes the code"}
NOT_COPIED = (".*", "__pycache__", "build", "dist")
NOT_INHERITED = ("COVERAGE_", "COV_", "PYTEST_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One row, the edits that disable its rule, and the tests that must notice."""

    row: str
    breaks: tuple[Break, ...]
    tests: tuple[str, ...]


def break_problems(breaks: Mapping[str, tuple[Break, ...]], package: Path) -> list[str]:
    """Every break that cannot be applied: its text must occur exactly once, change something and still compile."""
    return [
        f"{row}: {problem}"
        for row, edits in breaks.items()
        for edit in edits
        if (problem := _problem_of(edit, package / edit.file))
    ]


def trial_of(row: str, naming: Naming) -> Trial:
    """A row with the tests that name it; slow ones only if there are no others."""
    tests = tuple(one for one in naming[row] if not one.startswith(SLOW)) or naming[row]
    return Trial(row=row, breaks=BREAKS.get(row, ()), tests=tests)


def outcome(trial: Trial, root: Path) -> str:
    """Disable the row's rule in a copy and say whether its tests noticed."""
    if not trial.breaks:
        return NO_BREAK
    if wrong := break_problems({trial.row: trial.breaks}, root / PACKAGE):
        return f"ERROR {'; '.join(wrong)}"
    with _copy_of(root) as copy:
        for edit in trial.breaks:
            file = copy / PACKAGE / edit.file
            source = file.read_text(encoding="utf-8")
            file.write_text(source.replace(edit.old, edit.new), encoding="utf-8")
        code, output = _pytest(copy, trial.tests)
    match code:
        case 0:
            return NOT_FOUND
        case 1:
            return FOUND
        case _:
            return f"ERROR {ERRORS.get(code, f'pytest ended with {code}')}\n{_tail(output)}"


def control(trials: Iterable[Trial], root: Path) -> str:
    """What is wrong before anything is disabled, empty if nothing: the same tests must pass on an unchanged copy."""
    tests = sorted({test for trial in trials for test in trial.tests})
    with _copy_of(root) as copy:
        code, output = _pytest(copy, tests)
    return (
        ""
        if code == 0
        else f"the unchanged copy fails: {ERRORS.get(code, f'pytest ended with {code}')}\n{_tail(output)}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    naming = naming_below(ROOT)
    rows = rows_with_tests(ALL_ROWS, naming)
    drawn = _drawn(rows, options)
    if not drawn:
        print("no row is proven: nothing to audit")
        return 1
    print(f"{len(drawn)} of {len(rows)} tested rows, drawn with --seed {options.seed}")
    trials = [trial_of(row, naming) for row in drawn]
    if wrong := control(trials, ROOT):
        print(wrong)
        return 1
    found = 0
    with ThreadPoolExecutor(PROCESSES) as pool:
        for trial, said in zip(trials, pool.map(lambda trial: outcome(trial, ROOT), trials), strict=True):
            files = ", ".join(dict.fromkeys(edit.file for edit in trial.breaks)) or "-"
            print(f"{trial.row:<7} {files:<40} {len(trial.tests):>3} tests  {said}", flush=True)
            found += said == FOUND
    print(f"{found} of {len(trials)} disabled rules were found by the tests that name them")
    return 0 if found == len(trials) else 1


def _drawn(rows: list[str], options: argparse.Namespace) -> list[str]:
    if options.only:
        return [row for row in rows if row in options.only.split(",")]
    return rows if options.all else random.Random(options.seed).sample(rows, min(options.draw, len(rows)))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.seeds.audit", description=__doc__)
    parser.add_argument("--draw", type=int, default=DRAW, help="how many proven rows to draw")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="repeat a draw")
    parser.add_argument("--all", action="store_true", help="take every proven row")
    parser.add_argument("--only", default="", help="take these rows, separated by commas")
    return parser.parse_args(arguments)


def _problem_of(edit: Break, file: Path) -> str:
    if not file.is_file():
        return f"{edit.file} does not exist"
    source = file.read_text(encoding="utf-8")
    if (times := source.count(edit.old)) != 1:
        return f"{edit.old!r} occurs {times} times in {edit.file}"
    if edit.new == edit.old:
        return f"{edit.old!r} is replaced by itself in {edit.file}"
    try:
        compile(source.replace(edit.old, edit.new), edit.file, "exec")
    except SyntaxError as error:
        return f"{edit.file} does not compile after the break: {error}"
    return ""


@contextmanager
def _copy_of(root: Path) -> Iterator[Path]:
    """Copy the whole repository, so that tests which read or write in it touch only the copy."""
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        copy = Path(folder).resolve() / "copy"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        shutil.copy(Path(__file__).with_name("audit_guard.py"), copy / PACKAGE.parent)
        yield copy


def _pytest(copy: Path, tests: Sequence[str]) -> tuple[int, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}
    package_folder = str(copy / PACKAGE.parent)
    environment = kept | {
        "PYTHONPATH": package_folder,
        "AUDITED_COPY_OF_FOUREYES": package_folder,
        "HYPOTHESIS_STORAGE_DIRECTORY": str(copy / "hypothesis"),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "audit_guard"]
    try:
        run = subprocess.run(
            [*command, f"--rootdir={copy}", *tests],
            cwd=copy,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=RUN_SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, f"not finished after {RUN_SECONDS_MAX} s"
    return run.returncode, run.stdout


def _tail(output: str) -> str:
    return "\n".join(f"    {line}" for line in output.splitlines()[-15:])


if __name__ == "__main__":
    sys.exit(main())
