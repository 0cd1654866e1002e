"""Find links of a text to files that the work removes, and to headings that its files do not have.

Only the work itself is known here: a link to a file outside of it is not judged.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from urllib.parse import unquote

from foureyes.app.reviewers import Change
from foureyes.reviewers.critics.factual.bare import bare

LINKS_MAX = 5_000
_LINK = re.compile(
    r"(?<!!)\[[^\[\]\n]{0,300}\]\(<?([^)\s>]{1,500})>?(?:\s+\"[^\"\n]{0,200}\")?\)|"
    r"^\[[^\]\n]{1,100}\]:\s*<?(\S{1,500}?)>?\s*$",
    re.MULTILINE,
)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.{0,300}?)[ \t#]*$|^(\S[^\n]{0,300})\n(?:=+|-+)[ \t]*$", re.MULTILINE)
_NAMED = re.compile(r"\b(?:id|name)\s?=\s?[\"']([^\"'\n]{1,200})[\"']|\{#([\w-]{1,100})\}", re.IGNORECASE)
MARKDOWN = (".md", ".markdown", ".mdx")


def dead_links(text: str, path: str, change: Change) -> Iterator[tuple[int, str]]:
    """Yield the position and the target of each broken link."""
    known = {file.path: file for file in change.files}
    gone = {file.path for file in change.files if file.content is None} | {
        file.was for file in change.files if file.was
    }
    texts = {name: file.text for name, file in known.items() if file.text is not None and name.endswith(MARKDOWN)}
    seen: dict[str, frozenset[str]] = {}
    for match in islice(_LINK.finditer(bare(text)), LINKS_MAX):
        target = match[1] or match[2]
        if "://" in target or target.startswith(("mailto:", "/", "//")):
            continue
        file, _, anchor = target.partition("#")
        where = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file))) if file else path
        if (where in gone and where not in texts) or (
            anchor and where in texts and not _has(where, unquote(anchor), texts, seen)
        ):
            yield match.start(), target


def _has(where: str, anchor: str, texts: Mapping[str, str | None], seen: dict[str, frozenset[str]]) -> bool:
    if where not in seen:
        seen[where] = anchors_of(texts[where] or "")
    return anchor.lower() in seen[where] or re.fullmatch(r"[lL]\d+(-[lL]\d+)?", anchor) is not None


def anchors_of(text: str) -> frozenset[str]:
    """Return the anchors of a text: its headings and named elements."""
    prose = bare(text, inline=False)
    anchors: set[str] = {(match[1] or match[2]).lower() for match in _NAMED.finditer(prose)}
    counts: dict[str, int] = {}
    for match in _HEADING.finditer(prose):
        slug = _slug(match[1] or match[2] or "")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return frozenset(anchors)


def _slug(heading: str) -> str:
    """Return the anchor of a heading as the common renderers build it."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    plain = re.sub(r"<[^>]*>", "", plain).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
