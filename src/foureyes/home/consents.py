"""Remembered consents to send work from this machine: one answer per reviewer and receiver, with who gave it."""

from __future__ import annotations

from datetime import datetime

from foureyes.home import notebook

FILE = "consents.json"


def answer(home: str, name: str, sends: str) -> bool | None:
    """Return the answer the person gave; None if they were not asked, or if other receivers would get the work now."""
    entry = notebook.read(home, FILE).get(name, {})
    if entry.get("sends") != sends:
        return None
    return {"yes": True, "no": False}.get(entry.get("answer", ""))


def remember(home: str, name: str, sends: str, *, yes: bool, by: str, at: datetime) -> None:
    """Keep an answer."""
    notes = notebook.read(home, FILE)
    notes[name] = {"sends": sends, "answer": "yes" if yes else "no", "by": by, "at": at.isoformat()}
    notebook.write(home, FILE, notes)


def every(home: str) -> dict[str, dict[str, str]]:
    """Return all answers."""
    return notebook.read(home, FILE)
