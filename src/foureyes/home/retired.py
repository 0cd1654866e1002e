"""Which rules did a person take out of use here, when and why?"""

from __future__ import annotations

from datetime import datetime

from foureyes.app.reviewing.rulebook import Retirement
from foureyes.home import notebook
from foureyes.home.trouble import Trouble

FILE = "retired-rules.json"
REASON_CHARS_MAX = 1000


def retired(home: str) -> dict[str, Retirement]:
    """Every retired rule by its id. A damaged file is told, and nobody goes on by a part of it."""
    return {rule: _retirement(rule, entry) for rule, entry in notebook.read(home, FILE).items()}


def names(home: str) -> frozenset[str]:
    """The rules that the file names, whatever it says of them."""
    return frozenset(notebook.read(home, FILE))


def retire(home: str, retirement: Retirement) -> None:
    """Take a rule out of use."""
    notes = notebook.read(home, FILE)
    notes[retirement.rule] = {
        "by": retirement.by,
        "at": retirement.at.isoformat(),
        "because": retirement.because[:REASON_CHARS_MAX],
    }
    notebook.write(home, FILE, notes)


def restore(home: str, rule: str) -> bool:
    """Put a rule back into use; whether it was retired."""
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
