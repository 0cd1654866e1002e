"""The security reviewer: the critics of secrets, commands, exposure and the policy, combined in one scope."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from foureyes.app.reviewers import Change
from foureyes.reviewers.critics.critic import Critic, Judged, Rule, judged

SCOPE = "security"


@dataclass(frozen=True, kw_only=True)
class Security:
    """Several critics that answer as one; each is loaded when it is first needed."""

    name: str = "security"
    scope: str = SCOPE

    @cached_property
    def parts(self) -> tuple[Critic, ...]:
        """Return the critics, in the order in which they run."""
        from foureyes.reviewers.critics import commands, exposure, policy, secrets  # noqa: PLC0415 - not before it is needed

        return (secrets.CRITIC, commands.CRITIC, exposure.CRITIC, policy.CRITIC)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules of all critics."""
        return tuple(rule for one in self.parts for rule in one.rules)

    def look(self, change: Change) -> Judged:
        """Return everything that any of the critics finds."""
        found = [one.look(change) for one in self.parts]
        looked = "; ".join(one.looked_at for one in found if one.looked_at)
        unread = dict.fromkeys(missed for one in found for missed in one.unread)
        return judged((hit for one in found for hit in one.hits), unread=unread, looked_at=looked)


CRITIC = Security()
