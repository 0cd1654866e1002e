"""Find the commands inside a file, by the kind of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from foureyes.app.reviewers import OUTPUT_FILE, OUTPUT_JSON
from foureyes.reviewers.critics.commands.embedded import build, documents, python, settings, units
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.embedded.typed import typed

Reader = Callable[[str, str], Iterator[Piece]]

FILE_CHARS_MAX = 2 * 1024 * 1024
_SHELL_ENDS = frozenset((".sh", ".bash", ".zsh", ".ksh", ".bats", ".command", ".envrc", ".profile"))
_SHELL_NAMES = frozenset(
    (".bashrc", ".bash_profile", ".zshrc", ".profile", ".envrc", "pkgbuild", "configure", "gradlew", ".bash_aliases")
)
_SHEBANG = re.compile(r"#!\s*\S*?(?:/|\benv\s+(?:-S\s+)?)?(?:\S*/)?(sh|bash|zsh|dash|ash|ksh|fish)\b")
_OTHER_SHEBANG = re.compile(r"#!.{0,200}\b(python|perl|ruby|node|php|lua)")


def pieces(path: str, text: str, kind: str = "", *, program: bool = False) -> Iterator[Piece]:
    """Yield every stretch of commands in a file; nothing if this kind of file contains none.

    An executable file without a shebang is run by the shell.
    """
    reader = reader_of(path, text, kind)
    if reader is None and kind == "command":
        reader = typed
    elif reader is None and program and not text.startswith("#!") and not PurePosixPath(path).suffix:
        yield Piece(text=text, certain=True)
    if reader is not None:
        yield from reader(path, text)


def is_typed(path: str, kind: str) -> bool:
    """True if all of the text is run as it is: a typed command, or an agent's account of what it would have done."""
    return kind == "command" or path in _OUTPUTS


def is_script(path: str, text: str, kind: str = "") -> bool:
    """True if the file as a whole is run, so that unread parts of it have to be reported."""
    reader = reader_of(path, text, kind) or (typed if kind == "command" else None)
    return reader in (_script, typed, documents.sql_file, build.dockerfile, build.makefile)


def reader_of(path: str, text: str, kind: str = "") -> Reader | None:  # noqa: PLR0911 - one line per kind of file
    """Return the reader for this kind of file, or None."""
    where = PurePosixPath(path)
    name, end = where.name.lower(), where.suffix.lower()
    if kind == "command" and len(where.parts) == 1 and not end:
        return typed
    if path in _OUTPUTS:
        return _OUTPUTS[path]
    if end in _SHELL_ENDS or name in _SHELL_NAMES or ".husky/" in path or ".githooks/" in path:
        return _script
    if text.startswith("#!"):
        return _by_shebang(text)
    if end in _ENDS:
        return _ENDS[end]
    if name.startswith(("dockerfile", "containerfile")) or end in (".dockerfile", ".containerfile"):
        return build.dockerfile
    if name in ("makefile", "gnumakefile", "bsdmakefile") or end in (".mk", ".mak"):
        return build.makefile
    if name in _NAMES:
        return _NAMES[name]
    if "cron" in name or "cron.d" in where.parts:
        return units.crontab
    return documents.markdown_of(kind) if not end and kind in ("plan", "text") else None


def _script(_path: str, text: str) -> Iterator[Piece]:
    yield Piece(text=text)


def _by_shebang(text: str) -> Reader | None:
    first = text.split("\n", 1)[0][:200]
    if _SHEBANG.match(first):
        return _script
    other = _OTHER_SHEBANG.match(first)
    if other is not None and other.group(1) == "python":
        return python.calls
    return None


_ENDS: dict[str, Reader] = {
    ".py": python.calls,
    ".pyi": python.calls,
    ".sql": documents.sql_file,
    ".ddl": documents.sql_file,
    ".md": documents.markdown,
    ".markdown": documents.markdown,
    ".mdx": documents.markdown,
    ".yml": settings.keyed,
    ".yaml": settings.keyed,
    ".json": settings.keyed,
    ".jsonc": settings.keyed,
    ".service": units.systemd,
    ".timer": units.systemd,
    ".cron": units.crontab,
    ".crontab": units.crontab,
    ".tf": units.terraform,
    ".just": build.justfile,
    ".toml": units.toml_scripts,
}
_OUTPUTS: dict[str, Reader] = {OUTPUT_FILE: documents.output, OUTPUT_JSON: documents.output_json}
_NAMES: dict[str, Reader] = {
    "justfile": build.justfile,
    "procfile": units.procfile,
    "jenkinsfile": units.jenkinsfile,
    "crontab": units.crontab,
}
