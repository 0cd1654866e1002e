"""Models as reviewers; the library that calls them is loaded only when one is asked."""

from foureyes.reviewers.models.at_hand import at_hand, for_role
from foureyes.reviewers.models.reviewer import ModelReviewer, health

__all__ = ["ModelReviewer", "at_hand", "for_role", "health"]
