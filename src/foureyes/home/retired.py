"""The rules that a person retired on this machine, with who, when and why."""

from __future__ import annotations

from datetime import datetime

from foureyes.app.reviewing.rulebook import Retirement
from foureyes.home import notebook
from foureyes.home.trouble import Trouble

FILE = "retired-rules.json"
REASON_CHARS_MAX = 1000


def retired(home: str) -> dict[str, Retirement]:
    """Return every retired rule by its id. A damaged file raises Trouble; no part of it is used."""
    return {rule: _retirement(rule, entry) for rule, entry in notebook.read(home, FILE).items()}


def names(home: str) -> frozenset[str]:
    """Return the rules that the file names, whatever it says of them."""
    return frozenset(notebook.read(home, FILE))


def retire(home: str, retirement: Retirement) -> None:
    """Retire a rule."""
    notes = notebook.read(home, FILE)
    notes[retirement.rule] = {
        "by": retirement.by,
        "at": retirement.at.isoformat(),
        "because": retirement.because[:REASON_CHARS_MAX],
    }
    notebook.write(home, FILE, notes)


def restore(home: str, rule: str) -> bool:
    """Put a rule back into use; True if it was retired."""
    notes = notebook.read(home, FILE)
    if notes.pop(rule, None) is None:
        return False
    notebook.write(home, FILE, notes)
    return True


def _retirement(rule: str, entry: dict[str, str]) -> Retirement:
    try:
        at = datetime.fromisoformat(entry["at"])
        return Retirement(rule=rule, by=entry["by"], at=at, because=entry["because"])
    except (KeyError, ValueError):
        raise Trouble(
            f"{FILE} does not say who retired {rule}, when and why.", f"Run: foureyes rules restore {rule}"
        ) from None
