"""The critic of sources: finds claims without a source. Only a model or a human can verify whether they are true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from foureyes.app.reviewers import LINK_MODE, OUTPUT_JSON, Change, File, Unread
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, counted, judged
from foureyes.reviewers.critics.factual import rules
from foureyes.reviewers.critics.factual.claims import claims_in
from foureyes.reviewers.critics.factual.links import MARKDOWN, dead_links
from foureyes.reviewers.critics.texts import PROSE_KINDS, Lines, shown, suffix, texts_in

TEXT_MAX = 1_000_000
_PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc"})
#: Legal texts and lists of changes make no claims about the world.
_NO_CLAIMS = frozenset(
    {"license", "licence", "copying", "notice", "changelog", "changes", "history", "requirements", "robots"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Factual:
    """The critic of sources. It gives notes; with `strict`, for chains that name it, its hits block."""

    #: The day of the review; without it, old dates are not judged.
    today: date | None = None
    strict: bool = False

    @property
    def name(self) -> str:
        return "factual"

    @property
    def scope(self) -> str:
        return "factual"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return rules.RULES

    def look(self, change: Change) -> Judged:
        hits: list[Hit] = []
        unread: list[Unread] = []
        count = 0
        for file in change.files:
            if not is_text(file, change.kind):
                continue
            count += 1
            hits.extend(self._hits(file, change))
            if len(file.text or "") > TEXT_MAX:
                unread.append(
                    Unread(path=file.path, why=f"only its first {TEXT_MAX:,} characters were searched for claims")
                )
        return judged(hits, unread=unread, looked_at=self._looked_at(count))

    def _looked_at(self, count: int) -> str:
        if not count:
            return "files without prose"
        dates = "" if self.today else "; dates were not looked at, because the day is not known"
        texts = f"the sources of {counted(count, 'text')}{dates}"
        return f"{texts}; whether their claims are true needs a model or a human to verify"

    def _hits(self, file: File, change: Change) -> Iterator[Hit]:
        text = (file.text or "")[:TEXT_MAX]
        lines, year = Lines(text), self.today.year if self.today else None
        if file.path == OUTPUT_JSON:
            for value in texts_in(text):
                yield from (self._hit(claim.rule, file, 1, claim.sentence) for claim in claims_in(value, year))
            return
        for claim in claims_in(text, year):
            yield self._hit(claim.rule, file, lines.at(claim.position), claim.sentence)
        if suffix(file.path) in MARKDOWN:
            for position, target in dead_links(text, file.path, change):
                yield self._hit(rules.LINK, file, lines.at(position), target)

    def _hit(self, rule: Rule, file: File, line: int, said: str) -> Hit:
        return Hit(
            rule=rule,
            path=file.path,
            line=line,
            state=State.BLOCK if self.strict else State.CLEAR,
            evidence=shown(" ".join(said.split()), 200),
            severity="important" if self.strict else "minor",
        )


CRITIC = Factual()


def is_text(file: File, kind: str) -> bool:
    """True if a file is prose that may state facts, or the JSON output of an agent."""
    if file.text is None or file.mode == LINK_MODE:
        return False
    path = PurePosixPath(file.path.lower())
    if file.path == OUTPUT_JSON:
        return True
    if path.stem in _NO_CLAIMS:
        return False
    return path.suffix in _PROSE or (not path.suffix and kind in PROSE_KINDS)
