"""Prompts for models and agents: our rules, the work in frames, and a task for each role."""

from foureyes.reviewers.prompts.prompt import Prompt, prompt_for

__all__ = ["Prompt", "prompt_for"]
