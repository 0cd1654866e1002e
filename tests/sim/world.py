"""Delivery of a command: the simulated shell around the real core, watched by the checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from foureyes.app.lazily import LazyMapping, LazySequence
from foureyes.codec import encode
from foureyes.core.assess import assess
from foureyes.core.commands import OpenReview, ReviewCommand, SubmitRevision
from foureyes.core.decide import decide
from foureyes.core.events import Event, PolicyActivated, ReviewEvent
from foureyes.core.evolve import evolve
from foureyes.core.facts import Facts, Mates, PolicyInForce, Principal
from foureyes.core.kinds import canonical_kind
from foureyes.core.live import RecordLive
from foureyes.core.model import Review
from foureyes.core.objections import Objection, objection
from foureyes.core.refusals import Refusal
from foureyes.core.rules import Rules
from foureyes.core.stack import stages_of
from foureyes.core.values import ChangeKind, KnownBase, Proof, Risk, Who
from tests.sim.beside import Beside, SideEvents
from tests.sim.books import Books
from tests.sim.checker import Checker, Delivered, Policy, Violation, Work
from tests.sim.counts import Counts
from tests.sim.people import MATES, Person, mates_of
from tests.sim.script import Delivery
from tests.sim.texts import Texts
from tests.sim.works import Bytes

Json = dict[str, Any]

ACCEPTED = "accepted"
KEY_REUSED = "key_reused"
#: The gates are assessed for the histogram when a turn changes, and otherwise every so many steps.
ASSESSED_EVERY = 12
TURNS = frozenset({"RulingRequested", "RevisionRequested", "ReviewClosed"})


@dataclass(slots=True)
class World:
    """The whole simulated world: people, bytes, rules, reviews with their logs, and the checker."""

    people: dict[str, Person]
    rules: dict[str, Rules]
    policies: list[Policy]
    in_force: PolicyInForce
    hostile: frozenset[str] = frozenset()
    works: dict[str, Bytes] = field(default_factory=dict)
    reviews: dict[str, Review] = field(default_factory=dict)
    by_author: dict[str, list[str]] = field(default_factory=dict)
    logs: dict[str, list[Json]] = field(default_factory=dict)
    replies: dict[tuple[str, str], tuple[object, str]] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    violations: list[Violation] = field(default_factory=list)
    pool: tuple[Principal, ...] = ()
    checker: Checker = field(init=False)
    books: Books = field(init=False)
    beside: Beside = field(init=False)

    def __post_init__(self) -> None:
        self.pool = tuple(one.principal for one in self.people.values())
        self.checker = Checker(self.policies, self.in_force.digest, self.hostile)
        self.checker.world.services = {one.who.name: one.vouched_by for one in self.pool if one.vouched_by}
        self.checker.world.mates = {one: mates_of((one,)) for one in MATES}
        self.books = Books(learning=self.rules[self.in_force.digest].learning)
        self.beside = Beside(books=self.books)
        if self.in_force.digest:
            self.beside.policy = PolicyActivated(
                digest=self.in_force.digest, name="first", replaces="", by="", applies_in_flight=False
            )

    def make_known(self, work: Bytes) -> None:
        """Register new bytes, and tell the checker the truth about them."""
        self.works[work.digest] = work
        risk = work.risk.level.name.lower()
        self.checker.know(
            Work(
                digest=work.digest,
                risk=risk,
                trivial=work.risk.trivial,
                proven=bool(work.proof.why),
                known=work.known,
                paths=work.paths,
                bad=work.bad,
                family=work.family,
            )
        )

    def deliver(self, delivery: Delivery) -> str:
        """One step: answer the command, append its events, run the checker, and return the reply."""
        before = self.reviews.get(delivery.stream)
        length = len(self.logs.get(delivery.stream, ()))
        known = self.replies.get((delivery.who.name, delivery.key))
        envelopes: list[Json] = []
        if known is not None:
            reply = known[1] if known[0] == delivery.body else KEY_REUSED
        else:
            reply, envelopes = self._answer(delivery, before)
            self.replies[delivery.who.name, delivery.key] = (delivery.body, reply)
        unchanged = self.reviews.get(delivery.stream) is before
        self.watch(delivery, reply, envelopes, repeated=known is not None, lengths=(length, unchanged))
        return reply

    def watch(
        self,
        delivery: Delivery,
        reply: str,
        envelopes: list[Json],
        *,
        repeated: bool,
        lengths: tuple[int, bool] | None = None,
    ) -> None:
        """Count a command and its result, and run the checker.

        `lengths` are the length of its stream before, and whether the state is unchanged; without them, the trace of a
        refusal is what was written under its key.
        """
        self._count(delivery, reply, envelopes, repeated=repeated)
        command, after = delivery.command, len(self.logs.get(delivery.stream, ()))
        before, unchanged = lengths or (after, True)
        self.violations += self.checker.step(
            Delivered(
                principal=person(delivery.who),
                stream=delivery.stream,
                key=delivery.key,
                body=delivery.body,
                command=delivery.name,
                at=written(delivery.at),
                accepted=reply == ACCEPTED,
                reply=reply,
                envelopes=envelopes,
                repeated=repeated,
                log_before=before,
                log_after=after,
                same_state=unchanged,
                revision=getattr(command, "revision", None),
                digest=getattr(command, "digest", ""),
                verdict=getattr(command, "verdict", None),
                served=delivery.served,
                draw=delivery.draw,
                items=delivery.items if envelopes else 0,
            )
        )

    def _answer(self, delivery: Delivery, review: Review | None) -> tuple[str, list[Json]]:
        try:
            if delivery.stream.startswith("review/"):
                events: Sequence[Event] = self._decide(delivery, review)
            else:
                events = self._decide_beside(delivery)
        except Refusal as refusal:
            return refusal.code.value, []
        return ACCEPTED, self._append(delivery, events)

    def _decide(self, delivery: Delivery, review: Review | None) -> tuple[ReviewEvent, ...]:
        command: ReviewCommand = delivery.command  # type: ignore[assignment]  # the stream says which sort it is
        rules = self.rules[review.rules if review else self.in_force.digest]
        facts = self.facts(delivery, review)
        events = decide(rules, review, command, actor=delivery.who, facts=facts, now=delivery.at)
        for event in events:
            review = evolve(review, event)
            self.books.note(delivery.stream, review, event, delivery.at)
        if review is not None:
            if delivery.stream not in self.reviews:
                self.by_author.setdefault(review.author.name, []).append(delivery.stream)
            self.reviews[delivery.stream] = review
            self.books.weigh(delivery.stream, review)
        return events

    def facts(self, delivery: Delivery, review: Review | None) -> Facts:
        """What the shell would gather for this command."""
        command = delivery.command
        digest = command.digest if isinstance(command, OpenReview | SubmitRevision) else ""
        work = self.works.get(digest or (review.digest if review else ""))
        author = review.author.name if review else _author(delivery)
        kind = review.kind if review else canonical_kind(getattr(command, "kind", ""))
        current = (review.digest,) if review else ()
        texts = Texts(works=self.works, reviews=self.reviews, rules=self.rules)
        return Facts(
            pool=self.pool,
            load=self.books.load,
            recent_pairings=self.books.paired(author),
            trust=self.books.trust.get((kind, author)),
            vetoes=self.books.vetoed_elsewhere(delivery.stream, (digest, *current)),
            objections=self.objected(delivery.stream, digest),
            suppressions=tuple(self.books.suppressions),
            policy=self.in_force,
            stricter=self.rules.get(review.stricter) if review else None,
            past_rulings=tuple(self.books.rulings),
            change=work.change if work else ChangeKind.CONTENT,
            changed=work.changed if work and digest not in current else (),
            unchanged_seats=frozenset(review.seats) if review and work and work.unchanged else frozenset(),
            risk=work.risk if work else Risk(),
            base=work.base if work else KnownBase(),
            proof=work.proof if work else Proof(),
            draw=delivery.draw,
            served=delivery.served,
            spent_today=(self.books.spent.get(delivery.at.date().isoformat(), 0),),
            signed_in_anew=True,
            mates=Mates(names=mates_of([one.name for one in review.contributors] if review else [author])),
            inheritable=LazySequence(lambda: texts.inheritable(self.by_author.get(author, []), delivery.stream, work)),
            lifted=LazyMapping(lambda: texts.lifted(review)),
            kept=LazySequence(lambda: texts.kept(review, work if digest else None)),
        )

    def objected(self, stream: str, digest: str) -> dict[str, Objection]:
        """The objections of other reviews to these bytes."""
        for other in dict.fromkeys(self.books.holders.get(digest, ())):
            found = self._against(self.reviews[other], digest) if other != stream else None
            if found is not None:
                return {digest: found}
        return {}

    def _against(self, review: Review, digest: str) -> Objection | None:
        rules, stricter = self.rules[review.rules], self.rules.get(review.stricter)
        return objection(review, stages_of(rules, review, stricter), digest)

    def _decide_beside(self, delivery: Delivery) -> SideEvents:
        digest = getattr(delivery.command, "digest", "")
        against = self.objected("", digest).get(digest) if isinstance(delivery.command, RecordLive) else None
        events = self.beside.decide(delivery, self.reviews, against=against.sentence if against else "")
        policy = self.beside.activated(events)
        if policy is not None:
            self.in_force = PolicyInForce(
                digest=policy.digest, applies_in_flight=policy.applies_in_flight, rules=self.rules[policy.digest]
            )
        return events

    def _append(self, delivery: Delivery, events: Sequence[Event]) -> list[Json]:
        log = self.logs.setdefault(delivery.stream, [])
        actor, at, stream, key = person(delivery.who), written(delivery.at), delivery.stream, delivery.key
        envelopes = []
        for event in events:
            plain = encode(event)
            log.append(plain)
            envelopes.append(
                {"stream": stream, "version": len(log), "actor": actor, "at": at, "key": key, "event": plain}
            )
        return envelopes

    def _count(self, delivery: Delivery, reply: str, envelopes: list[Json], *, repeated: bool) -> None:
        counts, review = self.counts, self.reviews.get(delivery.stream)
        counts.steps += 1
        counts.accepted += bool(envelopes)
        counts.seen["commands"][delivery.name] += 1
        if repeated or reply == ACCEPTED:
            counts.seen["replies"][f"repeated: {reply}" if repeated else reply] += 1
        else:
            counts.seen["refusals"][reply] += 1
        events, turning = counts.seen["events"], counts.steps % ASSESSED_EVERY == 0
        for envelope in envelopes:
            kind = envelope["event"]["type"]
            events[kind] += 1
            turning = turning or kind in TURNS or bool(envelope["event"]["body"].get("contradicts"))
        if review is not None and envelopes:
            self._count_judgements(review, turning=turning)

    def _count_judgements(self, review: Review, *, turning: bool) -> None:
        """Count each gate's judgement where it matters, and the outcome of a review of a single style."""
        rules, stricter = self.rules[review.rules], self.rules.get(review.stricter)
        if turning:
            for one in assess(rules, review, stricter).stages:
                for part in one.gates:
                    self.counts.add("gates", f"{part.gate} {part.judgement.move.name}")
        if review.outcome is not None:
            styles = {stage.options.style for stage in stages_of(rules, review, stricter)}
            if len(styles) == 1:
                self.counts.add("outcomes", f"{min(styles)} {review.outcome}")


def _author(delivery: Delivery) -> str:
    named = getattr(delivery.command, "on_behalf_of", None)
    return named.name if named else delivery.who.name


def written(at: datetime) -> str:
    """A time as the log writes it."""
    return at.isoformat(timespec="microseconds")[:-6] + "Z"


@lru_cache(maxsize=4096)
def person(who: Who) -> dict[str, str]:
    """A person as the log writes them; always the same dictionary, which is never changed."""
    return {key: str(value) for key, value in asdict(who).items()}
