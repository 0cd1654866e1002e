"""Play a critic chain: its layers as seed 002 defines them, and the moves of its critics."""

from dataclasses import dataclass

from foureyes.core import commands
from foureyes.core.model import ReportRequest, Review, RevisionRequest, RulingRequest
from foureyes.core.rules import Rules
from foureyes.core.values import Outcome
from tests.cast import CRITICS, RULES, Play

Layer = tuple[str, str, bool]
SELDON: Layer = ("seldon", "format", False)
HARDIN: Layer = ("hardin", "security", True)
GAAL: Layer = ("gaal", "factual", True)


@dataclass(frozen=True)
class Seven:
    """One chain of the seed: critics with scope and veto, unanimity, retries, and the end after the last."""

    name: str
    layers: tuple[Layer, ...]
    unanimous: bool
    retries: int
    end: str

    def __str__(self) -> str:
        return self.name


CHAINS = (
    Seven("default", (SELDON,), False, 3, "return_error"),
    Seven("security", (SELDON, HARDIN), True, 2, "escalate_to_human"),
    Seven("research", (SELDON, GAAL), True, 3, "escalate_to_human"),
    Seven("infrastructure", (SELDON, HARDIN, ("daneel", "operational", False)), True, 2, "escalate_to_human"),
    Seven("financial", (SELDON, ("mallow", "financial", False), GAAL), True, 1, "escalate_to_human"),
    Seven("content", (("magnifico", "creative", False), GAAL), True, 3, "return_to_author"),
    Seven("trading", (SELDON, HARDIN, ("amaryl", "quantitative", False)), True, 1, "escalate_to_human"),
)
#: Every layer of every chain.
PLACES = [(chain, number) for chain in CHAINS for number in range(len(chain.layers))]
ENDS = {"return_error": Outcome.REJECTED, "return_to_author": Outcome.RETURNED}


def opened(name: str, rules: Rules = RULES) -> Play:
    """Open the review of a workflow step that has this chain."""
    play = Play(rules)
    play.open(f"{name}_step")
    return play


def asked(play: Play) -> list[str]:
    """The reviewers who owe a report, by name."""
    seats = [one.seat for one in play.review.requests.values() if isinstance(one, ReportRequest)]
    holders = [play.review.seats[seat].reviewer for seat in seats]
    return [holder.name if holder else "" for holder in holders]


def approve(play: Play, critic: str) -> None:
    """The critic approves and resolves its own earlier findings."""
    play.report(CRITICS[critic], verdict="approve", summary="in order", settled=settled(play.review, critic))


def reject(play: Play, critic: str, reason: str = "Claim about 95% accuracy has no cited source") -> None:
    """The critic rejects, with a reason."""
    play.report(CRITICS[critic], verdict="reject", summary=reason)


def settled(review: Review, critic: str) -> tuple[commands.Settlement, ...]:
    """Settlements that resolve every open finding of this critic."""
    own = [one for one in review.findings.values() if one.raiser == critic and not one.is_settled]
    return tuple(commands.Settlement(finding=one.id, resolved=True, note="gone") for one in own)


def run_to(play: Play, chain: Seven, layer: int) -> None:
    """Let every layer before this one approve, in order."""
    for critic, _, _ in chain.layers[:layer]:
        assert asked(play) == [critic]
        approve(play, critic)
    assert asked(play) == [chain.layers[layer][0]]


def wanted(play: Play) -> RevisionRequest:
    """The pending revision request."""
    found = play.review.revision_request()
    assert found is not None
    return found


def ruling(play: Play) -> RulingRequest:
    """The pending ruling request."""
    found = play.review.ruling()
    assert found is not None
    return found
