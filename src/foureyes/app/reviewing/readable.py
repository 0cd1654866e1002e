"""Reduces a work to what reviewers are given to read: without paths the policy ignores, and without endless lines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from foureyes.app.reviewers import Change, File, Unread
from foureyes.policy.policy import Policy

#: A longer line is left out, because nobody reads it and searching it takes long; the other lines are read.
LINE_BYTES_MAX = 1_000_000
ENDLESS = "too long to read"


def readable(change: Change, policy: Policy, beside: Collection[str] = ()) -> tuple[Change, tuple[str, ...]]:
    """Return the work as reviewers get it, and the ignored paths; the digest covers all of it all the same.

    `beside` are the files that the policy itself names: like the policy, they are always read. A moved file is ignored
    only if both its old and its new path are.
    """
    ignored = tuple(
        one.path
        for one in change.files
        if all(policy.ignores(path) and path not in beside for path in (one.path, one.was or one.path))
    )
    left = set(ignored)
    unread = list(change.unread)
    files = tuple(_shortened(one, unread) for one in change.files if one.path not in left)
    return replace(change, files=files, unread=tuple(unread)), ignored


def _shortened(file: File, unread: list[Unread]) -> File:
    """Return the file with every overlong line emptied, so that the others keep their numbers."""
    if len(file.content or b"") <= LINE_BYTES_MAX or file.text is None:
        return file
    lines = [one.encode() for one in file.text.split("\n")]
    long = [number for number, line in enumerate(lines, start=1) if len(line) > LINE_BYTES_MAX]
    if not long:
        return file
    unread.append(Unread(path=file.path, why=f"line {long[0]} has {len(lines[long[0] - 1]):,} bytes: {ENDLESS}"))
    kept = b"\n".join(line if len(line) <= LINE_BYTES_MAX else b"" for line in lines)
    return replace(file, content=kept)
