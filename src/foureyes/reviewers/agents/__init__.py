"""Agents on this machine as reviewers: Claude Code, Codex and Gemini CLI, with the logins they have."""

from foureyes.reviewers.agents.at_hand import at_hand
from foureyes.reviewers.agents.reviewer import AgentReviewer, health

__all__ = ["AgentReviewer", "at_hand", "health"]
