"""The interfaces that commands work with. The bootstrap implements them; the command line itself knows no adapter."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from foureyes.cli.console import Console

if TYPE_CHECKING:  # `--help` and `config show` need none of the core
    from foureyes.app.gate import Gate
    from foureyes.app.ports import Store
    from foureyes.app.reviewers import Change, Health, Missing
    from foureyes.app.reviewing.outcome import Options, Outcome, Watch
    from foureyes.app.reviewing.rulebook import RuleEntry
    from foureyes.cli.serving import AtWork, Begun, Serving
    from foureyes.core.values import Who
    from foureyes.policy.policy import Policy


T = TypeVar("T")
#: How much is done, of how much.
Progress = Callable[[int, int], None]


class Placing(Protocol):
    """The place of the store."""

    def kept(self) -> str:
        """Where the store is kept that is to be replaced; empty where there is none, or the database is no file."""

    def put(self, copy: str, kept: str, progress: Progress) -> str:
        """Put a copy in the place of the store; what was there is kept, and where is told."""

    def undo(self, kept: str) -> None:
        """Put back the store that a restore has set aside there, or take away the one it made."""


class Settings(Protocol):
    """The settings a command reads."""

    @property
    def home(self) -> str: ...
    @property
    def database(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def checkpoints(self) -> str: ...
    @property
    def checkpoint_seconds(self) -> int: ...
    @property
    def keys(self) -> str: ...
    @property
    def spool(self) -> str: ...
    @property
    def backups(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def local_database(self) -> str: ...
    @property
    def is_postgres(self) -> bool: ...

    def shown(self) -> tuple[tuple[str, str | int, str], ...]:
        """Name, value and source of each setting, without secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Which schema the store has, and which this program wants; 0 where there is no store."""

    found: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which work a command line names; at most one of the first three is given."""

    #: A range of revisions, a path, or `-` for what comes in on stdin; empty: what is not committed yet.
    what: str = ""
    staged: bool = False
    worktree: bool = False
    #: Empty: what the policy's paths or the content say.
    kind: str = ""
    title: str = ""

    @property
    def named(self) -> str:
        """The words that name the work, for commands that look at it again."""
        named = (("--staged", self.staged), ("--worktree", self.worktree), (self.what, bool(self.what)))
        return shlex.join(word for word, is_given in named if is_given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """How to speak MCP on stdio: as which server, to which one, in whose name, and with which tools listed."""

    name: str
    token: str = field(repr=False)
    tools: str
    #: Empty: the one that runs in the data folder; where none does, the store itself.
    server: str = ""
    #: The agent for whom a service acts.
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A call to make at a server, and in whose name."""

    call: str
    data: Mapping[str, Any]
    token: str = field(repr=False)
    #: Empty: the one that runs in the data folder.
    server: str = ""
    #: The agent for whom a service acts.
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a server answered: the status of HTTP and an object, which may be a problem."""

    status: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuestion:
    """What a person who signs in is asked on a page of this machine."""

    title: str
    lines: tuple[str, ...]
    #: A line of the work.
    quote: str
    #: Under which name the answer is kept.
    person: str
    button: str
    #: What the page says after a yes.
    done: str
    #: 0: any free one.
    port: int = 0


class Reviewing(Protocol):
    """One round of review on this machine, written to the store."""

    async def run(self, change: Change, *, options: Options, watch: Watch) -> Outcome:
        """Ask everybody at hand and say what it came to.

        Being cancelled ends everything it started, keeps what was handed in, and returns what there is with
        `interrupted` set instead of raising.
        """


class Parts(Protocol):
    """Everything a command may ask for; opened only when it does."""

    @property
    def settings(self) -> Settings: ...
    @property
    def console(self) -> Console: ...
    @property
    def is_local(self) -> bool:
        """Whether these are the parts on the store of local reviews."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def human(self) -> Who:
        """The person in front of it: on this machine the user of the operating system."""

    def schema(self) -> Schema:
        """What the store is like; opens nothing that would change it."""

    def wanted_schema(self) -> int:
        """The schema of this program."""

    def copy_schema(self, path: str) -> int:
        """Which schema a copy of a store has; 0 where there is none."""

    def store(self, *, write: bool = False) -> AbstractAsyncContextManager[Store]:
        """The store, open; refused where there is none, or where its schema is not this program's."""

    def new_store(self) -> AbstractAsyncContextManager[Store]:
        """The store to write to; made where there is none."""

    def copied(self, path: str) -> AbstractAsyncContextManager[Store]:
        """A copy of a store, to read."""

    def policy(self) -> Policy:
        """What judges before any policy is activated: the file of the settings, else the shipped default."""

    def gate(self, store: Store) -> Gate:
        """The gate on this store."""

    def copy_store(self, target: str, progress: Progress) -> None:
        """Write a consistent copy of the store into a new SQLite file, while others go on working."""

    def placing(self) -> Placing:
        """The place of the store, where a copy goes."""

    def migrate(self, path: str = "") -> None:
        """Bring the store, or a copy of one, to the schema of this program."""

    def read_change(self, wanted: Wanted) -> Change:
        """The work that is named, from git, a file or stdin; Trouble where there is none or it cannot be read."""

    def reviewing(self) -> Reviewing:
        """What runs a round; makes the store where there is none."""

    @property
    def local(self) -> Parts:
        """The parts on the store of local reviews."""

    @property
    def has_store(self) -> bool:
        """Whether there is a server's store."""

    @property
    def at_hand(self) -> Parts:
        """These parts; where there is no server's store, those on the one of local reviews."""

    async def having(self, review: str) -> Parts:
        """The parts on the store that has this review: the local one, or the server's; without a name the local one."""

    async def scrub(self, value: T, *reviews: str) -> T:
        """The same value without secrets in any of its texts, those of these reviews too: an agent may read it here."""

    async def stands(self, review: str = "") -> Outcome:
        """A review as it stands in the store now; without a name, the last one of this place.

        Trouble where there is none; what only a running round knows, such as seconds, is left out.
        """

    def ask_signed_in(self, question: PageQuestion, to: str = "") -> bool | None:
        """Ask on a page that opens in the browser, or is written into a new file; None where nobody answered."""

    async def dismiss(self, review: str, finding: str, because: str, by: Who | None = None) -> None:
        """Waive a finding of a local review: by a human who signed in, else by the person in front of it, unproven.

        A Refusal where they may not.
        """

    def rules(self) -> tuple[RuleEntry, ...]:
        """Every rule of every critic, retired or not, with what was measured of it."""

    def policy_here(self) -> tuple[Policy, str]:
        """What would judge a change in this folder, and where that comes from; PolicyErrors where it is broken."""

    async def health(self) -> tuple[Health | Missing, ...]:
        """One real call to everybody who is at hand, all at once; and who is not, and why."""

    def ask(self, asking: Asking) -> Heard:
        """Make a call at a running server; Trouble where none runs, Unavailable where it does not answer."""

    async def speak(self, how: Speaking) -> None:
        """Speak MCP on stdin and stdout until stdin ends."""

    def serve(self, serving: Serving, told: Callable[[Begun], None]) -> None:
        """Serve until somebody ends it; `told` is called when it answers. Trouble where it cannot."""

    def work(self, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
        """Carry runs out until somebody ends it; `told` is called when it is ready. Trouble where it cannot."""
