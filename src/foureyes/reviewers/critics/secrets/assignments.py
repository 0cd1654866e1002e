"""Find literals assigned to names of secrets: in code, configuration, markup, command lines and prose.

The search starts from each keyword, extends it to the whole name, then reads what follows; every step is bounded.
"""

# ruff: noqa: PLR2004 - each number weighs one sign of a secret, beside which it stands
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.secrets import rules, values
from foureyes.reviewers.critics.secrets.found import SURE, Found, TooMany
from foureyes.reviewers.critics.secrets.names import KEYWORDS, Sort, sort_of

#: The maximum number of names in a text; a text with more is a dictionary, and the time stays bounded.
NAMES_MAX = 30_000
#: The maximum number of names with a value; scoring a value is the expensive part.
LITERALS_MAX = 8_000
_NAME_SIDE = 60

_CODE_TEXT = """
    .py .pyi .go .js .mjs .cjs .ts .tsx .jsx .vue .svelte .java .kt .kts .scala .groovy .c .h .cc .cpp .cxx .hpp
    .cs .fs .vb .rb .erb .php .rs .swift .m .mm .pl .pm .lua .dart .ex .exs .erl .clj .hs .ml .r .jl .zig .nim
    .sol .gradle .tf .hcl .toml .css .scss .less .html .xml .proto .graphql
"""
_CODE = frozenset(_CODE_TEXT.split())
#: File types in which a value needs no quotes.
_CONFIGURATION_TEXT = """
    .yml .yaml .env .ini .conf .cfg .cnf .properties .toml .tf .tfvars .json .xml .config
"""
_CONFIGURATION = frozenset(_CONFIGURATION_TEXT.split())
_PROSE = frozenset([".md", ".rst", ".txt", ".adoc", ".markdown", ".org", ".tex"])

_RULES: dict[Sort, Rule] = {
    Sort.PASSWORD: rules.PASSWORD,
    Sort.TOKEN: rules.TOKEN,
    Sort.KEY: rules.KEY,
    Sort.BARE_KEY: rules.KEY,
    Sort.SALT: rules.SALT,
}

_LEFT = re.compile(r"[A-Za-z0-9_.$-]{0,60}")
_RIGHT = re.compile(r"[A-Za-z0-9_-]{0,60}")
_TYPED = re.compile(r"\s{0,4}:?\s{0,4}[A-Za-z_][\w.\[\]<>*|?]{0,40}\s{0,4}=\s{0,4}(?=[bBrRuU@L]{0,2}[\"'`])")
_ARRAY = re.compile(r"\[[0-9]{0,6}\]")
_SEPARATOR = re.compile(r"[ \t]{0,24}(?P<sep>:=|=>|[=!]==?|\?=|\+=|<<<|=|:)[ \t]{0,24}(?:\\?(?=[\"']))?")
_QUOTE = re.compile(r"(?:[bBrRuUfF@L]{0,2})(?P<open>\\?[\"'`])")
_VALUE_KEY = re.compile(
    r"\s{0,40},?\s{0,40}[\"']?(?:value|defaultValue|default|content)[\"']?\s{0,8}[:=]\s{0,8}", re.IGNORECASE
)
#: A call that only converts a text: `[]byte("…")`, `bytes.fromhex("…")`, `Buffer.from("…")`.
_WRAPPED = re.compile(r"(?:new )?[A-Za-z_\[\]][\w.\[\]:]{1,40}\([ \t]{0,4}(?=[bBrRuU@L]{0,2}[\"'`])")
_BARE = re.compile(r"[^\s\"'`,;&|<>(){}\[\]\\]{1,512}")
_BARE_WIDE = re.compile(r"[^\s\"'`]{1,512}")
_MORE_WORDS = re.compile(r"[ \t]+[A-Za-z(]")
_FLAG = re.compile(r"[ \t]{1,4}")
#: The next option: it is not the value of the option before it.
_OPTION = re.compile(r"[\"']?--?[A-Za-z]")
#: A variable of Terraform: its value is its default, which need not come first.
_DEFAULT = re.compile(r"[\"']\s{0,8}\{[^{}]{0,400}?\bdefault\s{0,8}=\s{0,8}")
#: A line that is a name and one value: `requirepass …`, `bindpw …`, `storePassword "…"`.
_DIRECTIVE = re.compile(r"[ \t]{1,24}(?=[^\s=:(,]{3,128}[ \t]{0,24}(?:#[^\n]{0,200})?(?:\r?\n|\Z))")
_DIRECTIVES = frozenset([".conf", ".cnf", ".cfg", ".gradle", ".groovy", ".kts", ".rb", ".pl", ""])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Literal:
    """A value as it is written in the text."""

    start: int
    end: int
    quoted: bool
    #: What connects it to its name: a separator, `call`, `tag`, `line` or `flag`.
    tie: str


def assignments(text: str, path: str = "") -> Iterator[Found]:
    """Yield every literal that is assigned to a secret's name; raise TooMany."""
    suffix = _suffix_of(path)
    done, seen, weighed = 0, 0, 0
    for keyword in KEYWORDS.finditer(_lowered(text)):
        if keyword.start() < done:
            continue
        seen += 1
        if seen > NAMES_MAX:
            raise TooMany("names that may belong to a secret")
        before = text[max(0, keyword.start() - _NAME_SIDE) : keyword.start()]
        left = _LEFT.match(before[::-1])
        right = _RIGHT.match(text, keyword.end())
        start = keyword.start() - (len(left.group()) if left else 0)
        end = right.end() if right else keyword.end()
        done = end
        sort = sort_of(text[start:end])
        if sort is None:
            continue
        literal = _literal(text, start, end, suffix)
        if literal is None:
            continue
        weighed += 1
        if weighed > LITERALS_MAX:
            raise TooMany("names that may belong to a secret")
        score = _score(text, sort, literal, suffix, name=text[start:end])
        if score > 0:
            yield Found(start=literal.start, end=literal.end, rule=_RULES[sort], score=score)
            done = max(done, literal.end)


@lru_cache(maxsize=256)
def _suffix_of(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


@lru_cache(maxsize=2)
def _lowered(text: str) -> str:
    """Return the text in lower case; empty if it contains no keyword. Cached, as a file is searched once per path."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters of other scripts grow when they are lowered
        lowered = "".join(one.lower() if one.isascii() else one for one in text)
    return lowered if KEYWORDS.search(lowered) else ""


def _literal(text: str, start: int, end: int, suffix: str) -> _Literal | None:
    """Return the literal that the name ending here is given, or None."""
    closed = text[end : end + 1] in ('"', "'", "`") and bool(text[end : end + 1])
    after = end + 1 if closed else end
    if not closed and text[end : end + 2] in ('\\"', "\\'"):
        closed, after = True, end + 2
    if closed and text[max(0, start - 10) : start].endswith(('variable "', "variable '")):
        given = _DEFAULT.match(text, end)
        return _value(text, given.end(), suffix, "=") if given else None
    if closed and (pair := _VALUE_KEY.match(text, after)):
        return _value(text, pair.end(), suffix, "=")
    if not closed and (brackets := _ARRAY.match(text, after)):
        after = brackets.end()
    if not closed and text.startswith("\n", after):
        beside = _VALUE_KEY.match(text, after)
        return _value(text, beside.end(), suffix, ":") if beside else None
    if text[after : after + 1] in ("]", ")") and text[after : after + 1]:
        after += 1
    if not closed and (typed := _TYPED.match(text, after)):
        return _value(text, typed.end(), suffix, "=")
    if separator := _SEPARATOR.match(text, after):
        return _value(text, separator.end(), suffix, separator.group("sep"))
    return _other_ties(text, start, after, closed=closed, suffix=suffix)


def _other_ties(text: str, start: int, after: int, *, closed: bool, suffix: str) -> _Literal | None:
    """Return the value of markup, calls, pairs of arguments, directives and command-line flags."""
    following = text[after : after + 1]
    before = text[max(0, start - 6) : start]
    if following == ">" and before.endswith(("<", "</", ":")):
        match = re.compile(r"\s{0,8}([^<>\n]{1,512})</").match(text, after + 1)
        return _Literal(start=match.start(1), end=match.end(1), quoted=True, tie="tag") if match else None
    paired = closed and following == "," and text[max(0, start - 2) : max(0, start - 1)] == "("
    if paired or (not closed and following == "("):
        opened = re.compile(r"[ \t]{0,8}").match(text, after + 1)
        at = opened.end() if opened else after + 1
        return _value(text, at, suffix, "call") if _QUOTE.match(text, at) else None
    if not closed and suffix in _DIRECTIVES and not text[max(0, start - 40) : start].rpartition("\n")[2].strip():
        line = _DIRECTIVE.match(text, after)
        # An unquoted word is a call's name or a word of a sentence, unless the file consists of such lines.
        return _value(text, line.end(), suffix, "line") if line and _is_meant(text, line.end(), suffix) else None
    is_flag = text[start : start + 1] == "-" or before.rstrip(" \t").endswith(("\\set", "setx", "ENV", "set"))
    if is_flag and (gap := _FLAG.match(text, after)) and not _OPTION.match(text, gap.end()):
        return _value(text, gap.end(), suffix, "flag")
    return None


def _is_meant(text: str, at: int, suffix: str) -> bool:
    return suffix in (".conf", ".cnf", ".cfg") or _QUOTE.match(text, at) is not None


def _value(text: str, at: int, suffix: str, tie: str) -> _Literal | None:
    """Return the literal that begins here."""
    if wrapped := _WRAPPED.match(text, at):
        at, tie = wrapped.end(), "call"
    if opened := _QUOTE.match(text, at):
        quote = opened.group("open")
        start = opened.end()
        stop = text.find(quote, start, start + values.VALUE_MAX + 2)
        while stop > start and text[stop - 1] == "\\" and len(quote) == 1:
            stop = text.find(quote, stop + 1, start + values.VALUE_MAX + 2)
        if stop <= start or "\n" in text[start:stop]:
            return None
        if "f" in opened.group().lower() and "{" in text[start:stop]:
            return None  # formatted at run time
        return _Literal(start=start, end=stop, quoted=True, tie=tie)
    pattern = _BARE if suffix in _CODE or suffix in _PROSE or tie == "flag" else _BARE_WIDE
    bare = pattern.match(text, at)
    if bare is None:
        return None
    value = bare.group().rstrip(".,;:)\\")
    value = value.split("\\n", 1)[0].split("\\r", 1)[0]
    return _Literal(start=at, end=at + len(value), quoted=False, tie=tie) if value else None


_LEAST = {Sort.PASSWORD: 3, Sort.TOKEN: 5, Sort.KEY: 6, Sort.BARE_KEY: 12, Sort.SALT: 8}


def _score(text: str, sort: Sort, literal: _Literal, suffix: str, *, name: str) -> float:
    """Return how certain it is that this literal is a secret; 0 if it is not."""
    value = text[literal.start : literal.end]
    if len(value) < _LEAST[sort] or values.is_reference(value) or values.is_stand_in(value):
        return 0.0
    if values.is_public(value) or (" " in value.strip() and not _is_phrase(value, sort)):
        return 0.0
    random = values.randomness(value)
    if not literal.quoted and not _may_be_bare(text, literal, suffix, random):
        return 0.0
    if literal.tie == "call" and random < (0.4 if sort is Sort.PASSWORD else 0.6):
        return 0.0
    if value.lower() in name.lower():
        return 0.0
    # A literal that is neither a placeholder nor a sentence is the password, even if it is a word.
    meant = sort is Sort.PASSWORD and (literal.quoted or suffix in _CONFIGURATION) and suffix not in _PROSE
    return max(SURE if meant else 0.0, _by_sort(sort, value, random, name))


def _by_sort(sort: Sort, value: str, random: float, name: str) -> float:
    if sort is Sort.PASSWORD:
        return 0.35 + 0.55 * random if random else 0.3
    if values.is_name(value) and random < 0.6:
        return 0.0
    base, least = _WEIGHTS[sort]
    if random < least:
        return 0.0
    if values.is_uuid(value) and sort is not Sort.KEY:
        return _as_uuid(sort, value, name)
    if sort in (Sort.BARE_KEY, Sort.SALT) and values.is_checksum(value):
        return 0.0
    return base + 0.65 * random if sort is not Sort.SALT else base


def _as_uuid(sort: Sort, value: str, name: str) -> float:
    """Score a UUID as an identifier, unless its name ends in a word for a secret: `client_secret`, not `session`."""
    if values.is_manual_uuid(value):
        return 0.0
    if sort is Sort.TOKEN and name.lower().rstrip("0123456789_").endswith(_OWN_NAMES):
        return 0.6
    return 0.45 if sort is Sort.TOKEN else 0.25


_OWN_NAMES = ("secret", "token", "apikey", "api_key", "credential", "credentials", "psk")

#: By sort: the base score of the name, and the minimum randomness of the value.
_WEIGHTS = {Sort.TOKEN: (0.25, 0.2), Sort.KEY: (0.2, 0.3), Sort.BARE_KEY: (0.1, 0.5), Sort.SALT: (0.4, 0.4)}


def _is_phrase(value: str, sort: Sort) -> bool:
    """True for a pass phrase with a random part; a phrase of words alone cannot be told from a sentence."""
    return sort is Sort.PASSWORD and values.randomness(value) >= 0.6 and value.count(" ") <= 3


def _may_be_bare(text: str, literal: _Literal, suffix: str, random: float) -> bool:
    """True if an unquoted value is a literal here, not a name or an expression of the language."""
    value = text[literal.start : literal.end]
    if re.search(r"[(){}]|->|::|\.\w+\(", value) or text[literal.end : literal.end + 1] in ("(", "["):
        return False
    if literal.tie in ("flag", "<<<"):
        return random >= 0.2 or len(value) >= 4
    if suffix in _PROSE and _MORE_WORDS.match(text, literal.end):
        return random >= 0.5
    if suffix not in _CODE:
        return random > 0 or literal.tie != ":" or _MORE_WORDS.match(text, literal.end) is None
    tight = text[literal.start - 1 : literal.start] == "="
    return tight and (random >= 0.4 or _is_loud(text, literal.start)) and not values.is_name(value)


def _is_loud(text: str, at: int) -> bool:
    """True if the name before `=` is in capitals, as environment variables are."""
    return re.search(r"[A-Z][A-Z0-9_]{2,60}=\Z", text[max(0, at - 64) : at]) is not None
