"""What does CredSweeper say to these lines? Run alone in a process of its own: lines in, places out, no values.

Started as `python sweep_child.py`, reads one JSON array from standard input, `[[number, path, text], …]`, and writes
one, `[[number, start, end, rule, probability], …]`. Imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import logging
import resource
import sys
import warnings
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

#: The exit code that says a package CredSweeper needs is not there; the parent knows it too.
INCOMPLETE = 3
MEMORY_BYTES_MAX = 8 * 1024 * 1024 * 1024

#: Readers of documents and archives, which CredSweeper loads at its start and needs for no line of text. They are
#: large, two need a compiler to be installed, and a parser that is not there cannot be attacked.
_NEVER_NEEDED_TEXT = """
    pandas jks docx pptx odf pdfminer lxml bs4 xlrd openpyxl pyxlsb git PySquashfsImage rpmfile striprtf brotli
    zstandard humanfriendly whatthepatch tqdm colorama pygments
"""
_NEVER_NEEDED = frozenset(_NEVER_NEEDED_TEXT.split())


class _Empty(MetaPathFinder, Loader):
    """Stands in for those modules: every name in them is an empty class."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        del path, target
        known = fullname.split(".", 1)[0] in _NEVER_NEEDED
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__path__ = []
        module.__dict__["__getattr__"] = _nothing
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


def _nothing(name: str) -> type[Warning]:
    if name.startswith("__"):
        raise AttributeError(name)
    # A kind of warning, because one of the names is given to `warnings.filterwarnings`.
    return type(name, (Warning,), {})


def sweep(rows: list[tuple[int, str, str]]) -> list[tuple[int, int, int, str, float]]:
    """Where CredSweeper sees a credential; a line is looked at on its own."""
    sys.meta_path.insert(0, _Empty())
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    from credsweeper.app import CredSweeper  # type: ignore[import-not-found]  # noqa: PLC0415 - an extra
    from credsweeper.file_handler.string_content_provider import (  # type: ignore[import-not-found]  # noqa: PLC0415
        StringContentProvider,
    )

    program: Any = CredSweeper(pool_count=1, ml_threads_limit=1)
    lines: list[Any] = []
    for number, path, text in rows:
        dot = path.rfind(".")
        kind = path[dot:] if dot >= 0 else ""
        lines.append(StringContentProvider([text], [1], f"{number}/{path}", kind))
    program.scan(lines, None)
    program.post_processing(None)
    seen: list[tuple[int, int, int, str, float]] = []
    for candidate in program.credential_manager.get_credentials():
        probability = candidate.ml_probability
        sure = float(probability) if isinstance(probability, (int, float)) else 0.9
        for one in candidate.line_data_list:
            number = int(str(one.path).split("/", 1)[0])
            seen.append((number, int(one.value_start), int(one.value_end), str(candidate.rule_name), sure))
    return seen


def main() -> None:
    """Read, look, write."""
    rows = json.load(sys.stdin)
    _widen_memory()
    try:
        answer = sweep([(int(number), str(path), str(text)) for number, path, text in rows])
    except ImportError:
        sys.exit(INCOMPLETE)
    json.dump(answer, sys.stdout)


def _widen_memory() -> None:
    """Its model reserves more address space than a process that only parses may have."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = MEMORY_BYTES_MAX if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES_MAX)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    main()
