"""The critic of commands: finds commands that destroy, escalate, leak or run untrusted code."""

from __future__ import annotations

from foureyes.reviewers.critics.commands.command import judge_command
from foureyes.reviewers.critics.commands.critic import CRITIC

__all__ = ["CRITIC", "judge_command"]
