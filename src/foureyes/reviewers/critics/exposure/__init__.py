"""The critic of configuration files: finds public exposure and privilege escalation."""

from foureyes.reviewers.critics.exposure.critic import CRITIC

__all__ = ["CRITIC"]
