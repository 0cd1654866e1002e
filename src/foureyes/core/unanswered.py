"""How is a human told that nobody answered? Which seats are meant, and what the last one who tried said of it."""

from __future__ import annotations

from foureyes.core.scene import Scene

#: So much of the words of a run that failed stands in a question to a human.
FAILURE_CHARS_MAX = 300
#: What stands behind this names a reviewer; it is for whoever sees the stage whole.
LAST_ASKED = "; last asked: "


def lost(scene: Scene, seats: list[str]) -> str:
    """Why a human is asked about seats that nobody is left for."""
    silent = [one for one in seats if scene.review.failures.get((one, scene.review.revision))]
    vacant = ", ".join(one for one in seats if one not in silent)
    if not silent:
        return f"Nobody can hold the seat {vacant}"
    also = f", and nobody can hold the seat {vacant}" if vacant else ""
    return f"Nobody gave an answer on the seat {', '.join(silent)}{also}{last_asked(scene, silent)}"


def last_asked(scene: Scene, seats: list[str]) -> str:
    """Who had no answer on one of these seats just now, and why; empty where that was earlier or elsewhere."""
    failed = scene.failed
    if failed is None or failed.seat not in seats or failed.revision != scene.review.revision:
        return ""
    words = _in_one_line(failed.text)
    why = failed.reason.value.replace("_", " ")
    return f"{LAST_ASKED}{failed.reviewer} ({why}){f': {words}' if words else ''}"


def for_anybody(text: str) -> str:
    """A question to a human without who was asked: those who review may read it, and must not know yet."""
    return text.partition(LAST_ASKED)[0]


def _in_one_line(text: str) -> str:
    shown = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return shown if len(shown) <= FAILURE_CHARS_MAX else f"{shown[: FAILURE_CHARS_MAX - 1]}…"
