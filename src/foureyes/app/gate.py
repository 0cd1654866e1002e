r"""The gate, for every interface and for programs that embed it: handles commands, shows reviews, checks go-live.

gate = Gate(store, directory, policy=load_shipped("solo"))
work = work_of({"hello.py": b"print('hello')\n"})
opening = OpenReview(review="", kind="script", title="Say hello", digest=work.digest, parts=work.parts)
reply = await gate.handle(Ask(actor=author, key=new_key(), command=opening, blobs=work.blobs))
answer = await gate.may_go_live(work.digest, target="production")
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from typing import TypeVar, cast, get_args

from foureyes.app.accounts import check_good
from foureyes.app.asks import Ask, Reply, check_key, kept_reply, refusal_text, reply_text
from foureyes.app.bases import Bases, Prepared, Unprepared, too_busy
from foureyes.app.beside import Beside
from foureyes.app.books import BOOKS
from foureyes.app.chain import ROOT, appended
from foureyes.app.deciding import Deciding, Moment
from foureyes.app.facts import Books, bytes_at_hand, stored_bytes
from foureyes.app.heads import outbox_rows, state_of
from foureyes.app.inheriting import heirs
from foureyes.app.live import Judge, Live
from foureyes.app.policies import Policies
from foureyes.app.ports import Conflict, Directory, Quick, Reading, Store, Unavailable, Writing, looking
from foureyes.app.reviewing.panel_report import panel_report
from foureyes.app.rows import SERVED, START, Answered, Changes, Given, Known
from foureyes.app.shelf import SMALL_BYTES_MAX, Held, Shelf, has_few_bytes, read_until
from foureyes.app.work import GONE_MODE
from foureyes.app.world import World
from foureyes.core.commands import CheckInherited, OpenReview, ReviewCommand
from foureyes.core.enrolments import EnrolTogether
from foureyes.core.events import ReviewEvent
from foureyes.core.explain import Explanation, Turn, explain, turns_of
from foureyes.core.facts import Principal
from foureyes.core.local import is_local
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import Rules
from foureyes.core.values import CLOCK, Who, WorkPart
from foureyes.core.views import View, view
from foureyes.policy.policy import Policy, policy_text

CONFLICTS_MAX = 20
#: Most views of reviews kept in memory.
SEEN_MAX = 256
_REVIEW_COMMANDS = get_args(ReviewCommand)
T = TypeVar("T")


def new_key() -> str:
    """Return a new idempotency key."""
    return secrets.token_urlsafe(18)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a command would do now, as far as the asker may see; nothing of it has happened."""

    events: tuple[ReviewEvent, ...]
    seen: Seen


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A review as one viewer may see it; the reasons are worked out when they are first asked for."""

    view: View
    rules: Rules
    stricter: Rules | None
    viewer: Who
    opened: str = ""

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Who owes the next answer, and which."""
        return turns_of(self.view.review)

    @cached_property
    def explanation(self) -> Explanation:
        """Every requirement, whether it is met, and what comes next."""
        seen = self.view
        return explain(self.rules, seen.review, self.stricter, viewer=self.viewer, hidden=seen.hidden)

    @cached_property
    def report(self) -> str:
        """A panel's report in Markdown, if a panel judges the review."""
        return panel_report(self.rules, self.view, self.stricter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The bytes of a version by their paths, and the review as its viewer saw it at that very moment."""

    seen: Seen
    files: dict[str, bytes]
    #: The bytes of the base, known or stated, by digest; missing ones are left out.
    before: dict[str, bytes] = field(default_factory=dict)
    #: The version that was recorded as given to this viewer before.
    noted: Given = Given()

    @property
    def digest(self) -> str:
        """The digest of these bytes."""
        return self.seen.view.review.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """How a transaction ended; `held` is cached once it is committed."""

    reply: Reply | Refusal
    held: Held | None = None
    kept_default: bool = False
    #: Reviews that inherited findings of this one, which this command may have settled.
    heirs: tuple[str, ...] = ()


class Gate:
    """Decides, keeps and answers; knows no door and no database."""

    def __init__(
        self,
        store: Store,
        directory: Directory,
        *,
        policy: Policy,
        books: Books = BOOKS,
        world: World | None = None,
        tells: bool = True,
        bases: Bases | None = None,
        local: bool = False,
    ) -> None:
        """Create a gate on a store; `policy` holds until a human activates another.

        `bases` says with what a work may be compared; by default only with what is live on its target. If nothing is
        ever delivered (`tells` is false), the outbox stays empty. Only a `local` gate knows local reviews.
        """
        self._store = store
        self._directory = directory
        self.policies = Policies(policy)
        self._books = books
        self._world = world or World()
        self._tells = tells
        self._local = local
        self._bases = bases or Bases()
        self._shelf = Shelf()
        #: Views by review and viewer; valid while the folded review is the same object.
        self._seen_lately: dict[tuple[str, Who], tuple[Held, Seen]] = {}
        self._default_is_kept = False
        self._beside = Beside(policies=self.policies, load=self._load, session_facts=books.session)

    async def handle(self, ask: Ask) -> Reply:
        """Execute a command durably and once per key; raises Refusal, which is kept for the key too.

        On a conflict with another writer it is decided again. Raises Unavailable if the store cannot write.
        """
        check_key(ask.key)
        if isinstance(ask.command, OpenReview) and (ask.stream or ask.command.review):
            raise refuse(
                Code.UNKNOWN_WORD, what="The review", word=ask.command.review, allowed="none: the gate names it"
            )
        asked, prepared = ask.body_hash(), await self._bases.prepare(self._store, ask)
        for _ in range(CONFLICTS_MAX):
            stream = ask.stream or f"review/{self._world.mint()}"
            work = partial(self._answer, ask, asked, stream, prepared)
            try:
                done = await self._store.write(Quick(work) if self._is_small(ask) else work)
            except Unprepared:
                prepared = await self._bases.prepare(self._store, ask)
                continue
            except Conflict:
                continue
            if done.held:
                self._shelf.put(f"review/{done.held.review.id}", done.held)
            self._default_is_kept = self._default_is_kept or done.kept_default
            if isinstance(done.reply, Refusal):
                raise done.reply
            for heir in done.heirs:
                await self._look_again(heir, done.reply.stream)
            return done.reply
        raise too_busy(ask)

    def _is_small(self, ask: Ask) -> bool:
        """True if the command is quick: no version of the review has much text that may be read again."""
        parts: tuple[WorkPart, ...] = getattr(ask.command, "parts", ())
        is_known = not ask.stream or not isinstance(ask.command, _REVIEW_COMMANDS) or self._shelf.has(ask.stream)
        sizes = [sum(one.size for one in some) for some in (parts, *self._shelf.versions(ask.stream))]
        return is_known and max(sizes) <= SMALL_BYTES_MAX and not isinstance(ask.command, EnrolTogether)

    async def _look_again(self, review: str, source: str) -> None:
        """Let a review update the findings it inherited; if this fails, its next command does so."""
        ask = Ask(actor=CLOCK, key=new_key(), command=CheckInherited(source=source), stream=f"review/{review}")
        with suppress(Refusal, Unavailable):
            await self.handle(ask)

    async def preview(self, ask: Ask, *, draw: int | None = None) -> Preview:
        """Return what a command would do, with this draw or a random one; writes nothing. Raises Refusal as well."""
        ask.body_hash()  # refuses what cannot be encoded, as `handle` would
        for _ in range(CONFLICTS_MAX):
            prepared = await self._bases.prepare(self._store, ask)
            with suppress(Unprepared):
                return await self._store.read(partial(self._previewed, ask, prepared, draw))
        raise too_busy(ask)

    async def read(self, review: str, viewer: Who) -> Seen:
        """Return the review as this viewer may see it; raises Refusal if there is none."""
        return await self.look_at(review, partial(self._seen, review, viewer))

    async def look_at(self, review: str, work: Callable[[Reading], T]) -> T:
        """Run `work` on one look at the store; for a cached review it runs without a thread of its own."""
        return await self._store.read(Quick(work) if self._shelf.has(f"review/{review}") else work)

    def look(self, reading: Reading, review: str, viewer: Who, version: int = 0) -> Seen:
        """Return the review as this viewer may see it, on an open look; with `version`, as it was after that event."""
        if not version:
            return self._seen(review, viewer, reading)
        held = self._there(read_until(reading, f"review/{review}", version))
        return self._shown(reading, held, viewer)

    def whole(self, reading: Reading, review: str) -> Review:
        """Return the review with nothing hidden, for code that carries out its requests; never for a viewer."""
        return self._held(reading, review).review

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return everybody who may be asked to review."""
        return self._directory.pool(reading)

    async def serve(self, review: str, viewer: Who) -> Served:
        """Return the bytes of the current version, all or a refusal, and record that this viewer got exactly these."""
        served = await self.take(review, viewer)
        await self.note_served(served, viewer)
        return served

    async def take(self, review: str, viewer: Who) -> Served:
        """Return the bytes of the current version; small ones are read without a thread of their own."""

        def few(reading: Reading) -> Served | None:  # another process may have written a large version meanwhile
            return every(reading) if has_few_bytes(self._held(reading, review).review) else None

        every: Callable[[Reading], Served] = partial(self.take_out, review, viewer)
        served = await self._store.read(Quick(few)) if self._shelf.has_few_bytes(f"review/{review}") else None
        if served is None:
            return await self._store.read(every)
        return served

    def take_out(self, review: str, viewer: Who, reading: Reading) -> Served:
        """Return the bytes of the current version on an open look; a caller that hands them over records it."""
        seen = self._seen(review, viewer, reading)
        current = seen.view.review.current
        files = {part.name: stored_bytes(reading, part) for part in current.parts if part.mode != GONE_MODE}
        noted = Given.of(reading.row(SERVED, f"{review}/{viewer.name}"))
        return Served(seen=seen, files=files, before=bytes_at_hand(reading, current.before), noted=noted)

    async def note_served(self, served: Served, viewer: Who, withheld: str = "") -> None:
        """Record that a viewer was given exactly these bytes, except for a withheld file; authors need no record."""
        review, given = served.seen.view.review, Given(served.digest, withheld)
        if served.noted == given or review.is_contributor(viewer.name):
            return
        await self._store.write(Quick(lambda tx: tx.follow(SERVED, {f"{review.id}/{viewer.name}": given.row}, START)))

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        """Check whether bytes, named by digest or alias, may go live there; evaluated from the log on one snapshot.

        With a viewer, the answer is limited to what they may know. If the store cannot answer, it is `unavailable`.
        """

        def work(reading: Reading) -> Live:
            now = self._world.clock()
            judge = Judge(reading=reading, policies=self.policies, load=self._load, now=now, viewer=viewer)
            return judge.judge(name, target)

        try:
            return await self._store.read(Quick(work))
        except Unavailable as error:
            return Live(state="unavailable", digest=name, reason=str(error))

    def _previewed(self, ask: Ask, prepared: Prepared, draw: int | None, reading: Reading) -> Preview:
        tx, stream = looking(reading), ask.stream or f"review/{self._world.mint()}"
        lot = self._world.draw() if draw is None else draw
        moment = Moment.of(self._world.clock(), lot, prepared)
        deciding = self._deciding(tx, ask, stream, tx.known(stream, "", ""), moment)
        held, _, events = deciding.decided()
        seen = self._shown(tx, deciding.held, ask.actor) if deciding.held else None
        if seen is None or not seen.view.hides:
            seen = self._shown(tx, held, ask.actor)
        else:
            events = ()  # a viewer who may not see everything yet learns only that the command would be taken
        return Preview(events=events, seen=seen)

    def _answer(self, ask: Ask, asked: str, stream: str, prepared: Prepared, tx: Writing) -> _Done:
        if ask.stream:
            tx.lock(stream)
        known = tx.known(stream, ask.actor.name, ask.key)
        if known.reply:
            if known.body_hash != asked and known.body_hash != ask.body_hash_before():
                return _Done(reply=refuse(Code.KEY_REUSED, key=ask.key))
            return _Done(reply=kept_reply(known.reply))
        moment = Moment.of(self._world.clock(), self._world.draw(), prepared)
        try:
            if ask.credential and ask.asked_at:
                check_good(tx, ask.actor.name, ask.credential, datetime.fromisoformat(ask.asked_at))
            held, changes, reply = self._decided(tx, ask, stream, known, moment)
        except Refusal as refusal:
            text = refusal_text(refusal)
            tx.apply(Changes(answered=self._answered(ask, asked, text, moment.at)))
            return _Done(reply=refusal)
        answered = self._answered(ask, asked, reply_text(reply), moment.at)
        outbox = (*changes.outbox, *outbox_rows(changes.appends)) if self._tells else ()
        tx.apply(replace(changes, answered=answered, outbox=outbox))
        kept_default = self.policies.default.digest in changes.blobs
        told = heirs(tx, held.review.id, changes.along) if held else ()
        return _Done(reply=reply, held=held, kept_default=kept_default, heirs=told)

    def _decided(
        self, tx: Writing, ask: Ask, stream: str, known: Known, moment: Moment
    ) -> tuple[Held | None, Changes, Reply]:
        if isinstance(ask.command, _REVIEW_COMMANDS):
            deciding = self._deciding(tx, ask, stream, known, moment)
            held, changes, events = deciding.decided()
            names, state = tuple(type(one).__name__ for one in events), state_of(held.review)
            reply = Reply(stream=stream, version=held.version, events=names, state=state)
            return held, self._with_policy(changes, deciding), reply
        found = self._beside.answer(tx, ask, moment.now)
        end = known if found.stream == stream else tx.known(found.stream, "", "")
        ends = ((found.stream, end, found.events), *((name, tx.known(name, "", ""), more) for name, more in found.more))
        logs = tuple(
            appended(name, (at.version, at.chain or ROOT), events, at=moment.at, actor=ask.actor.name, cause=ask.key)
            for name, at, events in ends
        )
        blobs = {one: ask.blobs[one] for one in found.blobs if one in ask.blobs}
        names = tuple(type(one).__name__ for one in found.events)
        reply = Reply(stream=found.stream, version=end.version + len(names), events=names)
        return None, Changes(appends=logs, trust=found.trust, blobs=blobs), reply

    def _deciding(self, tx: Writing, ask: Ask, stream: str, known: Known, moment: Moment) -> Deciding:
        command = ask.command
        if isinstance(command, OpenReview):
            command = replace(command, review=stream.removeprefix("review/"))
        elif not stream.startswith("review/") or not known.version:
            raise refuse(Code.REVIEW_MISSING)
        return Deciding(
            tx=tx,
            ask=ask,
            command=cast("ReviewCommand", command),
            stream=stream,
            known=known,
            held=self._there(self._shelf.get(tx, stream, known)) if known.version else None,
            moment=moment,
            policies=self.policies,
            current=self.policies.current(tx),
            books=self._books,
            directory=self._directory,
        )

    def _with_policy(self, changes: Changes, deciding: Deciding) -> Changes:
        """Store the default policy with the first review judged by it: a later default must not judge that review."""
        if self._default_is_kept or deciding.held is not None or deciding.current.activated:
            return changes
        default = self.policies.default
        return replace(changes, blobs={**changes.blobs, default.digest: policy_text(default)})

    @staticmethod
    def _answered(ask: Ask, asked: str, text: str, at: str) -> Answered:
        return Answered(asker=ask.actor.name, key=ask.key, body_hash=asked, reply=text, at=at)

    def _load(self, reading: Reading, stream: str) -> Held | None:
        return self._shelf.get(reading, stream, reading.known(stream, "", ""))

    def _held(self, reading: Reading, review: str) -> Held:
        return self._there(self._load(reading, f"review/{review}"))

    def _there(self, held: Held | None) -> Held:
        """Return the review if it exists; a local review exists only for a local gate."""
        if held is None or (not self._local and is_local(held.review)):
            raise refuse(Code.REVIEW_MISSING)
        return held

    def _seen(self, review: str, viewer: Who, reading: Reading) -> Seen:
        held = self._held(reading, review)
        known = self._seen_lately.get((review, viewer))
        if known is None or known[0] is not held:
            if len(self._seen_lately) >= SEEN_MAX:
                self._seen_lately.clear()
            known = held, self._shown(reading, held, viewer)
            self._seen_lately[review, viewer] = known
        return known[1]

    def _shown(self, reading: Reading, held: Held, viewer: Who) -> Seen:
        rules = self.policies.rules(reading, held.review.rules)
        stricter = self.policies.stricter(reading, held.review.stricter)
        seen = view(rules, held.review, viewer, stricter)
        return Seen(view=seen, rules=rules, stricter=stricter, viewer=viewer, opened=held.opened)
