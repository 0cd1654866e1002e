"""Classify files by name: translation catalogues, lock files, and binary files without text to judge."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from foureyes.app.reviewers import LINK_MODE, SUBMODULE_MODE, File

#: File types for the sentences of an application in another language, and their compiled forms.
_CATALOGUES = frozenset(
    {".po", ".pot", ".mo", ".gmo", ".qm", ".arb", ".ftl", ".strings", ".stringsdict", ".xcstrings"}
    | {".xlf", ".xliff", ".resx", ".resw", ".tmx"}
)
_WORD_FOLDERS = frozenset(
    {"locale", "locales", "i18n", "l10n", "lang", "langs", "language", "languages", "translation", "translations"}
)
_WORD_ENDS = frozenset({".json", ".yml", ".yaml", ".php", ".properties", ".js", ".ts", ".toml", ".xml", ".ini"})
#: Language codes as catalogues are named: `de`, `pt-BR`, `zh_Hant`; also after a name, as in `messages_de.properties`.
_LANGUAGE = re.compile(r"(?:.{0,60}[._-])?[a-z]{2,3}(?:[_-](?:[A-Za-z]{2}|[A-Z][a-z]{3}|[0-9]{3}))?")
_LOCKS = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "packages.lock.json", "go.sum", "bun.lockb"}
    | {"conda-lock.yml", "gradle.lockfile", ".terraform.lock.hcl", "paket.lock", "cartfile.resolved"}
    | {"package.resolved", "module.bazel.lock", "deno.lock", "verification-metadata.xml"}
)
#: Types of files written by hand: a null byte in such a file is a trick or a mistake, and does not make it binary.
_WRITTEN = frozenset(
    {"", ".py", ".pyi", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cpp"}
    | {".cs", ".rb", ".php", ".pl", ".sh", ".bash", ".zsh", ".sql", ".json", ".yaml", ".yml", ".toml", ".xml", ".ini"}
    | {".cfg", ".conf", ".cnf", ".env", ".properties", ".tf", ".tfvars", ".hcl", ".html", ".css", ".md", ".rst", ".txt"}
)


def is_binary(file: File) -> bool:
    """True if a file is an image, an archive, compiled code or similar, by its bytes and its file type."""
    if file.content is None or file.mode in (LINK_MODE, SUBMODULE_MODE) or file.text is not None:
        return False
    return PurePosixPath(file.path).suffix.lower() not in _WRITTEN


def is_catalogue(path: str) -> bool:
    """True if a file contains translated sentences, where the word "password" is part of the user interface."""
    where = PurePosixPath(path)
    if where.suffix.lower() in _CATALOGUES:
        return True
    folders = {one.lower() for one in where.parts[:-1]}
    if where.suffix.lower() not in _WORD_ENDS or not folders & _WORD_FOLDERS:
        return False
    above = where.parent.name
    return any(_LANGUAGE.fullmatch(one) is not None for one in (where.stem, above)) and "config" not in where.stem


def is_lock(path: str) -> bool:
    """True if a file is written by a package manager: names, versions and checksums."""
    name = PurePosixPath(path).name.lower()
    return name in _LOCKS or name.endswith(".lock")
