"""The Python version that a project declares: the oldest its code must run on."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Mapping
from pathlib import PurePosixPath

from foureyes.app.reviewers import Change

#: The minor versions ruff supports; without a declaration the newest is used, so that new syntax is not reported.
OLDEST, NEWEST = 7, 15
#: Marks a project for Python 2 alone, which no parser here reads.
PYTHON_2 = 0
_LEAST = re.compile(r"(?:>=|~=|===?|\^|~)\s{0,4}v?3\.([0-9]{1,2})|(>)\s{0,4}3\.([0-9]{1,2})")
_ONLY_2 = re.compile(r"(?:<|<=|~=|===?)\s{0,4}(?:2(?:\.[0-9*]+)?|3(?:\.0)?)\s{0,4}(?:$|,)")
_CLASSIFIER = re.compile(r"Programming Language :: Python :: ([23])(?:\.([0-9]{1,2}))?")
_IN_SETUP = re.compile(r"python_requires\s{0,4}=\s{0,4}[\"']([^\"'\n]{1,100})[\"']")


#: Why a file is not parsed: it is a template, or Python 2.
NOT_READ = ("a template: only what is made from it can be parsed", "Python 2: no program here reads it")
_TEMPLATE = re.compile(r"\{%-?\s{0,4}\w|\{\{-?\s{0,4}\w+(?:\.\w+)+[^{}\n]{0,80}\}\}|<%")


def is_template(text: str) -> bool:
    """True if a file that does not parse is a template."""
    return _TEMPLATE.search(text) is not None


def versions(change: Change, paths: list[str]) -> dict[str, int]:
    """Return for each path the minor version of Python 3 it is written for, or PYTHON_2; the nearest folder counts."""
    files = dict(change.settings)
    files |= {one.path: one.content for one in change.files if one.content is not None and _is_setting(one.path)}
    known: dict[str, int] = {}
    for path, content in files.items():
        said = _declared(PurePosixPath(path).name, content.decode("utf-8", "replace"))
        folder = str(PurePosixPath(path).parent)
        if said is not None and (folder not in known or path.endswith("pyproject.toml")):
            known[folder] = said
    return {path: _nearest(path, known) for path in paths}


def _is_setting(path: str) -> bool:
    return PurePosixPath(path).name in ("pyproject.toml", "setup.cfg", "setup.py")


def _nearest(path: str, known: Mapping[str, int]) -> int:
    return next((known[str(one)] for one in PurePosixPath(path).parents if str(one) in known), NEWEST)


def _declared(name: str, text: str) -> int | None:
    if name == "pyproject.toml":
        return _of_pyproject(text)
    if name == "setup.cfg":
        return _of_setup_cfg(text)
    found = _IN_SETUP.search(text)
    return _least(found[1]) if found else _of_classifiers(text)


def _of_pyproject(text: str) -> int | None:
    try:
        project = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    main = project.get("project")
    if isinstance(main, dict):
        said = main.get("requires-python")
        listed = main.get("classifiers")
        classifiers = "\n".join(str(one) for one in listed) if isinstance(listed, list) else ""
        return _least(said) if isinstance(said, str) else _of_classifiers(classifiers)
    found: object = project
    for key in ("tool", "poetry", "dependencies", "python"):
        found = found.get(key) if isinstance(found, dict) else None
    return _least(found) if isinstance(found, str) else None


def _of_setup_cfg(text: str) -> int | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    said = parser.get("options", "python_requires", fallback="")
    return _least(said) if said else _of_classifiers(parser.get("metadata", "classifiers", fallback=""))


def _least(said: str) -> int | None:
    """Return the oldest version of a specifier such as `>=3.9,<4`."""
    found = _LEAST.search(said)
    if found is None:
        return PYTHON_2 if _ONLY_2.search(said) else None
    minor = int(found[1]) if found[1] else int(found[3]) + 1
    return min(max(minor, OLDEST), NEWEST)


def _of_classifiers(text: str) -> int | None:
    found = _CLASSIFIER.findall(text)
    minors = [int(minor) for major, minor in found if major == "3" and minor]
    if minors:
        return min(max(min(minors), OLDEST), NEWEST)
    return PYTHON_2 if found and all(major == "2" for major, _ in found) else None
