"""The types of a requirement and of an edit that disables it."""

from dataclasses import dataclass

AREAS = ("store", "review", "doors", "engine", "enforcement", "dashboard", "learning", "hardening", "systems", "laptop")


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement by its id; without an area a test of the core must prove it now, otherwise the area will."""

    id: str
    sentence: str
    area: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One substitution in a file of the package that takes a rule out; `old` occurs there exactly once."""

    file: str
    old: str
    new: str
