"""The rules for texts that state facts."""

from __future__ import annotations

from foureyes.reviewers.critics.critic import Rule

_LIMIT = "This program sees that a source is missing; whether a claim is true only a model or a human can verify."


def _rule(name: str, title: str, why: str, fix: str) -> Rule:
    return Rule(
        id=f"factual.{name}", title=title, why=f"{why} {_LIMIT}", fix=fix, severity="important", category="factual"
    )


FIGURE = _rule(
    "unsourced.figure",
    "A figure has no source",
    "Readers cannot check it, and models invent numbers easily.",
    "Add a link, a footnote or how it was measured, or leave the figure out.",
)
STUDIES = _rule(
    "unsourced.studies",
    "Unnamed studies or experts are called on",
    "Nobody can look up what has no name.",
    "Name the study or the person, with a link.",
)
SUPERLATIVE = _rule(
    "unsourced.superlative",
    "A superlative has no source",
    "To be the first, the best or the only one is a claim about all others.",
    "Add what it was compared with, or say it more modestly.",
)
QUOTE = _rule(
    "quote",
    "A quotation does not say whose it is",
    "Words that somebody said need their speaker.",
    "Name who said it and where.",
)
STALE = _rule(
    "stale",
    "What is said of today has an old date",
    "It was true then; nobody has looked since.",
    "Check how it is now and write the date of the check.",
)
LINK = _rule(
    "dead-link",
    "A link within the work leads nowhere",
    "The reader who follows it finds nothing.",
    "Correct the link or write what it should lead to.",
)
RULES = (FIGURE, STUDIES, SUPERLATIVE, QUOTE, STALE, LINK)
