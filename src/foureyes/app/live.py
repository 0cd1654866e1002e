"""The go-live check: whether exactly these bytes may go live now, evaluated from the log and never from a row alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from foureyes.app.claimed import known_level
from foureyes.app.heads import OPEN
from foureyes.app.objections import Objections, text_of
from foureyes.app.policies import InForce, Policies
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import LIVES, DigestRow, plain_digest
from foureyes.app.shelf import Held
from foureyes.app.work import GIT_TREE, GONE_MODE, blob_digest
from foureyes.core.assess import assess
from foureyes.core.events import WentLive
from foureyes.core.live import Clearance, LiveFacts, RecordLive, why_elsewhere, why_not
from foureyes.core.model import Review
from foureyes.core.values import ClearedBy, Outcome, Who, WorkPart
from foureyes.core.views import owes_report, view

GIT_BASE = "git-base:"

#: Most clearances of the same bytes that are evaluated.
CLEARANCES_MAX = 50
CLEARED, BLOCKED, PENDING, UNKNOWN, DAMAGED = "cleared", "blocked", "pending", "unknown", "damaged"
#: The only answer to a reviewer who owes a report on these bytes, whatever others said.
WITHHELD = "withheld"
OWED = "You owe a report on exactly these bytes, so nothing is said of them. Report first, then ask again."
ELSEWHERE = "Another review of exactly these bytes goes on and does not allow it. Wait until it has ended."


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """Whether these bytes may go live, by which review, and why not."""

    state: str
    digest: str
    review: str = ""
    reason: str = ""
    level: int = 0
    flags: tuple[str, ...] = ()
    #: The facts it was judged by, for recording it; None if no clearance was found.
    facts: LiveFacts | None = None

    @property
    def allowed(self) -> bool:
        """True only if the bytes are cleared."""
        return self.state == CLEARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Judges bytes for a target, on one look at the store."""

    reading: Reading
    policies: Policies
    load: Callable[[Reading, str], Held | None]
    now: datetime
    #: True if the answer is only for the machine that asks.
    is_local: bool = False
    #: The viewer, if they may not see everything; None if the answer is shown to nobody.
    viewer: Who | None = None

    def judge(self, name: str, target: str = "", review: str = "") -> Live:
        """Return the answer for bytes named by digest or alias; if a review is named, by that one alone."""
        name = plain_digest(name)
        try:
            return self._judged(name, target, review)
        except Damaged as error:
            return Live(state=DAMAGED, digest=name, reason=f"{error} Verify the log; nothing goes live on this.")

    def _judged(self, name: str, target: str, review: str) -> Live:
        rows = self.reading.digests(name)
        if not rows:
            return Live(state=UNKNOWN, digest=name, reason="No review has seen these bytes. Submit them for review.")
        if self._owes(rows):
            return Live(state=WITHHELD, digest=name, reason=OWED)
        every, rows = rows, self._of_the_tree(rows) if name.startswith(GIT_TREE) else rows
        refused = self._unnamed(name, rows) or self._objected(every, rows)
        if refused is not None:
            return refused
        current = self.policies.current(self.reading)
        cleared = [row for row in rows if row.cleared and review in ("", row.review)]
        if not cleared:
            named = next((row for row in rows if row.review == review), None)
            return self._waiting(named or self._objections.newest(rows))
        answers = [self._by(cleared[0], target, current)]
        for row in cleared[1:CLEARANCES_MAX]:
            if answers[-1].allowed:
                break  # one yes is enough, and each costs a look at all of the bytes
            answers.append(self._by(row, target, current))
        return answers[-1] if answers[-1].allowed else answers[0]

    def _of_the_tree(self, rows: tuple[DigestRow, ...]) -> tuple[DigestRow, ...]:
        """Of several works with this tree, return those in which no part is removed, if there are any.

        Removed parts are in no tree, so anybody could give a cleared tree's name to another work.
        """
        if len({row.digest for row in rows}) == 1:
            return rows
        whole = {row.digest for row in {row.digest: row for row in rows}.values() if not self._has_gone(row)}
        return tuple(row for row in rows if row.digest in whole) or rows

    def _has_gone(self, row: DigestRow) -> bool:
        held = self.load(self.reading, f"review/{row.review}")
        if held is None:
            raise Damaged(f"Review {row.review} is listed, but its log is gone.")
        parts = (part for one in held.review.revisions if one.digest == row.digest for part in one.parts)
        return any(part.mode == GONE_MODE for part in parts)

    def _unnamed(self, name: str, rows: tuple[DigestRow, ...]) -> Live | None:
        """Return the no to a name that does not mean exactly one work."""
        digest = rows[0].digest
        if name.startswith(GIT_BASE):
            return Live(state=BLOCKED, digest=digest, reason=f"{name} is what the work is based on, not the work.")
        if len({row.digest for row in rows}) > 1:
            return Live(state=BLOCKED, digest=name, reason=f"{name} names several works. Name one by its digest.")
        if name != digest and not any(self._is_called(row, name) for row in rows):
            raise Damaged(f"{name} is listed as a name of {digest}, but no log says so.")
        return None

    @property
    def _objections(self) -> Objections:
        return Objections(reading=self.reading, policies=self.policies, load=self.load)

    def _objected(self, every: tuple[DigestRow, ...], rows: tuple[DigestRow, ...]) -> Live | None:
        """Return the no of a review that objects to these bytes, named as far as the viewer may know.

        An objection blocks cleared bytes. Uncleared bytes are pending as long as the objecting review is open on them.
        Every row of the name counts, also of a work that differs only by a removed part.
        """
        found = self._objections.among(every)
        shown = [one for one in found if not self._hides(one[0].review)]
        cleared, digest = any(row.cleared for row in rows), rows[0].digest
        if shown:
            held, against = shown[0]
            waits = held.review.outcome is None and held.review.digest == digest and not (cleared or against.veto)
            state = PENDING if waits else BLOCKED
            return Live(state=state, digest=digest, review=against.review, reason=text_of(against))
        return Live(state=BLOCKED, digest=digest, reason=ELSEWHERE) if found and cleared else None

    def _owes(self, rows: tuple[DigestRow, ...]) -> bool:
        """True if the viewer holds a seat on one of these reviews and has not reported on its current version."""
        if self.viewer is None:
            return False
        open_ones = (row.review for row in rows if not row.cleared and self._is_open(row.review))
        held = (self.load(self.reading, f"review/{name}") for name in open_ones)
        return any(one is not None and owes_report(one.review, self.viewer) for one in held)

    def _is_open(self, review: str) -> bool:
        listed = self.reading.review(review)
        return listed is not None and listed.state == OPEN

    def _hides(self, review: Review) -> bool:
        if self.viewer is None or review.outcome is not None:
            return False
        rules = self.policies.rules(self.reading, review.rules)
        stricter = self.policies.stricter(self.reading, review.stricter)
        return view(rules, review, self.viewer, stricter).hides

    def _is_called(self, row: DigestRow, name: str) -> bool:
        """True if the log says that these bytes have this alias: a row alone is not believed."""
        held = self.load(self.reading, f"review/{row.review}")
        return held is not None and any(
            one.digest == row.digest and name in one.aliases for one in held.review.revisions
        )

    def _by(self, row: DigestRow, target: str, current: InForce) -> Live:
        held = self.load(self.reading, f"review/{row.review}")
        if held is None or held.cleared is None:
            raise Damaged(f"Review {row.review} is listed as cleared, but its log has no clearance.")
        version, cleared = held.cleared
        level = known_level(self.reading, held, cleared.level)
        clearance = Clearance(
            digest=cleared.digest,
            level=level,
            single_use=cleared.single_use,
            expires=cleared.expires,
            version=version,
            by_human=cleared.by is ClearedBy.HUMAN,
        )
        facts = LiveFacts(
            clearance=clearance if held.review.outcome is Outcome.CLEARED else None,
            level_min=self._level_min(held.review, target, current),
            lives=self._lives(row.review, version, target),
        )
        command = RecordLive(target=target, review=row.review, digest=row.digest)
        reason = why_not(command, facts, self.now) or self._elsewhere(held, target) or self._judged_anew(held, current)
        return Live(
            state=BLOCKED if reason else CLEARED,
            digest=row.digest,
            review=row.review,
            reason=reason,
            level=level,
            flags=cleared.flags,
            facts=replace(facts, against=reason) if reason else facts,
        )

    def _elsewhere(self, held: Held, target: str) -> str:
        current = held.review.current
        return why_elsewhere(current.known_base, current.risk, target, is_local=self.is_local)

    def _level_min(self, review: Review, target: str, current: InForce) -> int:
        """Return the level the target demands: by the policy in force, and by the one the review was opened under."""
        own = self.policies.named(self.reading, review.rules)
        level = own.level_for(target)
        return level if own is current.policy else max(level, current.policy.level_for(target))

    def _judged_anew(self, held: Held, current: InForce) -> str:
        """Return why the review no longer passes its own rules, or a policy activated since for open reviews too."""
        review = held.review
        if review.digest != review.cleared:
            return f"Review {review.id} has newer bytes than those it cleared. Wait for their clearance."
        binding = current.binding(review.rules, held.opened)
        if binding and binding.digest not in (review.rules, review.stricter):
            review = replace(review, stricter=binding.digest)
        key = review.rules, review.stricter
        if key not in held.judged:
            held.judged[key] = self._against(review)
        parts = review.current.parts
        return held.judged[key] or next((why for part in parts if (why := self._why_not_part(part))), "")

    def _against(self, review: Review) -> str:
        rules = self.policies.rules(self.reading, review.rules)
        stricter = self.policies.stricter(self.reading, review.stricter)
        speaking = assess(rules, review, stricter).speaking
        if speaking is None:
            return ""
        stage, why = speaking.stage.name, speaking.judgement.reason
        return f"Judged anew, {stage} does not pass: {why}. Ask a human to reopen review {review.id}."

    def _why_not_part(self, part: WorkPart) -> str:
        blob = self.reading.blob(part.digest)
        if blob is None or blob.content is None:
            gone = f" They were purged: {why_purged(blob.purged)}" if blob and blob.purged else ""
            return f"The bytes of {part.name} are not here any more.{gone}"
        if blob_digest(blob.content) != part.digest:
            raise Damaged(f"The stored bytes of {part.name} were altered.")
        return ""

    def _lives(self, review: str, version: int, target: str) -> tuple[WentLive, ...]:
        """Return whether the clearance was used on this target, and one other use if there is any.

        No more is needed.
        """
        prefix = f"{review}/{version}/"
        found = list(self.reading.rows(LIVES, prefix, limit=1))
        here = self.reading.row(LIVES, prefix + target) if found else None
        found += [(prefix + target, here)] if here else []
        return tuple(WentLive(target=key.removeprefix(prefix), review=review, digest=digest) for key, digest in found)

    def _waiting(self, row: DigestRow) -> Live:
        held = self.load(self.reading, f"review/{row.review}")
        if held is None:
            raise Damaged(f"Review {row.review} is listed, but its log is gone.")
        return not_cleared(held.review, row.digest)


def not_cleared(review: Review, digest: str) -> Live:
    """Return the answer of a review without a clearance for these bytes."""
    if review.outcome is Outcome.CLEARED:
        reason = f"Review {review.id} cleared another version, {review.cleared}. Submit these bytes for review."
        return Live(state=BLOCKED, digest=digest, review=review.id, reason=reason)
    if review.outcome is None and review.digest == digest:
        reason = f"Review {review.id} is not cleared. Wait for its clearance."
        return Live(state=PENDING, digest=digest, review=review.id, reason=reason)
    ended = f"ended as {review.outcome.value}" if review.outcome else "has other bytes now"
    reason = f"Review {review.id} {ended}. Submit these bytes for review."
    return Live(state=BLOCKED, digest=digest, review=review.id, reason=reason)


def live_row(live: WentLive) -> tuple[str, str]:
    """Return the row that records the use of a clearance on a target: key and body."""
    return f"{live.review}/{live.clearance}/{live.target}", live.digest


def target_of(key: str) -> str:
    """Return the target of such a key; empty if it is no such key."""
    return next(iter(key.split("/", 2)[2:]), "")


def why_purged(tombstone: str) -> str:
    """Return what a tombstone says, for people."""
    try:
        said = json.loads(tombstone)
        return f"{said['reason']} ({said['by']}, {said['at']})"
    except (ValueError, KeyError, TypeError):
        return tombstone
