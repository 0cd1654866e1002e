"""The critic of prompt injection: finds hidden text, and text that gives orders to reviewers and models."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.app.reviewers import Change, Unread
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, counted, judged
from foureyes.reviewers.critics.file_classes import is_binary
from foureyes.reviewers.critics.injection import rules
from foureyes.reviewers.critics.injection.aims import Aim, aims_in
from foureyes.reviewers.critics.injection.characters import Seen, hidden_in, spelled
from foureyes.reviewers.critics.injection.disguises import disguised_in
from foureyes.reviewers.critics.injection.floods import floods_in
from foureyes.reviewers.critics.injection.lookalikes import skeleton
from foureyes.reviewers.critics.injection.markers import Concealed, markers_in
from foureyes.reviewers.critics.injection.scripts import lookalikes_in, mixes
from foureyes.reviewers.critics.texts import Lines, is_prose, is_words, readable, shown, unread_of

#: All characters of a file are checked, but its words only up to this length.
WORDS_TEXT_MAX = 1_000_000
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_TAG_RUN = re.compile("[\U000e0020-\U000e007e]{4,4000}")
_SELECTOR_RUN = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,4000}")
#: Extra weight of a sentence in disguise, or in a hidden place.
DISGUISED_WEIGHT = 1.5
CONCEALED_WEIGHT = 1.0


class Injection:
    """The critic of hidden text and of instructions aimed at reviewers."""

    name = "injection"
    scope = "security"
    rules: tuple[Rule, ...] = rules.RULES

    def look(self, change: Change) -> Judged:
        hits: list[Hit] = []
        unread: list[Unread] = []
        count = 0
        for file in change.files:
            hits.extend(_hits(file.path, file.path, prose=False, at_line=0))
            unread.extend(unread_of(file))
            text = readable(file)
            if text is None or is_binary(file):
                continue
            count += 1
            prose = is_prose(file.path, change.kind) or is_words(file.path)
            hits.extend(_hits(text, file.path, prose=prose))
            if len(text) > WORDS_TEXT_MAX:
                why = f"only its first {WORDS_TEXT_MAX:,} characters were searched for look-alikes and instructions"
                unread.append(Unread(path=file.path, why=why))
        for said in (change.title, change.note):
            hits.extend(_hits(said, "", prose=True, at_line=0))
        files = counted(count, "file")
        looked_at = f"the characters and sentences of {files}, their names and the note"
        return judged(hits, unread=unread, looked_at=looked_at)


CRITIC = Injection()


def _hits(text: str, path: str, *, prose: bool, at_line: int | None = None) -> Iterator[Hit]:
    """Yield one hit for each rule and line: the most severe."""
    found: dict[tuple[str, int], Hit] = {}
    for seen, line in _all(text, path, prose=prose):
        key = (seen.rule.id, line)
        before = found.get(key)
        if before is None or before.state < seen.state:
            found[key] = _hit(seen, path, line if at_line is None else at_line)
    yield from found.values()


def _hit(seen: Seen, path: str, line: int) -> Hit:
    severity = {State.BLOCK: "", State.UNKNOWN: "important", State.CLEAR: "minor"}[seen.state]
    return Hit(
        rule=seen.rule,
        path=path,
        line=line,
        state=seen.state,
        text=seen.text,
        evidence=seen.evidence,
        severity=severity,
    )


def _all(text: str, path: str, *, prose: bool) -> Iterator[tuple[Seen, int]]:
    lines = Lines(text)
    for seen in hidden_in(text, path=path, prose=prose):
        yield seen, lines.at(seen.position)
    part = text[:WORDS_TEXT_MAX]
    for seen in lookalikes_in(part, prose=prose):
        yield seen, lines.at(seen.position)
    for seen in markers_in(part, path=path, prose=prose):
        yield seen, lines.at(seen.position)
    for seen in floods_in(part):
        yield seen, lines.at(seen.position)
    yield from _sentences(part)


def _sentences(text: str) -> Iterator[tuple[Seen, int]]:
    """Find instructions in the text as written, without its hidden characters, and with disguises decoded.

    Removing characters moves positions but removes no line feed, so line numbers stay right.
    """
    visible = text if text.isascii() else _UNSEEN.sub("", text)
    lowered = visible.lower().replace("\u2019", "'")
    yield from _spoken(lowered)
    if not text.isascii():
        if mixes(visible):
            folded = skeleton(visible).lower()
            yield from _told(aims_in(folded), Lines(folded), "letters that look like others")
        yield from _carried(text)
    lines = Lines(visible)
    for one in disguised_in(visible, lowered):
        aim = next(aims_in(one.plain, least=1), None)
        if aim is not None:
            yield _disguise(aim, one.how), lines.at(one.position)
        elif one.certain:
            said = f"A sentence is written in disguise: {one.how}"
            seen = Seen(rule=rules.ENCODED, position=0, state=State.UNKNOWN, text=said, evidence=shown(one.plain))
            yield seen, lines.at(one.position)


def _spoken(lowered: str) -> Iterator[tuple[Seen, int]]:
    lines = Lines(lowered)
    concealed: Concealed | None = None
    before: Aim | None = None
    for aim in aims_in(lowered, least=1):
        if before is not None and aim.follows(before):
            yield _together(before, aim), lines.at(before.position)
        before = aim
        concealed = concealed or Concealed(lowered)
        if concealed.holds(aim.position):
            state = aim.state(CONCEALED_WEIGHT)
            seen = Seen(rule=rules.CONCEALED, position=aim.position, state=state, evidence=_evidence(aim))
        else:
            state = aim.state()
            seen = Seen(rule=aim.rule, position=aim.position, state=state, evidence=_evidence(aim))
        if state is not State.CLEAR:
            yield seen, lines.at(aim.position)


def _together(first: Aim, second: Aim) -> Seen:
    said = "Two sentences together speak to the reader as to a machine that obeys"
    rule = max(first, second, key=lambda aim: aim.score).rule
    evidence = f"{_evidence(first)} / {_evidence(second)}"
    return Seen(rule=rule, position=first.position, state=State.UNKNOWN, text=said, evidence=evidence)


def _told(aims: Iterator[Aim], lines: Lines, how: str) -> Iterator[tuple[Seen, int]]:
    for aim in aims:
        yield _disguise(aim, how), lines.at(aim.position)


def _carried(text: str) -> Iterator[tuple[Seen, int]]:
    """Find instructions that invisible characters spell."""
    lines = Lines(text)
    for pattern in (_TAG_RUN, _SELECTOR_RUN):
        for match in pattern.finditer(text):
            aim = next(aims_in(spelled(match.group()).lower(), least=1), None)
            if aim is not None:
                yield _disguise(aim, "invisible characters"), lines.at(match.start())


def _disguise(aim: Aim, how: str) -> Seen:
    said = f"Instructions to the reader are written in disguise: {how}"
    state = aim.state(DISGUISED_WEIGHT)
    return Seen(rule=rules.ENCODED, position=aim.position, state=state, text=said, evidence=_evidence(aim))


def _evidence(aim: Aim) -> str:
    return f"{shown(aim.sentence)} ({', '.join(aim.traits)})"
