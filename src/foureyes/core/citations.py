"""Check that the files and lines a report names are in the version it judges."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from foureyes.core.commands import ReportInconclusive, SubmitReport
from foureyes.core.evidence import BETWEEN, PATHS_TOLD_MAX
from foureyes.core.refusals import Code, Fact, Refusal
from foureyes.core.scene import Scene
from foureyes.core.values import Place

#: Prefix of a path that is absent from the work and should be there.
MISSING = "missing:"
#: A name, optionally followed by a line or range of lines.
_CITED = re.compile(r"([^\s:#]+)(?:(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?)?").fullmatch
_LINES_OF = re.compile(r"\blines?\s+(\d{1,9})(?:\s*(?:-|–|to)\s*(\d{1,9}))?", re.IGNORECASE)
#: Text that consists of a path only.
_IS_PATH = re.compile(r"[^\s:#]*(?:/[^\s:#]+|[^\s:#/]\.[A-Za-z]\w{0,7})").fullmatch


def check_places(scene: Scene, command: SubmitReport | ReportInconclusive) -> None:
    """Refuse a report that names a file or line which this version does not have."""
    paths = {one.name for one in scene.review.current.parts}
    if not paths:
        return  # only an embedded gate can open a review without parts, and then its files are unknown
    for field, place in _places(command):
        _check_place(scene, paths, field, place)
    for number, one in enumerate(getattr(command, "evidence", ())):
        field, named = f"evidence[{number}].what", one.what.strip()
        if named not in paths and _IS_PATH(named):
            raise _unknown(paths, field, named)
        for place in cited_places(named, paths):
            _check_place(scene, paths, field, place)


def cited_places(text: str, paths: Collection[str]) -> list[Place]:
    """The files and lines that a text names as evidence: `a.md:9`, `line 9 of a.md`, `and b.py`.

    A word counts as a file if it is one of the work, is followed by a line, or has the extension of a file of the work.
    """
    if absent := missing_path(text):
        return [Place(path=f"{MISSING} {absent}")]
    endings = {one.rpartition(".")[2] for one in paths if "." in one}
    found: list[Place] = []
    named: list[str] = []
    for match in filter(None, map(_CITED, (one.strip(".:!?") for one in BETWEEN.split(text)))):
        name, first, last = match[1], int(match[2] or 0), int(match[3] or 0)
        known = next((one for one in paths if one == name or one.endswith(f"/{name}")), "")
        if known:
            named.append(known)
            found.append(Place(path=known, start=first, end=last))
        elif _IS_PATH(name) and (first or name.rpartition(".")[2] in endings):
            found.append(Place(path=name, start=first, end=last))
    about = named or (list(paths) if len(paths) == 1 else [])
    if len(set(about)) == 1:
        lines = ((int(one[1]), int(one[2] or 0)) for one in _LINES_OF.finditer(text))
        found += [Place(path=about[0], start=first, end=last) for first, last in lines]
    return found


def missing_path(path: str) -> str:
    """The path that is reported as absent; empty if the place is not about an absent file."""
    return path.removeprefix(MISSING).strip() if path.startswith(MISSING) else ""


def _places(command: SubmitReport | ReportInconclusive) -> Iterator[tuple[str, Place]]:
    for name in ("findings", "evidence"):
        for number, one in enumerate(getattr(command, name, ())):
            if one.place is not None:
                yield f"{name}[{number}].place", one.place


def _check_place(scene: Scene, paths: set[str], field: str, place: Place) -> None:
    absent = missing_path(place.path)
    if absent:
        if absent in paths and absent not in scene.facts.deleted:
            sentence = f"{absent} is a file of this version, so it is not missing."
            there: dict[str, Fact] = {"field": _path_of(field), "word": place.path[:200], "allowed": [absent]}
            raise Refusal(Code.UNKNOWN_PLACE, sentence, f"Name it as {absent}.", fields=there)
        return
    if place.path not in paths:
        raise _unknown(paths, _path_of(field), place.path)
    if 0 < place.end < place.start:
        raise Refusal(
            Code.UNKNOWN_PLACE,
            f"The place in {place.path} begins at line {place.start} and ends at line {place.end}.",
            "Name its first line and then its last.",
            fields={"field": field, "allowed": [{"path": place.path}]},
        )
    lines = scene.facts.lines.get(place.path)
    last = max(place.start, place.end)
    if lines is not None and last > lines:
        raise Refusal(
            Code.UNKNOWN_PLACE,
            f"{place.path} has {lines} line{'' if lines == 1 else 's'} in this version, and you named line {last}.",
            "Name lines that are there, or the file alone.",
            fields={"field": field, "low": 1, "high": lines, "allowed": [{"path": place.path}]},
        )


def _path_of(field: str) -> str:
    return f"{field}.path" if field.endswith(".place") else field


def _unknown(paths: set[str], field: str, path: str) -> Refusal:
    told = sorted(paths)[:PATHS_TOLD_MAX]
    more = f" and {len(paths) - len(told)} more" if len(paths) > len(told) else ""
    return Refusal(
        Code.UNKNOWN_PLACE,
        f"{path[:200]!r} is not a file of this version.",
        f"Its files: {', '.join(told)}{more}. A file that should be there and is not is named as '{MISSING} path'.",
        fields={"field": field, "word": path[:200], "allowed": [*told, f"{MISSING} {path[:200]}"]},
    )
