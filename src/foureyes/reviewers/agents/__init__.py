"""Which agents on this machine can look, and how is one asked? Claude Code, Codex and Gemini CLI, with their logins."""

from foureyes.reviewers.agents.at_hand import at_hand
from foureyes.reviewers.agents.reviewer import AgentReviewer, health

__all__ = ["AgentReviewer", "at_hand", "health"]
