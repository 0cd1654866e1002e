"""Is it dangerous? Secrets, commands, exposure and the policy itself: several critics as one reviewer of one scope."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from foureyes.app.reviewers import Change
from foureyes.reviewers.critics.critic import Critic, Judged, Rule, judged

SCOPE = "security"


@dataclass(frozen=True, kw_only=True)
class Security:
    """Several critics that answer as one; each is loaded when there is something to look at."""

    name: str = "security"
    scope: str = SCOPE

    @cached_property
    def parts(self) -> tuple[Critic, ...]:
        """Who looks, in order."""
        from foureyes.reviewers.critics import commands, exposure, policy, secrets  # noqa: PLC0415 - not before it is needed

        return (secrets.CRITIC, commands.CRITIC, exposure.CRITIC, policy.CRITIC)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all."""
        return tuple(rule for one in self.parts for rule in one.rules)

    def look(self, change: Change) -> Judged:
        """Everything that any of them finds."""
        found = [one.look(change) for one in self.parts]
        looked = "; ".join(one.looked_at for one in found if one.looked_at)
        unread = dict.fromkeys(missed for one in found for missed in one.unread)
        return judged((hit for one in found for hit in one.hits), unread=unread, looked_at=looked)


CRITIC = Security()
