"""Profiles of the peer style's reviewing roles: focus, expertise and typical feedback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The side from which a role looks at a work."""

    focus: tuple[str, ...]
    expertise: tuple[str, ...]
    typical_feedback: tuple[str, ...]


#: By role name, with underscores.
PROFILES: Mapping[str, Profile] = {
    "auditor": Profile(
        focus=(
            "Code quality",
            "Best practices",
            "Naming conventions",
            "Documentation completeness",
            "Test coverage",
            "Error handling",
        ),
        expertise=(
            "Reading code for quality",
            "Identifying tech debt",
            "Spotting anti-patterns",
            "Ensuring consistency",
        ),
        typical_feedback=(
            "Naming suggestions",
            "Code organization improvements",
            "Documentation gaps",
            "Test coverage issues",
            "Error handling improvements",
        ),
    ),
    "architect": Profile(
        focus=(
            "Design coherence",
            "System architecture",
            "Core selection",
            "Interface design",
            "Separation of concerns",
            "Long-term maintainability",
        ),
        expertise=("System thinking", "Design patterns", "API design", "Component boundaries", "Scalability"),
        typical_feedback=(
            "Design alternatives",
            "Better core composition",
            "Interface improvements",
            "Architectural concerns",
            "Scalability considerations",
        ),
    ),
    "optimizer": Profile(
        focus=(
            "Performance",
            "Efficiency",
            "Resource usage",
            "Complexity vs benefit",
            "Preventing over-engineering",
        ),
        expertise=(
            "Performance analysis",
            "Complexity evaluation",
            "Resource optimization",
            "Practical tradeoffs",
        ),
        typical_feedback=(
            "Performance improvements",
            "Simpler alternatives",
            "Unnecessary complexity",
            "Resource usage concerns",
        ),
    ),
    "tester": Profile(
        focus=("Testability", "Test coverage", "Edge cases", "Test quality", "Integration testing"),
        expertise=("Test design", "Edge case identification", "Integration scenarios", "Test automation"),
        typical_feedback=("Missing test cases", "Untestable code", "Integration test gaps", "Test organization"),
    ),
    "core_developer": Profile(
        focus=(
            "Implementation correctness",
            "Core usage",
            "Code functionality",
            "Practical implementation",
            "Debugging potential",
        ),
        expertise=("Writing code", "Using cores", "Debugging", "Implementation patterns"),
        typical_feedback=(
            "Implementation bugs",
            "Better core usage",
            "Practical concerns",
            "Debugging difficulties",
        ),
    ),
}
