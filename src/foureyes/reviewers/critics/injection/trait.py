"""What is one trait of a sentence that speaks to its reader, and which readers are machines?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.injection import rules

#: Readers that are no people; a plain "reviewer" or "agent" may be one.
MODEL = (
    r"(?:(?:ai|llm|coding|autonomous|automated)[- ](?:code[- ])?(?:reviewers?|agents?|assistants?|models?|"
    r"bots?|auditors?"
    r"|systems?|tools?)|language models?|llms?|chatbots?|chatgpt|gpt-?\d?|claude|gemini|copilot|codex|cursor agent"
    r"|review(?:er)? bots?)"
)
MODEL_ANCHORS = (
    "ai reviewer|ai agent|ai assistant|ai model|ai bot|ai code|ai-|llm|coding agent|autonomous agent|"
    "automated reviewer|"
    "automated agent|language model|chatbot|chatgpt|claude|gemini|copilot|codex|reviewer bot|review bot|an ai"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One trait of a sentence and what it weighs."""

    name: str
    weight: float
    pattern: re.Pattern[str]
    #: The rule a sentence falls under when this is its heaviest trait.
    rule: Rule | None = None
    #: Substrings one of which every match contains; without any the trait never makes a sentence be looked at.
    anchors: tuple[str, ...] = ()
    #: An order: weighs less after "to", "can", "they", where somebody only tells of it.
    order: bool = False


def feature(name: str, weight: float, *patterns: str, rule: Rule | None = None, anchors: str = "") -> Feature:
    """A trait from its patterns; what overrides or judges is an order."""
    found = tuple(anchors.split("|")) if anchors else ()
    order = rule in (rules.OVERRIDE, rules.VERDICT, rules.SECRET)
    compiled = re.compile("|".join(patterns))
    return Feature(name=name, weight=weight, pattern=compiled, rule=rule, anchors=found, order=order)
