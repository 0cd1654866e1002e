"""Python: proves equal syntax trees, equal tokens except for layout, and changed comments that no tool obeys."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from itertools import accumulate

from foureyes.proofs.edits import Edit
from foureyes.proofs.layout import Span, comment_edits, take_apart
from foureyes.proofs.words import is_plain_comment

_ENDINGS = (".py", ".pyi")
#: The declaration of an encoding as PEP 263 reads it, anywhere on one of the first two lines.
_ENCODING = re.compile(r"coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_USUAL_ENCODINGS = frozenset({"utf-8", "utf8"})

#: By these names a program reads its own source or line numbers, so that a comment can change what it does.
_MIRRORS = frozenset(
    {"__file__", "__loader__", "_getframe", "co_firstlineno", "co_lines", "co_linetable", "co_lnotab", "co_positions"}
    | {"currentframe", "extract_stack", "f_lineno", "findsource", "get_data", "get_source", "getcomments"}
    | {"getframeinfo", "getsource", "getsourcefile", "getsourcelines", "linecache", "lineno", "tb_lineno"}
)

_UNSEEN = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
#: A formatter adds and removes these; the syntax tree shows whether that changes anything.
_BRACKETS = frozenset({"(", ")", ","})
#: A string without escapes or quotes in it, whose quotes may be of either kind.
_SIMPLE_STRING = re.compile(r"(['\"])([^'\"\\\n]*)\1")


def is_python(path: str) -> bool:
    """True if the file is a module or a stub."""
    return path.endswith(_ENDINGS)


def edits_of_python(before: str, after: str) -> list[Edit] | None:
    """Return the edits of comments if both texts are the same program, else None; directives count as code."""
    try:
        old, new = _Source(before), _Source(after)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return None
    if old.encoding != new.encoding or not _USUAL_ENCODINGS.issuperset(old.encoding):
        return None
    if not _MIRRORS.isdisjoint(old.words) or old.tree != new.tree or old.words != new.words:
        return None
    layouts = take_apart(before, old.comments), take_apart(after, new.comments)
    return comment_edits(*layouts, _is_plain, beside_too=True)


class _Source:
    """The results of two independent readers of a text, the compiler's parser and the tokenizer."""

    def __init__(self, text: str) -> None:
        self.encoding = [name.lower() for line in text.split("\n")[:2] for name in _ENCODING.findall(line)]
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        if any(token.type == tokenize.ERRORTOKEN for token in tokens):
            raise ValueError("the tokenizer does not understand the text")
        self.words = list(_words(tokens))
        self.comments = _spans(text, tokens)
        self.tree = _dumped(text)
        if self.tree != _dumped(_without(text, self.comments)):
            raise ValueError("the tokenizer and the parser disagree on what is a comment")


def _dumped(text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(text))


def _words(tokens: list[tokenize.TokenInfo]) -> Iterator[str]:
    """Yield the tokens that matter, in one spelling."""
    for token in tokens:
        if token.type in _UNSEEN or token.string in _BRACKETS:
            continue
        yield _SIMPLE_STRING.sub(r'"\2"', token.string) if token.type == tokenize.STRING else token.string


def _spans(text: str, tokens: list[tokenize.TokenInfo]) -> list[Span]:
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    found = (token for token in tokens if token.type == tokenize.COMMENT)
    return [(starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]) for token in found]


def _without(text: str, spans: list[Span]) -> str:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


def _is_plain(comment: str) -> bool:
    text = comment.removeprefix("#")
    return not text.strip() or (text.startswith(" ") and is_plain_comment(text))
