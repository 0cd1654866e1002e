"""Common finding categories, for styles that do not define their own list."""

from __future__ import annotations

OTHER = "other"
#: Together with the scopes of a policy few enough for a refusal to list them all.
COMMON_CATEGORIES = frozenset(
    (
        *("accessibility", "build", "compatibility", "completeness", "concern", "concurrency", "configuration"),
        *("consistency", "correctness", "data", "dependencies", "deployment", "design", "documentation"),
        *("error_handling", "licensing", "logic", "maintainability", "naming", OTHER, "performance", "privacy"),
        *("readability", "reliability", "requirements", "security", "spelling", "style", "suggestion", "tests"),
        *("timeline", "usability"),
    )
)
_SPELLINGS = {
    "api": "design",
    "architecture": "design",
    "bug": "correctness",
    "complexity": "maintainability",
    "doc": "documentation",
    "docs": "documentation",
    "formatting": "style",
    "licence": "licensing",
    "license": "licensing",
    "robustness": "reliability",
    "test": "tests",
    "testing": "tests",
    "typo": "spelling",
}


def common_category(word: str) -> str:
    """The common spelling of a category: lower case, underscores, known spellings replaced."""
    folded = word.strip().lower().replace("-", "_").replace(" ", "_")
    return _SPELLINGS.get(folded, folded)
