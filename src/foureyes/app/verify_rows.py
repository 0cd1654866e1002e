"""Do the rows beside the log say what the log says? A forged row must not pass for a clearance."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from foureyes.app.damages import Collected
from foureyes.app.heads import digest_rows, review_row
from foureyes.app.ports import Conflict, Damaged, Reading
from foureyes.app.rows import Head, Known, Stored
from foureyes.app.shelf import read_review

REVIEW = "review/"
REBUILD = "Stop the server and find out who wrote it. The log is the truth: the rows can be made anew from it."


@dataclass(slots=True)
class Rows:
    """What a review's events say of digests, gathered while they are met."""

    head: Head
    submitted: set[str] = field(default_factory=set)
    cleared: set[str] = field(default_factory=set)
    #: A seat with that power was asked, and somebody rejected: only folding tells whether a veto stands.
    veto_asked: bool = False
    rejected: bool = False

    def see(self, one: Stored) -> None:
        """One event of the stream."""
        self.veto_asked |= one.type == "ReportRequested" and '"veto":true' in one.body
        self.rejected |= one.type == "ReportSubmitted" and '"verdict":"reject"' in one.body
        named = {"RevisionSubmitted": self.submitted, "ReviewCleared": self.cleared}.get(one.type)
        if named is not None:
            try:
                named.add(str(json.loads(one.body)["digest"]))
            except (ValueError, KeyError, TypeError):
                return  # a body that cannot be read does not follow from its link, which is told there

    def check(self, reading: Reading, found: Collected, *, deep: bool) -> None:
        """Hold the rows against the events: clearances and vetoes always, everything when asked."""
        stream = self.head.stream
        for digest in self.submitted - self.cleared:
            for row in reading.digests(digest):
                if row.digest == digest and f"{REVIEW}{row.review}" == stream and row.cleared:
                    found.add(stream, f"forged: a row says that {digest} is cleared, the log does not", REBUILD)
        if stream.startswith(REVIEW) and (deep or (self.veto_asked and self.rejected)):
            _check_folded(reading, self.head, found)


def _check_folded(reading: Reading, head: Head, found: Collected) -> None:
    try:
        held = read_review(reading, head.stream, Known(version=head.version, chain=head.chain))
    except (Damaged, Conflict):
        return  # told by the walk along the links
    except ValueError as error:
        found.add(head.stream, f"edited: its events cannot be folded: {error}", REBUILD)
        return
    for row in digest_rows(held.review):
        if row not in reading.digests(row.digest):
            found.add(head.stream, f"forged: the row about {row.digest} is not what its events say", REBUILD)
    listed = reading.review(held.review.id)
    if listed != review_row(held.review, opened=held.opened, updated=listed.updated if listed else ""):
        found.add(head.stream, "forged: its row in the list is not what its events say", REBUILD)
