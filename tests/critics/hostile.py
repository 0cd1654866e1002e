"""Adversarial files for the critics: a deterministic list of texts that make parsers and patterns work for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: The largest file that a server accepts in a request.
BYTES_MAX = 256 * 1024

#: One name per language and format that a critic reads.
PATHS = (
    "x.sh",
    "x.py",
    "x.json",
    "x.yaml",
    "x.md",
    "x.js",
    "x.sql",
    "x.tf",
    "x.toml",
    "x.html",
    "Dockerfile",
    "docker-compose.yml",
    ".github/workflows/x.yml",
    "k8s/deployment.yaml",
    "nginx.conf",
    ".env",
    "Makefile",
    "x.ps1",
    "output.md",
    "x.ipynb",
)
#: Repeated texts: operators, brackets, quotes, openings without ends, and near matches of patterns.
TOKENS = (
    "[1]",
    "|",
    "[](",
    "<",
    "<<<<<<< \n",
    "&#105;",
    "[",
    "(",
    "{",
    "$(",
    "`",
    "$((",
    "&&",
    ";",
    "#",
    "<<A\n",
    "'",
    '"',
    "\\",
    "/*",
    "--",
    "a=",
    "a:\n ",
    "- ",
    "? ",
    "&a ",
    "*a ",
    "!",
    "@",
    "${a",
    "{{",
    "%{",
    "<!--",
    "<a ",
    "![",
    "# \n",
    "```\n",
    "> ",
    "\t",
    " ",
    "\n",
    "\r",
    "\u200b",
    "e\u0301",
    "A" * 40,
    "ignore ",
    "password=",
    "http://",
    "a@a.",
    "AKIA",
    "-----BEGIN ",
    "if ",
    "for a in ",
    "case a in a)",
    "def f(",
    "lambda:",
    "not ",
    "x,",
    "1e",
    "0.0.0.0/0 ",
    "RUN \\\n",
    "rm -rf ",
    "SELECT (",
    "resource a b {",
    "eval(",
)


def _repeated(token: str, size: int) -> str:
    return (token * (size // len(token) + 1))[:size]


def _nested(token: str, size: int) -> str:
    """The token forwards, then backwards with closing brackets."""
    closing = token[::-1].translate(str.maketrans("([{<", ")]}>"))
    count = size // (2 * len(token))
    return token * count + closing * count


def _in_lines(token: str, size: int) -> str:
    return _repeated(f"{token}\n", size)


def _after_code(token: str, size: int) -> str:
    """A harmless beginning, the token on one line, and an end that fits nothing."""
    return f"a: 1\necho a\n{_repeated(token, size - 20)}\n)]}}\n"


SHAPES: tuple[Callable[[str, int], str], ...] = (_repeated, _nested, _in_lines, _after_code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """One adversarial file."""

    name: str
    path: str
    text: str

    @property
    def content(self) -> bytes:
        """Its bytes, within the size limit."""
        return self.text.encode()[:BYTES_MAX]


def hostile_files(size: int = BYTES_MAX, *, every: int = 1) -> Iterator[Hostile]:
    """Every token in one shape under every name; of these each `every`-th.

    The shape rotates with the token and the name, so that each token occurs in each shape and under each name.
    """
    number = 0
    for place, path in enumerate(PATHS):
        for index, token in enumerate(TOKENS):
            shape = SHAPES[(index + place) % len(SHAPES)]
            if number % every == 0:
                name = f"{path} {shape.__name__.strip('_')} {token!r}"
                yield Hostile(name=name, path=path, text=shape(token, size))
            number += 1
