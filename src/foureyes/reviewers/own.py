"""Selects the hits that belong to this work: on its lines, or on older lines where the base had none.

A changed line can make an older one dangerous: `TARGET=/` above an old `rm -rf "$TARGET"`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import Critic, Hit, State

PROGRAM_MODE = "100755"
#: Folders whose files are not run or served; a file that leaves them takes effect.
_ASIDE = frozenset({"doc", "docs", "example", "examples", "sample", "samples", "test", "tests", "testdata", "fixtures"})

_Key = tuple[str, State, str, str, str]


def own_hits(critic: Critic, change: Change, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits of this work, in their order; the base is judged only where an older line is not clear."""
    files = {one.path: one for one in change.files}
    older = {id(one) for one in hits if not _is_on_changed(files.get(one.path), one)}
    doubtful = [one for one in hits if id(one) in older and one.state is not State.CLEAR]
    fresh = {id(one) for one in _unlike_base(critic, change, files, doubtful)}
    return [one for one in hits if id(one) not in older or id(one) in fresh]


def _is_on_changed(file: File | None, hit: Hit) -> bool:
    """True if a hit is on a changed line; one about a whole file counts if the file was touched at all."""
    return file is None or hit.line <= 0 or file.is_changed(hit.line, hit.end)


def _unlike_base(critic: Critic, change: Change, files: Mapping[str, File], hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits that the same critic does not have on the same files at the base."""
    fresh: list[Hit] = []
    compared: list[Hit] = []
    for one in hits:
        file = files[one.path]
        (fresh if file.before is None or _comes_to_life(file) else compared).append(one)
    if not compared:
        return fresh
    touched = {one.path: files[one.path] for one in compared}
    were = {_old_path(file): _at_base(file) for file in touched.values()}
    found = critic.look(replace(change, files=tuple(were.values()), unread=(), note="", lay_out=None, whole=None))
    had: dict[str, Counter[_Key]] = {path: Counter() for path in were}
    for one in found.hits:
        if one.path in were:
            had[one.path][_key(one, were[one.path])] += 1
    # Each copy of a file may have all that its original had.
    left = {path: Counter(had[_old_path(file)]) for path, file in touched.items()}
    for one in compared:
        key = _key(one, touched[one.path])
        left[one.path][key] -= 1
        if left[one.path][key] < 0:
            fresh.append(one)
    return fresh


def _comes_to_life(file: File) -> bool:
    """True if a new name or mode gives the file another role, in which its content was never judged."""
    if file.mode == PROGRAM_MODE and file.mode_before not in ("", PROGRAM_MODE):
        return True
    if not file.was:
        return False
    now, then = PurePosixPath(file.path), PurePosixPath(file.was)
    return now.suffix != then.suffix or _class(now) != _class(then)


def _class(path: PurePosixPath) -> str:
    """Return the role of the first folder: `.github` and other hidden folders are acted upon by machines."""
    first = path.parts[0] if len(path.parts) > 1 else ""
    if first.startswith("."):
        return first
    return "aside" if first.lower() in _ASIDE else ""


def _old_path(file: File) -> str:
    return file.was or file.path


def _at_base(file: File) -> File:
    """Return the file at the base, with only a line behind its end marked as changed.

    Some critics read nothing but changed files.
    """
    beyond = (file.before or b"").count(b"\n") + 2
    return File(
        path=_old_path(file),
        mode=file.mode_before or file.mode,
        content=file.before,
        before=file.before,
        changed=((beyond, beyond),),
    )


def _key(hit: Hit, file: File) -> _Key:
    """Return what makes two hits the same, independent of line numbers."""
    text = file.lines[hit.line - 1].strip() if 0 < hit.line <= len(file.lines) else ""
    return (hit.rule.id, hit.state, text, hit.evidence, hit.severity or hit.rule.severity)
