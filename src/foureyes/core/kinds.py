"""What is a kind of work called? One spelling for each, whatever the caller wrote."""

from __future__ import annotations

_ALIASES = {
    "core_creation": "create_core",
    "app_creation": "create_app",
    "architecture": "architecture_decision",
    "refactor": "major_refactor",
}


def canonical_kind(kind: str) -> str:
    """The one spelling of a kind: lower case, underscores, known aliases replaced."""
    folded = kind.strip().lower().replace("-", "_").replace(" ", "_")
    return _ALIASES.get(folded, folded)
