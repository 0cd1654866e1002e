"""Is a changed line prose, a comment or white space, so that it cannot change what a program does?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

_DOCUMENT_ENDINGS = (".md", ".markdown", ".rst", ".adoc")
#: Plain text is prose only under these names: requirements.txt and CMakeLists.txt are programs.
_DOCUMENT_STEMS = frozenset(
    {"authors", "changelog", "changes", "contributing", "contributors", "copying", "history", "license", "news"}
    | {"notice", "readme", "thanks", "todo"}
)
#: Text in such folders is read by agents and templates, so it is a program, whatever its ending.
_EXECUTED_FOLDERS = frozenset(
    {"agents", "commands", "fixtures", "prompt", "prompts", "rules", "skills", "template", "templates", "testdata"}
)
#: Markup that runs, is expanded, or hides text from whoever reads the page.
_ACTIVE = re.compile(r"<\s*[!/a-z]|\{[%{#]|javascript:|^\s*\.\.\s", re.IGNORECASE)

_HASH = ("py", "pyi", "rb", "sh", "bash", "zsh", "toml", "yaml", "yml", "r", "pl", "ex", "exs", "nim", "jl")
_SLASHES = ("c", "h", "cc", "cpp", "hpp", "cs", "go", "java", "js", "jsx", "kt", "rs", "scala", "swift", "ts", "tsx")
_DASHES = ("sql", "lua", "hs", "elm")
_COMMENT_STARTS = dict.fromkeys(_HASH, "#") | dict.fromkeys(_SLASHES, "//") | dict.fromkeys(_DASHES, "--")
#: Where indentation says nothing to the compiler.
_INDENT_IS_FREE = frozenset({*_SLASHES, "css", "sql"})
#: A comment that a tool obeys is not a comment.
_DIRECTIVE = re.compile(
    r"^#!|@\w|\bno(qa|sec|semgrep|lint|inspection)|\b(eslint|tslint|jshint|prettier|biome|istanbul|pylint|mypy|pyright"
    r"|ruff|isort|fmt|yapf|flake8|rubocop|shellcheck|hadolint|checkov|tfsec|sonar|swiftlint|type|pragma|coding|syntax"
    r"|escape|vim|language|region|endregion|frozen_string_literal|go|cgo|export|line|c8|v8|sourcemappingurl)\s*[:=-]"
    r"|^(#|//)\s*\+build|^///|\bpragma\b|\bdisable\b|\bignore\b|^--\+|/\*\+|^#\s*(cloud-config|include|import)\b",
    re.IGNORECASE,
)


def is_document(path: str) -> bool:
    """Whether people read this file, and nothing else does."""
    *folders, name = path.lower().split("/")
    if _EXECUTED_FOLDERS.intersection(folders):
        return False
    stem, _, ending = name.partition(".")
    return name.endswith(_DOCUMENT_ENDINGS) or (ending in {"", "txt"} and stem in _DOCUMENT_STEMS)


def says_nothing_to_machines(path: str, added: Sequence[str], removed: Sequence[str]) -> bool:
    """Whether one contiguous change is only prose in a document, comments or white space.

    A change without any line says nothing about what it does: a new mode, an empty file, a rename.
    """
    if not added and not removed:
        return False
    if is_document(path):
        return not any(_ACTIVE.search(line) for line in (*added, *removed))
    return all(one == other for one, other in zip_longest(_substance(path, added), _substance(path, removed)))


def _substance(path: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines a program consists of, without the white space that means nothing in this language."""
    ending = path.rpartition(".")[2].lower()
    kept = (line for line in lines if line.strip() and not _is_comment(line, ending))
    return (_trimmed(line, indent_is_free=ending in _INDENT_IS_FREE) for line in kept)


def _trimmed(line: str, *, indent_is_free: bool) -> str:
    # White space behind a backslash decides whether the line goes on.
    ended = line if line.rstrip().endswith("\\") else line.rstrip()
    return ended.lstrip() if indent_is_free else ended


def _is_comment(line: str, ending: str) -> bool:
    start = _COMMENT_STARTS.get(ending)
    text = line.strip()
    if start is None or not text.startswith(start):
        return False
    return not text.endswith("\\") and not _DIRECTIVE.search(text)
