"""The links in the documentation have targets."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.shape import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def test_relative_links_lead_to_files_and_headings_that_exist() -> None:
    assert ROOT / "README.md" in DOCUMENTS
    assert [broken for document in DOCUMENTS for broken in broken_links(document)] == []


def test_every_page_of_the_documentation_is_reached_from_its_index() -> None:
    index = ROOT / "docs" / "index.md"
    reached, waiting = set[Path](), [index]
    while waiting:
        page = waiting.pop()
        if page.suffix == ".md" and page not in reached:
            reached.add(page)
            waiting += [target for target, _ in links(page)]
    assert [str(page.relative_to(ROOT)) for page in DOCUMENTS if page not in reached] == []


def broken_links(document: Path) -> Iterator[str]:
    for target, heading in links(document):
        if not leads_somewhere(target, heading):
            yield f"{document.relative_to(ROOT)}: {target}#{heading}"


def leads_somewhere(target: Path, heading: str) -> bool:
    if not (target.exists() and target.is_relative_to(ROOT)):
        return False
    return not heading or heading in anchors(target)


def links(document: Path) -> Iterator[tuple[Path, str]]:
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", link):
            path, _, heading = link.partition("#")
            yield ((document.parent / path).resolve() if path else document), heading


def anchors(document: Path) -> set[str]:
    headings = HEADING.findall(document.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
