"""Find sentences that make a claim without a source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.factual import rules
from foureyes.reviewers.critics.factual.bare import bare

SENTENCE_MAX = 1_000
PARAGRAPH_MAX = 20_000
QUOTE_WORDS_MIN = 5
#: A sentence about the present is stale if the year in it is this many years ago.
STALE_YEARS = 2

_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*|\n(?!\s*(?:[-*+]|\d+\.)\s)[^.!?\n]*)*[.!?]?")
_SOURCE = re.compile(
    r"\]\(|https?://|\[\^|\[\d{1,3}\]|\bdoi:|\bcite|\bsources?:|\bfootnote|\(\w[^()\n]{0,60}\b(?:19|20)\d\d[a-z]?\)|"
    r"<ref|\[[^\]\n]{1,80}\]\[|\b(?:we|i) (?:measured|counted|found|ran|tested|observed)|"
    r"\b(?:our|own) (?:\w+ )?(?:measure\w*|benchmarks?|tests?|data|logs?|survey)|\bmeasured (?:on|with|by|in)|"
    r"\bsee (?:table|figure|section|appendix|the)\b|`_",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?<![\d.,])(?!100\s?%)\d[\d.,]{0,20}\s?(?:%|\u2030|percent\b|per cent\b|percentage points?\b|prozent\b)"
    r"|\b\d[\d.,]{0,20}\s?(?:million|billion|trillion|thousand|bn|mrd|mio)\b"
    r"|[$\u20ac\u00a3\u00a5]\s?\d[\d.,]{0,20}"
    r"|\b\d[\d.,]{0,10}\s?(?:x|\u00d7|times|-fold|fold)\s(?:faster|slower|more|less|larger|smaller|higher|lower|as|"
    r"better|cheaper)\b"
    r"|\b(?:one|two|three|four|nine|\d{1,3}) (?:out of|in) (?:every )?(?:three|four|five|ten|\d{1,4}) (?:\w+ "
    r")?(?:people|users|"
    r"developers|companies|teams|cases|projects|customers|women|men|children|adults|patients)\b",
    re.IGNORECASE,
)
#: Words that mark figures of the program itself: options, versions, sizes of examples.
_OWN_FIGURE = re.compile(
    r"\b(?:default|limit|set to|at most|at least|up to|threshold|minimum|maximum|between|e\.g\.|example|if )\b",
    re.IGNORECASE,
)
_STUDIES = re.compile(
    r"\b(?:(?:recent |many |several |some |numerous |multiple |most )?(?:studies|research(?:ers)?|surveys|experts|"
    r"scientists|"
    r"analysts|reports|statistics|evidence)(?: has| have)? (?:show|shows|shown|suggest|suggests|indicate|indicates|"
    r"agree|say|"
    r"prove|proves|proven|found|find|confirm|confirms|believe|reveal|reveals|demonstrate)|it is (?:well[- ]known|"
    r"widely "
    r"(?:known|accepted|believed))|everyone knows|it has been (?:proven|shown)|studien (?:zeigen|belegen)|experten "
    r"sagen)\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?:the (?:world'?s |only |very )?(?:fastest|largest|biggest|smallest|best|cheapest|safest|easiest|oldest|"
    r"leading|"
    r"most (?:popular|widely used|powerful|advanced|secure|efficient|successful|trusted))|world'?s (?:first|largest|"
    r"fastest|best)|"
    r"the first (?:ever|and only)|industry[- ]leading|best[- ]in[- ]class|state[- ]of[- ]the[- ]art|unparalleled|"
    r"unmatched|number one|#1)\b",
    re.IGNORECASE,
)
#: Superlatives about one's own things make no claim about the world.
_OWN_THING = re.compile(
    r"\bbest (?:practice|effort|way|to|if|guess|match|of)\b|\b(?:largest|smallest|oldest|biggest) (?:\w+ )?(?:file|"
    r"value|"
    r"number|element|entry|key|item|line|possible|first|version|id|one)\b|\bthe leading (?:space|zero|slash|dot|"
    r"comment)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\u201c([^\u201c\u201d\n]{20,600})\u201d|\u201e([^\u201c\u201d\n]{20,600})[\u201c\u201d]|"
    r"(?<![\w=])\"([^\"\n]{20,600})\"(?!\w)"
)
_BLOCK = re.compile(r"\s*>(?!>)")
_NOTE = re.compile(r"\s*>\s*(?:\[!|\*\*|note|warning|tip|important)", re.IGNORECASE)
_SPEAKER = re.compile(
    r"\b(?:said|says|say|wrote|writes|write|told|tells|according to|quot\w+|asked|asks|explained|explains|states?|"
    r"stated|called|"
    r"named|argues?|argued|puts? it|noted|notes|replied|by|from|reads?|error|message|prints?|title|titled|sagt\w*|"
    r"schrieb)\b"
    r"|[\u2014\u2013-]{1,2} ?[A-Z]\w+",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:as of|currently|at present|at the moment|nowadays|today|to date|latest|newest|recent(?:ly)?|"
    r"up[- ]to[- ]date|"
    r"state of|last updated|current(?= version| release| price| rate)|derzeit|aktuell|stand)\b",
    re.IGNORECASE,
)
_COMING = re.compile(
    r"\b(?:will (?:be|ship|launch|release|arrive|end)|upcoming|planned for|scheduled for|is expected|coming in)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d./-])((?:19|20)\d\d)(?![\d%])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence that states something, and where it begins."""

    rule: Rule
    position: int
    sentence: str


def claims_in(text: str, year: int | None) -> Iterator[Claim]:
    """Yield every claim without a source; stale claims only if the year is known."""
    prose = bare(text)
    start = 0
    for edge in (*_BLANK.finditer(prose), None):
        end = edge.start() if edge else len(prose)
        yield from _in_paragraph(prose[start : min(end, start + PARAGRAPH_MAX)], start, year)
        start = edge.end() if edge else end


def _in_paragraph(paragraph: str, start: int, year: int | None) -> Iterator[Claim]:
    sourced = _SOURCE.search(paragraph) is not None
    for match in _SENTENCE.finditer(paragraph):
        sentence = match.group()[:SENTENCE_MAX]
        for rule in _flaws(sentence, paragraph, sourced=sourced, year=year):
            lead = len(sentence) - len(sentence.lstrip())
            yield Claim(rule=rule, position=start + match.start() + lead, sentence=sentence.strip())
    if not sourced and _is_nobodys_block(paragraph):
        yield Claim(rule=rules.QUOTE, position=start, sentence=paragraph.strip()[:SENTENCE_MAX])


def _is_nobodys_block(paragraph: str) -> bool:
    """True for a block quotation without a speaker; notes, which use the same markup, do not count."""
    if not _BLOCK.match(paragraph) or _NOTE.match(paragraph) or _SPEAKER.search(paragraph):
        return False
    return len(paragraph.split()) > QUOTE_WORDS_MIN


def _flaws(sentence: str, paragraph: str, *, sourced: bool, year: int | None) -> Iterator[Rule]:
    if not sourced:
        if _STUDIES.search(sentence):
            yield rules.STUDIES
        if _FIGURE.search(sentence) and not _OWN_FIGURE.search(sentence):
            yield rules.FIGURE
        if _SUPERLATIVE.search(sentence) and not _OWN_THING.search(sentence):
            yield rules.SUPERLATIVE
        if _is_nobodys(sentence, paragraph):
            yield rules.QUOTE
    if year is not None and _is_stale(sentence, year):
        yield rules.STALE


def _is_nobodys(sentence: str, paragraph: str) -> bool:
    for match in _QUOTED.finditer(sentence):
        words = next(filter(None, match.groups()), "").split()
        if len(words) >= QUOTE_WORDS_MIN and words[0][:1].isupper() and not _SPEAKER.search(paragraph):
            return True
    return False


def _is_stale(sentence: str, year: int) -> bool:
    years = [int(found) for found in _YEAR.findall(sentence)]
    if not years:
        return False
    newest = max(years)
    return bool(
        (_NOW.search(sentence) and newest <= year - STALE_YEARS) or (_COMING.search(sentence) and newest < year)
    )
