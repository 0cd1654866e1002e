"""How a driven process reports its promises to the harness: a line in a file, seen in its system calls."""

import os
from collections.abc import Callable
from pathlib import Path

from tests.crash.disks import MARKS


def marking(folder: Path) -> Callable[[str], None]:
    """Return a function that records a promise, beside the folder that is to survive."""
    descriptor = os.open(folder.parent / MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def mark(text: str) -> None:
        os.write(descriptor, f"{text}\n".encode())

    return mark


def marked(folder: Path) -> list[str]:
    """The promises of a process that has died."""
    file = folder.parent / MARKS
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
