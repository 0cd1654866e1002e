"""How does a critic hold a seat? The hits that are this work's own become findings; the rest is counted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from foureyes.app.reviewers import UNJUDGED, Change, Inconclusive, Look, Say, Task
from foureyes.core.commands import Draft
from foureyes.core.values import Evidence, Failure, Place, Who, WhoKind
from foureyes.reviewers.critics.critic import Critic, Hit, State
from foureyes.reviewers.own import own_hits

OPERATOR = "foureyes"
#: A report holds at most so many findings; of more, the gravest, and no rule may crowd out the others.
FINDINGS_MAX = 120
PER_RULE_MAX = 40
EVIDENCE_CHARS_MAX = 400
#: In a longer file nobody looks for secrets that its findings could repeat; those of the finding itself are seen.
SEARCHED_CHARS_MAX = 200_000
_GRAVE = {"critical": 0, "important": 1, "minor": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramReviewer:
    """A critic of ours at a seat. It is given the work and hands in findings; there is no way to change anything."""

    critic: Critic
    #: Rules that a person took out of use here.
    retired: Collection[str] = frozenset()

    @property
    def who(self) -> Who:
        """Nobody takes a program for a mind: it never makes a quorum."""
        return Who(name=self.critic.name, kind=WhoKind.PROGRAM, operator=OPERATOR)

    @property
    def sends(self) -> str:
        """Nothing leaves this machine."""
        return ""

    async def look(self, task: Task, say: Say) -> Look:
        """Judge in a thread of its own, so that a critic that hangs holds up nobody else."""
        say("reading")
        try:
            return await _in_thread(lambda: self._looked(task.change))
        except Exception as error:
            text = f"the program {self.critic.name} failed: {type(error).__name__}"
            raise Inconclusive(Failure.CRASHED, text) from error

    def _looked(self, change: Change) -> Look:
        judged = self.critic.look(change)
        known = [one for one in judged.hits if one.rule.id not in self.retired]
        own = own_hits(self.critic, change, known)
        shown = _shown(own)
        blocks = any(one.state is State.BLOCK for one in own)
        unclear = any(one.state is State.UNKNOWN for one in own)
        looked_at = judged.looked_at or "nothing that concerns it"
        more = f"; {len(own) - len(shown)} more of the same are not listed" if len(own) > len(shown) else ""
        words = f"{len(own)} found in {looked_at}{more}" if own else f"nothing found in {looked_at}"
        return Look(
            verdict="reject" if blocks else "approve",
            summary=words,
            findings=_drafts(self.critic.scope, shown, change) if shown else (),
            evidence=(Evidence(what=f"looked at {looked_at}", why=f"by {len(self.critic.rules)} rules"),),
            unread=judged.unread,
            unclear=unclear and not blocks,
            looked_at=judged.looked_at,
            older=len(known) - len(own),
            more=len(own) - len(shown),
        )


def _shown(hits: list[Hit]) -> list[Hit]:
    """The gravest, in the order of their places; of one rule only so many."""
    ranked = sorted(hits, key=lambda one: (-one.state, _GRAVE.get(_severity(one), 2)))
    counted: dict[str, int] = {}
    kept: set[int] = set()
    for one in ranked:
        counted[one.rule.id] = counted.get(one.rule.id, 0) + 1
        if counted[one.rule.id] <= PER_RULE_MAX and len(kept) < FINDINGS_MAX:
            kept.add(id(one))
    return [one for one in hits if id(one) in kept]


def _severity(hit: Hit) -> str:
    """What blocks is at least important; what a program only could not read, or notes, stops nothing."""
    if hit.state is not State.BLOCK:
        return "minor"
    said = hit.severity or hit.rule.severity
    return "important" if said == "minor" else said


def _drafts(scope: str, hits: list[Hit], change: Change) -> tuple[Draft, ...]:
    """The findings without a secret that stands in what was seen, or is put there from another line of the file."""
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
        # Cleaned before it is cut: of half a secret nobody can tell that it is one.
        evidence=(hit.evidence or text)[:EVIDENCE_CHARS_MAX],
        suggestion=hit.fix or hit.rule.fix,
        rule=hit.rule.id,
    )


async def _in_thread(work: Callable[[], Look]) -> Look:
    """Run it where nobody waits for it at the end: a thread that hangs must not keep the program from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Look] = loop.create_future()

    def run() -> None:
        try:
            result, error = work(), None
        except BaseException as caught:  # noqa: BLE001 - it is raised again where it is waited for
            result, error = None, caught
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, done, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await done


def _settle(done: asyncio.Future[Look], result: Look | None, error: BaseException | None) -> None:
    if done.cancelled():
        return
    if error is not None or result is None:
        done.set_exception(error or RuntimeError("a critic gave nothing"))
    else:
        done.set_result(result)
