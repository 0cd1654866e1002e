"""What is live on a target now: the last thing its log says went live there, or that a publisher attested."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.app.accounts import account
from foureyes.app.chain import ROOT
from foureyes.app.ports import Reading
from foureyes.app.shelf import check_links, dated, read_review
from foureyes.core.events import BaseAttested, WentLive
from foureyes.core.independence import normal
from foureyes.core.values import Who, WorkPart

TARGET = "target/"
#: Most recent events examined; behind more refused attempts than that, nothing is known of the target.
EVENTS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The files that are on a target now."""

    digest: str
    parts: tuple[WorkPart, ...]
    #: The publisher who attested it; empty if the gate let it go live.
    attested_by: str = ""

    def is_word_of(self, reading: Reading, who: Who) -> bool:
        """True if it rests on the word of this author's party: their own, their service's, or their operator's.

        A human's word belongs to no party but their own.
        """
        if not self.attested_by:
            return False
        author, witness = account(reading, who.name), account(reading, self.attested_by)
        names = {normal(who.name), normal(author.vouched_by if author else "")}
        if normal(self.attested_by) in names:
            return True
        if witness is None or witness.who.is_human:
            return False
        return normal(witness.who.operator) == normal(who.operator) != ""


def now_on(reading: Reading, target: str) -> Standing | None:
    """Return what is on a target now; None if its log does not say."""
    stream = TARGET + target
    known = reading.known(stream, "", "")
    if not known.version:
        return None
    after = max(0, known.version - EVENTS_MAX)
    past = tuple(reading.events(stream, after))
    if after:
        check_links(past[1:], known, (past[0].version, past[0].chain))
    else:
        check_links(past, known, (0, ROOT))
    for event, _ in reversed(dated(past)):
        if isinstance(event, BaseAttested):
            return Standing(digest=event.digest, parts=event.parts, attested_by=event.by)
        if isinstance(event, WentLive):
            return _went_live(reading, event)
    return None


def _went_live(reading: Reading, event: WentLive) -> Standing | None:
    """Return the files of the version that went live, from its review's log."""
    stream = f"review/{event.review}"
    known = reading.known(stream, "", "")
    if not known.version:
        return None
    revisions = read_review(reading, stream, known).review.revisions
    parts = next((one.parts for one in reversed(revisions) if one.digest == event.digest), None)
    return Standing(digest=event.digest, parts=parts) if parts else None
