"""Does the work change what judges it? The base's policy judges all the same; demanding less takes a human."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.app.reviewers import Change, File
from foureyes.policy.diff import Direction, diff
from foureyes.policy.load import FILE_NAME, load_text, shipped
from foureyes.policy.nodes import PolicyErrors
from foureyes.policy.policy import Policy
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, judged

WEAKENED = Rule(
    id="security.policy.weakened",
    title="This change weakens the policy that judges it",
    why="A gate that whoever is judged can lower guards nothing.",
    fix="Have a signed-in human decide about the policy in a change of its own.",
    severity="critical",
)
BROKEN = Rule(
    id="security.policy.broken",
    title="The policy cannot be read any more",
    why="Work would be refused, or judged by other rules than its authors think.",
    fix="Mend it: `foureyes policy check` names the line.",
)
CHANGED = Rule(
    id="security.policy.changed",
    title="This change alters the policy",
    why="It counts for later work only; this work is judged by the policy at its base.",
    fix="Nothing, if that is meant.",
    severity="minor",
)
SHOWN_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCritic:
    """Compares the policy before and after."""

    name: str = "policy"
    scope: str = "security"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What it looks for."""
        return (WEAKENED, BROKEN, CHANGED)

    def look(self, change: Change) -> Judged:
        """Judge the file of that name at the root; others guard nothing here."""
        file = change.file(FILE_NAME) or next((one for one in change.files if one.was == FILE_NAME), None)
        if file is None:
            return Judged()
        return judged(_hits(file, change), looked_at="the policy")


def _hits(file: File, change: Change) -> Iterator[Hit]:
    gone = file.path != FILE_NAME or file.content is None
    try:
        new = shipped("solo").policy if gone else _loaded(file.content or b"", change)
    except PolicyErrors as error:
        yield Hit(rule=BROKEN, path=file.path, line=1, evidence=str(error.problems[0])[:300])
        return
    weaker = _weaker(file.before, new, change) if file.before is not None else []
    if weaker:
        more = f" and {len(weaker) - SHOWN_MAX} more" if len(weaker) > SHOWN_MAX else ""
        said = "; ".join(weaker[:SHOWN_MAX]) + more
        yield Hit(rule=WEAKENED, path=file.path, text=f"This change weakens the policy that judges it: {said}")
    else:
        yield Hit(rule=CHANGED, path=file.path, state=State.CLEAR)


def _weaker(before: bytes, new: Policy, change: Change) -> list[str]:
    """In what it demands less than at the base; of one that could not be read, nobody can say that it does not."""
    try:
        old = _loaded(before, change)
    except PolicyErrors:
        return ["what it demanded before cannot be read"]
    return [one.words for one in diff(old, new) if one.direction is Direction.WEAKER]


def _loaded(text: bytes, change: Change) -> Policy:
    def beside(name: str) -> bytes:
        file = change.file(name)
        if file is not None and file.content is not None:
            return file.content
        if change.at_base is None:
            raise FileNotFoundError(name)
        return change.at_base(name)

    return load_text(FILE_NAME, text, beside).policy


CRITIC = PolicyCritic()
