"""A critic at a seat: it looks in a child process that is killed at its limits, and hands in findings."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from foureyes.app.children import ChildError, Children, CutOff, Died, Raised, shared
from foureyes.app.reviewers import Change, Inconclusive, Look, Say, Task, Unread
from foureyes.core.values import Failure, Who, WhoKind
from foureyes.reviewers.critic_run import CriticRun, FactualCritic, ShippedCritic, look_at
from foureyes.reviewers.critics.critic import Critic, counted

OPERATOR = "foureyes"
#: If more files than this stopped the program, the reason gives only the number of the rest.
NAMED_MAX = 5
#: The run over the whole work gets at most this part of its seconds; the rest is for its files one by one.
WHOLE_PART = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Seconds:
    """How long a program may look, in seconds of processor time; these can be configured."""

    a_file: float = 5
    a_work: float = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramReviewer:
    """A critic of ours at a seat. It gets the work and returns findings; it cannot change anything."""

    critic: Critic | ShippedCritic | FactualCritic
    #: Rules that a person retired on this machine.
    retired: Collection[str] = frozenset()
    seconds: Seconds = Seconds()
    children: Children = field(default_factory=shared)

    @property
    def who(self) -> Who:
        """The program's identity; its kind keeps it from counting for a quorum."""
        return Who(name=self.critic.name, kind=WhoKind.PROGRAM, operator=OPERATOR)

    @property
    def sends(self) -> str:
        """Empty: nothing leaves this machine."""
        return ""

    async def look(self, task: Task, say: Say) -> Look:
        """Judge the whole work at once; after a timeout or crash judge file by file, and be inconclusive."""
        say("reading")
        if isinstance(self.critic, FactualCritic) and task.scope == self.critic.name and not self.critic.strict:
            return await replace(self, critic=replace(self.critic, strict=True)).look(task, say)
        change = _portable(task.change)
        count = len(change.files)
        seconds = self.seconds.a_file if count <= 1 else min(self.seconds.a_file * count, self._whole_seconds)
        try:
            return await self._look(change, seconds, task.author)
        except (CutOff, Died, Raised) as error:
            if count <= 1:
                raise self._nothing(change, error) from error
            first = error
        except ChildError as error:
            raise Inconclusive(Failure.CRASHED, f"the program {self.critic.name} was not run: {error}") from error
        say("reading file by file")
        raise await self._file_by_file(task, first, self.seconds.a_work - seconds)

    @property
    def _whole_seconds(self) -> float:
        return self.seconds.a_work * WHOLE_PART

    async def _look(self, change: Change, seconds: float, author: str) -> Look:
        run = CriticRun(critic=self.critic, change=change, retired=self.retired)
        return await self.children.call(look_at, run, seconds=seconds, party=author)

    def _nothing(self, change: Change, error: ChildError) -> Inconclusive:
        """Return the reason where the only file could not be read."""
        place = f" on {change.files[0].path}" if change.files else ""
        reason = Failure.TIMED_OUT if isinstance(error, CutOff) else Failure.CRASHED
        return Inconclusive(reason, f"the program {self.critic.name} {_words(error)}{place}")

    async def _file_by_file(self, task: Task, first: ChildError, seconds: float) -> Inconclusive:
        """Judge each file alone, and name the files that stopped the critic; never an answer about the whole work."""
        looks: list[Look] = []
        stopped: dict[str, ChildError] = {}
        skipped: list[str] = []
        for piece in _pieces(_portable(task.change)):
            path = piece.files[0].path
            allowed = min(self.seconds.a_file, seconds)
            if allowed <= 0:
                skipped.append(path)
                continue
            began = time.monotonic()
            try:
                looks.append(await self._look(piece, allowed, task.author))
            except ChildError as error:
                stopped[path] = error
            # It may have waited for a child process, which does not count.
            seconds -= min(time.monotonic() - began, allowed)
        reason = Failure.TIMED_OUT if isinstance(first, CutOff) else Failure.CRASHED
        text = self._why(first, stopped, skipped)
        return Inconclusive(reason, text, found=_merged(looks, stopped, skipped))

    def _why(self, first: ChildError, stopped: dict[str, ChildError], skipped: list[str]) -> str:
        """Return one sentence that names the files and the limits."""
        name = self.critic.name
        parts = [f"{_words(error)} on {path}" for path, error in stopped.items()]
        more = f" and on {counted(len(parts) - NAMED_MAX, 'more file')}" if len(parts) > NAMED_MAX else ""
        told = f"the program {name} {', '.join(parts[:NAMED_MAX])}{more}" if parts else ""
        if skipped:
            limit = f"the {self.seconds.a_work:g} seconds of the work were over"
            over = f"{counted(len(skipped), 'file')} not read because {limit}"
            return f"{told}; {over}" if told else f"the program {name}: {over}"
        return told or f"the program {name} {_words(first)} on the whole work, although it reads each file alone"


def _portable(change: Change) -> Change:
    """Return the work without what only this process can use, and without what was computed from its bytes."""
    return replace(change, files=tuple(replace(one) for one in change.files), lay_out=None, whole=None)


def _pieces(change: Change) -> Iterator[Change]:
    """Yield each file alone, the smallest first; the texts about the whole work go with the first."""
    said = change
    for file in sorted(change.files, key=lambda one: len(one.content or b"")):
        yield replace(said, files=(file,))
        said = replace(change, files=(), unread=(), title="", note="", withheld=())


def _words(error: ChildError) -> str:
    """Return what happened, for the middle of a sentence."""
    match error:
        case CutOff(seconds=seconds):
            return f"was cut off after {seconds:g} seconds"
        case Raised(kind=kind):
            return f"failed ({kind})"
        case _:
            return "crashed"


def _merged(looks: list[Look], stopped: dict[str, ChildError], skipped: list[str]) -> Look:
    """Return what was found, with what was not read; it vouches for nothing."""
    unread = [one for look in looks for one in look.unread]
    unread += [Unread(path=path, why=f"the program {_words(error)}") for path, error in stopped.items()]
    unread += [Unread(path=path, why="the seconds of the work were over") for path in skipped]
    findings = tuple(one for look in looks for one in look.findings)
    return Look(
        summary=f"{len(findings)} found before it was cut off",
        findings=findings,
        unread=tuple(dict.fromkeys(unread)),
        unclear=True,
        older=sum(one.older for one in looks),
        more=sum(one.more for one in looks),
    )
