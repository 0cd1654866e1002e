"""What a wrapper program starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from foureyes.reviewers.critics.commands.model import Call, Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A command, a script or a piece of code in another language that a program starts."""

    argv: tuple[str, ...] = ()
    script: str | None = None
    #: Language and text of a piece of code.
    code: tuple[str, str] | None = None
    root: bool = False
    #: None for the standard input of the wrapper.
    stdin: Stream | None = None
    #: True if its words come from a pipe or a search.
    spread: bool = False
    #: True if it runs on another machine or in a container, where starting a shell is normal.
    elsewhere: bool = False
    #: Its name and positional parameters, as in `sh -c 'rm -rf "$1"' x /`.
    parameters: tuple[str, ...] = ()


Peel = Callable[[Call], list[Inner]]
