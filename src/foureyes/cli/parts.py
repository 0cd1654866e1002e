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
#: Called with how much is done, and of how much.
Progress = Callable[[int, int], None]


class Placing(Protocol):
    """The place of the store, where a restored copy goes."""

    def kept(self) -> str:
        """Where the store that is to be replaced is kept; empty if there is none, or if the database is not a file."""

    def put(self, copy: str, kept: str, progress: Progress) -> str:
        """Put a copy in the place of the store; the previous store is kept, and its path is returned."""

    def undo(self, kept: str) -> None:
        """Put back the store that a restore set aside, or remove the one it made."""


class Settings(Protocol):
    """The settings that commands read."""

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
    """The schema version of the store (0 without a store), and the one that this program needs."""

    found: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The work that a command line names; at most one of the first three fields is given."""

    #: A range of revisions, a path, or `-` for stdin; empty means uncommitted changes.
    what: str = ""
    staged: bool = False
    worktree: bool = False
    #: Empty means that the policy's paths or the content decide.
    kind: str = ""
    title: str = ""

    @property
    def named(self) -> str:
        """The words that name the work, for commands that review it again."""
        named = (("--staged", self.staged), ("--worktree", self.worktree), (self.what, bool(self.what)))
        return shlex.join(word for word, is_given in named if is_given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """How to speak MCP on stdio: server name, target server, account, and list of tools."""

    name: str
    token: str = field(repr=False)
    tools: str
    #: Empty means the server that runs in the data folder; without one, the store is opened directly.
    server: str = ""
    #: The agent for whom a service acts.
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A call to make at a server, and the account that makes it."""

    call: str
    data: Mapping[str, Any]
    token: str = field(repr=False)
    #: Empty means the server that runs in the data folder.
    server: str = ""
    #: The agent for whom a service acts.
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A server's answer: the HTTP status and an object, which may be a problem document."""

    status: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuestion:
    """The question on a sign-in page of this machine."""

    title: str
    lines: tuple[str, ...]
    #: A line of the work.
    quote: str
    #: The name under which the answer is recorded.
    person: str
    button: str
    #: What the page says after a yes.
    done: str
    #: 0 means any free port.
    port: int = 0


class Reviewing(Protocol):
    """One round of review on this machine, written to the store."""

    async def run(self, change: Change, *, options: Options, watch: Watch) -> Outcome:
        """Ask all available reviewers and return the outcome.

        On cancellation it ends everything it started, keeps the reports handed in so far, and returns the outcome with
        `interrupted` set instead of raising.
        """


class Parts(Protocol):
    """Everything that a command may use; opened only when it is used."""

    @property
    def settings(self) -> Settings: ...
    @property
    def console(self) -> Console: ...
    @property
    def is_local(self) -> bool:
        """True if these parts use the store of local reviews."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def human(self) -> Who:
        """The person at the terminal: on this machine, the user of the operating system."""

    def schema(self) -> Schema:
        """The store's schema; reading it changes nothing."""

    def wanted_schema(self) -> int:
        """The schema version that this program needs."""

    def copy_schema(self, path: str) -> int:
        """The schema version of a copy of a store; 0 if there is none."""

    def store(self, *, write: bool = False) -> AbstractAsyncContextManager[Store]:
        """Open the store; refused if it does not exist or has another schema version."""

    def new_store(self) -> AbstractAsyncContextManager[Store]:
        """Open the store for writing, and create it if it does not exist."""

    def copied(self, path: str) -> AbstractAsyncContextManager[Store]:
        """Open a copy of a store for reading."""

    def policy(self) -> Policy:
        """The policy in force before any is activated: the file of the settings, else the shipped default."""

    def gate(self, store: Store) -> Gate:
        """The gate on this store."""

    def copy_store(self, target: str, progress: Progress) -> None:
        """Write a consistent copy of the store into a new SQLite file, while others go on working."""

    def placing(self) -> Placing:
        """The place of the store, where a restored copy goes."""

    def migrate(self, path: str = "") -> None:
        """Migrate the store, or a copy of one, to the schema of this program."""

    def read_change(self, wanted: Wanted) -> Change:
        """Read the work that is named, from git, a file or stdin; raises Trouble if it cannot be read or is missing."""

    def reviewing(self) -> Reviewing:
        """What runs a round; the store is created if it does not exist."""

    @property
    def local(self) -> Parts:
        """These parts on the store of local reviews."""

    @property
    def has_store(self) -> bool:
        """True if there is a server's store."""

    @property
    def at_hand(self) -> Parts:
        """These parts; or, without a server's store, the parts on the store of local reviews."""

    async def having(self, review: str) -> Parts:
        """The parts on the store that has this review, local or the server's; without a name, the local ones."""

    async def scrub(self, value: T, *reviews: str) -> T:
        """The value with secrets removed from its texts, also those in these reviews: an agent may read the output."""

    async def stands(self, review: str = "") -> Outcome:
        """A review's current outcome from the store; without a name, of the last review of this place.

        Raises Trouble if there is none. Facts that only a running round knows, such as seconds, are left out.
        """

    def ask_signed_in(self, question: PageQuestion, to: str = "") -> bool | None:
        """Ask on a page that opens in the browser, or is written to a new file; None if it was not answered."""

    async def dismiss(self, review: str, finding: str, because: str, by: Who | None = None) -> None:
        """Waive a finding of a local review, by a human who signed in, or unproven by the person at the terminal.

        Raises Refusal if they may not.
        """

    def rules(self) -> tuple[RuleEntry, ...]:
        """Every rule of every critic, retired or not, with its measurements."""

    def policy_here(self) -> tuple[Policy, str]:
        """The policy for a change in this folder, and where it comes from; raises PolicyErrors if it is invalid."""

    async def health(self) -> tuple[Health | Missing, ...]:
        """Make one real call to each available reviewer, all at once, and list the missing ones with the reason."""

    def ask(self, asking: Asking) -> Heard:
        """Make a call at a running server; raises Trouble if none runs, Unavailable if it does not answer."""

    async def speak(self, how: Speaking) -> None:
        """Speak MCP on stdin and stdout until stdin ends."""

    def serve(self, serving: Serving, told: Callable[[Begun], None]) -> None:
        """Serve until the process is stopped; `told` is called when the server answers. Raises Trouble if it cannot."""

    def work(self, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
        """Carry out runs until the process is stopped; `told` is called when ready. Raises Trouble if it cannot."""
