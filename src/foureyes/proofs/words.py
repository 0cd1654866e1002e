"""Recognises text that only people read: sentences in comments and documents, without directives that tools obey."""

from __future__ import annotations

import re

LINE_CHARS_MAX = 1_000
#: A shorter line is a sentence only if it ends like one: most words that tools obey stand alone.
WORDS_MIN = 3

#: Signs that prose needs. None of them opens or closes a comment, a string of several lines, markup or a template.
_SIGNS = frozenset(" .,;:?!'\"()-–—’‘“”…/%_`。、！？「」")  # noqa: RUF001 - the dashes and quotes that people type
_STARTS = frozenset("'\"(“‘`")  # noqa: RUF001 - likewise
_ENDS = tuple(".,;?!)…。！？")  # noqa: RUF001 - likewise
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
#: A colon behind fewer words than this makes a key of them, except behind these words.
_HEADS = frozenset({"todo", "fixme", "note", "warning", "hint"})

#: Words that a linter, a formatter, a compiler, a coverage tool or a scheduler obeys.
_OBEYED = re.compile(
    r"no(qa|sec|lint\w*|sonar|semgrep|inspection|pep8|cov|snyk|check)"
    r"|(pylint|mypy|pyright|basedpyright|pyre|pytype|ruff|flake8?|isort|yapf|autopep8|fmt|cython|distutils|jupytext"
    r"|sourcery|eslint|tslint|jshint|jslint|oxlint|stylelint|prettier|biome|rome|dprint|istanbul|deno|webpack\w*|vite|swc"
    r"|checkstyle|pmd|spotbugs|spotless|formatter|errorprone|codespell|cspell|bandit|semgrep|sonar\w*|snyk|coverity|codeql"
    r"|lgtm|gitleaks|trufflehog|checkov|tfsec|trivy|kics|hadolint|shellcheck|rubocop|swiftlint|golangci|staticcheck|revive"
    r"|gosec|nogo|gazelle|buildifier|kubebuilder|swagger|mockgen|vim?|emacs|airflow|dags?|pragma|region|endregion)"
    r"|(ignore|disable|enable|skip|suppress|exclude|generate|fallthrough|falls?|export)\w*",
    re.IGNORECASE,
)
_CODING = re.compile(r"coding\s*[:=]", re.IGNORECASE)


def is_plain(line: str, *, more_signs: frozenset[str] = frozenset()) -> bool:
    """True if a line is words for people: no directive, no key, no markup."""
    text = line.strip()
    if not text:
        return True
    signs = _SIGNS | more_signs
    shaped = all(letter.isalnum() or letter in signs for letter in text)
    begins = text[0].isalnum() or text[0] in _STARTS | more_signs
    if not shaped or not begins or len(text) > LINE_CHARS_MAX or "//" in text or "::" in text:
        return False
    return _colons_are_plain(text)


def is_plain_comment(line: str) -> bool:
    """True if the text of a comment is words for people, and no tool obeys a word of it."""
    if not is_plain(line) or _CODING.search(line):
        return False
    words = _WORD.findall(line)
    parts = (part for word in words for part in re.split(r"[-_'’]", word))
    if any(_OBEYED.fullmatch(part) for part in (*words, *parts)):
        return False
    return not line.strip() or len(words) >= WORDS_MIN or line.rstrip().endswith(_ENDS)


def _colons_are_plain(text: str) -> bool:
    """True if every colon ends a clause; `key: value` and `tool:order` are for programs."""
    for found in re.finditer(":", text):
        behind = text[found.end() : found.end() + 1]
        words = _WORD.findall(text[: found.start()])
        known = len(words) == 1 and words[0].casefold() in _HEADS
        if behind not in {"", " "} or not (known or len(words) >= WORDS_MIN):
            return False
    return True
