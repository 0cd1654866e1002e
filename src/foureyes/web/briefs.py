"""What reviewers judge by (criteria, role and reasons), on the page of a review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foureyes.core.briefs import Brief
from foureyes.web.frame import folded
from foureyes.web.html import Html, element, together


def shown(briefs: Iterable[Brief]) -> Iterator[Html]:
    """Each seat's criteria, role and reasons, folded, so that a reader opens only what they need."""
    for one in briefs:
        yield folded(f"What {one.role or 'a reviewer'} judges by in {one.stage}", *_brief(one))


def _brief(brief: Brief) -> Iterator[Html]:
    rows = (
        ("Why this role", "; ".join(brief.reasons)),
        ("Asks for a human when", "; ".join(brief.escalate_when)),
        ("Judges only", brief.scope),
        ("Looks at", ", ".join(brief.profile.focus) if brief.profile else ""),
        ("An approval is at least", f"{brief.confidence_min} % sure" if brief.confidence_min else ""),
        ("The author is", f"{brief.author_confidence} % sure" if brief.author_confidence is not None else ""),
    )
    body = [together(element("dt", name), element("dd", text, class_="lines")) for name, text in rows if text]
    if body:
        yield element("dl", *body)
    criteria = (
        element(
            "li",
            element("strong", one.name),
            element("span", "" if one.required else "optional", class_="soft small"),
            element("span", "; ".join((one.meaning, *one.checks)), class_="whole small lines"),
        )
        for one in brief.criteria
    )
    if brief.criteria:
        yield element("ul", *criteria, class_="list")
