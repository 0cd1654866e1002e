"""Calls that govern the reviews: recording what goes live, activating a policy, and skips with track records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NoReturn, cast

from foureyes.app.calls.about_accounts import NoForm
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_001_patterns import PatternShown, pattern_of
from foureyes.app.policies import POLICY_STREAM
from foureyes.app.ports import Reading
from foureyes.app.rows import plain_digest
from foureyes.app.shelf import dated
from foureyes.app.trusting import Suspect, examined, load, stream_of
from foureyes.core.events import LiveRefused, WentLive
from foureyes.core.kinds import canonical_kind
from foureyes.core.live import RecordLive
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code, Refusal
from foureyes.core.trust import TRUST_MAX, DisableSkip, EnableSkip, TrustRecord, average
from foureyes.policy.load import load_text, shipped
from foureyes.policy.nodes import PolicyErrors
from foureyes.policy.policy import Policy, policy_text

RECORDS_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveForm:
    """A publisher says that it puts exactly these bytes on a target, by the clearance of this review."""

    target: str
    review: str
    digest: str
    commit: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveShown:
    """Whether they may go there; only then put them there. A refused attempt is recorded too."""

    allowed: bool
    target: str
    digest: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyShown:
    """The policy that new reviews get, with every default filled in."""

    digest: str
    name: str
    #: Who activated it; empty for the one the server was started with.
    activated_by: str
    applies_in_flight: bool
    #: Its canonical text, which the digest is of.
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivateForm:
    """A policy: its text as in a policy file, the name of a shipped one, or the digest of one that is here."""

    text: str = ""
    shipped: str = ""
    digest: str = ""
    applies_in_flight: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipForm:
    """Whose work of which kind needs no reviewers for a while, where the policy allows that at all."""

    kind: str
    author: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSkipForm:
    """Whose work of which kind is reviewed again, and why."""

    kind: str
    author: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustShown:
    """The track record of an author with a kind of work; one that cannot be believed says why."""

    kind: str
    author: str
    attempts: int = 0
    successes: int = 0
    #: Mean confidence of the reviewers in the successes, in percent; decides whether a skip may be enabled.
    confidence_mean: int | None = None
    #: Trust in percent, changed by each review; if it falls too low, a skip is switched off.
    trust: int = 0
    enabled_by: str = ""
    expires: datetime | None = None
    disabled_because: str = ""
    damaged: str = ""
    #: The record as a row of the peers' table of patterns.
    pattern: PatternShown | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustsShown:
    """Every track record, by kind and author."""

    records: tuple[TrustShown, ...]


async def record_live(office: Office, caller: Caller, form: LiveForm) -> LiveShown:
    """Say that bytes go live on a target, and be told whether they may."""
    command = RecordLive(target=form.target, review=form.review, digest=plain_digest(form.digest), commit=form.commit)
    stream = f"target/{form.target}"
    reply = await office.do(caller, command, Handed(key=form.key, stream=stream))
    said = await office.store.read(partial(_said, stream, reply.version))
    reason = said.reason if isinstance(said, LiveRefused) else ""
    reason = await _heard(office, caller, form, reason) if reason else ""
    return LiveShown(allowed=isinstance(said, WentLive), target=form.target, digest=command.digest, reason=reason)


async def policy(office: Office, _: Caller, __: NoForm) -> PolicyShown:
    """The policy in force."""
    return await office.store.read(partial(_policy, office))


async def activate_policy(office: Office, caller: Caller, form: ActivateForm) -> PolicyShown:
    """Put a policy into force for new reviews, or for those that are open too."""
    wanted = await office.store.read(partial(_wanted, office, form))
    command = ActivatePolicy(digest=wanted.digest, name=wanted.name, applies_in_flight=form.applies_in_flight)
    handed = Handed(key=form.key, stream=POLICY_STREAM, blobs={wanted.digest: policy_text(wanted)})
    await office.do(caller, command, handed)
    return await policy(office, caller, NoForm())


async def enable_skip(office: Office, caller: Caller, form: SkipForm) -> TrustShown:
    """Let an author's work of a kind pass without reviewers for a while."""
    return await _switched(office, caller, EnableSkip(), form.kind, form.author, key=form.key)


async def disable_skip(office: Office, caller: Caller, form: NoSkipForm) -> TrustShown:
    """Have an author's work of a kind reviewed again."""
    return await _switched(office, caller, DisableSkip(reason=form.reason), form.kind, form.author, key=form.key)


async def track_records(office: Office, _: Caller, __: NoForm) -> TrustsShown:
    """Every author's track record, which says who may be let pass without reviewers."""
    return TrustsShown(records=await office.store.read(partial(_records, office)))


async def _heard(office: Office, caller: Caller, form: LiveForm, reason: str) -> str:
    """Why not, as far as the caller may know: neither the named review nor another of these bytes tells of a veto."""
    plain = await office.may_go_live(form.digest, form.target)
    shown = await office.may_go_live(form.digest, form.target, caller.who)
    return shown.reason if shown.reason != plain.reason else reason


def _said(stream: str, version: int, reading: Reading) -> WentLive | LiveRefused:
    (event, _) = dated(tuple(one for one in reading.events(stream, version - 1) if one.version == version))[0]
    return cast("WentLive | LiveRefused", event)


def _policy(office: Office, reading: Reading) -> PolicyShown:
    current = office.gate.policies.current(reading)
    return PolicyShown(
        digest=current.policy.digest,
        name=current.policy.name,
        activated_by=current.activated.by if current.activated else "",
        applies_in_flight=bool(current.activated and current.activated.applies_in_flight),
        text=policy_text(current.policy).decode(),
    )


def _wanted(office: Office, form: ActivateForm, reading: Reading) -> Policy:
    if sum(map(bool, (form.text, form.shipped, form.digest))) != 1:
        raise Refusal(Code.BAD_VALUE, "Name one policy.", "Send exactly one of text, shipped and digest.")
    if form.digest:
        blob = reading.blob(form.digest)
        if blob is None and form.digest != office.gate.policies.default.digest:
            raise Refusal(Code.UNKNOWN_DIGEST, "There is no such policy here.", "Send its text.")
        return office.gate.policies.named(reading, form.digest)
    try:
        loaded = shipped(form.shipped) if form.shipped else load_text("policy.yaml", form.text.encode(), _no_file)
    except PolicyErrors as error:
        raise Refusal(Code.BAD_VALUE, f"This is no sound policy: {error}", "Correct it as said.") from None
    return loaded.policy


def _no_file(name: str) -> NoReturn:
    raise FileNotFoundError(name)


async def _switched(
    office: Office, caller: Caller, command: EnableSkip | DisableSkip, kind: str, author: str, *, key: str
) -> TrustShown:
    name = canonical_kind(kind)
    await office.do(caller, command, Handed(key=key, stream=stream_of(name, author)))
    return await office.store.read(lambda reading: _record(office, reading, load(reading, name, author)))


def _records(office: Office, reading: Reading) -> tuple[TrustShown, ...]:
    rows = tuple(one for one, _ in zip(reading.trusts(), range(RECORDS_MAX), strict=False))
    return tuple(_record(office, reading, one) for one in examined(reading, rows))


def _record(office: Office, reading: Reading, one: TrustRecord | Suspect) -> TrustShown:
    if isinstance(one, Suspect):
        return TrustShown(kind=one.kind, author=one.author, damaged=one.why)
    mean, learning = average(one), office.gate.policies.current(reading).policy.rules.learning
    return TrustShown(
        kind=one.kind,
        author=one.author,
        attempts=one.attempts,
        successes=one.successes,
        confidence_mean=None if mean is None else int(mean * TRUST_MAX),
        trust=one.trust,
        enabled_by=one.enabled_by,
        expires=one.expires,
        disabled_because=one.disabled_because,
        pattern=pattern_of(one, office.clock(), learning),
    )


def calls() -> Iterator[Call[Any]]:
    """Every call about what stands over the reviews."""
    for form, answer, needs, changes in (
        (LiveForm, record_live, Need.PUBLISH, True),
        (NoForm, policy, Need.READ, False),
        (ActivateForm, activate_policy, Need.HUMAN, True),
        (SkipForm, enable_skip, Need.HUMAN, True),
        (NoSkipForm, disable_skip, Need.HUMAN, True),
        (NoForm, track_records, Need.HUMAN, False),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=needs, form=form, answer=answer, changes=changes)
