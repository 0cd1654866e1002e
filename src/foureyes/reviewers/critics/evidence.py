"""A reviewer that runs the project's own command, such as its tests or its linter, on a work.

The command comes from the policy of the base revision or from the user's settings, never from the change under
review. But the command runs the code of the change, with the rights of the user who started the review: it gets a
copy of the work, an almost empty environment and a time limit, and the processes it starts are ended with it. **No
network policy is enforced and it is no sandbox**: configure such a command only where you would run the tests of this
author.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.reviewers import Earlier, Inconclusive, Look, Say, Task
from foureyes.core.commands import Draft, Settlement
from foureyes.core.evidence import WHOLE_WORK
from foureyes.core.values import Cost, Evidence, Failure, Standing, Who, WhoKind
from foureyes.home.trouble import Trouble
from foureyes.reviewers.agents.process import Ended, Run, run
from foureyes.reviewers.agents.scratch import Scratch, scratch
from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.texts import shown

OPERATOR = "foureyes"
NAME = "evidence"
FAILS = Rule(
    id="evidence.command.fails",
    title="The project's own command fails on this work",
    why="What its tests or checks reject does not go live, whatever anybody thinks of it.",
    fix="Run the command yourself, mend what it names, and hand in again.",
    severity="critical",
    category="correctness",
)
RULES = (FAILS,)
#: Exit codes of a shell for a program that is missing or not executable; they say nothing about the work.
_NOT_RUN = (126, 127)
_KILLED = -9
LINES_MAX = 12
LINE_CHARS_MAX = 200
OUTPUT_BYTES_MIN = 32 * 1024 * 1024
#: Variables a build may need to find its tools; none of them is a secret.
_PASSED_ON = ("LANG", "LC_ALL", "TZ")
_WRITABLE = stat.S_IRUSR | stat.S_IWUSR


def _without_secrets(text: str) -> str:
    from foureyes.reviewers.boundary import redacted  # noqa: PLC0415 - only a command that printed something needs it

    return redacted(text)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReviewer:
    """A command as a reviewer: exit code 0 approves, any other rejects; a command that cannot run is inconclusive."""

    command: tuple[str, ...]
    #: The folder within the work where it is run; it comes from the policy, like the command.
    folder: str = ""
    name: str = NAME
    seconds_max: float = 0
    #: Cuts secrets out of what the command printed.
    redact: Callable[[str], str] = _without_secrets
    #: Where programs are looked for; by default the caller's own PATH.
    path: str = field(default_factory=lambda: os.environ.get("PATH", os.defpath))

    @property
    def who(self) -> Who:
        """Return the reviewer: a program, which never counts as a model or a human."""
        return Who(name=self.name, kind=WhoKind.PROGRAM, operator=OPERATOR)

    @property
    def sends(self) -> str:
        """Return the empty string: foureyes sends nothing. What the command itself sends is up to the project."""
        return ""

    async def look(self, task: Task, say: Say) -> Look:
        """Run the command on a copy of the work."""
        if not self.command or task.verify:
            raise Inconclusive(Failure.REFUSED, "a command cannot judge other reviewers' findings")
        lay_out = task.change.whole or task.change.lay_out
        if lay_out is None:
            raise Inconclusive(Failure.INCOMPLETE, "there is no checkout of this work to run the command in")
        with scratch() as place:
            programs = {one.path for one in task.change.files if one.mode == "100755"}
            await asyncio.to_thread(_lay_out, lay_out, place.work, programs)
            say(f"running {self._said}")
            ended = await run(self._order(task, place))
        return self._judged(task, ended)

    @property
    def _said(self) -> str:
        return shown(" ".join(self.command), LINE_CHARS_MAX)

    def _order(self, task: Task, place: Scratch) -> Run:
        where = (place.work / self.folder).resolve()
        if not where.is_relative_to(place.work) or not where.is_dir():
            raise Inconclusive(Failure.CRASHED, f"the work has no folder {shown(self.folder)!r}")
        # With a relative path in PATH, the work could bring its own `make`.
        path = os.pathsep.join(one for one in self.path.split(os.pathsep) if Path(one).is_absolute())
        program = self.command[0]
        if "/" not in program:
            found = shutil.which(program, path=path)
            if found is None:
                raise Inconclusive(Failure.CRASHED, f"there is no program {shown(program)!r} on this machine")
            program = found
        kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        folders = {"HOME": str(place.home), "TMPDIR": str(place.temporary)}
        return Run(
            called=f"`{self._said}`",
            argv=(program, *self.command[1:]),
            environ={**kept, **folders, "PATH": path, "TERM": "dumb", "CI": "true"},
            folder=where,
            seconds=min(self.seconds_max or task.bounds.seconds, task.bounds.seconds),
            output_bytes=max(task.bounds.output_bytes, OUTPUT_BYTES_MIN),
            mark=secrets.token_hex(16),
        )

    def _judged(self, task: Task, ended: Ended) -> Look:
        cost = Cost(seconds=round(ended.seconds))
        last = _last_lines(ended, self.redact)
        if ended.code in _NOT_RUN or ended.code == _KILLED:
            why = "was killed" if ended.code == _KILLED else "could not run its programs"
            raise Inconclusive(Failure.CRASHED, f"`{self._said}` {why} (exit code {ended.code})", cost=cost)
        passed = ended.code == 0
        done = f"`{self._said}` ended with exit code {ended.code} after {ended.seconds:.1f} seconds"
        return Look(
            verdict="approve" if passed else "reject",
            summary=done,
            findings=() if passed else (self._finding(ended.code, last),),
            # Only a passing run on exactly these bytes resolves the findings of a failing run.
            settled=tuple(_settlement(one, done) for one in task.earlier if passed and _is_open(one)),
            evidence=(Evidence(what=WHOLE_WORK, why=f"{done}: {last or 'it printed nothing'}"),),
            cost=cost,
            looked_at=f"the whole work, by running `{self._said}`",
        )

    def _finding(self, code: int, last: str) -> Draft:
        return Draft(
            severity=FAILS.severity,
            # The exit code is in the evidence only, so that the same failure is the same finding in the next round.
            text=f"`{self._said}` fails on this work",
            category=FAILS.category,
            evidence=f"exit code {code}; it ended with: {last or '(nothing)'}",
            suggestion=FAILS.fix,
            rule=FAILS.id,
        )


def _lay_out(lay_out: Callable[[Path], None], folder: Path, programs: set[str]) -> None:
    try:
        lay_out(folder)
    except (OSError, Trouble) as error:
        why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        raise Inconclusive(Failure.CRASHED, f"the work could not be laid out to run the command in{why}") from error
    _let_write(folder, programs)


def _let_write(folder: Path, programs: set[str]) -> None:
    """Make the copy writable and its scripts executable: tests write beside their sources."""
    for top, folders, files in os.walk(folder):
        for name in folders:
            _change_mode(Path(top) / name, _WRITABLE | stat.S_IXUSR)
        for name in files:
            path = Path(top) / name
            runs = path.relative_to(folder).as_posix() in programs or _is_script(path)
            _change_mode(path, _WRITABLE | (stat.S_IXUSR if runs else 0))


def _change_mode(path: Path, mode: int) -> None:
    if not path.is_symlink():
        with suppress(OSError):
            path.chmod(mode)


def _is_script(path: Path) -> bool:
    """True if a file starts with a shebang; the copy does not keep the modes of unchanged files."""
    if path.is_symlink() or not path.is_file():
        return False
    with suppress(OSError), path.open("rb") as file:
        return file.read(2) == b"#!"
    return False


def _last_lines(ended: Ended, redact: Callable[[str], str]) -> str:
    """Return the last lines of both output streams, redacted, shortened and without control characters."""
    streams = [one.decode("utf-8", errors="replace").strip() for one in (ended.out, ended.err)]
    lines = [
        line.rstrip() for text in streams for line in redact(text[-8192:]).split("\n")[-LINES_MAX:] if line.strip()
    ]
    return "\n".join(shown(line, LINE_CHARS_MAX) for line in lines)


def _is_open(earlier: Earlier) -> bool:
    return earlier.standing in (Standing.OPEN, Standing.ANSWERED)


def _settlement(earlier: Earlier, note: str) -> Settlement:
    return Settlement(finding=earlier.finding, resolved=True, note=note)
