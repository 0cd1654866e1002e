"""Holes and public incidents that cannot be planted in the core, with the areas that cover them."""

from __future__ import annotations

from dataclasses import dataclass

#: The holes in the seeds.
HOLES = tuple(f"S{number}" for number in range(1, 24))

#: The public incidents, by the word a planted bug names as its source.
INCIDENTS = (
    "GerriScary",
    "CVE-2026-1999",
    "CVE-2026-94205",
    "CVE-2026-104632",
    "GitLab 436977",
    "GitLab 410123",
    "required_approvals",
    "OpenReview 2025",
    "a bot's upload",
    "dismiss stale approvals",
)

AREAS = ("doors", "store", "engine", "enforcement", "learning", "policy", "dashboard")


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A hole that the core alone cannot show."""

    hole: str
    area: str
    why: str


ELSEWHERE = (
    Elsewhere(hole="S1", area="doors", why="who acts comes from the credential; the core is told the principal"),
    Elsewhere(hole="S2", area="doors", why="ids are minted at the door; that a name is not taken twice is planted"),
    Elsewhere(hole="S9", area="enforcement", why="only the place where work is published can force the question"),
    Elsewhere(hole="S15", area="doors", why="every message of every door is a projection; ids and counts are planted"),
    Elsewhere(hole="S19", area="engine", why="the prompt marks the author's words as untrusted; the note is planted"),
    Elsewhere(hole="S20", area="dashboard", why="a silent agent is flagged to people, no invariant speaks of flags"),
    Elsewhere(hole="GitLab 410123", area="enforcement", why="a tag named like the branch needs git"),
    Elsewhere(hole="GitLab 436977", area="enforcement", why="a branch deleted and recreated needs git"),
    Elsewhere(hole="OpenReview 2025", area="doors", why="search asks the one view too; the view itself is planted"),
    Elsewhere(hole="required_approvals", area="policy", why="0, negative and True are refused when a policy is read"),
)
