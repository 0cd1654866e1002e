"""The screens of a review as text, one file each, so that a change of wording shows up.

Usage: python -m tests.cli.screens
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from foureyes.app.plain import plain
from foureyes.cli.markdown import markdown
from foureyes.cli.showing import shown
from tests.cli.outcomes import EVERY

FOLDER = Path(__file__).resolve().parent.parent / "golden" / "screens"
WIDTHS = (40, 80, 120)


def screen(name: str, width: int, *, everything: bool = False, quiet: bool = False) -> str:
    """A screen without its colours."""
    lines = shown(EVERY[name], width=width, everything=everything, quiet=quiet)
    return "".join(f"{plain(str(line))}\n" for line in lines)


def screens() -> Iterator[tuple[str, str]]:
    """Every screen by its file's name."""
    for name in EVERY:
        yield f"{name}-80.txt", screen(name, 80)
    for width in (40, 120):
        yield from ((f"{name}-{width}.txt", screen(name, width)) for name in ("blocked", "clean"))
    yield "panel-all.txt", screen("panel", 80, everything=True)
    yield "later-all.txt", screen("later", 80, everything=True)
    yield "blocked-quiet.txt", screen("blocked", 80, quiet=True)
    yield from ((f"{name}.md", markdown(EVERY[name])) for name in ("blocked", "evil", "clean", "panel"))


def main() -> None:
    os.environ["TZ"] = "UTC"
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for name, text in screens():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
