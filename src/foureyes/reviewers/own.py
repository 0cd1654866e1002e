"""Which hits are this work's own? Those on its lines, and those on older lines that the base did not have.

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
#: Folders whose files nobody runs or serves; one that leaves them comes to life.
_ASIDE = frozenset({"doc", "docs", "example", "examples", "sample", "samples", "test", "tests", "testdata", "fixtures"})

_Key = tuple[str, State, str, str, str]


def own_hits(critic: Critic, change: Change, hits: Sequence[Hit]) -> list[Hit]:
    """The hits of this work, in their order; the base is looked at only where an older line is not clear."""
    files = {one.path: one for one in change.files}
    older = {id(one) for one in hits if not _is_on_changed(files.get(one.path), one)}
    doubtful = [one for one in hits if id(one) in older and one.state is not State.CLEAR]
    fresh = {id(one) for one in _unlike_base(critic, change, files, doubtful)}
    return [one for one in hits if id(one) not in older or id(one) in fresh]


def _is_on_changed(file: File | None, hit: Hit) -> bool:
    """One about a whole file counts where the file was touched at all."""
    return file is None or hit.line <= 0 or file.is_changed(hit.line, hit.end)


def _unlike_base(critic: Critic, change: Change, files: Mapping[str, File], hits: Iterable[Hit]) -> list[Hit]:
    """Those of the hits that the same critic does not have of the same files as they were."""
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
    # A copy has what its original had, each of them all of it.
    left = {path: Counter(had[_old_path(file)]) for path, file in touched.items()}
    for one in compared:
        key = _key(one, touched[one.path])
        left[one.path][key] -= 1
        if left[one.path][key] < 0:
            fresh.append(one)
    return fresh


def _comes_to_life(file: File) -> bool:
    """Whether a new name or mode makes something else of it: then what it holds was never judged as what it is now."""
    if file.mode == PROGRAM_MODE and file.mode_before not in ("", PROGRAM_MODE):
        return True
    if not file.was:
        return False
    now, then = PurePosixPath(file.path), PurePosixPath(file.was)
    return now.suffix != then.suffix or _class(now) != _class(then)


def _class(path: PurePosixPath) -> str:
    """What the first folder makes of a file: `.github` and its like are acted upon by machines."""
    first = path.parts[0] if len(path.parts) > 1 else ""
    if first.startswith("."):
        return first
    return "aside" if first.lower() in _ASIDE else ""


def _old_path(file: File) -> str:
    return file.was or file.path


def _at_base(file: File) -> File:
    """The file as it was. No line of it is changed, but something is: some critics read nothing else."""
    beyond = (file.before or b"").count(b"\n") + 2
    return File(
        path=_old_path(file),
        mode=file.mode_before or file.mode,
        content=file.before,
        before=file.before,
        changed=((beyond, beyond),),
    )


def _key(hit: Hit, file: File) -> _Key:
    """What makes two hits the same, wherever the line has gone."""
    text = file.lines[hit.line - 1].strip() if 0 < hit.line <= len(file.lines) else ""
    return (hit.rule.id, hit.state, text, hit.evidence, hit.severity or hit.rule.severity)
