"""The call of seed 002: output is validated by a chain, each layer in its order and within its scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import OpenForm, ReviseForm, open_work, revise
from foureyes.app.calls.bodies import picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import NOTHING_TOLD, Told, told_of
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.looking import SeenShown
from foureyes.app.calls.office import Office
from foureyes.app.calls.own_ids import by_own_id
from foureyes.app.calls.seed_steps import StepName
from foureyes.app.calls.seed_work import answered_before, check_is, files_of, waiting
from foureyes.app.calls.waiting import waited
from foureyes.app.calls.whole import shown_to
from foureyes.app.gate import Seen
from foureyes.app.ports import Reading
from foureyes.app.projections.own_ids import OWN_IDS, newest_run
from foureyes.app.reviewers import OUTPUT_FILE, OUTPUT_JSON
from foureyes.core.assign import has_role, may_be_bound
from foureyes.core.checks import check_step
from foureyes.core.events import ReviewOpened
from foureyes.core.explain import Turn
from foureyes.core.facts import Principal
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Report, Review
from foureyes.core.options import NOBODY
from foureyes.core.reasons import critic_of, reason_of
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import SeatRule, Style
from foureyes.core.situation import Situation
from foureyes.core.stack import stages_of
from foureyes.core.values import THREAD, Origin, WhoKind
from foureyes.policy.chains import step_problem

#: Default kind of output.
OUTPUT = "output"
#: Context keys of what a step does, and of its number.
ACTION, NUMBER = "action", "step"
#: Reasons of rulings requested because no critic answered.
NO_ANSWER = NOBODY - {"author_silent"}
_THREAD = re.compile(r"[0-9]{1,20}").fullmatch
#: The next step after a run was sent back.
AGAIN = (
    "It is your turn: read what is asked, then send the new output to /validate (`validate`) with `review: {review}`, "
    "or with the same task_id and step."
)
#: How long programs are waited for; clients often give up after half a minute.
PROGRAMS_SECONDS_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateForm:
    """Output that a chain shall judge: which one says the policy, by the kind or the workflow step; or name one more.

    A resubmission names the review that its first run was, or the same task and step, and counts as a retry.
    """

    output: object
    chain: str = ""
    critic_chain: str = ""
    kind: str = OUTPUT
    #: The step of the workflow: its name, or its number with the name in `name`.
    step: StepName = StepName("")
    #: The step's name if `step` is its number, and what the step does; both are stored in the review.
    name: str = ""
    action: str = ""
    #: Whether the step says that its agent has a veto in that chain; the chain decides, and a contradiction is refused.
    can_veto: bool | None = None
    task_id: str = ""
    #: The number of the task's Discord thread or Telegram topic, if the task id is no such number itself.
    thread: str = ""
    agent: str = ""
    review: str = ""
    note: str = ""
    #: Seconds to wait for the critics; if all of them are our programs, their answer is always waited for.
    wait: int = 0
    key: str = ""

    @property
    def called(self) -> str:
        """What the step is called."""
        return self.name or self.step


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One decision of one layer, as the seed logs it."""

    task_id: str
    critic_agent_id: str
    decision: str
    reason: str
    chain_name: str
    layer_index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """Where the output stands: pending, approved, returned, escalated_to_human, failed or returned_to_author."""

    task_id: str
    review: str
    status: str
    #: The step of the workflow and what it does, as the call said.
    step: str
    action: str
    chains: tuple[str, ...]
    #: Resubmissions so far, and how many are left before the chain's last word.
    retry: int
    retries_left: int | None
    layers: tuple[Layer, ...]
    #: The message to the originating agent; empty while critics are working. If no critic answered, the reason.
    message: str
    #: The result, whose turn it is and what comes next; the same words at every door.
    situation: Situation


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNamed:
    """Which run."""

    review: str


async def read_validation(office: Office, caller: Caller, form: RunNamed) -> Validated:
    """Where validated output stands, as far as the caller may know."""
    return _validated(await shown_to(office, caller, form.review))


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationTaken(Validated, Told):
    """Where the output stands that was just handed in, and what comes next."""


async def validate(office: Office, caller: Caller, form: ValidateForm) -> ValidationTaken:
    """Validate output by a chain of critics: at once where they are programs, else after at most so many seconds."""
    check_is(caller, form.agent)
    if form.thread and not _THREAD(form.thread):
        sentence = f"The thread is {form.thread[:80]!r}, which is no number of a thread or topic."
        raise Refusal(Code.BAD_VALUE, sentence, "Send its digits.", fields={"field": "thread"})
    if form.chain and form.critic_chain and form.chain != form.critic_chain:
        raise Refusal(Code.BAD_VALUE, "chain and critic_chain name two chains.", "Name one of them.")
    kind = await office.store.read(partial(_kind, office, form))
    with waiting(office, caller, form.wait):
        if review := form.review or await _run_to_retry(office, caller, form, kind):
            again = ReviseForm(review=review, files=_files(form.output), note=form.note, key=form.key)
            done = await revise(office, caller, again)
        else:
            done = await open_work(office, caller, _opening(form, kind))
        if form.wait:
            await waited(office, caller, done.review, form.wait, _is_decided)
        elif programs := await office.store.read(partial(_lone_programs, office, done.review)):
            await waited(office, caller, done.review, PROGRAMS_SECONDS_MAX, partial(_have_said, programs))
    shown = await read_validation(office, caller, RunNamed(review=done.review))
    told = {**NOTHING_TOLD, **await told_of(office, caller, done.review)}
    if shown.retries_left is not None and told["next_step"]:
        told["next_step"] = AGAIN.format(review=done.review)
    return picked(ValidationTaken, shown, **told)


async def _run_to_retry(office: Office, caller: Caller, form: ValidateForm, kind: str) -> str:
    """The caller's last run of this step of the task by this chain, where it is sent back or a human decides on it.

    A call that was answered before under its key is the same again: a first run stays one.
    """
    if not form.task_id:
        return ""
    if before := await answered_before(office, caller, form.key):
        return "" if ReviewOpened.__name__ in before.events else before.review
    await office.caught_up(OWN_IDS)
    return await office.store.read(partial(_open_run, office, caller, form, kind))


def _open_run(office: Office, caller: Caller, form: ValidateForm, kind: str, reading: Reading) -> str:
    name = newest_run(reading, form.task_id, caller.who.name, form.called, canonical_kind(kind))
    if not name:
        return ""
    review, chain = office.gate.look(reading, name, caller.who).view.review, form.chain or form.critic_chain
    is_asked = review.revision_request() is not None or review.ruling() is not None
    is_same = not chain or chain in review.protocols
    return name if is_same and is_asked and review.outcome is None else ""


def message_of(review: Review) -> str:
    """What the thread of the task is told of a review as it stands; empty while critics are at it."""
    return _message(review, tuple(_layers(review, review.origin.task or review.id)))


def _kind(office: Office, form: ValidateForm, reading: Reading) -> str:
    """What the output is judged as: a step that the policy knows brings its own chain.

    A chain whose name is a kind that the policy judges by this chain alone is that kind; any other chain is added.

    A chain that the policy does not have could never let anything pass: that is said at once.
    """
    rules = office.gate.policies.current(reading).policy.rules
    chains = [one for one in rules.protocols if any(stage.options.style is Style.CHAIN for stage in one.stages)]
    step = canonical_kind(form.called)
    steps = [rule for rule in rules.kinds if canonical_kind(rule.kind) == step]
    name = form.chain or form.critic_chain or next((one for rule in steps for one in rule.protocols), "")
    chain = next((one for one in chains if one.name == name), None)
    if (form.chain or form.critic_chain) and chain is None:
        known = tuple(one.name for one in chains)
        raise refuse(Code.UNKNOWN_WORD, what="The chain", word=name[:80], allowed=known, field="chain")
    if not (name or form.review) and form.kind == OUTPUT:
        check_step(rules, form.called, "step")
    wrong = step_problem(chain, form.agent, can_veto=form.can_veto) if form.can_veto is not None else ""
    if wrong:
        raise Refusal(Code.BAD_VALUE, f"{wrong[0].upper()}{wrong[1:]}.", "The chain is the authority; leave it out.")
    if form.kind != OUTPUT:
        return form.kind
    if steps:
        return form.called
    alone = chain is not None and any((rule.kind, rule.protocols) == (name, (name,)) for rule in rules.kinds)
    return name if alone else form.kind


def _lone_programs(office: Office, review: str, reading: Reading) -> frozenset[str]:
    """The programs that are there, where they alone can be asked now: their answer is waited for unasked.

    A seat that nobody can hold is waited for too: as soon as its turn comes, a human is asked, and the answer says so.
    """
    held = office.gate.whole(reading, review)
    policies, pool = office.gate.policies, [one for one in office.gate.pool(reading) if one.available]
    rules, stricter = policies.rules(reading, held.rules), policies.stricter(reading, held.stricter)
    seats = [rule for stage in stages_of(rules, held, stricter) for rule in stage.seats]
    who = [[one.who.kind for one in pool if _can_come(one, rule, held)] for rule in seats]
    asked = [set(kinds) for kinds in who if kinds]
    if not asked or any(kinds != {WhoKind.PROGRAM} for kinds in asked):
        return frozenset()
    return frozenset(one.who.name for one in pool if one.who.kind is WhoKind.PROGRAM)


def _can_come(principal: Principal, rule: SeatRule, review: Review) -> bool:
    return has_role(principal, rule.roles, review.author) and may_be_bound(rule, principal)


def _opening(form: ValidateForm, kind: str) -> OpenForm:
    chain = form.chain or form.critic_chain
    return OpenForm(
        kind=kind,
        title=form.called or "Output to validate",
        context=tuple(_context(form)),
        files=_files(form.output),
        protocols=(chain,) if chain else (),
        origin=Origin(task=form.task_id, step=form.called),
        note=form.note,
        key=form.key,
    )


def _context(form: ValidateForm) -> Iterator[tuple[str, str]]:
    """What the step says of itself, for those who review it."""
    if form.action:
        yield ACTION, form.action
    if form.name and form.step:
        yield NUMBER, form.step
    if form.thread:
        yield THREAD, form.thread


def _files(output: object) -> tuple[FileSent, ...]:
    if output in ("", None, {}, []):
        raise Refusal(Code.PARTS_MISSING, "The output is empty.", "Send one text, or one JSON value.")
    return files_of({OUTPUT_FILE if isinstance(output, str) else OUTPUT_JSON: output})


def _is_decided(seen: SeenShown) -> bool:
    return not _reports_due(seen)


def _have_said(programs: frozenset[str], seen: SeenShown) -> bool:
    """Whether these programs owe no report; where somebody else came to a seat meanwhile, that one may take long."""
    due = _reports_due(seen)
    return not due or any(not programs.issuperset(one.who) for one in due)


def _reports_due(seen: SeenShown) -> list[Turn]:
    return [one for one in seen.review.turns if one.what == "a report"]


def _validated(seen: Seen) -> Validated:
    """The run as its author sees it."""
    review = seen.view.review
    task = review.origin.task or review.id
    layers = tuple(_layers(review, task))
    asked = review.revision_request()
    return Validated(
        task_id=task,
        review=review.id,
        status=words.chain_status(review),
        step=review.origin.step,
        action=dict(review.context).get(ACTION, ""),
        chains=review.protocols,
        retry=review.retries,
        retries_left=asked.remaining if asked else None,
        layers=layers,
        message=_unanswered(review) or _message(review, layers),
        situation=seen.explanation.situation,
    )


def _layers(review: Review, task: str) -> Iterator[Layer]:
    """Every decision on any version, in the order of versions and layers."""
    order = {name: number for number, name in enumerate(dict.fromkeys(one.stage for one in review.seats.values()))}
    said = sorted(_decided(review), key=lambda one: (one.revision, order[review.seats[one.seat].stage]))
    for report in said:
        seat = review.seats[report.seat]
        chain, _, _ = seat.stage.partition(".")
        index = sum(1 for name in order if name.startswith(f"{chain}.") and order[name] < order[seat.stage])
        yield Layer(
            task_id=task,
            critic_agent_id=critic_of(seat, report),
            decision=words.layer_decision(report, seat),
            reason=reason_of(review, report),
            chain_name=chain,
            layer_index=index,
        )


def _decided(review: Review) -> list[Report]:
    """The report that is each layer's decision on each version: the gravest, once nobody there is waited for."""
    gravest: dict[tuple[str, int], Report] = {}
    for report in review.reports.values():
        place = review.seats[report.seat].stage, report.revision
        if place not in gravest or _gravity(review, report) > _gravity(review, gravest[place]):
            gravest[place] = report
    waits = {(review.seats[one].stage, review.revision) for one in review.requests if one in review.seats}
    return [one for place, one in gravest.items() if place not in waits or _gravity(review, one)]


def _gravity(review: Review, report: Report) -> int:
    return words.GRAVITY.index(words.layer_decision(report, review.seats[report.seat]))


def _message(review: Review, layers: tuple[Layer, ...]) -> str:
    """The words for the agent: the last rejection with what comes next, or the last approval."""
    status, step = words.chain_status(review), review.origin.step or review.title
    if not layers or status == "pending":
        return ""
    if status == "approved":
        return _passed(review, step, layers)
    last = layers[-1]
    if last.decision == words.APPROVE:
        return ""
    asked = review.revision_request()
    number = review.retries + 1
    most = review.retries + asked.remaining if asked else review.retries
    return words.veto_message(step, last.critic_agent_id, last.reason, retry=(number, most), decision=last.decision)


def _unanswered(review: Review) -> str:
    """Why a human is asked where that is because no critic answered; a notice has words of its own for it."""
    asked = review.ruling()
    return asked.text if asked and asked.reason in NO_ANSWER else ""


def _passed(review: Review, step: str, layers: tuple[Layer, ...]) -> str:
    """Whose yes was the last: a critic's, or a human's where the last critic said no; the outvoted stop nothing."""
    is_passed_by_human = any(revision == review.revision for _, revision in review.overridden)
    if layers[-1].decision != words.APPROVE and is_passed_by_human:
        return words.approval_message(step, "human", by="override")
    critics = [one.critic_agent_id for one in layers if one.decision == words.APPROVE]
    return words.approval_message(step, critics[-1]) if critics else ""


def calls() -> Iterator[Call[Any]]:
    """The seed's call, and the look at what became of it."""
    says = (validate.__doc__ or "").strip()
    yield Call(name="validate", says=says, needs=Need.AUTHOR, form=ValidateForm, answer=validate)
    says, answer = (read_validation.__doc__ or "").strip(), by_own_id("review", read_validation)
    yield Call(name="read_validation", says=says, needs=Need.READ, form=RunNamed, answer=answer, changes=False)
