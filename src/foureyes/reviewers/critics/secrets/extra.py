"""Choose the lines that CredSweeper, the optional scanner, is run on, and map its answers to rules."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from foureyes.app.reviewers import File
from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.secrets import rules
from foureyes.reviewers.critics.secrets.found import Found
from foureyes.reviewers.critics.secrets.grouped import GROUPS
from foureyes.reviewers.critics.secrets.names import KEYWORDS
from foureyes.reviewers.critics.secrets.sweep import LINE_MAX, LINES_MAX, MISSING, Line, Sweep, Swept

_LONG_RUN = re.compile(r"[A-Za-z0-9+/_-]{20}|://|-----BEGIN")
_UUID_SCORE = 0.3

#: Words in CredSweeper's rule names and the rule each is reported as; the first match counts.
_MEANING: tuple[tuple[str, Rule], ...] = (
    ("UUID", rules.UUID),
    ("PEM", rules.PRIVATE_KEY),
    ("URL", rules.URL),
    ("SQL", rules.SQL),
    ("CMD", rules.COMMAND),
    ("JSON Web", rules.JWT),
    ("AWS", rules.PROVIDERS["aws-key"]),
    ("Google", rules.PROVIDERS["gcp-key"]),
    ("Azure", rules.PROVIDERS["azure-key"]),
    ("Github", rules.PROVIDERS["github-token"]),
    ("Gitlab", rules.PROVIDERS["gitlab-token"]),
    ("Slack", rules.PROVIDERS["slack-token"]),
    ("Stripe", rules.PROVIDERS["stripe-key"]),
    ("Salt", rules.SALT),
    ("Nonce", rules.SALT),
    ("Password", rules.PASSWORD),
    ("Token", rules.TOKEN),
    ("Secret", rules.TOKEN),
    ("Auth", rules.TOKEN),
    ("Credential", rules.TOKEN),
    ("Key", rules.KEY),
    ("API", rules.KEY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The result of running the optional scanner; by path, the line number and what was found in it."""

    says: str
    by_path: Mapping[str, Sequence[tuple[int, Swept]]] = field(default_factory=dict)
    #: True if the scanner ran at all; identifiers are only reported by the thorough search.
    thorough: bool = False

    def found(self, path: str, text: str) -> Iterator[Found]:
        """Yield what the scanner found in this file, at positions in the whole text."""
        starts = _line_starts(text) if path in self.by_path else []
        for number, one in self.by_path.get(path, ()):
            offset = starts[number]
            score = 0.3 + 0.6 * one.score
            yield Found(start=offset + one.start, end=offset + one.end, rule=_meaning(one.rule), score=score)
        if self.thorough:
            for match in GROUPS.finditer(text):
                if any(one.isdigit() for one in match.group()):
                    yield Found(start=match.start(), end=match.end(), rule=rules.UUID, score=_UUID_SCORE)


def ask(files: Sequence[File], sweeper: Callable[[Sequence[Line]], Sweep]) -> Asked:
    """Run the scanner on the changed lines that could contain a secret."""
    lines: list[Line] = []
    places: list[tuple[str, int]] = []
    left_out = 0
    for file in files:
        for number, text in _suspects(file):
            if len(text) > LINE_MAX or len(lines) >= LINES_MAX:
                left_out += 1
                continue
            lines.append((file.path, text))
            places.append((file.path, number))
    if not lines:
        return Asked(says="no line for CredSweeper", thorough=False)
    answer = sweeper(lines)
    if answer.trouble:
        hint = "; the own rules and detect-secrets looked" if answer.trouble == MISSING else ", the own rules went on"
        return Asked(says=f"{answer.trouble}{hint}")
    by_path: dict[str, list[tuple[int, Swept]]] = defaultdict(list)
    for one in answer.swept:
        path, number = places[one.index]
        by_path[path].append((number, one))
    says = f"CredSweeper looked at {len(lines)} lines" + (f", {left_out} were left out" if left_out else "")
    return Asked(says=says, by_path=by_path, thorough=True)


def _suspects(file: File) -> Iterator[tuple[int, str]]:
    """Yield the changed lines, counted from 0, with a keyword or a run of letters that a secret could have."""
    text = file.text
    if text is None:
        return
    rows = text.split("\n")
    for first, last in file.changed:
        for number in range(max(0, first - 1), min(last, len(rows))):
            row = rows[number]
            if row and (KEYWORDS.search(row.lower()) or _LONG_RUN.search(row)):
                yield number, row


def _line_starts(text: str) -> list[int]:
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text))
    return starts


def _meaning(name: str) -> Rule:
    return next((rule for word, rule in _MEANING if word.lower() in name.lower()), rules.OTHER)
