"""Turns work stored at a server into the Change that reviewers get: all of it, because no base tells old lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from foureyes.app.facts import stored_bytes
from foureyes.app.laying import lay_out
from foureyes.app.ports import Reading
from foureyes.app.reviewers import Change, File
from foureyes.app.work import GONE_MODE
from foureyes.core.model import Review


def stored_change(review: Review, reading: Reading) -> Change:
    """Return the current version as it is stored; raises if bytes are missing or altered."""
    files = tuple(_files(review, reading))
    return Change(
        title=review.title,
        kind=review.kind,
        files=files,
        note=review.current.note,
        whole=partial(lay_out, files=files),
    )


def _files(review: Review, reading: Reading) -> Iterator[File]:
    for part in review.current.parts:
        content = None if part.mode == GONE_MODE else stored_bytes(reading, part)
        lines = content.count(b"\n") + 1 if content else 1
        yield File(path=part.name, mode=part.mode, content=content, changed=((1, lines),))
