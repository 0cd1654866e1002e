"""The calls of seed 003 that start reviews: signals of agents, and the request of a human."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from foureyes.app.accounts import account
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import check_room
from foureyes.app.calls.about_sessions import STREAM, SessionNamed, read_session, standing
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import Told, told_of
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_work import check_is, pairs_of, work_of
from foureyes.app.gate import new_key
from foureyes.core import commands as c
from foureyes.core import sessions
from foureyes.core.events import SignalType
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Origin, Pairs, Who

#: The file that names the session whose words are reviewed; no agent's name has a dot.
SESSION_FILE = "of.session.md"
#: Kind of the work of agents in a session, as a policy calls it.
KIND = "milestone"
#: Suffix of an agent's name in the context of a review: the key of its last words.
SUMMARY = "_summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalForm:
    """What an agent emits. A milestone, a blocker and a request_review start a review of the files it comes with.

    Without files the summary itself is what is reviewed.
    """

    session: str
    type: str
    summary: str = ""
    agent: str = ""
    timestamp: str = ""
    files: tuple[FileSent, ...] = ()
    focus_areas: tuple[str, ...] = ()
    payload: Mapping[str, object] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualForm:
    """A human wants the work of a session reviewed now: the files, else what its agents said last."""

    session: str
    reason: str = ""
    files: tuple[FileSent, ...] = ()
    focus_areas: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signalled(Told):
    """The signal was heard; the review it started, if it did, and whether the session goes on."""

    session: str
    status: str
    review: str | None


async def signal(office: Office, caller: Caller, form: SignalForm) -> Signalled:
    """Say something as an agent of a session; some signals start a review."""
    check_is(caller, form.agent)
    said = sessions.ReceiveSignal(type=form.type, summary=form.summary)
    if form.type not in sessions.TRIGGERS or form.type == SignalType.USER_MANUAL:
        await office.do(caller, said, Handed(key=form.key, stream=STREAM + form.session))
        return Signalled(session=form.session, status=await standing(office, caller, form.session), review=None)
    last = {**await _said_last(office, caller, form.session), caller.who.name: form.summary}
    summaries = tuple((f"{name}{SUMMARY}", text) for name, text in last.items())
    opening = _Opening(
        trigger=form.type,
        files=form.files or tuple(texts_of({caller.who.name: form.summary}, form.session)),
        context=context_of(summaries, form.focus_areas, form.payload),
    )
    return await _started(office, caller, said, opening, SessionAsk(session=form.session, key=form.key))


async def _said_last(office: Office, caller: Caller, session: str) -> dict[str, str]:
    """What each agent of a session said last; nothing where this signal is its first."""
    try:
        seen = await read_session(office, caller, SessionNamed(session=session))
    except Refusal:
        return {}
    said = {one.agent: one.summary for one in seen.signals if one.type != SignalType.USER_MANUAL}
    return {one.agent: said.get(one.agent, "") for one in seen.agents}


async def trigger_review(office: Office, caller: Caller, form: ManualForm) -> Signalled:
    """Start a review of what the agents of a session have done; by a human."""
    seen = await read_session(office, caller, SessionNamed(session=form.session))
    last = {one.agent: one.summary for one in seen.signals if one.type != SignalType.USER_MANUAL}
    names = tuple(name for name in last if name != caller.who.name)
    if not names:
        raise Refusal(Code.PARTS_MISSING, "No agent of the session has said anything.", "Wait for a signal.")
    author = await office.store.read(lambda reading: account(reading, names[-1]))
    summaries = tuple((f"{name}{SUMMARY}", last[name]) for name in names)
    opening = _Opening(
        trigger=SignalType.USER_MANUAL.value,
        files=form.files or tuple(texts_of({name: last[name] for name in names}, form.session)),
        context=context_of(summaries, form.focus_areas, {}),
        targets=names,
        author=author.who if author else None,
    )
    said = sessions.ReceiveSignal(type=SignalType.USER_MANUAL.value, summary=form.reason)
    return await _started(office, caller, said, opening, SessionAsk(session=form.session, key=form.key))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """What a signal starts a review of."""

    trigger: str
    files: tuple[FileSent, ...]
    context: Pairs
    targets: tuple[str, ...] = ()
    author: Who | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAsk:
    """In which session, under which key."""

    session: str
    key: str


async def _started(
    office: Office, caller: Caller, said: sessions.ReceiveSignal, opening: _Opening, ask: SessionAsk
) -> Signalled:
    """Hear the signal and open its review; nothing is heard where the review would not be taken.

    Each has a key of its own made from the caller's, so that repeating finishes what was begun, once.
    """
    await check_room(office, caller)
    work = await work_of(office, opening.files)
    office.quotas.sent(caller.who, office.clock(), sum(map(len, work.blobs.values())))
    command = c.OpenReview(
        review="",
        kind=KIND,
        title=title_of(opening.trigger, ask.session),
        digest=work.digest,
        parts=work.parts,
        protocols=(words.SESSION,),
        trigger=opening.trigger,
        origin=Origin(session=ask.session, targets=opening.targets),
        context=opening.context,
        on_behalf_of=opening.author,
    )
    key = ask.key or new_key()
    handed = Handed(key=f"{key} review", blobs=work.blobs)
    await office.gate.preview(office.ask(caller, command, handed))
    await office.do(caller, said, Handed(key=f"{key} signal", stream=STREAM + ask.session))
    reply = await office.do(caller, command, handed)
    office.quotas.opened(caller.who)
    status = await standing(office, caller, ask.session)
    told = await told_of(office, caller, reply.review)
    return Signalled(session=ask.session, status=status, review=reply.review, **told)


TITLE_CHARS_MAX = 200


def title_of(trigger: str, session: str) -> str:
    """What a review of a session is called."""
    return f"{trigger} in session {session}"[:TITLE_CHARS_MAX]


def texts_of(said: Mapping[str, str], session: str, since: str = "") -> Iterator[FileSent]:
    """What agents said, as files: where nothing else is there, that is looked at.

    The session is named beside it, so that equal words in two sessions are two works.
    """
    spoken = {name: text for name, text in said.items() if text.strip()}
    for name, text in spoken.items():
        yield FileSent(path=f"{name}.md", text=text + "\n")
    if spoken:
        yield FileSent(path=SESSION_FILE, text=f"Session {session}{f', silent since {since}' if since else ''}\n")


def context_of(
    summaries: Pairs, focus_areas: tuple[str, ...] = (), payload: Mapping[str, object] = MappingProxyType({})
) -> Pairs:
    """What a reviewer of a session is told beside the work: who said what last, and where to look."""
    # A key with this suffix names an agent whose work it is; only the session says whose that is.
    more = {name: value for name, value in payload.items() if not name.endswith(SUMMARY) and name != "focus_areas"}
    areas = {"focus_areas": list(focus_areas)} if focus_areas else {}
    return pairs_of({**dict(summaries), **areas, **more})


def calls() -> Iterator[Call[Any]]:
    """The seed's calls."""
    for form, answer, needs, changes in (
        (SignalForm, signal, Need.SIGNAL, True),
        (ManualForm, trigger_review, Need.HUMAN, True),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=needs, form=form, answer=answer, changes=changes)
