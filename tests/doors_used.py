"""Record of the doors that the running test has gone through and of the policies behind them.

A test that says `@pytest.mark.door("http", policy="server")` fails unless it did so: whatever sends a request to a
started server or runs a command notes it here. A claimed word that is a value of a parameter of the test must be true
of the run with that value, and every other one of every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HTTP, MCP, PAGE, COMMAND, CHAT = "http", "mcp", "page", "command", "chat"
DOORS = (HTTP, MCP, PAGE, COMMAND, CHAT)


@dataclass
class Record:
    """Doors and policies, each by its name; a policy file is named by its stem."""

    doors: set[str] = field(default_factory=set)
    policies: set[str] = field(default_factory=set)

    def note(self, door: str, policy: str) -> None:
        """Record that the test used this door of a program with this policy."""
        self.doors.add(door)
        self.policies.add(policy)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Mark requests that only prepare the test, such as signing in, and prove nothing."""
        doors, policies = set(self.doors), set(self.policies)
        yield
        self.doors, self.policies = doors, policies

    def clear(self) -> None:
        """Forget what the last test did."""
        self.doors.clear()
        self.policies.clear()


RECORD = Record()


def policies_of(said: object) -> tuple[str, ...]:
    """The policies that a claim names: one, or several."""
    return (said,) if isinstance(said, str) else tuple(map(str, said)) if isinstance(said, Sequence) else ()


def named_policy(environment: Mapping[str, str], *places: Path, default: str) -> str:
    """The name of a program's policy: that of the file in its environment or at one of these places, or default."""
    if named := environment.get("FOUREYES_POLICY", ""):
        return Path(named).stem
    return next((place.stem for place in places if place.exists()), default)


def note_typed(commands: str, environment: Mapping[str, str], policy: str) -> None:
    """Record the doors that a script of commands uses: `foureyes`, or curl, whose requests go to the server."""
    if "foureyes " in commands:
        RECORD.note(COMMAND, named_policy(environment, default=policy))
    if "curl " in commands:
        RECORD.note(HTTP, policy)


def door_of(path: str, headers: Mapping[str, str]) -> str:
    """The door that a request of this path, which was answered with these headers, has gone through."""
    if path.startswith("/mcp"):
        return MCP
    return PAGE if headers.get("content-type", "").startswith("text/html") else HTTP


def problem(
    doors: tuple[str, ...],
    policies: tuple[str, ...],
    here: AbstractSet[str] = frozenset(),
    elsewhere: AbstractSet[str] = frozenset(),
) -> str:
    """What is untrue in a test's claim of these doors and policies; empty if the claim holds.

    `here` are the values of the parameters of this run, `elsewhere` those of the test's other runs: what only others
    have is shown by them.
    """
    if unknown := set(doors) - set(DOORS):
        return f"{', '.join(sorted(unknown))} is no door; there are {', '.join(DOORS)}"
    if not doors or not policies:
        return "name at least one door and the policy"
    others = elsewhere - here
    if unused := set(doors) - RECORD.doors - others:
        return f"the test claims the door {', '.join(sorted(unused))} and never went through it"
    if unused := set(policies) - RECORD.policies - others:
        used = ", ".join(sorted(RECORD.policies))
        return f"the test claims the policy {', '.join(sorted(unused))}; it has used {used}"
    return ""
