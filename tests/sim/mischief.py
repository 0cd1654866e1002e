"""Choose the next wrong command, so that every refusal is seen: the least seen of a few, on a review that fits it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from foureyes.core import commands as c
from foureyes.core.model import Review
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code
from foureyes.core.values import Who
from tests.sim import wrongs, wrongs_turns
from tests.sim.agents import Agents
from tests.sim.script import Command
from tests.sim.wrongs import Acts, Liar

Sent = tuple[Who, str, Command]
TRIES_MAX = 25
MISSING_STREAM = "review/never-opened"


@dataclass(slots=True)
class Mischief:
    """Tries commands that must be refused."""

    agents: Agents

    def next(self, open_streams: list[str], streams: list[str]) -> Sent | None:
        """The rarest of a few wrong commands, on the first review that fits it."""
        rng, seen = self.agents.rng, self.agents.world.counts.seen["refusals"]
        code = min(rng.choices(CODES, k=5), key=lambda one: (seen[one], one))
        pool = streams if code in (Code.REVIEW_ENDED, Code.OBJECTED) else open_streams
        act = ACTS[code]
        if code is Code.EVIDENCE_MISSING and rng.random() < 0.5:
            act = wrongs.thoughtless
        for _ in range(TRIES_MAX if pool else 0):
            stream = rng.choice(pool)
            sent = next(act(Liar(agents=self.agents), self.agents.world.reviews[stream]), None)
            if sent is not None:
                who, command = sent
                target = MISSING_STREAM if code is Code.REVIEW_MISSING else stream
                return who, _stream(command, target), command
        return None


def _stream(command: Command, stream: str) -> str:
    if isinstance(command, ActivatePolicy):
        return "policy"
    return f"review/{command.review}" if isinstance(command, c.OpenReview) else stream


ACTS: dict[Code, Callable[[Liar, Review], Acts]] = {
    Code.ALREADY_ASKED: wrongs.already_asked,
    Code.ALREADY_OPEN: wrongs.open_again,
    Code.ANSWERS_MISMATCH: wrongs.answers_mismatch,
    Code.AUTHOR_MAY_NOT: wrongs.author_reviews,
    Code.BAD_NUMBER: wrongs.bad_number,
    Code.CHECKLIST_INCOMPLETE: wrongs.checklist,
    Code.CONFIDENCE_TOO_LOW: wrongs.unsure,
    Code.DIGEST_MISMATCH: wrongs.digest_mismatch,
    Code.DUPLICATE: wrongs.said_twice,
    Code.EMPTY_GROUP: wrongs.empty_group,
    Code.EVIDENCE_MISSING: wrongs.no_evidence,
    Code.GROUND_MISSING: wrongs.no_ground,
    Code.HUMAN_ONLY: wrongs.plays_human,
    Code.LEASE_ENDED: wrongs.renews_nothing,
    Code.LIMIT_REACHED: wrongs.too_often,
    Code.NOT_DUE: wrongs.early,
    Code.NOT_ELIGIBLE: wrongs.no_role,
    Code.NOT_ENDED: wrongs.not_ended,
    Code.NOT_INVOLVED: wrongs.not_involved,
    Code.NOT_IN_GROUP: wrongs.not_in_group,
    Code.NOT_OPEN: wrongs.reopens_open,
    Code.NOT_THE_AUTHOR: wrongs.plays_author,
    Code.NOT_THE_CLOCK: wrongs.plays_clock,
    Code.NOT_THE_HOLDER: wrongs.plays_holder,
    Code.NOT_YET: wrongs_turns.out_of_turn,
    Code.NO_FREE_SEAT: wrongs.no_seat,
    Code.NO_VERDICTS_HERE: wrongs.votes,
    Code.NOTHING_TO_KEEP: wrongs.keeps_nothing,
    Code.OBJECTED: wrongs.shops_objections,
    Code.OWN_FINDING_BLOCKS: wrongs.own_finding,
    Code.REASON_MISSING: wrongs.no_reason,
    Code.REVIEW_ENDED: wrongs.ended,
    Code.REVIEW_MISSING: wrongs.missing,
    Code.RULING_NEEDED: wrongs.alone,
    Code.RULING_PENDING: wrongs.while_ruling,
    Code.SAME_DIGEST: wrongs.same_bytes,
    Code.SEAT_TAKEN: wrongs.taken,
    Code.SIGN_IN_NEEDED: wrongs.at_a_terminal,
    Code.SETTLED: wrongs.settled,
    Code.STALE: wrongs.stale,
    Code.TOO_LONG: wrongs.long,
    Code.TOO_MANY: wrongs.many,
    Code.UNKNOWN_FINDING: wrongs.no_such_finding,
    Code.UNKNOWN_OPTION: wrongs.no_such_option,
    Code.UNKNOWN_PLACE: wrongs.invented,
    Code.UNKNOWN_REQUEST: wrongs.no_such_request,
    Code.UNKNOWN_SEAT: wrongs.no_such_seat,
    Code.UNKNOWN_STAGE: wrongs.no_such_stage,
    Code.UNKNOWN_WORD: wrongs.no_such_word,
    Code.VERDICT_MISSING: wrongs.no_verdict,
    Code.VETOED: wrongs.shops,
    Code.VETO_STANDS: wrongs.against_own_veto,
}
CODES = tuple(ACTS)
