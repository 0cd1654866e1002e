"""Languages with `//` comments: proves equal syntax trees by tree-sitter, checked by a second, independent reader.

A language is listed here only if a few lines can read its comments and strings exactly. Both readers must find the same
comments, or there is no proof.
"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.proofs.edits import Edit
from foureyes.proofs.layout import Layout, Span, comment_edits, take_apart
from foureyes.proofs.scanner import Scan, scan
from foureyes.proofs.words import is_plain_comment

NODES_MAX = 200_000
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How a language is read, and which text in a file makes a proof impossible."""

    #: The name that ast-grep uses.
    name: str
    endings: tuple[str, ...]
    #: Suffixes of files whose comments a tool of the language reads as instructions or expectations.
    not_names: tuple[str, ...] = ()
    #: Texts that give comments a meaning, or by which a program reads its own source or lines.
    never: tuple[str, ...] = ()
    #: The marks that begin and end a string of several lines, and whether a backslash escapes in it.
    long_strings: tuple[tuple[str, bool], ...] = ()
    #: A slash outside of comments and strings is division only; else it may begin a regular expression.
    has_only_division: bool = True
    #: White space within a line means nothing outside of strings.
    is_free_in_layout: bool = False
    #: Kinds of nodes that the second reader cannot handle.
    never_kinds: tuple[str, ...] = ()


_SCRIPT_NEVER = ("<!--", "-->", "toString", "prepareStackTrace", "captureStackTrace", ".stack", "sourceMappingURL")

LANGUAGES = (
    Language(
        name="go",
        endings=(".go",),
        # The comments of examples are the expected output of a test.
        not_names=("_test.go",),
        # The comment above `import "C"` is a program in C.
        never=('"C"', "`C`", "runtime.Caller", "Lshortfile", "Llongfile"),
        long_strings=(("`", False),),
        is_free_in_layout=True,
    ),
    Language(
        name="java",
        endings=(".java",),
        # `\u000a` ends a comment: the compiler replaces such escapes before it reads anything.
        never=("\\u", "getLineNumber", "getStackTrace", "StackWalker"),
        long_strings=(('"""', True),),
        is_free_in_layout=True,
    ),
    Language(
        name="javascript",
        endings=(".js", ".mjs", ".cjs"),
        never=_SCRIPT_NEVER,
        has_only_division=False,
        never_kinds=("regex", "template_string", "jsx_text", "jsx_element", "html_comment", "hash_bang_line"),
    ),
    Language(
        name="typescript",
        endings=(".ts", ".mts", ".cts"),
        never=_SCRIPT_NEVER,
        has_only_division=False,
        never_kinds=("regex", "template_string", "template_literal_type", "html_comment", "hash_bang_line"),
    ),
)


def language_of(path: str) -> Language | None:
    """Return the language of a file if its comments can be told from its code."""
    found = next((language for language in LANGUAGES if path.endswith(language.endings)), None)
    return None if found is None or path.endswith(found.not_names) else found


def edits_of_comments(language: Language, before: str, after: str) -> list[Edit] | None:
    """Return the edits of comments if both texts are the same program, else None.

    Only plain comments on lines of their own may differ.
    """
    if any(text in one for text in language.never for one in (before, after)):
        return None
    old, new = _scanned(language, before), _scanned(language, after)
    if old is None or new is None or old.strings != new.strings:
        return None
    layouts = take_apart(before, old.comments), take_apart(after, new.comments)
    was, now = (_shaped(layout, free=language.is_free_in_layout) for layout in layouts)
    edits = comment_edits(*layouts, _is_plain, beside_too=False) if was == now else None
    if edits is None:
        return None
    # Parsers come last: by now the code is that of the base, so an author cannot choose input that confuses them.
    nodes = _tree(language, before, old)
    return edits if nodes is not None and nodes == _tree(language, after, new) else None


def _scanned(language: Language, text: str) -> Scan | None:
    return scan(text, long_strings=language.long_strings, has_only_division=language.has_only_division)


def _tree(language: Language, text: str, scanned: Scan) -> list[tuple[int, str, str]] | None:
    """Return every node except comments, with its depth, and the text of leaves.

    None if the parser had to guess, or finds other comments than the scanner did.
    """
    from ast_grep_py import SgNode, SgRoot  # noqa: PLC0415 - 45 megabytes, needed for few changes

    nodes, comments = list[tuple[int, str, str]](), list[Span]()
    waiting: list[tuple[int, SgNode]] = [(0, SgRoot(text, language.name).root())]
    while waiting:
        depth, node = waiting.pop()
        kind, place = node.kind(), node.range()
        if kind in _COMMENTS:
            comments.append((place.start.index, place.end.index))
            continue
        is_leaf = node.is_leaf()
        guessed = kind == "ERROR" or (is_leaf and place.start.index == place.end.index and depth > 0)
        if guessed or kind in language.never_kinds or len(nodes) >= NODES_MAX:
            return None
        nodes.append((depth, kind, node.text() if is_leaf else ""))
        waiting.extend((depth + 1, child) for child in reversed(node.children()))
    return nodes if comments == list(scanned.comments) else None


def _shaped(layout: Layout, *, free: bool) -> tuple[str, ...]:
    return tuple(" ".join(line.split()) for line in layout.code) if free else layout.code


def _is_plain(comment: str) -> bool:
    text = comment.removeprefix("//")
    return text != comment and (not text.strip() or (text.startswith(" ") and is_plain_comment(text)))
