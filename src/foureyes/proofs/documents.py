"""Documents: proves that only paragraphs of prose differ, in Markdown, reStructuredText or plain text for people.

What a program takes from a document (front matter, code, markup, links, includes, templates) must be unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from foureyes.proofs.edits import Edit
from foureyes.proofs.words import is_plain

BLOCKS_MAX = 1_000

#: A name with two suffixes (`a.coffee.md`, `a.feature.md`, `a.lagda.md`) is a program in prose.
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)\.(md|markdown|rst|txt)")

#: Documents with these names are read by people in any folder.
_READ_ANYWHERE = frozenset({"readme"})
#: And these in the top folder of a repository. Licences and notices are not among them, because lawyers read those.
_READ_AT_THE_TOP = frozenset(
    {"architecture", "authors", "changelog", "changes", "code_of_conduct", "contributing", "contributors", "faq"}
    | {"glossary", "history", "install", "news", "readme", "roadmap", "support", "thanks", "upgrading", "usage"}
)
#: Known names in capitals; other files with names in capitals are often meant for agents.
_IN_CAPITALS = _READ_AT_THE_TOP | {"api", "credits", "deployment", "design", "development", "maintainers", "releasing"}
_DOCUMENT_FOLDERS = frozenset({"doc", "docs", "documentation"})
#: Plain text is prose under few names: requirements.txt, robots.txt and CMakeLists.txt are programs.
_TEXT_NAMES = frozenset(
    {"authors", "changelog", "changes", "contributors", "faq", "history", "news", "readme", "thanks"}
)
#: Tables of contents, which build tools read.
_STRUCTURE = frozenset({"_navbar", "_sidebar", "_toc", "nav", "sidebar", "summary", "toc"})
#: Text in such folders is read by agents, test runners and site builders.
_EXECUTED_FOLDERS = frozenset(
    {"_data", "_includes", "_layouts", "_partials", "_snippets", "agents", "archetypes", "commands", "data", "features"}
    | {
        "i18n",
        "includes",
        "instructions",
        "layouts",
        "locale",
        "locales",
        "macros",
        "overrides",
        "partials",
        "personas",
    }
    | {"prompt", "prompts", "rules", "shortcodes", "skills", "snippets", "spec", "specs", "test", "tests", "themes"}
)

#: Where any of these occurs, blocks are not what they look like: templates, containers, raw markup that spans blocks.
_WHOLE_FILE = re.compile(
    r"\{[%{#<]|:::|\[\[\[|<!--|<\?|<!\[|<!doctype|</?(script|style|pre|textarea|template|iframe|object|svg|math|code)\b"
    r"|^(\+\+\+|%|@|;;;)|^(---|\.\.\.)\n(?=[^\n])",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r" {0,3}(```|~~~)[A-Za-z0-9_+-]*\s*")
_FENCE_END = re.compile(r" {0,3}(```|~~~)\s*")
_LIST_MARK = re.compile(r"(?:[-*+]|\d{1,3}[.)]) +")
_MORE_SIGNS = frozenset("*+")

#: What a reader follows or copies: code within a line, the target of a link, an address. It must be unchanged.
_KEPT = re.compile(r"`[^`\n]+`|(?<=\])\([^()\s]*\)|(?:https?://|www\.)[^\s)>\]]+", re.IGNORECASE)
#: A reference of reStructuredText: the word in front of the underscore names a link.
_REFERENCE = re.compile(r"\w_+(?!\w)")
_LINK_TEXT = re.compile(r"!?\[([^\[\]\n]*)\](?=\x00)")


def is_document(path: str) -> bool:
    """True if people read this file, and no program takes instructions from it."""
    *folders, name = path.split("/")
    found = _NAME.fullmatch(name)
    lowered = {folder.lower() for folder in folders}
    if found is None or not _EXECUTED_FOLDERS.isdisjoint(lowered):
        return False
    stem = found[1].lower().replace("-", "_")
    if found[1].isupper() and stem not in _IN_CAPITALS:
        return False
    if stem in _STRUCTURE or (found[2] == "txt" and stem not in _TEXT_NAMES):
        return False
    in_documents = not _DOCUMENT_FOLDERS.isdisjoint(lowered)
    return stem in _READ_ANYWHERE or in_documents or (not folders and stem in _READ_AT_THE_TOP)


def edits_of_prose(path: str, before: str, after: str) -> list[Edit] | None:
    """Return the edits of paragraphs if nothing else differs and programs read the same as before; else None."""
    old, new = _blocks(path, before), _blocks(path, after)
    if old is None or new is None or not old or not new:
        return None
    if old[0] != new[0] and ":" in old[0] + new[0]:
        # Keys in the first paragraph are front matter to some tools, even without delimiters.
        return None
    steps = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    changes = [
        (old[i:j], new[k:m], (old[:i], new[:k]), (old[j:], new[m:])) for tag, i, j, k, m in steps if tag != "equal"
    ]
    if not all(_is_prose_edit(path, *change) for change in changes):
        return None
    return [
        Edit(before=_words_of(path, removed), after=_words_of(path, added), in_document=True)
        for removed, added, _, _ in changes
    ]


def _is_prose_edit(
    path: str,
    removed: list[str],
    added: list[str],
    above: tuple[list[str], list[str]],
    below: tuple[list[str], list[str]],
) -> bool:
    """True if paragraphs were replaced by paragraphs, and the blocks around them keep their meaning."""
    if not all(_is_prose(path, block) for block in (*removed, *added)):
        return False
    # An indented block belongs to the list or the line above it; without that it would become code, or stop being code.
    if any(side and (side[0][0] in " \t") for side in below) or any(side and side[-1].endswith("::") for side in above):
        return False
    return _kept_parts(removed) == _kept_parts(added)


def _is_prose(path: str, block: str) -> bool:
    """True if a block is a paragraph or a list of plain words."""
    if "```" in block or "~~~" in block:
        return False
    first, *rest = block.split("\n")
    is_list = _LIST_MARK.match(first) is not None
    for line in (first, *rest):
        indent = len(line) - len(line.lstrip(" "))
        if indent > 3 or (indent and not (is_list and line is not first)):  # noqa: PLR2004 - four make it code
            return False
        text = line.strip()
        marked = _LIST_MARK.match(text)
        if path.endswith(".rst") and _REFERENCE.search(text):
            return False
        words = _without_kept(path, text[marked.end() :] if marked else text)
        if not words.strip() or not is_plain(words, more_signs=_MORE_SIGNS):
            return False
    return True


def _without_kept(path: str, text: str) -> str:
    """Return the words of a line; in Markdown without code, link targets and addresses.

    Those are compared separately.
    """
    if not path.endswith(("md", "markdown")):
        return text
    return _LINK_TEXT.sub(r"\1", _KEPT.sub("\0", text)).replace("\0", "x")


def _words_of(path: str, blocks: list[str]) -> str:
    """Return the lines of paragraphs without list marks and without the parts that are compared separately."""
    lines = (line.strip() for block in blocks for line in block.split("\n"))
    return "\n".join(_without_kept(path, _LIST_MARK.sub("", line, count=1)) for line in lines)


def _kept_parts(blocks: list[str]) -> list[str]:
    return [part for block in blocks for part in _KEPT.findall(block)]


def _blocks(path: str, text: str) -> list[str] | None:
    """Split a text into paragraphs and fenced code; None if another reader may understand the text differently."""
    if _WHOLE_FILE.search(text) or text.lstrip().startswith("---"):
        return None
    found = list(_split(text, fences=not path.endswith(".rst")))
    return None if "" in found or len(found) > BLOCKS_MAX else found


def _split(text: str, *, fences: bool) -> Iterator[str]:
    """Yield blocks of lines; an empty one means a fence that not every reader closes at the same place."""
    block, fence = list[str](), ""
    for line in (*text.split("\n"), ""):
        if fence:
            block.append(line)
            ending = _FENCE_END.fullmatch(line)
            if ending and ending[1] == fence:
                yield "\n".join(block)
                block, fence = [], ""
            elif "```" in line or "~~~" in line:
                yield ""
            continue
        opening = _FENCE.fullmatch(line) if fences else None
        if (opening or not line.strip()) and block:
            yield "\n".join(block)
            block = []
        if opening:
            block, fence = [line], opening[1]
        elif "```" in line or "~~~" in line:
            yield ""
        elif line.strip():
            block.append(line.rstrip())
    if fence:
        yield ""
