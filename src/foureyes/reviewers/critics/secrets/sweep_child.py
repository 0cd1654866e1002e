"""Run CredSweeper on lines of text, alone in a process of its own: lines in, positions out, no values.

Started as `python sweep_child.py`, it reads one JSON array from standard input, `[[number, path, text], …]`, and
writes one, `[[number, start, end, rule, probability], …]`. It imports no other module of foureyes.
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

#: The exit code if a package that CredSweeper needs is missing; the parent uses the same number.
INCOMPLETE = 3
MEMORY_BYTES_MAX = 8 * 1024 * 1024 * 1024

#: Readers of documents and archives, which CredSweeper loads at start-up but does not need for lines of text. They are
#: large, two need a compiler to be installed, and a parser that is not loaded cannot be attacked.
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
        """Do nothing: the module has no code."""


def _nothing(name: str) -> type[Warning]:
    if name.startswith("__"):
        raise AttributeError(name)
    # A subclass of Warning, because one of the names is passed to `warnings.filterwarnings`.
    return type(name, (Warning,), {})


def sweep(rows: list[tuple[int, str, str]]) -> list[tuple[int, int, int, str, float]]:
    """Return where CredSweeper finds credentials; each line is scanned on its own."""
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
    """Read the lines, scan them, and write the result."""
    rows = json.load(sys.stdin)
    _widen_memory()
    try:
        answer = sweep([(int(number), str(path), str(text)) for number, path, text in rows])
    except ImportError:
        sys.exit(INCOMPLETE)
    json.dump(answer, sys.stdout)


def _widen_memory() -> None:
    """Raise the memory limit, because CredSweeper's model reserves more than a process that only parses may."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = MEMORY_BYTES_MAX if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES_MAX)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    main()
