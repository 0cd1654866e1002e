"""The reviewer interface: the task a reviewer gets and the look it hands in, the same for programs, agents and models.

Lines are counted from 1 and end with a line feed, as editors and git count them; no other character ends a line.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol

from foureyes.app.encodings import UTF_8, Written, written
from foureyes.core.commands import Draft, Settlement
from foureyes.core.values import Cost, Criterion, Evidence, Failure, Standing, Who

#: First and last line of a range that is new or differs from the base.
Span = tuple[int, int]

#: Prefix of findings about what a program could not judge.
UNJUDGED = "Could not be judged: "
#: File names of an agent's output, as text and as JSON: its content is meant to be executed, never an example.
OUTPUT_FILE, OUTPUT_JSON = "output.md", "output.json"
GONE_MODE = "000000"
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"


@dataclass(frozen=True, kw_only=True)
class File:
    """One file of the work: its bytes now and at the base, and which lines are this work's own.

    `content` is None where the file is gone (mode 000000); `before` is None where it is new. A symbolic link's content
    is the path it points to, and nobody follows it; a submodule's is the name of its commit, None where it is unknown.
    """

    path: str
    mode: str = "100644"
    content: bytes | None
    before: bytes | None = None
    #: The path before it was renamed.
    was: str = ""
    #: The mode at the base; empty if it is the same or unknown.
    mode_before: str = ""
    #: Only these lines are judged; for removed lines, the line that is now in their place.
    changed: tuple[Span, ...] = ()

    @cached_property
    def written(self) -> Written | None:
        """The text with its encoding; None if it is gone, binary, a link or a submodule."""
        if self.content is None or self.mode in (LINK_MODE, SUBMODULE_MODE):
            return None
        return written(self.content)

    @cached_property
    def text(self) -> str | None:
        """The decoded text; None if the file is gone, contains NUL, is binary, a link or a submodule."""
        return self.written.text if self.written and "\0" not in self.written.text else None

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text without their ends; a last line without an end counts, an empty one does not."""
        return lines_of(self.text or "")

    def is_changed(self, start: int, end: int = 0) -> bool:
        """True if any of these lines was changed by this work."""
        last = max(start, end)
        if self.changed and self._is_counted_otherwise:
            return True
        return any(first <= last and start <= final for first, final in self.changed)

    @cached_property
    def _is_counted_otherwise(self) -> bool:
        """True if git, which counts bytes, numbers lines differently.

        In UTF-16 half a letter can look like a line end.
        """
        if self.content is None or self.written is None or self.written.encoding == UTF_8:
            return False
        return self.written.text.count("\n") != self.content.count(b"\n")


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of a text; a carriage return before the line feed belongs to the line end."""
    found = text.split("\n")
    if found[-1] == "":
        found.pop()
    return tuple(line.removesuffix("\r") for line in found) if "\r" in text else tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Something of the work that a reviewer did not read, and why; said to people each time."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A piece of work as the shell found it, with what it is compared to."""

    title: str
    #: `code`, `plan`, `command`, `text` or what a policy calls it.
    kind: str
    files: tuple[File, ...]
    unread: tuple[Unread, ...] = ()
    #: The commit it is compared with; empty if there is none.
    base: str = ""
    #: Other names of exactly these bytes, like `git-commit:<id>`.
    aliases: tuple[str, ...] = ()
    #: Names where this work comes from, so that the next round finds this review.
    place: str = ""
    #: The author's description: a commit message, a note.
    note: str = ""
    #: The command line arguments that named it, such as `main..HEAD`; None if there were none.
    named: str | None = None
    #: Secrets removed from the title or the note: the rule of each, and where it was.
    withheld: tuple[tuple[str, str], ...] = ()
    #: The policy at the base, with its path there; None if there was none.
    policy: tuple[str, bytes] | None = None
    #: Settings at the base that affect how files are read, such as `pyproject.toml`: path and bytes.
    settings: tuple[tuple[str, bytes], ...] = ()
    #: Returns the bytes of a file at the base, for files that the policy names.
    at_base: Callable[[str], bytes] | None = None
    #: Writes the work into an empty folder for an agent to read: no hooks, no links out of it, agent configuration only
    #: as it was at the base.
    lay_out: Callable[[Path], None] | None = None
    #: Writes the work like `lay_out`, with the files nobody reads, for a command run in the work; None: use `lay_out`.
    whole: Callable[[Path], None] | None = None

    def file(self, path: str) -> File | None:
        """Return the file at this path; None if there is none."""
        return next((one for one in self.files if one.path == path), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """One of this reviewer's own findings of an earlier round, and what the author said to it."""

    finding: str
    draft: Draft
    standing: Standing
    answer: str = ""
    rebuttal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a reviewer's run may take; whatever is hit ends it inconclusive, with what was found so far."""

    seconds: float = 300
    usd_micro: int = 1_000_000
    tokens: int = 400_000
    output_bytes: int = 4 * 1024 * 1024
    #: The state of the budget in words: what is spent, and what is reserved for whom.
    share: str = ""


#: Runs a paid call and stores its result. A retry after a crash makes the same calls, by name and in order, and gets
#: the stored results, so each is paid for once.
Once = Callable[[str, Callable[[], Awaitable[str]]], Awaitable[str]]


async def each_time(_: str, call: Callable[[], Awaitable[str]]) -> str:
    """Run the call without storing its result."""
    return await call()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What one reviewer is asked: which work, from which side to look at it, and what is known from before."""

    change: Change
    revision: int = 1
    #: What this seat may judge: `security`, `factual` …; empty for everything.
    scope: str = ""
    #: The role it is asked in: `auditor`, `spec`, `quality` …; chooses the prompt.
    role: str = ""
    checklist: tuple[str, ...] = ()
    #: Criteria that may be checked too; approval does not depend on them.
    optional: tuple[str, ...] = ()
    #: The meaning of each checklist criterion, and what exactly to check for it.
    checks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    questions: tuple[str, ...] = ()
    earlier: tuple[Earlier, ...] = ()
    #: Findings of others to confirm or refute; if there are any, nothing else is asked.
    verify: tuple[Draft, ...] = ()
    #: The draft of a previous holder of this seat.
    draft: str = ""
    bounds: Bounds = Bounds()
    once: Once = each_time
    #: The author of the work, used to share child processes fairly between authors. No reviewer is told.
    author: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a second look says of one finding: confirmed, plausible or refuted, and why."""

    index: int
    result: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a reviewer hands in. Its verdict is one input: ours is computed from the findings and the checklist."""

    verdict: str = ""
    summary: str = ""
    findings: tuple[Draft, ...] = ()
    settled: tuple[Settlement, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    checklist: tuple[Criterion, ...] = ()
    answers: tuple[str, ...] = ()
    strengths: tuple[str, ...] = ()
    checked: tuple[Checked, ...] = ()
    #: Why a second look did not answer for some findings; empty if it did.
    unverified: str = ""
    confidence: int | None = None
    unread: tuple[Unread, ...] = ()
    cost: Cost = Cost()
    #: False if the money in `cost` is not known, as with a subscription, where only tokens are.
    cost_known: bool = True
    #: True if a program could not judge something; silence is never an approval.
    unclear: bool = False
    #: What was examined, in words: "12 shell commands, 3 SQL statements".
    looked_at: str = ""
    #: Number of findings on older lines, which are not judged.
    older: int = 0
    #: Number of further findings like the listed ones.
    more: int = 0


class Inconclusive(Exception):  # noqa: N818 - the third answer of a reviewer, not an error of ours
    """A reviewer has no answer: crashed, timed out, refused, malformed, out of budget. Neither approval nor veto."""

    def __init__(
        self,
        reason: Failure,
        text: str,
        *,
        found: Look | None = None,
        cost: Cost | None = None,
        until: datetime | None = None,
    ) -> None:
        """Keep the reason in one sentence; `found` is what there was so far, `until` when a limit ends."""
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.found = found
        self.cost = cost or Cost()
        self.until = until


#: Reports a reviewer's progress to the people who watch.
Say = Callable[[str], None]


class Reviewer(Protocol):
    """Somebody at hand who can look at a work, and never change it."""

    @property
    def who(self) -> Who:
        """The identity of the reviewer, with what is known of its model and operator."""

    @property
    def sends(self) -> str:
        """Who outside this machine receives the work, in words for people; empty if it stays here."""

    async def look(self, task: Task, say: Say) -> Look:
        """Review the work; raises Inconclusive. Being cancelled ends everything it started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What `doctor` found about one reviewer after one real call."""

    name: str
    alive: bool
    version: str = ""
    says: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A reviewer the policy names who is not at hand, and why."""

    name: str
    why: str
    next_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """Who could look here, and who could not; by the roles the policy names."""

    reviewers: Mapping[str, tuple[Reviewer, ...]] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()
    #: The names of reviewers that are models called directly; a name does not tell.
    models: frozenset[str] = frozenset()
    #: Further notes for people, such as rules that were retired.
    notes: tuple[str, ...] = ()
