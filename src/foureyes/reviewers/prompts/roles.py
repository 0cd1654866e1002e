"""The role texts of reviewers, kept as template files beside this module."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

#: The critics of the chains by their own names; each is known by its scope too.
_CALLED = {
    "seldon": "format",
    "hardin": "security",
    "gaal": "factual",
    "daneel": "operational",
    "mallow": "financial",
    "magnifico": "creative",
    "amaryl": "quantitative",
}
ROLES = frozenset(
    {
        *("auditor", "architect", "optimizer", "tester", "core_developer", "app_developer", "idea_refiner"),
        *("spec", "quality", "reviewer"),
        *_CALLED.values(),
    }
)
DEFAULT = "reviewer"


def role_text(role: str, scope: str) -> str:
    """Return what this role looks for, else what its scope asks, else the text for any critical reviewer."""
    for name in (role, scope):
        word = name.strip().lower().replace("-", "_")
        known = _CALLED.get(word, word)
        if known in ROLES:
            return template(known)
    return template(DEFAULT)


@cache
def template(name: str) -> str:
    """Return one of our template texts."""
    return (files(__package__) / "templates" / f"{name}.txt").read_text(encoding="utf-8").strip()
