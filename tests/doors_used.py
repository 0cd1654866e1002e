"""Record of the doors that the running test has gone through and of the policies behind them.

A test that says `@pytest.mark.door("http", policy="server")` fails unless it did so: whatever sends a request to a
started server or runs a command notes it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HTTP, MCP, PAGE, COMMAND, CHAT = "http", "mcp", "page", "command", "chat"
DOORS = (HTTP, MCP, PAGE, COMMAND, CHAT)


@dataclass
class Record:
    """Doors and policies, each by its name; a policy file is named by its stem."""

    doors: set[str] = field(default_factory=set)
    policies: set[str] = field(default_factory=set)

    def note(self, door: str, policy: str) -> None:
        """Somebody went through this door of a program that has this policy."""
        self.doors.add(door)
        self.policies.add(policy)

    def clear(self) -> None:
        """Forget what the last test did."""
        self.doors.clear()
        self.policies.clear()


RECORD = Record()


def door_of(path: str, headers: Mapping[str, str]) -> str:
    """The door that a request of this path, which was answered with these headers, has gone through."""
    if path.startswith("/mcp"):
        return MCP
    return PAGE if headers.get("content-type", "").startswith("text/html") else HTTP


def problem(doors: tuple[str, ...], policy: str) -> str:
    """What is not true of a test that claims these doors and this policy; empty if all of it is."""
    if unknown := set(doors) - set(DOORS):
        return f"{', '.join(sorted(unknown))} is no door; there are {', '.join(DOORS)}"
    if not doors or not policy:
        return "name at least one door and the policy"
    if unused := set(doors) - RECORD.doors:
        return f"the test claims the door {', '.join(sorted(unused))} and never went through it"
    if policy not in RECORD.policies:
        return f"the test claims the policy {policy}; it has used {', '.join(sorted(RECORD.policies))}"
    return ""
