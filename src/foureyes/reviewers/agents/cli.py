"""The port for an agent's command line; one small module implements it for each agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from foureyes.app.reviewers import Bounds
from foureyes.core.values import Cost
from foureyes.reviewers.agents.process import Ended

Schema = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The login that was found: variables to pass on, or a credential file to copy."""

    #: Its description for people, never the secret itself.
    called: str
    #: The host it is valid for, which therefore receives the work.
    host: str
    #: The base URL that replaces the provider's own, if the user set one; else empty.
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: The content of the copied credential file, and its path below the scratch home.
    content: bytes = field(default=b"", repr=False)
    place: str = ""
    #: Whether each run is paid for; the cost of a subscription is known in tokens alone.
    is_paid: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One run: the folders it may use, what it is asked and its limits."""

    program: Path
    #: Private to us, and removed after the run; the home, the work and the rest are below it.
    folder: Path
    home: Path
    #: Its working directory: the work, read-only.
    work: Path
    system: str
    schema: Schema
    login: Login
    bounds: Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command that is run, and the variables it gets beside those of every agent."""

    argv: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The agent's answer: a value if it was held to the schema, else text; and the cost."""

    value: object = None
    text: str = ""
    cost: Cost = Cost()
    #: Whether the command line itself reports what the run cost.
    is_priced: bool = False


class Cli(Protocol):
    """One agent's command line."""

    @property
    def name(self) -> str:
        """The program's name on the PATH, by which policies name the reviewer too."""

    @property
    def called(self) -> str:
        """Its name for people."""

    @property
    def provider(self) -> str: ...
    @property
    def receiver(self) -> str:
        """Who receives what it reads, in words."""

    @property
    def family(self) -> str: ...
    @property
    def oldest(self) -> tuple[int, int, int]:
        """The first version that supports all the restrictions we use."""

    @property
    def package(self) -> str:
        """Its name on npm."""

    @property
    def install(self) -> str:
        """How to install it."""

    @property
    def log_in(self) -> str:
        """How to log in."""

    @property
    def answers_in_schema(self) -> bool:
        """Whether it holds its model to a schema; else the prompt asks for one."""

    @property
    def acts_on(self) -> frozenset[str]:
        """Names in a checkout on which it would act by itself; they are not laid out for it."""

    def login(self, environ: Mapping[str, str]) -> Login | None:
        """Return the login that was found, or None."""

    def command(self, errand: Errand) -> Command:
        """Return the command; files it needs are written below the errand's folder."""

    def watch(self, line: bytes) -> None:
        """Check a line it prints; raises Inconclusive if it would go on retrying in vain."""

    def read(self, ended: Ended, errand: Errand) -> Reply:
        """Parse its answer; raises Inconclusive if there is none."""
