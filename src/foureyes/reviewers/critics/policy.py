"""The critic of the policy: finds changes to the policy that weaken it, break it or make it run commands.

The work itself is judged by the policy at its base. A change that demands less takes a human's decision.
"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.app.reviewers import Change
from foureyes.reviewers.critics.critic import Judged, Rule

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
FIRST = Rule(
    id="security.policy.first",
    title="The first policy of this repository demands less than the built-in one",
    why="Until now the built-in policy judged this work; whoever brings the first one must not be who lowers the gate.",
    fix="Demand what the built-in one demands, or have a signed-in human decide about it in a change of its own.",
)
RUNS = Rule(
    id="security.policy.runs",
    title="This policy will run a command",
    why="It runs on the machine of everybody who reviews, with their rights, and is in no sandbox.",
    fix="Read what the command does, and have a human decide about it.",
)
#: The name of a repository's policy file.
FILE_NAME = "foureyes.yaml"
#: File types of the files that a policy may refer to.
ENDS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCritic:
    """Compares the policy before and after the change."""

    name: str = "policy"
    scope: str = "security"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return all rules of this critic."""
        return (WEAKENED, BROKEN, CHANGED, FIRST, RUNS)

    def look(self, change: Change) -> Judged:
        """Judge the policy file at the root and the files it refers to; policies in other folders have no effect."""
        if not _may_concern(change):
            return Judged()
        from foureyes.reviewers.critics.policy_change import judge_change  # noqa: PLC0415 - most works touch no policy

        return judge_change(change)


def _may_concern(change: Change) -> bool:
    """True if the work touches the policy, or a file of a type that the policy may refer to."""
    paths = (*(name for one in change.files for name in (one.path, one.was)), *(one.path for one in change.unread))
    return any(one.endswith(ENDS) for one in paths)


CRITIC = PolicyCritic()
