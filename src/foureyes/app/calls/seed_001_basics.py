"""The basic checks that an author asks for (syntax, metadata, export), run before any reviewer is asked.

They are quick and judge nothing else.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from foureyes.app.calls.files import FileSent
from foureyes.app.children import REQUESTS, ChildError, shared
from foureyes.core.refusals import Code, Refusal, refuse

#: Longer texts are left to the reviewer, so that parsing does not delay other callers.
PARSED_CHARS_MAX = 100_000
CHECK_SECONDS_MAX = 3.0
ISSUES_SHOWN_MAX = 10
#: Fields that the metadata of a work must have.
METADATA = ("name", "version", "description", "tags")
#: Artifacts without a file extension that are code in some language.
_CODE_NAMES = frozenset({"code", "tests", "source", "implementation"})
_LIKE_C = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"})
_PYTHON = frozenset({".py", ".pyi"})
#: A comment, a string, a regular expression where one can begin, or a bracket. What is never closed ends with the file,
#: and a possible regular expression is short: nothing is searched twice.
_TOKENS = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*(?:`|\Z)"
    r"|(?<=[(,=:;!&|?{}>\n])[ \t]{0,80}/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n]){0,100}\]|[^/\\\[\n]){1,200}/|[()\[\]{}]",
    re.DOTALL,
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_EXPORTS = re.compile(
    r"^[ \t]*export\b|\bmodule\.exports\b|^[ \t]*exports\.\w|^__all__\b|^(?:async )?(?:def|class) [A-Za-z]",
    re.MULTILINE,
)
_DECLARES = re.compile(r"\bmetadata\b[^\n=:(]{0,80}[:=]", re.IGNORECASE)


async def check_basics(criteria: Iterable[str], files: tuple[FileSent, ...]) -> None:
    """Refuse work that its author's own criteria do not hold for, with everything there is to mend.

    The parsers run in a child process: a text that takes them too long holds up nobody else.
    """
    names = tuple(dict.fromkeys(criteria))
    for name in names:
        if name not in CRITERIA:
            known = tuple(CRITERIA)
            raise refuse(Code.UNKNOWN_WORD, what="The criterion", word=name[:80], allowed=known, field="self_check")
    if not names:
        return
    try:
        issues = await shared(REQUESTS).call(basic_issues, (names, files), seconds=CHECK_SECONDS_MAX)
    except ChildError as error:
        sentence = f"The self check could not be made: {error}."
        raise Refusal(Code.BAD_VALUE, sentence, "Request the review without self_check; nothing was opened.") from None
    if issues:
        more = f"; and {len(issues) - ISSUES_SHOWN_MAX} more" if len(issues) > ISSUES_SHOWN_MAX else ""
        sentence = f"The self check failed: {'; '.join(issues[:ISSUES_SHOWN_MAX])}{more}."
        raise Refusal(Code.BAD_VALUE, sentence, "Fix these first, then request the review; nothing was opened.")


def basic_issues(asked: tuple[tuple[str, ...], tuple[FileSent, ...]]) -> list[str]:
    """What these criteria find to mend in these files."""
    names, files = asked
    return [f"{name}: {issue}" for name in names for issue in CRITERIA[name](files)]


def _syntax(files: tuple[FileSent, ...]) -> Iterator[str]:
    """What does not parse; of languages without a parser here only what brackets tell."""
    size = sum(len(one.text or "") for one in files)
    if size > PARSED_CHARS_MAX:
        yield f"{size} characters are more than the {PARSED_CHARS_MAX} that are parsed beforehand"
        return
    for file in files:
        text, suffix = file.text or "", _suffix(file)
        if suffix == ".json":
            yield from _json_flaw(file.path, text)
        elif suffix in _PYTHON:
            yield from _python_flaw(file.path, text)
        elif suffix in _LIKE_C or (file.path in _CODE_NAMES and any(_python_flaw(file.path, text))):
            yield from _unbalanced(file.path, text)


def _metadata(files: tuple[FileSent, ...]) -> Iterator[str]:
    """What the metadata does not say: in a file of that name, or in an object of that name in the code."""
    named = [one.text or "" for one in files if PurePosixPath(one.path).stem == "metadata"]
    declared = [one.text or "" for one in files if _is_code(one) and _DECLARES.search(one.text or "")]
    if not named and not declared:
        yield "there is no metadata"
        return
    said = (named or declared)[0]
    missing = [one for one in METADATA if not re.search(rf"\b{one}[\"']?\s*[:=]", said)]
    if missing:
        yield f"the metadata does not say {', '.join(missing)}"


def _export(files: tuple[FileSent, ...]) -> Iterator[str]:
    if not any(_is_code(one) and _EXPORTS.search(one.text or "") for one in files):
        yield "no file exports anything"


def _json_flaw(path: str, text: str) -> Iterator[str]:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        yield f"{path} is not valid JSON ({error})"


def _python_flaw(path: str, text: str) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in the text, which is not ours
            ast.parse(text)
    except SyntaxError as error:
        yield f"{path} is not valid Python (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError, SystemError):
        yield f"{path} cannot be parsed as Python"


def _unbalanced(path: str, text: str) -> Iterator[str]:
    """The first bracket that is not closed, or closes nothing."""
    opened = list[re.Match[str]]()
    for token in _TOKENS.finditer(text):
        bracket = token.group()
        if bracket in _PAIRS.values():
            opened.append(token)
        elif bracket in _PAIRS and (not opened or opened.pop().group() != _PAIRS[bracket]):
            yield f"{path} has a {bracket} on line {_line(token)} that closes nothing"
            return
    if opened:
        yield f"{path} has a {opened[-1].group()} on line {_line(opened[-1])} that is never closed"


def _line(token: re.Match[str]) -> int:
    return token.string.count("\n", 0, token.start()) + 1


def _suffix(file: FileSent) -> str:
    return ".json" if file.media_type == "application/json" else PurePosixPath(file.path).suffix.lower()


def _is_code(file: FileSent) -> bool:
    return _suffix(file) in _LIKE_C | _PYTHON or file.path in _CODE_NAMES


CRITERIA: dict[str, Callable[[tuple[FileSent, ...]], Iterator[str]]] = {
    "syntax_valid": _syntax,
    "has_metadata": _metadata,
    "has_export": _export,
}
