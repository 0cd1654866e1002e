"""Local reviews: how the author of a review on one person's machine is named, which distinguishes it from a team's.

No account can have such a name, so the name shows that `foureyes review` opened the review. Local reviews have a store
of their own. A server that finds one in its log, from an earlier release, does not list or serve it.
"""

from __future__ import annotations

from foureyes.core.model import Review

#: Suffix of a local author's name.
AUTHOR_MARK = " (author)"


def local_author(user: str) -> str:
    """The author's name in the local reviews of an operating system user."""
    return f"{user}{AUTHOR_MARK}"


def is_local_author(name: str) -> bool:
    """True if this is the name of a local review's author."""
    return name.endswith(AUTHOR_MARK)


def is_local(review: Review) -> bool:
    """True if `foureyes review` opened it on a local machine."""
    return is_local_author(review.author.name)
