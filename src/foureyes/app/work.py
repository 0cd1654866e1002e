"""The bytes under review: parts by digest, the digest of the whole work, its aliases, and the checks on them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from foureyes.codec import canonical
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.risk.globs import folded_path
from foureyes.core.values import WorkPart

if TYPE_CHECKING:
    from foureyes.app.reviewers import Change

BLOB_BYTES_MAX = 20 * 1024 * 1024
WORK_BYTES_MAX = 20 * 1024 * 1024
PARTS_MAX = 2_000
NAME_CHARS_MAX = 1_000
ALIASES_MAX = 20
GIT_TREE = "git-tree:"
PLAIN_MODE, LINK_MODE, SUBMODULE_MODE = "100644", "120000", "160000"
#: Mode of a removed part: its digest is that of no bytes, so that the removal is part of the work's digest.
GONE_MODE = "000000"
#: The most common first.
MODES = (PLAIN_MODE, "100755", LINK_MODE, SUBMODULE_MODE, GONE_MODE)
NO_BYTES = hashlib.sha256(b"").hexdigest()

_DIGEST = re.compile(r"[0-9a-f]{64}").fullmatch
#: Aliases that the shell may add: a commit, a merge request. Digests, trees and bases are only computed here.
_ALIAS = re.compile(r"(?!git-tree:|git-base:)[a-z][a-z-]{0,30}:[\x21-\x7e]{1,200}").fullmatch
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]|\\").search


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A piece of work as it is handed in: its parts, its bytes, and the digest that names exactly these."""

    digest: str
    parts: tuple[WorkPart, ...]
    blobs: Mapping[str, bytes]


def work_of(files: Mapping[str, bytes], media_type: str = "text/plain") -> Work:
    """Return the work that consists of these files."""
    parts = tuple(
        WorkPart(name=name, media_type=media_type, digest=blob_digest(content), size=len(content))
        for name, content in sorted(files.items())
    )
    blobs = {part.digest: files[part.name] for part in parts}
    return Work(digest=manifest_digest(parts), parts=parts, blobs=blobs)


def work_of_change(change: Change) -> tuple[Work, tuple[WorkPart, ...], dict[str, bytes]]:
    """Return the work of a change, its parts as they were at the base, and the bytes of those.

    A renamed file is removed from its old path, so that the digest says so; a submodule's bytes are the name of its
    commit.
    """
    after, before, blobs, old = dict[str, WorkPart](), dict[str, WorkPart](), dict[str, bytes](), dict[str, bytes]()
    for file in change.files:
        if file.was:
            after.setdefault(file.was, _part(file.was, GONE_MODE, b"", blobs))
        after[file.path] = _part(file.path, file.mode, file.content or b"", blobs)
    for file in change.files:
        if file.before is not None:
            name = file.was or file.path
            mode = file.mode_before or (PLAIN_MODE if file.mode == GONE_MODE else file.mode)
            before[name] = _part(name, mode, file.before, old)
    parts = tuple(after[name] for name in sorted(after))
    work = Work(digest=manifest_digest(parts), parts=parts, blobs=blobs)
    return work, tuple(before[name] for name in sorted(before)), old


def blob_digest(content: bytes) -> str:
    """Return the digest of these bytes."""
    return hashlib.sha256(content).hexdigest()


def is_digest(text: str) -> bool:
    """True if this has the form of a SHA-256 digest; the gate takes no other for a part of a work."""
    return _DIGEST(text) is not None


def manifest_digest(parts: Iterable[WorkPart]) -> str:
    """Return the digest of a work: over path, mode and blob of each part, by path, in canonical JSON."""
    listed = [{"path": one.name, "mode": one.mode, "blob": one.digest} for one in parts]
    return hashlib.sha256(canonical(sorted(listed, key=_path))).hexdigest()


def check_work(digest: str, parts: tuple[WorkPart, ...]) -> None:
    """Refuse a work whose parts do not match its digest, or whose names no disk could hold."""
    if not parts:
        raise refuse(Code.PARTS_MISSING)
    if len(parts) > PARTS_MAX:
        raise refuse(Code.TOO_MANY, what="Parts of the work", size=len(parts), most=PARTS_MAX)
    for part in parts:
        _check_part(part)
    if len({part.name for part in parts}) < len(parts):
        raise Refusal(Code.DUPLICATE, "Two parts have the same path.", "Send each path once.")
    _check_names(parts)
    if sum(part.size for part in parts) > WORK_BYTES_MAX:
        raise Refusal(Code.TOO_LONG, f"The work is larger than {WORK_BYTES_MAX} bytes.", "Split the work.")
    actual = manifest_digest(parts)
    if digest != actual:
        raise Refusal(
            Code.DIGEST_MISMATCH,
            f"The work is named {digest}, but its parts make {actual}.",
            "Hash the manifest of exactly these parts.",
        )


def check_aliases(aliases: tuple[str, ...]) -> None:
    """Refuse aliases that could be taken for a digest or for what the gate computes itself."""
    wrong = [one for one in aliases if not _ALIAS(one)]
    if wrong or len(aliases) > ALIASES_MAX:
        allowed = f"at most {ALIASES_MAX} of the form sort:name, like git-commit:<id>; a tree is computed here"
        raise refuse(Code.UNKNOWN_WORD, what="An alias", word="".join(wrong)[:80], allowed=allowed)


def check_blob(part: WorkPart, content: bytes) -> None:
    """Refuse bytes that are not what a part says they are."""
    if len(content) > BLOB_BYTES_MAX:
        raise Refusal(Code.TOO_LONG, f"{part.name} is larger than {BLOB_BYTES_MAX} bytes.", "Split it.")
    if part.size != len(content) or part.digest != blob_digest(content):
        raise Refusal(
            Code.DIGEST_MISMATCH, f"The bytes of {part.name} are not those its digest names.", "Send the right bytes."
        )


def git_tree(parts: Iterable[WorkPart], blobs: Mapping[str, bytes]) -> str:
    """Return the name git gives to a tree of exactly these files; empty if bytes are missing or there is no such tree.

    Removed parts are in no tree; if nothing is left, there is no tree to name.
    """
    tree: dict[bytes, object] = {}
    for part in parts:
        if part.mode == GONE_MODE:
            continue
        if part.mode == SUBMODULE_MODE or part.digest not in blobs:
            return ""
        *folders, name = part.name.encode().split(b"/")
        place = tree
        for folder in folders:
            below = place.setdefault(folder, {})
            if not isinstance(below, dict):
                return ""
            place = below
        if name in place:
            return ""
        place[name] = (part.mode, _git_object(b"blob", blobs[part.digest]))
    return _git_tree(tree).hex() if tree else ""


def _part(name: str, mode: str, content: bytes, blobs: dict[str, bytes]) -> WorkPart:
    digest = blob_digest(content)
    blobs[digest] = content
    return WorkPart(name=name, mode=mode, digest=digest, size=len(content))


def _path(entry: Mapping[str, str]) -> str:
    return entry["path"]


def _check_part(part: WorkPart) -> None:
    name = part.name
    steps = name.split("/")
    if not name or len(name) > NAME_CHARS_MAX or _UNSAFE(name) or any(step in ("", ".", "..") for step in steps):
        raise refuse(Code.BAD_PATH, path=name[:80])
    if part.mode not in MODES:
        raise refuse(Code.UNKNOWN_WORD, what=f"The mode of {name}", word=part.mode, allowed=MODES, field="mode")
    if not _DIGEST(part.digest) or part.size < 0:
        raise Refusal(Code.DIGEST_MISMATCH, f"{name} has no SHA-256 digest and size.", "Hash its bytes.")
    if part.mode == GONE_MODE and (part.digest, part.size) != (NO_BYTES, 0):
        raise Refusal(Code.DIGEST_MISMATCH, f"{name} is gone and yet has bytes.", "Name the digest of no bytes.")


def _check_names(parts: tuple[WorkPart, ...]) -> None:
    """Refuse two names that a disk without case or Unicode forms takes for one, and a path below a file.

    Below a link it would lie wherever that leads. A removed file leaves its name free.
    """
    # In this spelling, what lies below a name sorts right after it.
    spelt = sorted((folded_path(part.name).replace("/", "\0"), part.name) for part in parts if part.mode != GONE_MODE)
    for (above, name), (below, other) in pairwise(spelt):
        one, two = name[:80], other[:80]
        if above == below:
            raise Refusal(
                Code.BAD_PATH,
                f"{one!r} and {two!r} differ only by case or Unicode form: on some disks they are one file.",
                "Send one of them, or rename the other.",
            )
        if below.startswith(above + "\0"):
            raise Refusal(
                Code.BAD_PATH,
                f"{two!r} lies below {one!r}, which is no folder.",
                "Send one of them, or say that the other is gone.",
            )


def _git_object(kind: bytes, content: bytes) -> bytes:
    # Git names its objects by SHA-1: a caller who goes live by such a name trusts git's hash; our digest is SHA-256.
    return hashlib.sha1(kind + b" %d\0" % len(content) + content, usedforsecurity=False).digest()


def _git_tree(tree: Mapping[bytes, object]) -> bytes:
    lines: list[tuple[bytes, bytes]] = []
    for name, one in tree.items():
        if isinstance(one, dict):
            lines.append((name + b"/", b"40000 " + name + b"\0" + _git_tree(one)))
        elif isinstance(one, tuple):
            mode, digest = one
            lines.append((name, mode.encode() + b" " + name + b"\0" + digest))
    return _git_object(b"tree", b"".join(line for _, line in sorted(lines)))
