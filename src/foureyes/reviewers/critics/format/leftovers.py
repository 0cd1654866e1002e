"""Find leftovers in a text: conflict markers, truncation marks, placeholders, and phrases of a chat model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.format import rules
from foureyes.reviewers.critics.format.parsing import Flaw
from foureyes.reviewers.critics.texts import Lines, shown, suffix

LINE_MAX = 5_000
FENCE_BEFORE_MAX = 20_000
MATCHES_MAX = 5_000
_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: \S[^\n]{0,200})?$|^={7}$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n`]{0,200})$", re.MULTILINE)
_CUT = re.compile(
    r"\[(?:output |content |response |text )?(?:truncated|cut off|omitted|snip(?:ped)?)\]|<(?:truncated|snip)>"
    r"|(?:\.\.\.|\u2026) ?\[?\(?(?:truncated|\d+ (?:more )?"
    r"(?:lines?|characters|chars|bytes) (?:omitted|truncated|skipped))"
    r"|(?:#|//|/\*|<!--|--) ?(?:\.\.\.|\u2026) ?(?:the )?(?:rest|remaining|remainder|existing|previous|other|"
    r"same)\b[^\n]{0,60}"
    r"|\[\d+ (?:lines?|characters|chars) (?:omitted|truncated)\]",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\bas an? (?:ai|artificial intelligence|large)(?: language)? (?:model|assistant)\b"
    r"|\bi(?:'m| am) (?:just )?an? (?:ai|large language model)\b"
    r"|\bmy (?:knowledge|training)(?: data)? (?:cut-?off|only goes)\b"
    r"|^(?:sure|certainly|of course|absolutely)[!,.] (?:here(?:'s| is| are)|i(?:'ll| will| can))\b"
    r"|^(?:here(?:'s| is) (?:the|your) (?:updated|complete|full|revised|corrected|modified|final))\b[^\n]{0,60}:$"
    r"|^(?:i hope this helps|let me know if you(?:'d| would)? (?:like|need|have))\b",
    re.IGNORECASE | re.MULTILINE,
)
_PLACEHOLDER = re.compile(
    r"\b(?:todo|fixme)\b:? ?\(?(?:implement|fill in|write|complete|add (?:the )?(?:implementation|logic|"
    r"code))\b[^\n]{0,60}"
    r"|\blorem ipsum\b|<(?:insert|your|add|fill in|enter)[ _-][^<>\n]{1,60}>|"
    r"\[(?:insert|your|fill in) [^\]\n]{1,60}\](?!\()"
    r"|\byour (?:code|logic|implementation) (?:goes )?here\b|\b(?:replace|change) this with your\b"
    r"|^[ \t]*raise NotImplementedError\([\"']?todo",
    re.IGNORECASE | re.MULTILINE,
)
#: Rule, pattern, and words of which at least one must occur before the pattern is searched for.
_SEARCHES = (
    (
        rules.TRUNCATED,
        _CUT,
        ("truncated", "omitted", "skipped", "snip", "cut off", "... ", "...r", "\u2026 ", "\u2026r"),
    ),
    (
        rules.CHATTER,
        _CHATTER,
        (
            " model",
            "assistant",
            " an ai",
            "cutoff",
            "cut-off",
            "only goes",
            "! here",
            "! i",
            ", here",
            ", i",
            ". here",
            "here's the",
            "here is the",
            "here is your",
            "here's your",
            "i hope this",
            "let me know",
        ),
    ),
    (
        rules.PLACEHOLDER,
        _PLACEHOLDER,
        (
            "todo",
            "fixme",
            "lorem ipsum",
            "<insert",
            "<your",
            "<add",
            "<fill",
            "<enter",
            "[insert",
            "[your",
            "[fill",
            " here",
            "with your",
        ),
    ),
)
_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})


def leftovers_in(text: str, path: str, *, prose: bool) -> Iterator[Flaw]:
    """Yield every leftover with its line."""
    lines = Lines(text)
    yield from _conflicts(text, lines, prose=prose)
    lowered = text.lower()
    for rule, pattern, words in _SEARCHES:
        if not any(word in lowered for word in words):
            continue
        for match in islice(pattern.finditer(text), MATCHES_MAX):
            said = f"{rule.title}: {shown(match.group(), 80)}"
            yield Flaw(rule=rule, line=lines.at(match.start()), state=State.CLEAR, text=said)
    if suffix(path) in _MARKDOWN:
        yield from _open_fence(text, lines)
    yield from _shape(text, lines)


def _conflicts(text: str, lines: Lines, *, prose: bool) -> Iterator[Flaw]:
    """Yield markers that open or close a conflict; the line between them is also the underline of a heading."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return
    found = [match for match in islice(_MARKER.finditer(text), MATCHES_MAX) if match.group()[0] in "<>|"]
    kinds = {match.group()[0] for match in found}
    for match in found:
        # A text may show what a conflict looks like; in prose, half of a conflict is an arrow or a quotation.
        in_block = prose and text.count("```", max(0, match.start() - FENCE_BEFORE_MAX), match.start()) % 2 == 1
        if prose and (in_block or not {"<", ">"} <= kinds):
            yield Flaw(rule=rules.CONFLICT, line=lines.at(match.start()), state=State.CLEAR)
        else:
            yield Flaw(rule=rules.CONFLICT, line=lines.at(match.start()))


def _open_fence(text: str, lines: Lines) -> Iterator[Flaw]:
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif match[1][0] == opened[1][0] and len(match[1]) >= len(opened[1]) and not match[2].strip():
            opened = None
    if opened is not None:
        yield Flaw(rule=rules.FENCE, line=lines.at(opened.start()), state=State.CLEAR)


def _shape(text: str, lines: Lines) -> Iterator[Flaw]:
    windows = text.count("\r\n")
    if windows and windows != text.count("\n"):
        first_is_windows = text[max(0, text.find("\n") - 1)] == "\r"
        odd = re.search(r"(?<!\r)\n" if first_is_windows else r"\r\n", text)
        line = lines.at(odd.start()) if odd else 1
        yield Flaw(rule=rules.LINE_ENDS, line=line, state=State.CLEAR)
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > LINE_MAX:
            said = f"The line has {end - start:,} characters; nobody reads that"
            yield Flaw(rule=rules.LONG_LINE, line=number, state=State.CLEAR, text=said)
        start, number = end + 1, number + 1
