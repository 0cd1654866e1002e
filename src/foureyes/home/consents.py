"""To whom may work be sent from this machine? Asked once per reviewer and receiver, remembered with who said so."""

from __future__ import annotations

from datetime import datetime

from foureyes.home import notebook

FILE = "consents.json"


def answer(home: str, name: str, sends: str) -> bool | None:
    """What the person said when they were asked; None where they were not, or where others would receive it now."""
    entry = notebook.read(home, FILE).get(name, {})
    if entry.get("sends") != sends:
        return None
    return {"yes": True, "no": False}.get(entry.get("answer", ""))


def remember(home: str, name: str, sends: str, *, yes: bool, by: str, at: datetime) -> None:
    """Keep the answer."""
    notes = notebook.read(home, FILE)
    notes[name] = {"sends": sends, "answer": "yes" if yes else "no", "by": by, "at": at.isoformat()}
    notebook.write(home, FILE, notes)


def every(home: str) -> dict[str, dict[str, str]]:
    """All answers there are."""
    return notebook.read(home, FILE)
