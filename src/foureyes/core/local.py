"""Reviews of one person on one machine: how their author is named, by which every store tells them from the team's.

No account can bear such a name, so it says by itself that `foureyes review` opened the review. Such reviews live in a
store of their own; a server that finds one in its log, from before that was so, lists and serves nothing of it.
"""

from __future__ import annotations

from foureyes.core.model import Review

#: How the name of a local author ends.
AUTHOR_MARK = " (author)"


def local_author(user: str) -> str:
    """The author's name in the local reviews of a user of the operating system."""
    return f"{user}{AUTHOR_MARK}"


def is_local_author(name: str) -> bool:
    """Whether this is the author of a local review."""
    return name.endswith(AUTHOR_MARK)


def is_local(review: Review) -> bool:
    """Whether `foureyes review` opened it, on somebody's own machine."""
    return is_local_author(review.author.name)
