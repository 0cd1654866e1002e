"""Which critic looks at configuration files? The one for public exposure and privilege escalation."""

from foureyes.reviewers.critics.exposure.critic import CRITIC

__all__ = ["CRITIC"]
