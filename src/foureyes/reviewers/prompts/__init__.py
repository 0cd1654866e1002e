"""What is a model or an agent asked? Our rules, the work in frames, and a task per role."""

from foureyes.reviewers.prompts.prompt import Prompt, prompt_for

__all__ = ["Prompt", "prompt_for"]
