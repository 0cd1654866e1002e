"""What does a wrapper start?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from foureyes.reviewers.critics.commands.model import Call, Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A command, a script or a piece of another language that a program starts."""

    argv: tuple[str, ...] = ()
    script: str | None = None
    #: Language and text of code in it.
    code: tuple[str, str] | None = None
    root: bool = False
    #: None: the wrapper's own.
    stdin: Stream | None = None
    #: Its words come from a pipe or a search.
    spread: bool = False
    #: Runs on another machine or in a container, where a shell is what one asks for.
    elsewhere: bool = False
    #: Its name and positional parameters, as in `sh -c 'rm -rf "$1"' x /`.
    parameters: tuple[str, ...] = ()


Peel = Callable[[Call], list[Inner]]
