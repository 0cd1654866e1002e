"""Proofs that a change does no harm: only prose in documents, or only comments and layout in code.

A proof is a statement about two known states. Whatever is not proven has to be reviewed, so every doubt is a no.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from foureyes.core.risk.instruction_files import instructs_agents
from foureyes.core.values import Proof
from foureyes.proofs.documents import edits_of_prose, is_document
from foureyes.proofs.edits import Edit, is_harmless, is_small
from foureyes.proofs.python import edits_of_python, is_python
from foureyes.proofs.texts import read_pair
from foureyes.proofs.trees import edits_of_comments, language_of

__all__ = ["may_be_proven", "prove"]

FILES_MAX = 100
BYTES_IN_ALL_MAX = 1024 * 1024
NAMES_SHOWN_MAX = 3

#: Files below such a folder are data of a test or of a tool, and are compared or read byte by byte.
_DATA_FOLDERS = frozenset(
    {"__snapshots__", "baseline", "baselines", "cassettes", "fixture", "fixtures", "golden", "goldens", "node_modules"}
    | {"snapshots", "template", "templates", "testdata", "third_party", "vendor"}
)

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_@+./-]+")


def prove(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Proof:
    """Return why the change is harmless and whether it is small; an empty proof if that is not proven.

    Both states are given whole, by path, as plain files; a file that was added, removed or renamed is never proven.
    """
    if not may_be_proven(before, after):
        return Proof()
    found, edits = dict[str, list[str]](), list[Edit]()
    for path in _changed(before, after):
        why, here = _edits_of(path, before[path], after[path])
        if here is None or not all(map(is_harmless, here)):
            return Proof()
        found.setdefault(why, []).append(path)
        edits.extend(here)
    why = "Proven: " + "; ".join(f"{why} in {_listed(paths)}" for why, paths in found.items())
    return Proof(why=why, is_small=all(map(is_small, edits)))


def may_be_proven(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bool:
    """Quick check by names and sizes alone: False if the contents could not prove anything."""
    changed = _changed(before, after)
    size = sum(len(before.get(path, b"")) + len(after[path]) for path in changed)
    few = 0 < len(changed) <= FILES_MAX and size <= BYTES_IN_ALL_MAX
    return before.keys() == after.keys() and few and all(map(_has_a_prover, changed))


def _changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    return sorted(path for path in after if before.get(path) != after[path])


def _has_a_prover(path: str) -> bool:
    readable = is_document(path) or is_python(path) or language_of(path) is not None
    return readable and not _is_never_proven(path)


def _edits_of(path: str, before: bytes, after: bytes) -> tuple[str, list[Edit] | None]:
    """Return why the change of one file is harmless, and its edits; None for the edits if that is not proven."""
    pair = read_pair(before, after)
    if pair is None:
        return "", None
    if is_document(path):
        return "only prose differs", edits_of_prose(path, *pair)
    if is_python(path):
        return "only comments or layout differ", edits_of_python(*pair)
    language = language_of(path)
    return "only comments or layout differ", edits_of_comments(language, *pair) if language else None


def _is_never_proven(path: str) -> bool:
    """True if the path alone rules out a proof: instructions to agents, tool settings, test data, odd characters."""
    folders = path.lower().split("/")[:-1]
    plain = _PLAIN_PATH.fullmatch(path) is not None
    hidden = any(name.startswith(".") or not name for name in path.split("/"))
    return not plain or hidden or instructs_agents(path) or not _DATA_FOLDERS.isdisjoint(folders)


def _listed(paths: list[str]) -> str:
    more = len(paths) - NAMES_SHOWN_MAX
    return ", ".join(paths[:NAMES_SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")
