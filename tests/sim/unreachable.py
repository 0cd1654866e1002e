"""What can never occur in the histogram, with reasons; everything else must be seen often enough."""

from __future__ import annotations

from foureyes.codec import EVENT_TYPES
from foureyes.core import gates
from foureyes.core.judgement import Move
from foureyes.core.refusals import Code
from foureyes.core.rules import Style
from foureyes.core.values import Outcome

ONLY_ESCALATES = "a condition nobody knows is a human's matter, always"
NEVER_WAITS = "it judges the reports that are there; missing ones are waited for by the other gates of its stage"
ONLY_TALLY = "only a session asks for a clarification"
ASKED_BEFORE = (
    "a report that covers too little is no report; only a policy that asks for more later finds one, tests/seeds does"
)
NEVER_ENDS = "it has no opinion that ends a review"
NEVER_REVISES = "it asks a seat, the author for answers, or a human, but never for new bytes"
LAYERS_DECIDE = (
    "a layer's doubt goes back to the author; only the used-up attempts reach a human, by the rules of settling"
)
AT_THE_MACHINE = "what is done to the store itself has no part in any review; tests/tamper plays it"
AT_THE_DOORS = "accounts have no part in any review; tests/core/test_principals.py plays them"
ONLY_LOOKED = "whoever looks changes nothing in any review; tests/doors/test_whole_seen.py plays it"
ONLY_HOOKS = "hooks have no part in any review; tests/core/test_silence.py and tests/cli/test_off.py play them"
ONLY_PUBLISHERS = "a base is attested beside the reviews; tests/use/test_u01_bases.py plays it"
ONLY_CHAINS = "only a chain's rules say that used-up attempts go back to the author"

#: Events that no party in the simulated world can cause, with the reason.
EVENTS = {
    **dict.fromkeys(("BlobPurged", "KeyRotated", "StoreRestored"), AT_THE_MACHINE),
    **dict.fromkeys(("PrincipalEnrolled", "PrincipalRemoved", "TokenIssued", "TokenRevoked"), AT_THE_DOORS),
    "WholeSeen": ONLY_LOOKED,
    "BaseAttested": ONLY_PUBLISHERS,
    **dict.fromkeys(("HooksSilenced", "HooksResumed"), ONLY_HOOKS),
}
#: Refusals by the gate before the core, or from facts only the shell has; tests/app and tests/doors cover them.
REFUSALS = {
    Code.BAD_PATH,
    Code.BAD_VALUE,
    Code.IDENTITY_MISMATCH,
    Code.KEY_MISSING,
    Code.KEY_REUSED,
    Code.PARTS_MISSING,
    Code.UNDER_REVIEW,
    Code.UNKNOWN_DIGEST,
}
#: Gate -> moves that it never makes, with the reason.
GATES: dict[str, dict[Move, str]] = {
    "Agreement": {Move.CLARIFY: ONLY_TALLY, Move.REJECT: NEVER_ENDS},
    "Certainty": {
        Move.WAIT: NEVER_WAITS,
        Move.CLARIFY: ONLY_TALLY,
        Move.REVISE: NEVER_REVISES,
        Move.REJECT: NEVER_ENDS,
    },
    "ConfidenceGap": {
        Move.WAIT: NEVER_WAITS,
        Move.CLARIFY: ONLY_TALLY,
        Move.REVISE: NEVER_REVISES,
        Move.REJECT: NEVER_ENDS,
    },
    "Consistency": {Move.CLARIFY: ONLY_TALLY, Move.REVISE: NEVER_REVISES, Move.REJECT: NEVER_ENDS},
    "Coverage": {
        Move.ESCALATE: ASKED_BEFORE,
        Move.WAIT: NEVER_WAITS,
        Move.CLARIFY: ONLY_TALLY,
        Move.REVISE: NEVER_REVISES,
        Move.REJECT: NEVER_ENDS,
    },
    "Evidence": {Move.CLARIFY: ONLY_TALLY, Move.REJECT: NEVER_ENDS},
    "Independence": {
        Move.WAIT: NEVER_WAITS,
        Move.CLARIFY: ONLY_TALLY,
        Move.REVISE: NEVER_REVISES,
        Move.REJECT: NEVER_ENDS,
    },
    "Majority": {Move.CLARIFY: ONLY_TALLY, Move.ESCALATE: LAYERS_DECIDE, Move.REJECT: NEVER_ENDS},
    "Quorum": {Move.CLARIFY: ONLY_TALLY, Move.REVISE: NEVER_REVISES, Move.REJECT: NEVER_ENDS},
    "Resolved": {Move.CLARIFY: ONLY_TALLY, Move.REVISE: NEVER_REVISES},
    "Standards": {Move.CLARIFY: ONLY_TALLY},
    "Tally": {Move.REVISE: NEVER_REVISES, Move.REJECT: NEVER_ENDS},
    "Unanimous": {Move.CLARIFY: ONLY_TALLY, Move.ESCALATE: LAYERS_DECIDE, Move.REJECT: NEVER_ENDS},
    "Unknown": {move: ONLY_ESCALATES for move in Move if move is not Move.ESCALATE},
}
#: Style -> outcomes that it never reaches, with the reason.
OUTCOMES: dict[Style, dict[Outcome, str]] = {
    style: {Outcome.RETURNED: ONLY_CHAINS} for style in Style if style is not Style.CHAIN
}
#: Names in the gates' modules that are not gates.
NO_GATES = frozenset({"Criteria", "Mode"})


def reachable_refusals() -> list[Code]:
    """The refusals that can occur in the simulated world."""
    return sorted(set(Code) - REFUSALS)


def reachable_events() -> list[str]:
    """Every event that can occur in the simulated world."""
    return sorted(EVENT_TYPES.keys() - EVENTS.keys())


def reachable_gates() -> list[str]:
    """Every gate with every move it can make, as the histogram spells them."""
    names = [one for one in gates.__all__ if one not in NO_GATES]
    return [f"{name} {move.name}" for name in names for move in Move if move not in GATES.get(name, {})]


def reachable_outcomes() -> list[str]:
    """Every style with every outcome it can reach, as the histogram spells them."""
    return [f"{style} {end}" for style in Style for end in Outcome if end not in OUTCOMES.get(style, {})]
