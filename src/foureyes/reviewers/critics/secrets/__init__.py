"""The critic of secrets: finds credentials and unencrypted secrets."""

from foureyes.reviewers.critics.secrets.critic import CRITIC
from foureyes.reviewers.critics.secrets.find import spans
from foureyes.reviewers.critics.secrets.found import Span

__all__ = ["CRITIC", "Span", "spans"]
