"""The state of a script at one point: its variables, functions, folder, and what it created itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.commands.model import GUARDED, HOLE, Stream
from foureyes.reviewers.critics.commands.places import SCRATCH, resolved

if TYPE_CHECKING:
    from tree_sitter import Node

#: Values a shell starts with, as far as they matter for where a path leads.
_GIVEN = {
    "HOME": "~",
    "PWD": ".",
    "OLDPWD": HOLE,
    "TMPDIR": SCRATCH,
    "TMP": SCRATCH,
    "TEMP": SCRATCH,
    "RUNNER_TEMP": SCRATCH,
    "IFS": " ",
    "SHELL": "bash",
    "BASH": "bash",
    "UID": "1",
    "EUID": "1",
    "RANDOM": "1",
    "SECONDS": "1",
    "LINENO": "1",
    "$": "4242",
    "?": "0",
    "#": "1",
    "GITHUB_WORKSPACE": ".",
    "CI_PROJECT_DIR": ".",
    "WORKSPACE": ".",
}


MADE_MAX = 200


@dataclass(slots=True)
class Scene:
    """State that changes while the script is walked; a subshell works on a copy."""

    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    parameters: tuple[str, ...] | None = None
    made: set[str] = field(default_factory=set)
    cwd: str = ""
    #: The output of `<(…)` and of files written by the script, by name.
    streams: dict[str, Stream] = field(default_factory=dict)
    #: Above 0 if this part may be skipped when the script runs.
    maybe: int = 0
    #: Variables that a test has looked at, so that they are not empty by accident.
    tested: set[str] = field(default_factory=set)
    #: Variables known to be non-empty in this part, after `[ -n "$X" ]`.
    filled: set[str] = field(default_factory=set)
    #: Whether the script runs as root, on another machine, and by which program it is started.
    root: bool = False
    elsewhere: bool = False
    via: str = ""
    #: True after `set -u`: an unset variable ends the script.
    strict: bool = False
    #: Files fetched from the network and not checked since.
    fetched: set[str] = field(default_factory=set)

    def copy(self) -> Scene:
        """Return a copy for a subshell, whose changes are lost when it ends."""
        return Scene(
            variables=dict(self.variables),
            functions=self.functions,
            called=self.called,
            aliases=dict(self.aliases),
            parameters=self.parameters,
            made=self.made,
            cwd=self.cwd,
            streams=self.streams,
            maybe=self.maybe,
            tested=self.tested,
            filled=set(self.filled),
            root=self.root,
            elsewhere=self.elsewhere,
            via=self.via,
            strict=self.strict,
            fetched=self.fetched,
        )

    def lookup(self, name: str) -> str | None:
        """Return the value of a variable, with holes; None if nothing is known of it."""
        if name in self.variables:
            value = self.variables[name]
            # This part is only reached after a test that the variable is not empty.
            return HOLE + GUARDED if not value and self.maybe and name in self.filled else value
        if name.isdigit() and self.parameters is not None and int(name) > 0:
            at = int(name) - 1
            return self.parameters[at] if at < len(self.parameters) else ""
        if name in ("@", "*") and self.parameters is not None:
            return " ".join(self.parameters)
        given = _GIVEN.get(name)
        if given is None and (self.strict or name in self.tested):
            return HOLE + GUARDED
        return given

    def assign(self, name: str, value: str, *, more: bool = False) -> None:
        """Set a variable; in a part that may be skipped, a second value makes it unknown."""
        if more:
            value = (self.variables.get(name) or "") + value
        old = self.variables.get(name)
        self.variables[name] = value if not self.maybe or old in (None, value) else HOLE

    def go(self, folder: str) -> None:
        """Change the folder, as `cd` does."""
        if folder == "-":
            self.cwd = HOLE
        else:
            self.cwd = resolved(folder or "~", self.cwd)

    def make(self, folders: list[str]) -> None:
        """Remember paths that the script created itself."""
        if len(self.made) < MADE_MAX:
            self.made.update(resolved(one, self.cwd) for one in folders if HOLE not in one)
