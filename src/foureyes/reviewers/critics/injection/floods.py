"""Find floods: one word repeated, a series of questions, or a conversation that ends in an open question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.injection import rules
from foureyes.reviewers.critics.injection.characters import Seen
from foureyes.reviewers.critics.texts import shown

_FLOODS_MAX = 50
_TAIL = 2_000
#: Seven repetitions; nobody stammers that long, and data tables contain no words.
_ONE_WORD = re.compile(r"\b(?P<word>[a-z]{3,20})(?:[ ,]{1,2}(?P=word)\b){7,}", re.IGNORECASE)
_QUESTIONS = re.compile(r"(?:(?<=\s)|^)[A-Z\u00bf][^.!?\n]{4,160}\?(?:[ \t]{1,2}[A-Z\u00bf][^.!?\n]{4,160}\?){7}")
#: Questions with answers, and at the end a question left to the reader.
_SHOTS = re.compile(
    r"(?:^|(?<=\s))q: ?[^\n]{3,300}?\sa: ?[^\n]{2,600}?"
    r"\sq: ?(?:(?!\sa:)[^\n]){3,300}\?\s{0,20}(?:a:\s{0,20})?\Z",
    re.IGNORECASE,
)


def floods_in(text: str) -> Iterator[Seen]:
    """Yield every flood as a note: alone it is no attack, and a person sees it at once."""
    for said, pattern in (
        ("One word is repeated again and again", _ONE_WORD),
        ("Question after question is asked, and none is answered", _QUESTIONS),
    ):
        for match in islice(pattern.finditer(text), _FLOODS_MAX):
            yield _seen(said, match.start(), match.group())
    tail = max(0, len(text) - _TAIL)
    if "q:" in text[tail:].lower() and (shots := _SHOTS.search(text, tail)):
        yield _seen("A conversation ends in a question that the reader is to answer", shots.start(), shots.group())


def _seen(said: str, position: int, evidence: str) -> Seen:
    return Seen(rule=rules.FLOOD, position=position, state=State.CLEAR, text=said, evidence=shown(evidence.strip()))
