"""What of a work nobody judged: languages that no program reads, and files that went unread.

Programs check every text for secrets, commands, hidden text and form; whether code in languages other than Python and
shell does what it should is judged only by an agent, a model or a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from foureyes.app.reviewers import Change, Unread
from foureyes.app.reviewing.outcome import Looked, LookedKind

NAMED_MAX = 3
_LANGUAGES = {
    "TypeScript": ".ts .tsx .mts .cts",
    "JavaScript": ".js .jsx .mjs .cjs",
    "Go": ".go",
    "Rust": ".rs",
    "Java": ".java",
    "Kotlin": ".kt .kts",
    "C": ".c .h",
    "C++": ".cc .cpp .cxx .hpp .hh",
    "C#": ".cs",
    "Ruby": ".rb",
    "PHP": ".php",
    "Swift": ".swift",
    "Objective-C": ".m .mm",
    "Scala": ".scala",
    "Perl": ".pl .pm",
    "Lua": ".lua",
    "Elixir": ".ex .exs",
    "Dart": ".dart",
    "Haskell": ".hs",
    "R": ".r",
    "PowerShell": ".ps1 .psm1",
    "Vue": ".vue",
    "Svelte": ".svelte",
    "Solidity": ".sol",
}
_NAMES = {end: name for name, ends in _LANGUAGES.items() for end in ends.split()}
#: Pictures, fonts, sound, films, documents for people, compiled catalogues, and generated files.
_NEEDS_NO_READING_TEXT = """
    .png .jpg .jpeg .gif .webp .avif .bmp .ico .icns .tif .tiff .psd .xcf .svgz .heic .eot .otf .ttf .woff .woff2
    .mp3 .ogg .wav .flac .m4a .mp4 .webm .mov .avi .mkv .pdf .odt .ods .odp .docx .xlsx .pptx .epub .mo .gmo .qm
    .map .lock .lockb .snap .min.js .min.css package-lock.json
"""
_NEEDS_NO_READING = tuple(_NEEDS_NO_READING_TEXT.split())
#: Reasons given for files that were read all the same, or that are no part of the work.
_READ_OTHERWISE = (
    "a template:",
    "its earlier version is too large to compare with",
    "it is a repository of its own",
    "only its ASCII characters were judged",
)


def unjudged_languages(change: Change) -> tuple[str, ...]:
    """Return by language how many changed files no program can judge; the most frequent first."""
    ends = (PurePosixPath(one.path).suffix.lower() for one in change.files if one.content is not None and one.changed)
    counts = Counter(_NAMES[end] for end in ends if end in _NAMES)
    return tuple(f"{name}: {count:,} {'file' if count == 1 else 'files'}" for name, count in counts.most_common())


def read_by_mind(looked: Iterable[Looked]) -> bool:
    """True if an agent, a model or a person has answered on this version."""
    return any(one.kind is not LookedKind.PROGRAM and one.answered for one in looked)


def nobody_read(nobody: Iterable[Unread], looked: tuple[Looked, ...]) -> str:
    """Return as a sentence which files went unread by everybody; empty if none of them needs reading."""
    some = () if read_by_mind(looked) else (one for look in looked for one in look.unread)
    missed = {one.path: one.why for one in (*some, *nobody) if needs_reading(one)}
    if not missed:
        return ""
    first, why = next(iter(missed.items()))
    rest = f" and {len(missed) - 1:,} more" if len(missed) > 1 else ""
    return f"nobody read all of it: {first}{rest} ({why})"


def needs_reading(unread: Unread) -> bool:
    """True if an unread file is a gap: pictures, fonts and templates need no reader."""
    if any(words in unread.why for words in _READ_OTHERWISE):
        return False
    return not unread.path.lower().endswith(_NEEDS_NO_READING)
