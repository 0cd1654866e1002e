"""One run of a critic over one work, in a child process: its hits in this work become findings, older ones a count."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from foureyes.app.reviewers import UNJUDGED, Change, Look
from foureyes.core.commands import Draft
from foureyes.core.evidence import WHOLE_WORK
from foureyes.core.values import Evidence, Place
from foureyes.reviewers.critics.critic import Critic, Hit, State
from foureyes.reviewers.own import own_hits

#: The most findings in a report; of more, the gravest are kept, and no rule may crowd out the others.
FINDINGS_MAX = 120
PER_RULE_MAX = 40
EVIDENCE_CHARS_MAX = 400
#: In a longer file no secrets are looked for that its findings could repeat; those in the finding itself are removed.
SEARCHED_CHARS_MAX = 200_000
_GRAVE = {"critical": 0, "important": 1, "minor": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedCritic:
    """A critic of ours by its name; the child process imports it."""

    name: str
    module: str

    def load(self) -> Critic:
        """Import and return the critic."""
        return cast("Critic", importlib.import_module(self.module).CRITIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactualCritic:
    """The critic of facts, with the day; strict on the seat of a chain that judges facts, elsewhere it only notes."""

    today: date | None
    strict: bool = False
    name: str = "factual"

    def load(self) -> Critic:
        """Return the critic."""
        from foureyes.reviewers.critics.factual import Factual  # noqa: PLC0415 - like every critic, where it looks

        return Factual(today=self.today, strict=self.strict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticRun:
    """Which critic looks at which work; it can be pickled for a child process."""

    critic: Critic | ShippedCritic | FactualCritic
    change: Change
    #: Rules that a person retired on this machine.
    retired: Collection[str] = frozenset()


def look_at(run: CriticRun) -> Look:
    """Let the critic look, and turn the hits that belong to this work into findings."""
    critic = run.critic.load() if isinstance(run.critic, ShippedCritic | FactualCritic) else run.critic
    change = run.change
    judged = critic.look(change)
    known = [one for one in judged.hits if one.rule.id not in run.retired]
    own = own_hits(critic, change, known)
    shown = _shown(own)
    blocks = any(one.state is State.BLOCK for one in own)
    unclear = any(one.state is State.UNKNOWN for one in own)
    looked_at = judged.looked_at or "nothing that concerns it"
    more = f"; {len(own) - len(shown)} more of the same are not listed" if len(own) > len(shown) else ""
    words = f"{len(own)} found in {looked_at}{more}" if own else f"nothing found in {looked_at}"
    return Look(
        verdict="reject" if blocks else "approve",
        summary=words,
        findings=_drafts(critic.scope, shown, change) if shown else (),
        evidence=(Evidence(what=WHOLE_WORK, why=f"looked at {looked_at} by {len(critic.rules)} rules"),),
        unread=judged.unread,
        unclear=unclear and not blocks,
        looked_at=judged.looked_at,
        older=len(known) - len(own),
        more=len(own) - len(shown),
    )


def _shown(hits: list[Hit]) -> list[Hit]:
    """Return the gravest hits in the order of their places, limited for each rule."""
    ranked = sorted(hits, key=lambda one: (-one.state, _GRAVE.get(_severity(one), 2)))
    counted: dict[str, int] = {}
    kept: set[int] = set()
    for one in ranked:
        counted[one.rule.id] = counted.get(one.rule.id, 0) + 1
        if counted[one.rule.id] <= PER_RULE_MAX and len(kept) < FINDINGS_MAX:
            kept.add(id(one))
    return [one for one in hits if id(one) in kept]


def _severity(hit: Hit) -> str:
    """Return the severity: at least important for a hit that blocks, minor for all others."""
    if hit.state is not State.BLOCK:
        return "minor"
    said = hit.severity or hit.rule.severity
    return "important" if said == "minor" else said


def _drafts(scope: str, hits: list[Hit], change: Change) -> tuple[Draft, ...]:
    """Return the findings without secrets, in what was seen or repeated from another line of the file."""
    from foureyes.reviewers.boundary import redacted  # noqa: PLC0415 - nothing is found in most works
    from foureyes.reviewers.known import known_in  # noqa: PLC0415 - likewise

    paths = {one.path for one in hits}
    told = ((one.path, one.text) for one in change.files if one.path in paths and one.text)
    known = known_in((path, text) for path, text in told if len(text) <= SEARCHED_CHARS_MAX)

    def clean(text: str, path: str) -> str:
        return redacted(text, path, known=known)[0] if text else ""

    cleaned = (
        replace(
            one, text=clean(one.text, one.path), evidence=clean(one.evidence, one.path), fix=clean(one.fix, one.path)
        )
        for one in hits
    )
    return tuple(_draft(scope, one) for one in cleaned)


def _draft(scope: str, hit: Hit) -> Draft:
    unknown = UNJUDGED if hit.state is State.UNKNOWN else ""
    text = f"{unknown}{hit.text or hit.rule.title}"
    return Draft(
        severity=_severity(hit),
        text=text,
        category=hit.rule.category,
        scope=scope,
        place=Place(path=hit.path, start=hit.line, end=hit.end or hit.line) if hit.path else None,
        # Redacted before it is cut: half a secret could not be recognised.
        evidence=(hit.evidence or text)[:EVIDENCE_CHARS_MAX],
        suggestion=hit.fix or hit.rule.fix,
        rule=hit.rule.id,
    )
