"""Decides one review command inside the transaction that writes it: collects the facts and builds all `Changes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self, TypedDict

from foureyes.app import facts as gathering
from foureyes.app import inheriting, objections
from foureyes.app.asks import Ask
from foureyes.app.bases import NOTHING, Prepared
from foureyes.app.chain import ROOT, appended
from foureyes.app.cited import Cited, cited
from foureyes.app.facts import Books, Bytes, bytes_of, digest_lock
from foureyes.app.heads import digest_rows, inbox_rows, review_row
from foureyes.app.inheriting_facts import inherited_facts, located
from foureyes.app.live import GIT_BASE
from foureyes.app.policies import InForce, Policies
from foureyes.app.ports import Directory, Writing
from foureyes.app.repeats import RepeatFacts, repeat_facts
from foureyes.app.rows import (
    INHERITABLE,
    OBJECTIONS,
    SERVED,
    Append,
    Changes,
    DigestRow,
    Given,
    InboxRow,
    Known,
    OutboxRow,
    TrustRow,
)
from foureyes.app.session_mates import mates_of
from foureyes.app.shelf import Held, read_review
from foureyes.app.trusting import ENDS, Met, learned, meet, stream_of, to_row
from foureyes.app.work import GIT_TREE, check_aliases, check_work, git_tree
from foureyes.codec.shapes import shape
from foureyes.core import commands as c
from foureyes.core.decide import decided
from foureyes.core.events import ReviewEvent
from foureyes.core.evolve import evolve
from foureyes.core.facts import Facts, Mates
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Review
from foureyes.core.rules import Rules
from foureyes.core.values import ChangeKind, KnownBase, Proof, Risk, RiskLevel, Who, WorkPart
from foureyes.core.views import view

put_time, take_time = shape(datetime)
#: Index rows of a review are cached up to this many; reviews with more are rare.
ROWS_KEPT_MAX = 500
#: How recent a sign-in must be for actions reserved to humans.
ANEW = timedelta(minutes=5)
#: Commands that judge the bytes of a version; their actor must have been given those bytes.
JUDGING = (c.SubmitReport, c.KeepReport, c.SettleFinding, c.VerifyFinding, c.ReportInconclusive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a command is decided, the lot that is drawn for it, and what was found before about its base."""

    now: datetime
    draw: int
    #: The time as the log spells it.
    at: str
    prepared: Prepared = NOTHING

    @classmethod
    def of(cls, now: datetime, draw: int, prepared: Prepared = NOTHING) -> Self:
        """Return a moment with its time encoded once."""
        return cls(now=now, draw=draw, at=put_time(now), prepared=prepared)


class InboxChanges(TypedDict):
    """What a command does to the inbox, by the names that `Changes` has for it."""

    inbox_gone: tuple[tuple[str, str], ...]
    inbox: tuple[InboxRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """What the end of a review changes in the track record of its author."""

    trust: tuple[TrustRow, ...] = ()
    outbox: tuple[OutboxRow, ...] = ()
    appends: tuple[Append, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """One command about one review, on what the transaction sees."""

    tx: Writing
    ask: Ask
    command: c.ReviewCommand
    stream: str
    known: Known
    held: Held | None
    moment: Moment
    policies: Policies
    current: InForce
    books: Books
    directory: Directory

    @property
    def command_digest(self) -> str:
        """The digest of the bytes that the command hands in; empty if it hands in none."""
        return str(getattr(self.command, "digest", ""))

    def decided(self) -> tuple[Held, Changes, tuple[ReviewEvent, ...]]:
        """Return the review after the command, everything to write, and the new events."""
        review = self.held.review if self.held else None
        digest = review.rules if review else self.current.policy.digest
        rules = self.policies.rules(self.tx, digest)
        work, met = self._bytes(review), self._met(rules, review)
        command, before = located(self.tx, review, self.command)
        facts = self._facts(review, work, met, before, repeat_facts(self.tx, review, command))
        events, now_is = decided(rules, review, command, actor=self.ask.actor, facts=facts, now=self.moment.now)
        log = appended(
            self.stream,
            (self.known.version, self.known.chain or ROOT),
            events,
            at=self.moment.at,
            actor=self.ask.actor.name,
            cause=self.ask.key,
        )
        after = self._after(events, log, now_is)
        said, along = self._says(after), self._along(after)
        counted = self._counted(after, events, rules)
        changes = Changes(
            appends=(log, *counted.appends),
            reviews=(review_row(now_is, opened=after.opened, updated=self.moment.at),),
            digests=said,
            **self._inbox(after),
            outbox=counted.outbox or met.outbox,
            trust=counted.trust or met.rows,
            # Bytes of a refused extra attempt are not stored, so no alias may point to them.
            aliases=tuple((one, now_is.digest) for one in facts.aliases if now_is.digest == self.command_digest),
            blobs=self._new_blobs(now_is, work),
            along=along,
        )
        return after, changes, events

    def _bytes(self, review: Review | None) -> Bytes | None:
        """Check new bytes and compute facts about them; None for a clarification, which brings none."""
        command = self.command
        if not isinstance(command, c.OpenReview | c.SubmitRevision):
            return None
        if review and command.digest == review.digest and not command.parts:
            return None
        if not self.moment.prepared.is_sound:
            check_work(command.digest, command.parts)
        check_aliases(self.ask.aliases)
        return bytes_of(self.tx, review, command.parts, self.ask, self.moment.prepared)

    def _facts(
        self,
        review: Review | None,
        work: Bytes | None,
        met: Met,
        contexts_before: Mapping[str, tuple[str, ...]],
        repeated: RepeatFacts,
    ) -> Facts:
        tx, pool = self.tx, self.directory.pool(self.tx)
        digests = (getattr(self.command, "digest", ""), review.digest if review else "")
        own, aliases, given = review.id if review else "", self._aliases(work), self._given(review)
        elsewhere = gathering.Elsewhere(tx=tx, own=own)
        others = elsewhere.says_of(filter(None, digests))
        # A removed part changes the digest but no bytes: the git tree is the same.
        trees = (one for one in aliases if one.startswith(GIT_TREE))
        same = elsewhere.says_of(filter(None, (digests[0], *trees)))
        return Facts(
            pool=pool,
            load=gathering.load(tx, pool),
            recent_pairings=gathering.pairings(tx, self.books, self._author(review)),
            trust=met.record,
            vetoes=gathering.vetoes(others),
            objections=gathering.objections(tx, self.policies, same, digests[0]),
            unseen=gathering.unseen(tx, same, self._hides, digests[0]),
            suppressions=gathering.suppressions(tx, self.books),
            policy=self.current.fact(self.held.review.rules, self.held.opened) if self.held else None,
            stricter=self.policies.stricter(tx, review.stricter) if review else None,
            past_rulings=gathering.rulings(tx, self.books),
            changed=work.changed if work else (),
            change=work.change if work else ChangeKind.CONTENT,
            risk=work.risk if work else _risk_before(review),
            base=work.base if work else _base_before(review),
            before=work.before if work else _files_before(review),
            proof=work.proof if work else Proof(),
            aliases=aliases,
            draw=self.moment.draw,
            served=given.digest,
            withheld=given.withheld,
            **self._cited(review),
            spent_today=gathering.spent(tx, self.books, self.moment.at[:10]),
            signed_in_anew=self._signed_in_anew(),
            mates=self._mates(review),
            contexts_before=contexts_before,
            **repeated,
            **inherited_facts(self.tx, self.policies, self.command, self._makers(review), review=review, work=work),
        )

    def _makers(self, review: Review | None) -> tuple[Who, ...]:
        """Return the author and the contributors, the author first."""
        if review is not None:
            return tuple(dict.fromkeys((review.author, *review.contributors)))
        author: Who = getattr(self.command, "on_behalf_of", None) or self.ask.actor
        return tuple(dict.fromkeys((author, self.ask.actor)))

    def _mates(self, review: Review | None) -> Mates:
        """Return who works in a session with the makers of the work."""
        if review is None:
            command = self.command
            session = command.origin.session if isinstance(command, c.OpenReview) else ""
            names = (self._author(None), self.ask.actor.name)
            return mates_of(self.tx, dict.fromkeys(names), session, self.moment.now)
        opened = take_time(self.held.opened) if self.held else self.moment.now
        return mates_of(self.tx, [one.name for one in review.contributors], review.origin.session, opened)

    def _hides(self, review: str) -> bool:
        """True if another review hides something from the actor now."""
        stream = f"review/{review}"
        other = read_review(self.tx, stream, self.tx.known(stream, "", "")).review
        rules, stricter = self.policies.rules(self.tx, other.rules), self.policies.stricter(self.tx, other.stricter)
        return view(rules, other, self.ask.actor, stricter).hides

    def _signed_in_anew(self) -> bool:
        signed_in = self.ask.signed_in
        return signed_in is not None and timedelta(0) <= self.moment.now - signed_in <= ANEW

    def _author(self, review: Review | None) -> str:
        if review:
            return review.author.name
        other: Who | None = getattr(self.command, "on_behalf_of", None)
        return other.name if other else self.ask.actor.name

    def _aliases(self, work: Bytes | None) -> tuple[str, ...]:
        """Return the aliases of new bytes: their git tree, their base, and those that the shell looked up."""
        command = self.command
        if work is None or not isinstance(command, c.OpenReview | c.SubmitRevision):
            return ()
        tree, base = git_tree(command.parts, work.blobs), command.base
        names = (GIT_TREE + tree if tree else "", GIT_BASE + base if base else "", *self.ask.aliases)
        return tuple(dict.fromkeys(filter(None, names)))

    def _met(self, rules: Rules, review: Review | None) -> Met:
        """Return the author's track record, if a new version might skip reviewers because of it."""
        command = self.command
        if not isinstance(command, c.OpenReview | c.SubmitRevision) or not any(one.learned for one in rules.skips):
            return Met(record=None)
        kind = review.kind if review else canonical_kind(getattr(command, "kind", ""))
        return meet(self.tx, kind, self._author(review), self.moment.at)

    def _given(self, review: Review | None) -> Given:
        """Return the bytes this reviewer was given: loaded by the run that asks, else last served by a door."""
        if review is None or not isinstance(self.command, JUDGING):
            return Given()
        if self.ask.loaded:
            return Given(self.ask.loaded)
        return Given.of(self.tx.row(SERVED, f"{review.id}/{self.ask.actor.name}"))

    def _cited(self, review: Review | None) -> Cited:
        """Return facts about the places a report names; places named by our own runs were checked before."""
        command = self.command
        if review is None or not isinstance(command, c.SubmitReport | c.ReportInconclusive):
            return Cited(lines={}, deleted=frozenset(), quoted=frozenset())
        return cited(self.tx, review.current.parts, command, is_run=bool(self.ask.loaded))

    def _after(self, events: tuple[ReviewEvent, ...], log: Append, review: Review) -> Held:
        chain = log.entries[-1].chain if log.entries else self.known.chain
        before = self.held or Held(review=review, version=0, chain=ROOT, opened=self.moment.at)
        return before.after(events, chain, review)

    def _says(self, after: Held) -> tuple[DigestRow, ...]:
        """Return the digest rows that are new or changed, with the locks for new vetoes taken."""
        before = self.held.kept(digest_rows) if self.held else ()
        said = tuple([one for one in after.kept(digest_rows) if one not in before])
        if vetoed := [digest_lock(one.digest) for one in said if one.vetoed]:
            self.tx.lock(*sorted(vetoed))
        return said

    def _inbox(self, after: Held) -> InboxChanges:
        """Return the requests whose inbox rows change, and their new rows.

        All rows of a request are replaced together.
        """
        old, new = self.held.kept(_inbox_by_request) if self.held else {}, after.kept(_inbox_by_request)
        gone = [key for key, rows in old.items() if rows != new.get(key)]
        come = [row for key, rows in new.items() if rows != old.get(key) for row in rows]
        return InboxChanges(inbox_gone=tuple(gone), inbox=tuple(come))

    def _new_blobs(self, review: Review, work: Bytes | None) -> dict[str, bytes]:
        """Return the bytes of the version and of its base that the store may not have yet."""
        if work is None:
            return {}
        files, current = self.moment.prepared.files, review.current
        sent = self.ask.blobs.keys() | (files.blobs.keys() if files else set())
        digests = dict.fromkeys(one.digest for one in (*current.before, *current.parts))
        return {one: work.blobs[one] for one in digests if one in sent and one in work.blobs}

    def _along(self, after: Held) -> dict[tuple[str, str], str | None]:
        """Return the changed index rows of objections and inheritable findings, with their digests locked."""
        along = objections.changed_rows(self._objection_rows(self.held), self._objection_rows(after))
        if along:
            self.tx.lock(*sorted({digest_lock(key.partition("/")[0]) for _, key in along}))
        return along | inheriting.changed_rows(self._inheritable_rows(self.held), self._inheritable_rows(after))

    def _objection_rows(self, held: Held | None) -> dict[str, str]:
        """Return the index rows of what a review has against its versions."""
        if held is None:
            return {}
        if OBJECTIONS not in held.index_rows:
            held.index_rows[OBJECTIONS] = objections.rows_of(self.tx, self.policies, held.review)
        return held.index_rows[OBJECTIONS]

    def _inheritable_rows(self, held: Held | None) -> dict[str, str]:
        """Return the index rows of text with findings.

        Not cached for heirs, whose rows depend on other reviews too.
        """
        if held is None:
            return {}
        found = held.index_rows.get(INHERITABLE)
        if found is None:
            found = inheriting.rows_of(self.tx, self.policies, held.review)
            if not held.review.inherited and len(found) <= ROWS_KEPT_MAX:
                held.index_rows[INHERITABLE] = found
        return found

    def _counted(self, after: Held, events: tuple[ReviewEvent, ...], rules: Rules) -> _Counted:
        """Count the end of a review for its author's track record, in the same transaction and in log order."""
        if ENDS.isdisjoint([type(one).__name__ for one in events]):
            return _Counted()
        kind, author = after.review.kind, after.review.author.name
        stream = stream_of(kind, author)
        self.tx.lock(stream)
        met: Met = meet(self.tx, kind, author, self.moment.at)
        if met.record is None:
            return _Counted(trust=met.rows, outbox=met.outbox)
        found = learned(
            met.record,
            _steps(self.held, events, after.review),
            opened=take_time(after.opened),
            at=self.moment.now,
            learning=rules.learning,
        )
        row = to_row(found.record)
        if not found.events:
            return _Counted(trust=(row,))
        end = self.tx.known(stream, "", "")
        log = appended(
            stream, (end.version, end.chain or ROOT), found.events, at=self.moment.at, actor="trust", cause=self.ask.key
        )
        return _Counted(trust=(row,), appends=(log,))


def _risk_before(review: Review | None) -> Risk:
    """Return the risk of the current bytes, for a command without new ones."""
    return Risk(level=RiskLevel[review.current.risk.upper()]) if review and review.current.risk else Risk()


def _base_before(review: Review | None) -> KnownBase:
    """Return the base of the current bytes, for a command without new ones."""
    return review.current.known_base if review else KnownBase()


def _files_before(review: Review | None) -> tuple[WorkPart, ...]:
    return review.current.before if review else ()


def _steps(held: Held | None, events: tuple[ReviewEvent, ...], after: Review) -> Iterator[tuple[Review, ReviewEvent]]:
    """Yield the events that count, each with the review after it; nearly always only the last event counts."""
    if [one for one in events if type(one).__name__ in ENDS] == [events[-1]]:
        yield after, events[-1]
        return
    review = held.review if held else None
    for event in events:
        review = evolve(review, event)
        yield review, event


def _inbox_by_request(review: Review) -> dict[tuple[str, str], list[InboxRow]]:
    found: dict[tuple[str, str], list[InboxRow]] = {}
    for row in inbox_rows(review):
        found.setdefault((row.review, row.request), []).append(row)
    return found
