"""What must be known of an agent's command line to ask it for a review? One small file for each says it."""

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
    """The login that is there: variables to hand on, or a credential file to copy."""

    #: In words for people, never the secret itself.
    called: str
    #: Where it is good for, and so what receives the work.
    host: str
    #: The address to speak to instead of the provider's own, where the user set one; empty for that one.
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: What the copy of the credential file holds, and where it lies below the scratch home.
    content: bytes = field(default=b"", repr=False)
    place: str = ""
    #: Whether each run is paid for; a subscription's are known in tokens alone.
    is_paid: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One run: the places it may use, what it is asked and how far it may go."""

    program: Path
    #: Ours alone, and gone after the run; the home, the work and the rest lie below it.
    folder: Path
    home: Path
    #: Where it starts: the work, read-only.
    work: Path
    system: str
    schema: Schema
    login: Login
    bounds: Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is run, with which variables beside those every agent gets."""

    argv: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an agent said: a value where it was held to the schema, else words; and what it took."""

    value: object = None
    text: str = ""
    cost: Cost = Cost()
    #: Whether the command line says itself what the run cost.
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
        """Who gets what it reads, in words."""

    @property
    def family(self) -> str: ...
    @property
    def oldest(self) -> tuple[int, int, int]:
        """The first version that knows everything by which we bind it."""

    @property
    def package(self) -> str:
        """Its name on npm."""

    @property
    def install(self) -> str:
        """What to do to have it."""

    @property
    def log_in(self) -> str:
        """What to do to be logged in."""

    @property
    def answers_in_schema(self) -> bool:
        """Whether it holds its model to a schema; else the prompt asks for one."""

    @property
    def acts_on(self) -> frozenset[str]:
        """Names in a checkout that it would act on before anybody asks; they are not laid out for it."""

    def login(self, environ: Mapping[str, str]) -> Login | None:
        """The login that is there; None where there is none."""

    def command(self, errand: Errand) -> Command:
        """How it is run; files it needs are written below the errand's folder."""

    def watch(self, line: bytes) -> None:
        """Look at a line it prints; raises Inconclusive where it would go on trying in vain."""

    def read(self, ended: Ended, errand: Errand) -> Reply:
        """What it said; raises Inconclusive where it said nothing."""
