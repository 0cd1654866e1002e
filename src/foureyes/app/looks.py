"""Guesses the kind of a piece of text from its form: command, plan or text."""

from __future__ import annotations

import re

COMMAND_LINES_MAX = 10
COMMAND_BYTES_MAX = 4_000
KIND_BYTES_MAX = 100_000
PLAN_POINTS_MIN = 2

_LIST = re.compile(r"^ {0,3}(?:#{1,6} |\d{1,3}[.)] |[-*+] )", re.MULTILINE)
#: The beginning of a shell line: assignments, then a program in lower case or a path.
_COMMAND = re.compile(
    r"(?:\$ )?(?:[A-Za-z_]\w{0,60}=\S{0,200} +)*((?:\.{0,2}/|~/)\S+|[a-z][a-z0-9_.+-]*)(?=$|[\s;&|<>(])"
)
_SIGNS = re.compile(r"\s--?[A-Za-z]|[|;&<>$`*=]|\s(?:\.{0,2}/|~/)")
#: A directory at the end of a line, as opposed to the end of a sentence.
_HERE = re.compile(r"[\s/~]\.{1,2}$")
_STATEMENT = re.compile(
    r"(?:select|insert|update|delete|drop|alter|create|truncate|grant|revoke)\b.{0,4000};$"
    r"|(?:drop|truncate)\s+(?:table|database|schema)\s+[^\s;]+$|delete\s+from\s+[^\s;]+$",
    re.IGNORECASE | re.DOTALL,
)
#: Programs whose name with arguments is a command, even without shell syntax.
_USUAL = (
    "apt apt-get aws bash brew cat cd chmod chown cp curl dd docker echo find gcloud git go helm kill kubectl ls "
    "make mkdir mv mysql node npm npx pip pkill pnpm psql python python3 reboot redis-cli rm rsync scp "
    "sed sh shutdown ssh sudo systemctl tar terraform touch uv wget xargs yarn"
)
_PROGRAMS = frozenset(_USUAL.split())
_PROSE = re.compile(r"[.!?:]$|\b(?:the|an|is|are|was|we|you|please|this|that|should|will)\b", re.IGNORECASE)


def kind_of(data: bytes) -> str:
    """Return `command` for a few lines of shell or SQL, `plan` for headings and lists, `text` for anything else."""
    text = data[:KIND_BYTES_MAX].decode(errors="replace").strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    spoken = [line for line in lines if not line.startswith("#")]
    few = len(lines) <= COMMAND_LINES_MAX and len(data) <= COMMAND_BYTES_MAX
    if few and spoken and (lines[0].startswith("#!") or _STATEMENT.match(text) or all(map(_is_command, spoken))):
        return "command"
    return "plan" if len(_LIST.findall(text)) >= PLAN_POINTS_MIN else "text"


def _is_command(line: str) -> bool:
    found = _COMMAND.match(line)
    if not found:
        return False
    if _SIGNS.search(line):
        return _HERE.search(line) is not None or not line.endswith((".", "!", "?"))
    return found[1] in _PROGRAMS and not _PROSE.search(line)
