"""A user at a command line with scripted reviewers, so that the result of a round is known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from foureyes import config
from foureyes.app.reviewers import Change, File, Health, Missing
from foureyes.app.reviewing.outcome import Options, Outcome, Watch
from foureyes.app.reviewing.rulebook import Measured, RuleEntry
from foureyes.bootstrap.assembly import Assembly
from foureyes.cli.console import Console
from foureyes.cli.parts import Wanted
from foureyes.core.values import Who
from foureyes.home.trouble import Trouble
from tests.cli.desk import Desk
from tests.cli.outcomes import BLOCKED

NOW = datetime(2026, 11, 16, 3, 0, tzinfo=UTC)
CHANGE = Change(title="hello", kind="code", files=(File(path="a.py", content=b"x = 1\n", changed=((1, 1),)),))
RULES = (
    RuleEntry(
        id="security.destructive.pipe-to-shell",
        critic="security",
        title="What a server sends is run as it comes",
        why="A program from the net gets your rights before anybody has read it.",
        fix="Download it, compare its hash, then run it.",
        severity="critical",
        category="security",
        measured=Measured(harmless=2000, blocked=1),
    ),
    RuleEntry(
        id="security.credentials.aws",
        critic="security",
        title="An access key of AWS",
        why="Whoever reads it can use it.",
        fix="Revoke it.",
        severity="important",
        category="security",
    ),
    RuleEntry(
        id="format.trailing-space",
        critic="format",
        title="A blank at the end of a line",
        why="It makes noise in differences.",
        fix="Take it out.",
        severity="minor",
        category="format",
    ),
)
HEALTHS = (
    Health(name="security", alive=True, version="0.1", says="answers"),
    Health(name="Claude Code", alive=True, version="2.1.0", says="logged in"),
    Missing(name="Codex", why="not installed", next_step="npm install -g @openai/codex"),
)

Play = Callable[[Options, Watch], Awaitable[Outcome]]


@dataclass
class Scene:
    """The scripted answers of the colleagues, and their recorded tasks."""

    outcome: Outcome = BLOCKED
    change: Change = CHANGE
    play: Play | None = None
    healths: tuple[Health | Missing, ...] = HEALTHS
    refuses: Exception | None = None
    wanted: list[Wanted] = field(default_factory=list)
    options: list[Options] = field(default_factory=list)
    dismissed: list[tuple[str, str, str]] = field(default_factory=list)


class Scripted(Assembly):
    """The real parts with scripted reviewers."""

    def __init__(self, settings: config.Settings, console: Console, scene: Scene) -> None:
        super().__init__(settings, console)
        self.scene = scene

    def now(self) -> datetime:
        return NOW

    def read_change(self, wanted: Wanted) -> Change:
        self.scene.wanted.append(wanted)
        if wanted.what == "nothing":
            raise Trouble("There is nothing to look at.", "Change something.", usage=True)
        return self.scene.change

    def reviewing(self) -> Scripted:  # type: ignore[override] # the same protocol, played instead of run
        return self

    async def run(self, change: Change, *, options: Options, watch: Watch) -> Outcome:
        assert change is self.scene.change
        self.scene.options.append(options)
        if self.scene.play:
            return await self.scene.play(options, watch)
        for one in self.scene.outcome.looked:
            watch.started(one.reviewer)
            watch.said(one.reviewer, "reading")
            await asyncio.sleep(0)
            watch.ended(one)
        return self.scene.outcome

    async def stands(self, review: str = "") -> Outcome:
        if review not in ("", self.scene.outcome.review):
            raise Trouble(f"There is no review {review!r}.", "Run: foureyes status")
        return self.scene.outcome

    async def dismiss(self, review: str, finding: str, because: str, by: Who | None = None) -> None:
        del by
        if self.scene.refuses:
            raise self.scene.refuses
        self.scene.dismissed.append((review, finding, because))

    def rules(self) -> tuple[RuleEntry, ...]:
        return RULES

    async def health(self) -> tuple[Health | Missing, ...]:
        return self.scene.healths


@dataclass
class Table(Desk):
    """A desk with colleagues around it."""

    scene: Scene = field(default_factory=Scene)

    def assembly(self, flags: dict[str, str | None] | None = None) -> Scripted:
        environment = {"FOUREYES_HOME": str(self.home), **self.environment}
        console = Console(is_terminal=lambda: self.types is not None, typed=self._typed)
        return Scripted(config.read(flags or {}, environment), console, self.scene)
