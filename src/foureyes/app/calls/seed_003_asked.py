"""What a session asks of the caller: a review in seed 003's JSON, or a clarification of what was doubted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_sessions import waiting_for
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.seed_work import artifacts_of, context_of
from foureyes.app.calls.witness import Witness, given_work, witness
from foureyes.core.briefs import Brief
from foureyes.core.four_rules import FOCUS_AREAS, review_request
from foureyes.core.refusals import Code, Fact, Refusal
from foureyes.core.values import Verdict

INBOX_MAX = 200
_SUMMARY = "_summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShown:
    """The seed's payload to a reviewer; summaries are the agents' own words, the work is what counts."""

    type: str
    reviewer: str
    targets: tuple[str, ...]
    context: Mapping[str, str]
    focus_areas: tuple[str, ...]
    max_words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One review that waits for the caller: the seed's request, and exactly the bytes to judge."""

    review: str
    revision: int
    request: RequestShown
    work: Mapping[str, object]
    #: What the reviewer judges by, if the policy says more than the request: criteria, confidence, a draft.
    briefs: tuple[Brief, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsShown:
    """Everything a session asks of the caller as a reviewer."""

    requests: tuple[Asked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """What one reviewer has against the work."""

    reviewer: str
    summary: str
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarification:
    """What the agents are asked to make clear, in words they can be given as they are."""

    type: str
    review: str
    revision: int
    concerns: tuple[Concern, ...]
    prompt: str


async def owed_by(office: Office, caller: Caller, session: str, kind: str) -> list[Witness]:
    """The reviews of a session in which something of this kind is the caller's to give."""
    name = caller.who.name
    rows = await office.store.read(lambda reading: reading.inbox(name, INBOX_MAX))
    found = [
        await witness(office, caller, one) for one in dict.fromkeys(row.review for row in rows if row.kind == kind)
    ]
    return [one for one in found if one.review.origin.session == session]


async def only_one(office: Office, caller: Caller, session: str, review: str, kind: str) -> Witness:
    """The review that is meant: the one that is named, else the only one in which the caller is asked."""
    if review:
        found = await witness(office, caller, review)
        if found.review.origin.session == session:
            return found
        raise Refusal(Code.REVIEW_MISSING, "There is no such review in this session.", "Look at what you are asked.")
    asked = await owed_by(office, caller, session, kind)
    if len(asked) == 1:
        return asked[0]
    which = f"{len(asked)} reviews of this session ask for it" if asked else "Nothing is asked of you in this session"
    known: dict[str, Fact] = {"field": "review", "allowed": [one.review.id for one in asked]}
    known = known if asked else {"field": "session", "word": session[:80]}
    step = "Name the review." if asked else "Look at what you are asked."
    raise Refusal(Code.UNKNOWN_REQUEST, f"{which}.", step, fields=known)


async def asked_of(office: Office, caller: Caller, name: str) -> Asked:
    """The request to a reviewer in the seed's JSON; the bytes come along and are noted as given."""
    found, files = await given_work(office, caller, name)
    review = found.review
    context = context_of(review.context)
    said = tuple(key.removesuffix(_SUMMARY) for key in context if key.endswith(_SUMMARY))
    targets = review.origin.targets or said or (review.author.name,)
    summaries = tuple((name, str(context.get(f"{name}{_SUMMARY}", ""))) for name in targets)
    areas = context.get("focus_areas")
    asked = review_request(
        caller.who.name, summaries, focus_areas=tuple(map(str, areas)) if isinstance(areas, list) else FOCUS_AREAS
    )
    return Asked(
        review=review.id,
        revision=review.revision,
        request=RequestShown(
            type=asked.type,
            reviewer=asked.reviewer,
            targets=asked.targets,
            context={one.key: one.text for one in asked.context},
            focus_areas=asked.focus_areas,
            max_words=asked.max_words,
        ),
        work=artifacts_of(review.current.parts, files),
        briefs=found.seen.explanation.briefs,
    )


async def clarifications_for(office: Office, caller: Caller, session: str) -> tuple[Clarification, ...]:
    """What is to be made clear about work the caller has a part in; where several have, each of them hears it."""
    found = await owed_by(office, caller, session, "revision")
    known = {one.review.id for one in found}
    waiting = [one for one in await waiting_for(office, caller, session) if one not in known]
    for name in waiting:
        one = await witness(office, caller, name)
        if caller.who.name in one.review.origin.targets:
            found.append(one)
    asked = (_clarification_of(one, caller.who.name) for one in found)
    return tuple(one for one in asked if one is not None)


def _clarification_of(found: Witness, name: str) -> Clarification | None:
    """What is to be made clear, where that is what is asked; the author's word counts for all."""
    review = found.review
    asked = review.revision_request()
    if asked is None or not asked.clarify:
        return None
    doubts = [one for one in review.reports_in(words.SESSION) if one.verdict is Verdict.CONCERNS]
    concerns = tuple(
        Concern(
            reviewer=one.reviewer.name,
            summary=one.summary,
            issues=tuple(finding.text for finding in review.findings.values() if finding.seat == one.seat),
        )
        for one in doubts
    )
    lines = (f"- {one.reviewer}: {one.summary}" for one in concerns)
    said = "\n".join((f"The session is paused: {len(concerns)} reviewers have concerns about {review.title}.", *lines))
    author = review.author.name
    who = "Say" if name == author else f"Help {author} to say"
    return Clarification(
        type="clarification_request",
        review=review.id,
        revision=review.revision,
        concerns=concerns,
        prompt=f"{said}\n{who} what is meant, or hand in a new version; the reviewers then look again.",
    )
