"""Find the files of a work that are copied into an image, and so run in a container."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from foureyes.app.reviewers import File

COPIES_MAX = 500
_COPY = re.compile(r"(?im)^[ \t]{0,20}(?:COPY|ADD)[ \t]+((?:--(?!from)[\w-]+(?:=\S+)?[ \t]+)*)([^\n\\]{1,2000})$")


def copied_into_images(files: Iterable[File]) -> frozenset[str]:
    """Return the paths that a Dockerfile of the work copies by name; copied folders are not resolved to files."""
    found: set[str] = set()
    for file in files:
        name = posixpath.basename(file.path).lower()
        if name.startswith(("dockerfile", "containerfile")) or name.endswith(".dockerfile"):
            folder = posixpath.dirname(file.path)
            for met in list(_COPY.finditer(file.text or ""))[:COPIES_MAX]:
                words = [one.strip("\"',[]") for one in met[2].split()]
                found.update(posixpath.normpath(posixpath.join(folder, one)) for one in words[:-1] if one)
    return frozenset(found)
