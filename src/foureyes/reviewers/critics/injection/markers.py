"""Find role markers of conversations, verdicts about the work itself, and text hidden by its style."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.injection import rules
from foureyes.reviewers.critics.injection.characters import Seen
from foureyes.reviewers.critics.texts import shown, suffix

LINE_BEFORE_MAX = 200
HIDDEN_MAX = 20_000
#: Tokens that separate the turns of a conversation in the formats models are trained on.
_TURNS = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|"
    r"tool_call)\|>"
    r"|\[/?INST\]|<</?SYS>>|<start_of_turn>|<end_of_turn>|</?(?:function_calls|tool_use|tool_result|antml:\w{1,20})>"
)
_TAGS = re.compile(
    r"</?(?:system|assistant|untrusted|user_input|instructions|document|artifact|review|verdict|system_prompt)>"
)
_SPEAKERS = re.compile(
    r"(?:^|\n)[ \t#/*>]{0,8}(?:### ?)?(?:system|assistant|human|user|instruction)s?[ \t]?:[ \t]?\S[^\n]{0,200}\n"
    r"(?:[^\n]{0,300}\n){0,3}[ \t#/*>]{0,8}(?:### ?)?(?:assistant|response|human|user)[ \t]?:",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"[\"'](?:verdict|decision|approved|review_result|review_status|recommendation)[\"']\s{0,4}:\s{0,4}"
    r"[\"']?(?:approved?|pass(?:ed)?|lgtm|accept(?:ed)?|allow|clear(?:ed)?|true)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"^\s*(?:#|//|/?\*|--|;|<!--|%|\"\"\"|''')|\s(?:#|//)\s")
_MARKED_UP = frozenset({".xml", ".html", ".htm", ".xhtml", ".svg", ".vue", ".jsx", ".tsx", ".xsd", ".csproj", ".plist"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
_CONCEALED = re.compile(
    r"<!--(?:(?!<!--).){0,4000}?-->|\balt\s?=\s?(?:\"[^\"]{0,1000}\"|'[^']{0,1000}')|!\[[^\[\]\n]{0,1000}\]\(|"
    r"(?:^|\n)\[[^\]\n]{1,100}\]:[^\n]{0,1000}|<[a-z]+[^<>\n]{0,300}?(?:display\s?:\s?none|font-size\s?:\s?0|"
    r"opacity\s?:\s?0|"
    r"visibility\s?:\s?hidden|color\s?:\s?(?:white|#fff(?:fff)?|transparent)|\bhidden\b)[^<>\n]{0,300}>[^<]{0,2000}",
    re.IGNORECASE | re.DOTALL,
)
_STYLED = re.compile(
    r"<[a-z]+[^<>\n]{0,300}?style\s?=[^<>\n]{0,200}?(?:display\s?:\s?none|font-size\s?:\s?0(?![.\d])|"
    r"opacity\s?:\s?0(?![.\d])|"
    r"visibility\s?:\s?hidden|color\s?:\s?(?:white|#fff(?:fff)?|"
    r"transparent)(?!\w))[^<>\n]{0,300}>\s{0,20}(?:[^<\s]+\s+){3}",
    re.IGNORECASE,
)


def markers_in(text: str, *, path: str, prose: bool) -> Iterator[Seen]:
    """Yield markers of other speakers, verdicts that a work gives itself, and text hidden by its style."""
    if "<" in text or "[" in text:
        yield from _turns(text, prose=prose)
    if "</" in text and suffix(path) not in _MARKED_UP:
        for match in _TAGS.finditer(text):
            if match.group().startswith("</"):
                yield Seen(rule=rules.ROLE, position=match.start(), state=State.CLEAR, evidence=match.group())
    if ":" in text and (prose or _has_comment(text)):
        yield from _speakers(text)
        yield from _verdicts(text, prose=prose)
    if suffix(path) in _MARKDOWN and "style" in text:
        for match in _STYLED.finditer(text):
            yield Seen(rule=rules.MARKUP, position=match.start(), state=State.UNKNOWN, evidence=shown(match.group()))


class Concealed:
    """The positions of a text that people do not see: HTML comments, alt texts, link definitions, hidden elements."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in islice(_CONCEALED.finditer(text), HIDDEN_MAX)]
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def holds(self, position: int) -> bool:
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]


def _turns(text: str, *, prose: bool) -> Iterator[Seen]:
    """Yield chat format markers: programs that call models need them, prose and comments do not."""
    said = "A marker of the format in which models are spoken to"
    for match in _TURNS.finditer(text):
        start = _line_start(text, match.start())
        state = State.UNKNOWN if prose or _COMMENT.search(text[start : match.start()]) else State.CLEAR
        yield Seen(rule=rules.ROLE, position=match.start(), state=state, text=said, evidence=shown(match.group()))


def _speakers(text: str) -> Iterator[Seen]:
    lowered = text.lower()
    if "assistant" not in lowered and "response" not in lowered and "human" not in lowered:
        return
    for match in _SPEAKERS.finditer(text):
        said = "A conversation written as if several had spoken"
        at = match.start() + (match.group()[0] == "\n")
        yield Seen(rule=rules.ROLE, position=at, state=State.CLEAR, text=said, evidence=shown(match.group().strip()))


def _verdicts(text: str, *, prose: bool) -> Iterator[Seen]:
    for match in _VERDICT.finditer(text):
        start = _line_start(text, match.start())
        if _COMMENT.search(text[start : match.start()]):
            yield Seen(rule=rules.VERDICT, position=match.start(), evidence=shown(match.group()))
        elif prose and not _in_fence(text, match.start()):
            yield Seen(rule=rules.VERDICT, position=match.start(), state=State.UNKNOWN, evidence=shown(match.group()))


def _line_start(text: str, at: int) -> int:
    first = max(0, at - LINE_BEFORE_MAX)
    return max(text.rfind("\n", first, at) + 1, first)


def _has_comment(text: str) -> bool:
    return any(mark in text for mark in ("#", "//", "/*", "--", '"""'))


def _in_fence(text: str, position: int) -> bool:
    return text.count("```", max(0, position - HIDDEN_MAX), position) % 2 == 1
