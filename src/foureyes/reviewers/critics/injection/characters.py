"""Find characters that hide something, except where a script or an emoji needs them.

Ranges follow the Unicode properties: format (Cf), control (Cc), private use (Co), default ignorable, non-characters
and all white space but the ordinary ones. Only what a script or an emoji sequence needs is allowed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from foureyes.reviewers.critics.critic import Rule, State
from foureyes.reviewers.critics.injection import rules
from foureyes.reviewers.critics.injection.allowed import Place, is_allowed
from foureyes.reviewers.critics.texts import named, shown

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u034f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065"
    "\u206a-\u206f\u2800\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    "\U00013430-\U0001345f\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
    + "".join(chr(plane << 16 | low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
)
_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_LINE_ENDS = "\x85\u2028\u2029"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_SPACES = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_CONTROL = "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
_SOFT = "\xad"

# A form feed on a line of its own separates sections in old sources; elsewhere it counts as a control character.
_ASCII_TRICK = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]+|\r(?!\n)|(?<!\n)\f(?!\n)")
_FOR_PROSE = re.compile(
    rf"[{_BIDI}{_INVISIBLE}{_TAGS}{_SELECTORS}{_LINE_ENDS}{_PRIVATE}{_CONTROL}{_SOFT}]+|\r(?!\n)|(?<!\n)\f(?!\n)"
)
_FOR_CODE = re.compile(_FOR_PROSE.pattern.replace("[", f"[{_SPACES}", 1))

_KINDS: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (re.compile(f"[{_BIDI}]"), rules.BIDI),
    (re.compile(f"[{_TAGS}]"), rules.TAGS),
    (re.compile(f"[{_SELECTORS}]"), rules.SELECTORS),
    (re.compile(f"[{_LINE_ENDS}]"), rules.LINE_END),
    (re.compile(f"[{_SOFT}]"), rules.SOFT_HYPHEN),
    (re.compile(f"[{_PRIVATE}]"), rules.PRIVATE),
    (re.compile(f"[{_SPACES}]"), rules.SPACE),
    (re.compile(f"[{_CONTROL}\f\r]"), rules.CONTROL),
)

RUNS_MAX = 20_000
#: A position that stands for the whole file, so that it counts whichever lines are new.
WHOLE = -1
#: No script and no emoji needs a longer run of hidden characters.
RUN_ALLOWED_MAX = 8
SPELLED_MAX = 400
_TAG_FIRST, _TAG_LAST = 0xE0020, 0xE007E
_OVERWRITING = "\x08\x1b\x9b\r"
#: Recordings of a terminal: control characters are their content.
_RECORDINGS = (".ans", ".ansi", ".cast", ".snap", ".golden", ".log", ".out", ".vt", ".typescript")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Something hidden at a position of a text."""

    rule: Rule
    position: int
    state: State = State.BLOCK
    text: str = ""
    evidence: str = ""


def hidden_in(text: str, *, path: str = "", prose: bool = False) -> Iterator[Seen]:
    """Yield every run of characters that hides something, in the order of the text."""
    pattern = _ASCII_TRICK if text.isascii() else _FOR_PROSE if prose else _FOR_CODE
    found = pattern.finditer(text)
    place = Place(text=text, prose=prose)
    for match in islice(found, RUNS_MAX):
        yield from _of_run(match, place, path)
    more = next(found, None)
    if more is not None:
        said = f"There are more than {RUNS_MAX:,} runs of hidden characters; the rest was not looked at"
        yield Seen(rule=rules.INVISIBLE, position=WHOLE, state=State.UNKNOWN, text=said, evidence=said)


@lru_cache(maxsize=4096)
def kind_of(char: str) -> Rule:
    """Return the rule that a hidden character breaks."""
    return next((rule for pattern, rule in _KINDS if pattern.match(char)), rules.INVISIBLE)


def spelled(run: str) -> str:
    """Return the text that tag characters or variation selectors spell."""
    tags = "".join(chr(ord(one) - 0xE0000) for one in run if _TAG_FIRST <= ord(one) <= _TAG_LAST)
    if tags:
        return tags[:SPELLED_MAX]
    data = bytes(value for value in map(_byte_of, run[:SPELLED_MAX]) if value is not None)
    return data.decode("utf-8", errors="replace")


def _byte_of(selector: str) -> int | None:
    code = ord(selector)
    if "\ufe00" <= selector <= "\ufe0f":
        return code - 0xFE00
    if "\U000e0100" <= selector <= "\U000e01ef":
        return code - 0xE0100 + 16
    return None


def _of_run(match: re.Match[str], place: Place, path: str) -> Iterator[Seen]:
    run, start = match.group(), match.start()
    if len(run) > RUN_ALLOWED_MAX:
        bad = {one: start + run.index(one) for one in set(run)}
    else:
        bad = {one: start + index for index, one in enumerate(run) if not is_allowed(one, start + index, place)}
    by_rule: dict[str, tuple[Rule, str, int]] = {}
    for char, position in sorted(bad.items(), key=lambda item: item[1]):
        rule = kind_of(char)
        by_rule.setdefault(rule.id, (rule, char, position))
    for rule, char, position in by_rule.values():
        yield _seen(rule, char, position, run=run, place=place, path=path)


def _seen(rule: Rule, char: str, position: int, *, run: str, place: Place, path: str) -> Seen:
    count = f", {len(run)} in a row" if len(run) > 1 else ""
    evidence = f"{named(char)}{count}"
    if rule in (rules.TAGS, rules.SELECTORS):
        text = spelled(run)
        if len(text.strip("\x00\ufffd ")) > 1:
            evidence += f"; spells {shown(text)!r}"
    return Seen(rule=rule, position=position, state=_state(rule, char, run, place, path), evidence=evidence)


def _state(rule: Rule, char: str, run: str, place: Place, path: str) -> State:
    if rule is rules.SPACE:
        return State.CLEAR
    if rule is rules.PRIVATE:
        return State.UNKNOWN if len(run) > RUN_ALLOWED_MAX else State.CLEAR
    if rule in (rules.SOFT_HYPHEN, rules.LINE_END):
        return State.CLEAR if place.prose and len(run) == 1 else State.BLOCK
    if rule is rules.CONTROL:
        if path.endswith(_RECORDINGS) or (char == "\r" and "\n" not in place.text):
            return State.CLEAR
        return State.BLOCK if char in _OVERWRITING or unicodedata.category(char) != "Cc" else State.UNKNOWN
    return State.BLOCK
