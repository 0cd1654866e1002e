"""Sample works and answers for the tests of this folder."""

from __future__ import annotations

from typing import Any

from foureyes.app.reviewers import Change, File, Task

BEFORE = b"import os\n\n\ndef total(items):\n    return sum(items)\n"
AFTER = (
    b"import os\n\n\ndef total(items):\n    return sum(items)\n\n\n"
    b'def remove(path):\n    os.system("rm -rf " + path)\n    return True\n'
)


def shop(**changed: Any) -> File:
    """A file with an old function and a new, dangerous one on the lines 6 to 10."""
    values: dict[str, Any] = {"path": "shop/cart.py", "content": AFTER, "before": BEFORE, "changed": ((6, 10),)}
    return File(**values | changed)


def change(*files: File, **values: Any) -> Change:
    return Change(title="Remove carts", kind="code", files=files or (shop(),), **values)


def task(*files: File, note: str = "", **values: Any) -> Task:
    return Task(change=change(*files, note=note), **values)


def finding(**said: Any) -> dict[str, Any]:
    """The finding that a good reviewer raises on that file."""
    values: dict[str, Any] = {
        "path": "shop/cart.py",
        "line": 9,
        "end_line": 9,
        "evidence": 'os.system("rm -rf " + path)',
        "text": "The path goes into a shell unquoted, so a name like `; x` runs a command.",
        "severity": "critical",
        "category": "security",
        "rule": "shell-injection",
        "suggestion": "Use shutil.rmtree.",
    }
    return values | said


def answer(*findings: dict[str, Any], **said: Any) -> dict[str, Any]:
    """An answer that fits the schema; it approves unless the arguments say otherwise."""
    values: dict[str, Any] = {
        "findings": list(findings),
        "examined": [
            {"path": "shop/cart.py", "line": 8, "what": "the new function", "why": "its callers pass a checked path"}
        ],
        "settled": [],
        "checked": [],
        "checklist": [],
        "answers": [],
        "strengths": [],
        "summary": "Looked at the new function.",
        "verdict": "approve",
        "confidence": 90,
    }
    return values | said
