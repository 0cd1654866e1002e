"""Reduces a work to what reviewers are given to read: without paths the policy ignores, and without endless lines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from foureyes.app.reviewers import Change, File, Unread
from foureyes.policy.policy import Policy

#: Nobody reads a longer line, and looking for anything in it takes long; the lines beside it are read.
LINE_BYTES_MAX = 1_000_000
ENDLESS = "too long to read"


def readable(change: Change, policy: Policy, beside: Collection[str] = ()) -> tuple[Change, tuple[str, ...]]:
    """The work as reviewers get it, and the paths nobody reads; all of it is part of the digest all the same.

    `beside` are the files that the policy itself names: like it, they are always read. What was moved must be of no
    matter where it lay and where it lies.
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
    """The file with every line that is too long left empty, so that the others keep their numbers."""
    if len(file.content or b"") <= LINE_BYTES_MAX or file.text is None:
        return file
    lines = [one.encode() for one in file.text.split("\n")]
    long = [number for number, line in enumerate(lines, start=1) if len(line) > LINE_BYTES_MAX]
    if not long:
        return file
    unread.append(Unread(path=file.path, why=f"line {long[0]} has {len(lines[long[0] - 1]):,} bytes: {ENDLESS}"))
    kept = b"\n".join(line if len(line) <= LINE_BYTES_MAX else b"" for line in lines)
    return replace(file, content=kept)
