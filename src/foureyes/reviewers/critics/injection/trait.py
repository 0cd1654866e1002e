"""The class for one trait of a sentence, and the words that name a model as the reader."""

from __future__ import annotations

import re
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.injection import rules

#: Readers that are programs; a plain "reviewer" or "agent" may be a person.
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
    """One trait of a sentence, and its weight."""

    name: str
    weight: float
    pattern: re.Pattern[str]
    #: The rule of a sentence whose heaviest trait this is.
    rule: Rule | None = None
    #: Every match contains one of these substrings; a trait without anchors never selects a sentence by itself.
    anchors: tuple[str, ...] = ()
    #: True for orders: they weigh less after "to", "can" or "they", where an order is only reported.
    order: bool = False


def feature(name: str, weight: float, *patterns: str, rule: Rule | None = None, anchors: str = "") -> Feature:
    """Return a trait made of patterns; traits of overrides, verdicts and secrets are orders."""
    found = tuple(anchors.split("|")) if anchors else ()
    order = rule in (rules.OVERRIDE, rules.VERDICT, rules.SECRET)
    compiled = re.compile("|".join(patterns))
    return Feature(name=name, weight=weight, pattern=compiled, rule=rule, anchors=found, order=order)
