"""The calls of seed 000: items on content are raised, answered and confirmed; there is no verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from foureyes.app.calls import about_reviews
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import OpenForm, open_review
from foureyes.app.calls.bodies import picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import NOTHING_TOLD, REVIEW, Told, told_of, vacancy_told
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.own_ids import by_own_id
from foureyes.app.calls.seed_000_shown import (
    JSON,
    TEXT,
    ContentShown,
    FeedbackShown,
    Graduation,
    GraduationVacant,
    ItemShown,
    ResponseShown,
    content_shown,
    feedback_of,
    graduation,
    item_shown,
    parted,
    seen_by,
)
from foureyes.app.calls.seed_work import check_is, files_of
from foureyes.app.calls.witness import given_work
from foureyes.core import commands as c
from foureyes.core.kinds import canonical_kind, with_article
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Evidence, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentForm:
    """Content that shall go live: one text, or one JSON value."""

    content_type: str
    content: object
    title: str = ""
    proposer_id: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentNamed:
    """Which content."""

    content_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One specific issue, gap or improvement."""

    category: str
    description: str
    severity: str = field(metadata=c.SEVERITY_WORDS)
    place: Place | None = None
    suggestion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """A reviewer's word on an item of their own."""

    feedback_item_id: str
    resolved: bool = True
    resolution_note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackForm:
    """What a reviewer found in the version they were last given; without items, what was checked and why it holds."""

    content_id: str
    items: tuple[Item, ...] = ()
    checked: tuple[Evidence, ...] = ()
    resolved: tuple[Confirmation, ...] = ()
    reviewer_id: str = ""
    revision: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemNamed:
    """Which item."""

    feedback_item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RespondForm:
    """How the proposer addressed an item; `rebuttal` says that the item is wrong."""

    feedback_item_id: str
    response_text: str
    rebuttal: bool = False
    responder_id: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveForm:
    """Whether the reviewer who raised an item is satisfied."""

    feedback_item_id: str
    resolved: bool = True
    resolution_note: str = ""
    reviewer_id: str = ""
    revision: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An answer that comes with a new version."""

    feedback_item_id: str
    response_text: str
    rebuttal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseForm:
    """A new version, with the answers to the items it addresses."""

    content_id: str
    content: object
    note: str = ""
    responses: tuple[Response, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawForm:
    """The proposer takes the content back."""

    content_id: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmForm:
    """A reviewer stands by their review after reading the new version."""

    content_id: str
    revision: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentTaken(ContentShown, Told):
    """The content after a change of the caller's, and what comes next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackTaken(FeedbackShown, Told):
    """The caller's own feedback as it was taken, and what comes next."""


async def submit_content(office: Office, caller: Caller, form: ContentForm) -> ContentTaken:
    """Submit content; it is in review until the gate says otherwise."""
    check_is(caller, form.proposer_id)
    kind = content_kind(form.content_type)
    opening = OpenForm(
        kind=kind,
        title=form.title or with_article(kind),
        files=content_files(form.content),
        protocols=(words.RESOLVE,),
        key=form.key,
    )
    done = await open_review(office, caller, opening)
    return await _content_taken(office, caller, done.review)


async def read_content(office: Office, caller: Caller, form: ContentNamed) -> ContentShown:
    """Content with its feedback, as far as the caller may see it."""
    await seen_by(office, caller, form.content_id)
    return content_shown(*await given_work(office, caller, form.content_id))


async def can_graduate(office: Office, caller: Caller, form: ContentNamed) -> Graduation | GraduationVacant:
    """Whether content goes live, and what is missing."""
    found = await seen_by(office, caller, form.content_id)
    told, step = graduation(found), await vacancy_told(office, found.review)
    return picked(GraduationVacant, told, next_step=step) if step else told


async def give_feedback(office: Office, caller: Caller, form: FeedbackForm) -> FeedbackTaken:
    """Hand in one's own feedback; it unlocks that of the others."""
    check_is(caller, form.reviewer_id)
    found = await seen_by(office, caller, form.content_id)
    command = c.SubmitReport(
        revision=found.served_revision() if form.revision is None else form.revision,
        stage=words.RESOLVE,
        evidence=form.checked,
        findings=tuple(_draft(one) for one in form.items),
        settled=tuple(
            c.Settlement(finding=_finding(one.feedback_item_id, form.content_id), resolved=one.resolved, note=note)
            for one in form.resolved
            for note in (one.resolution_note,)
        ),
    )
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.content_id))
    return await _feedback_taken(office, caller, form.content_id)


async def read_feedback(office: Office, caller: Caller, form: ItemNamed) -> ItemShown:
    """One item with its responses."""
    review, finding = parted(form.feedback_item_id)
    return item_shown(await seen_by(office, caller, review), finding)


async def respond_feedback(office: Office, caller: Caller, form: RespondForm) -> ResponseShown:
    """Answer an item; by the proposer alone."""
    check_is(caller, form.responder_id)
    review, finding = parted(form.feedback_item_id)
    await seen_by(office, caller, review)
    command = c.AnswerFinding(finding=finding, text=form.response_text, rebuttal=form.rebuttal)
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + review))
    return item_shown(await seen_by(office, caller, review), finding).responses[-1]


async def resolve_feedback(office: Office, caller: Caller, form: ResolveForm) -> ItemShown:
    """Confirm that an item is resolved, or say that it is not; by the reviewer who raised it."""
    check_is(caller, form.reviewer_id)
    review, finding = parted(form.feedback_item_id)
    found = await seen_by(office, caller, review)
    revision = found.served_revision() if form.revision is None else form.revision
    command = c.SettleFinding(finding=finding, revision=revision, resolved=form.resolved, note=form.resolution_note)
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + review))
    return item_shown(await seen_by(office, caller, review), finding)


async def revise_content(office: Office, caller: Caller, form: ReviseForm) -> ContentTaken:
    """Hand in a new version, with the answers to what it addresses."""
    await seen_by(office, caller, form.content_id)
    answers = tuple(
        c.Answer(finding=_finding(one.feedback_item_id, form.content_id), text=one.response_text, rebuttal=one.rebuttal)
        for one in form.responses
    )
    revision = about_reviews.ReviseForm(
        review=form.content_id, files=content_files(form.content), note=form.note, answers=answers, key=form.key
    )
    await about_reviews.revise(office, caller, revision)
    return await _content_taken(office, caller, form.content_id)


async def withdraw_content(office: Office, caller: Caller, form: WithdrawForm) -> ContentTaken:
    """Take the content back; by the proposer alone."""
    await seen_by(office, caller, form.content_id)
    command = c.WithdrawReview(reason=form.reason)
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.content_id))
    return await _content_taken(office, caller, form.content_id)


async def confirm_content(office: Office, caller: Caller, form: ConfirmForm) -> FeedbackTaken:
    """Stand by one's own review after reading the new version."""
    found = await seen_by(office, caller, form.content_id)
    name = caller.who.name
    seats = (one.id for one in found.review.seats.values() if one.reviewer and one.reviewer.name == name)
    revision = found.served_revision() if form.revision is None else form.revision
    command = c.KeepReport(seat=next(seats, ""), revision=revision)
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.content_id))
    return await _feedback_taken(office, caller, form.content_id)


async def _content_taken(office: Office, caller: Caller, content_id: str) -> ContentTaken:
    shown = await read_content(office, caller, ContentNamed(content_id=content_id))
    return picked(ContentTaken, shown, **{**NOTHING_TOLD, **await told_of(office, caller, content_id)})


async def _feedback_taken(office: Office, caller: Caller, content_id: str) -> FeedbackTaken:
    shown = feedback_of(await seen_by(office, caller, content_id), caller.who.name)
    return picked(FeedbackTaken, shown, **{**NOTHING_TOLD, **await told_of(office, caller, content_id)})


def content_kind(content_type: str) -> str:
    """The kind of work that a type of content is; one of four, all reviewed alike."""
    kind = canonical_kind(content_type)
    if kind not in words.CONTENT_TYPES:
        allowed = ", ".join(words.CONTENT_TYPES)
        raise refuse(Code.UNKNOWN_WORD, what="The content_type", word=content_type[:80], allowed=allowed)
    return kind


def content_files(content: object) -> tuple[FileSent, ...]:
    """The one file that content is."""
    if content in ("", None, {}, []):
        raise Refusal(Code.PARTS_MISSING, "The content is empty.", "Send one text, or one JSON value.")
    return files_of({TEXT if isinstance(content, str) else JSON: content})


def _draft(one: Item) -> c.Draft:
    return c.Draft(
        severity=one.severity, text=one.description, category=one.category, place=one.place, suggestion=one.suggestion
    )


def _finding(item: str, content_id: str) -> str:
    """The finding of this content that an item names."""
    review, finding = parted(item)
    if review != content_id:
        raise refuse(Code.UNKNOWN_FINDING, finding=item[:80])
    return finding


def calls() -> Iterator[Call[Any]]:
    """The seed's calls."""
    for form, answer, needs in (
        (ContentForm, submit_content, Need.AUTHOR),
        (ContentNamed, read_content, Need.READ),
        (ContentNamed, can_graduate, Need.READ),
        (FeedbackForm, give_feedback, Need.REVIEW),
        (ItemNamed, read_feedback, Need.READ),
        (RespondForm, respond_feedback, Need.AUTHOR),
        (ResolveForm, resolve_feedback, Need.REVIEW),
        (ReviseForm, revise_content, Need.AUTHOR),
        (WithdrawForm, withdraw_content, Need.AUTHOR),
        (ConfirmForm, confirm_content, Need.REVIEW),
    ):
        says = (answer.__doc__ or "").strip()
        changes = needs is not Need.READ
        spools = answer is submit_content
        has_id = "content_id" in form.__dataclass_fields__
        named = by_own_id("content_id", answer, words.CONTENT_TYPES) if has_id else answer
        yield Call(
            name=answer.__name__, says=says, needs=needs, form=form, answer=named, changes=changes, spools=spools
        )
