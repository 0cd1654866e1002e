"""Score how much a sentence gives orders to its reviewer or model, by weighted traits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Rule, State
from foureyes.reviewers.critics.injection import answers, rules
from foureyes.reviewers.critics.injection.characters import WHOLE
from foureyes.reviewers.critics.injection.lexicon import FEATURES

BLOCK_FROM = 3.0
UNKNOWN_FROM = 2.0
SENTENCES_MAX = 5_000
SENTENCE_BEFORE_MAX = 240
SENTENCE_AFTER_MAX = 300
#: Words in front of a verb that show that an order is reported, not given.
_TOLD = re.compile(
    r"\b(?:to|can|could|may|might|will|would|cannot|never|who|which|users?|they|we|it|i|not|did|does|and|or)[*_`]{0,2}\s+$"
)
#: The text is about such attacks: then the result is unknown instead of block.
_ABOUT = re.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|malicious\w*|adversar\w*|hostile|untrusted|e\.g\.|such as|for example|"
    r"detect\w*)\b"
)
_PREFIX = re.compile(r"\s*\n[ \t]*(?:#+|//+|/?\*+|--+|;+|>+|<!--|%+|\"\"\"|''')?[ \t]*")
_EDGE = re.compile(
    r"[.!?](?=\s|$|[<*)\]])|\n[ \t]*\n|\n[ \t]*(?:[-*+]|\d+\.)[ \t]|[{}]|\*/|-->|</\w|<(?:p|div|span|li|td|tr|br|h\d)\b"
)
_SPACES = re.compile(r"\s+")
_ANCHORS = tuple(dict.fromkeys(anchor for one in FEATURES for anchor in one.anchors) | dict.fromkeys(answers.ANCHORS))
_PLAIN_ANCHORS = tuple(filter(str.isascii, _ANCHORS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A sentence that speaks to its reader: its position, its score and the traits behind the score."""

    position: int
    sentence: str
    score: float
    rule: Rule
    traits: tuple[str, ...]

    def follows(self, other: Aim) -> bool:
        """True if this sentence and the one just before it together are suspicious, although each alone is not."""
        near = self.position - other.position < SENTENCE_AFTER_MAX
        weak = max(self.score, other.score) < UNKNOWN_FROM
        return near and weak and self.score + other.score >= BLOCK_FROM - 0.5 and self.traits != other.traits

    def state(self, extra: float = 0) -> State:
        """Return the state for the score; `extra` is added for a hidden place or a disguise."""
        score = self.score + extra
        if score >= BLOCK_FROM:
            return State.UNKNOWN if not extra and _ABOUT.search(self.sentence) else State.BLOCK
        return State.UNKNOWN if score >= UNKNOWN_FROM else State.CLEAR


def aims_in(text: str, *, least: float = UNKNOWN_FROM) -> Iterator[Aim]:
    """Yield every sentence of a lower-case text that scores at least `least`."""
    done = -1
    positions = _positions(text)
    for position in positions[:SENTENCES_MAX]:
        if position < done:
            continue
        start, done = _sentence(text, position)
        aim = score(text[start:done], position=position, follows=text[position : position + answers.BLOCK_MAX])
        if aim is not None and aim.score >= least:
            yield aim
    if len(positions) > SENTENCES_MAX:
        said = "there are more sentences to look at than are looked at"
        yield Aim(position=WHOLE, sentence=said, score=UNKNOWN_FROM, rule=rules.OVERRIDE, traits=("too many",))


def score(raw: str, *, position: int = 0, follows: str = "") -> Aim | None:
    """Score one sentence; None if it has no trait."""
    sentence = _SPACES.sub(" ", _PREFIX.sub(" ", raw)).strip(" \t#/*->;%\"'`")
    weights: dict[str, float] = {}
    heaviest: tuple[float, Rule] = (0, rules.OUTPUT)
    for feature in FEATURES:
        match = feature.pattern.search(sentence)
        if match is None:
            continue
        told = feature.order and _TOLD.search(sentence[max(0, match.start() - 12) : match.start()])
        weight = feature.weight - (1 if told else 0)
        weights[feature.name] = weight
        if feature.rule is not None and weight > heaviest[0]:
            heaviest = (weight, feature.rule)
    answer = answers.weight(sentence, follows)
    if answer:
        weights["says what to answer"] = answer
        heaviest = max(heaviest, (answer, rules.OUTPUT), key=lambda item: item[0])
    if not weights:
        return None
    return Aim(
        position=position,
        sentence=sentence,
        score=sum(weights.values()),
        rule=heaviest[1],
        traits=tuple(weights),
    )


def _positions(text: str) -> list[int]:
    """Return the sorted positions of all anchors; each search is linear, and most anchors do not occur."""
    found: set[int] = set()
    for anchor in _PLAIN_ANCHORS if text.isascii() else _ANCHORS:
        at = text.find(anchor)
        while at >= 0 and len(found) <= SENTENCES_MAX:
            found.add(at)
            at = text.find(anchor, at + len(anchor))
    return sorted(found)


def _sentence(text: str, position: int) -> tuple[int, int]:
    first = max(0, position - SENTENCE_BEFORE_MAX)
    start = first
    for edge in _EDGE.finditer(text, first, position):
        start = edge.end()
    last = min(len(text), position + SENTENCE_AFTER_MAX)
    edge_after = _EDGE.search(text, position, last)
    return start, edge_after.end() if edge_after else last
