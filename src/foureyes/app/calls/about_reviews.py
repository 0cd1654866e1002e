"""Calls that change a review: one for each command of the core, for every caller whom the core lets give it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass
from typing import Any, cast, get_type_hints

from foureyes.app.calls.base_notes import with_base_notes
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import REVIEW, Done, told_done
from foureyes.app.calls.files import FileSent, Shelf, work_sent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.heads import state_of
from foureyes.app.ports import Unavailable
from foureyes.app.projections.suppressions import SUPPRESSIONS
from foureyes.app.rows import Blob, Listing
from foureyes.app.spooling import IsSpooled
from foureyes.app.work import Work
from foureyes.core import commands as c
from foureyes.core.checks import check_step
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Origin, Outcome, Pairs, WorkPart

#: Most reviews that one may build on.
AFTER_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenForm:
    """Work that asks to go live.

    `base` names a commit or protected ref of a repository the server reads, `target` where the work shall go: with what
    is there it is compared. `base_files` are the files as they were before, as the author states it: a diff is shown of
    them, and nothing is decided by them.
    """

    kind: str
    title: str
    files: tuple[FileSent, ...]
    base_files: tuple[FileSent, ...] = ()
    base: str = ""
    target: str = ""
    protocols: tuple[str, ...] = ()
    origin: Origin = Origin()
    context: Pairs = ()
    questions: tuple[str, ...] = ()
    confidence: int | None = None
    note: str = ""
    #: Reviews of the work this builds on; it may not begin before each of them is cleared.
    after: tuple[str, ...] = ()
    #: The author's name; it must be the credential's.
    author: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseForm:
    """A new version, with the answers to what was found. No files at all: a clarification of the same version."""

    review: str
    files: tuple[FileSent, ...] = ()
    base_files: tuple[FileSent, ...] = ()
    base: str = ""
    target: str = ""
    note: str = ""
    answers: tuple[c.Answer, ...] = ()
    confidence: int | None = None
    turns: int | None = None
    key: str = ""


async def open_review(office: Office, caller: Caller, form: OpenForm) -> Done:
    """Open a review in the name of whoever calls; a step is one of the policy, or beside a chain a mere label."""
    if form.origin.step and not form.protocols:
        await _check_step(office, caller, form.origin.step)
    return await open_work(office, caller, form)


async def _check_step(office: Office, caller: Caller, step: str) -> None:
    try:
        current = await office.store.read(office.gate.policies.current)
    except Unavailable as error:
        if not caller.may_wait or not error.down:
            raise
        return  # the kind decides how it is judged, so it may be spooled all the same
    check_step(current.policy.rules, step, "origin.step")


async def open_work(office: Office, caller: Caller, form: OpenForm) -> Done:
    """Open a review in the name of whoever calls."""
    caller.named(form.author)
    await check_room(office, caller)
    await _check_after(office, caller, form.after)
    work, before = await _work(office, caller, form.files, form.base_files)
    command = c.OpenReview(
        review="",
        kind=form.kind,
        title=form.title,
        digest=work.digest,
        base=form.base,
        parts=work.parts,
        protocols=form.protocols,
        origin=form.origin,
        context=form.context,
        questions=form.questions,
        confidence=form.confidence,
        note=form.note,
    )
    try:
        done = await _done(
            office, caller, command, Handed(key=form.key, blobs=work.blobs, before=before, target=form.target)
        )
    except IsSpooled:
        office.quotas.uncounted(caller.who)
        raise
    office.quotas.opened(caller.who)
    return await with_base_notes(office, caller, done, form)


async def _check_after(office: Office, caller: Caller, names: tuple[str, ...]) -> None:
    """What builds on work that has not passed does not start."""
    if len(names) > AFTER_MAX:
        raise refuse(Code.TOO_MANY, what="after", size=len(names), most=AFTER_MAX)
    for name in dict.fromkeys(names):
        review = (await office.gate.read(name, caller.who)).view.review
        if review.outcome is not Outcome.CLEARED:
            raise Refusal(
                Code.NOT_ENDED,
                f"This builds on the review {name}, which is not cleared: {state_of(review)}.",
                "Start it when that one is cleared.",
            )


async def revise(office: Office, caller: Caller, form: ReviseForm) -> Done:
    """Hand in a new version."""
    if form.files:
        work, before = await _work(office, caller, form.files, form.base_files)
    else:
        seen = await office.gate.read(form.review, caller.who)
        work, before = Work(digest=seen.view.review.digest, parts=(), blobs={}), ()
    command = c.SubmitRevision(
        digest=work.digest,
        base=form.base,
        parts=work.parts,
        note=form.note,
        answers=form.answers,
        confidence=form.confidence,
        turns=form.turns,
    )
    handed = Handed(key=form.key, stream=_stream(form.review), blobs=work.blobs, before=before, target=form.target)
    done = await _done(office, caller, command, handed)
    return await with_base_notes(office, caller, done, form)


async def check_room(office: Office, caller: Caller) -> None:
    """Refuse one more open review where there are too many; they are counted only when there may be."""
    if not office.quotas.may_open(caller.who):
        most = office.quotas.limits.account.open_reviews
        listing = Listing(state="open", author=caller.who.name, limit=most)
        try:
            rows = await office.store.read(lambda reading: reading.reviews(listing))
        except Unavailable as error:
            if not caller.may_wait or not error.down:
                raise
            return  # the spool limits how many may wait
        office.quotas.counted(caller.who, len(rows))


async def _work(
    office: Office, caller: Caller, files: tuple[FileSent, ...], base: tuple[FileSent, ...]
) -> tuple[Work, tuple[WorkPart, ...]]:
    def both(shelf: Shelf) -> tuple[Work, Work]:
        return work_sent(shelf, files), work_sent(shelf, base)

    try:
        # Bytes sent with the call need no look at the store.
        named = any(one.digest is not None for one in (*files, *base))
        work, before = await office.store.read(both) if named else both(_Empty())
    except Unavailable as error:
        if not caller.may_wait or not error.down:
            raise
        work, before = both(_Empty(error))
    blobs = {**before.blobs, **work.blobs}
    office.quotas.sent(caller.who, office.clock(), sum(map(len, blobs.values())))
    return Work(digest=work.digest, parts=work.parts, blobs=blobs), before.parts


@dataclass(frozen=True, slots=True)
class _Empty:
    """What can be looked up without the database: nothing, and where it is down, that is told."""

    error: Unavailable | None = None

    def blob(self, _: str) -> Blob | None:
        if self.error is not None:
            raise self.error
        return None


async def _done(office: Office, caller: Caller, command: c.ReviewCommand, handed: Handed) -> Done:
    return await told_done(office, caller, await office.do(caller, command, handed))


def _stream(review: str) -> str:
    if not review:
        raise refuse(Code.REVIEW_MISSING)
    return REVIEW + review


def _form_of(command: type) -> type:
    """The command's own fields, with the review they are about and the key; it is the core that says what there is."""
    hints = get_type_hints(command)
    own = [(one.name, hints[one.name], _without_name(one)) for one in fields(command)]
    extra: list[tuple[str, Any, Any]] = [("review", str, field()), *own, ("key", str, field(default=""))]
    made = make_dataclass(f"{command.__name__}Form", extra, frozen=True, slots=True, kw_only=True)
    made.__doc__ = command.__doc__
    return made


def _without_name(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return field(default_factory=one.default_factory)
    if one.default is MISSING:
        return field(metadata=one.metadata)
    return field(default=one.default, metadata=one.metadata)


def _call_of(name: str, command: type, needs: Need) -> Call[Any]:
    names = tuple(one.name for one in fields(command))

    async def answer(office: Office, caller: Caller, form: Any) -> Done:
        given = cast("c.ReviewCommand", command(**{one: getattr(form, one) for one in names}))
        done = await _done(office, caller, given, Handed(key=form.key, stream=_stream(form.review)))
        if isinstance(given, c.WaiveFinding):
            # The next review of the same code must not raise it again; the waiver is done even if this fails.
            with suppress(Unavailable):
                await office.caught_up(SUPPRESSIONS)
        return done

    says = (command.__doc__ or "").strip()
    # Calls reserved to humans are never spooled: the human must be authenticated when they act.
    spools = needs is not Need.HUMAN
    return Call(name=name, says=says, needs=needs, form=_form_of(command), answer=answer, spools=spools)


#: Every other command about a review: its name at the doors, and what it needs. Commands missing here are not offered
#: at any door; deadlines are fired by the clock alone.
_COMMANDS: tuple[tuple[str, type, Need], ...] = (
    ("answer_finding", c.AnswerFinding, Need.AUTHOR),
    ("withdraw", c.WithdrawReview, Need.AUTHOR),
    ("take_seat", c.TakeSeat, Need.REVIEW),
    ("renew_seat", c.RenewSeat, Need.REVIEW),
    ("leave_seat", c.LeaveSeat, Need.REVIEW),
    ("report", c.SubmitReport, Need.REVIEW),
    ("report_inconclusive", c.ReportInconclusive, Need.REVIEW),
    ("keep_report", c.KeepReport, Need.REVIEW),
    ("settle_finding", c.SettleFinding, Need.REVIEW),
    ("verify_finding", c.VerifyFinding, Need.REVIEW),
    ("escalate", c.RequestRuling, Need.READ),
    ("report_escape", c.ReportEscape, Need.READ),
    ("add_note", c.AddNote, Need.READ),
    ("rule", c.GiveRuling, Need.HUMAN),
    ("override", c.OverrideStage, Need.HUMAN),
    ("waive", c.WaiveFinding, Need.HUMAN),
    ("reopen", c.ReopenReview, Need.HUMAN),
)


def calls() -> Iterator[Call[Any]]:
    """Every call that changes a review."""
    yield Call(
        name="open_review",
        says="A piece of work asks to go live.",
        needs=Need.AUTHOR,
        form=OpenForm,
        answer=open_review,
        spools=True,
    )
    yield Call(
        name="revise",
        says="New bytes, with the answers to what was found; by the author.",
        needs=Need.AUTHOR,
        form=ReviseForm,
        answer=revise,
        spools=True,
    )
    for name, command, needs in _COMMANDS:
        yield _call_of(name, command, needs)
