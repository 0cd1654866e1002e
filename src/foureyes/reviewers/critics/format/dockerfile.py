"""Check that a Dockerfile consists of known instructions and begins with FROM or ARG."""

from __future__ import annotations

import re

from foureyes.reviewers.critics.texts import shown

_INSTRUCTIONS = frozenset(
    {
        *("ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "MAINTAINER"),
        *("ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
    }
)
_ESCAPE = re.compile(r"#\s*escape\s*=\s*(\S)", re.IGNORECASE)
_HEREDOC = re.compile(r"<<-?\s*([\"']?)(\w{1,60})\1")


def flaw_in_dockerfile(text: str) -> tuple[int, str] | None:
    """Return the line of the first flaw and a description, or None."""
    first = text.split("\n", 1)[0]
    named = _ESCAPE.match(first)
    escape = named[1] if named else "\\"
    begun = False
    going_on = False
    ends: list[str] = []
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = raw.strip()
        if ends:
            if line == ends[0]:
                ends.pop(0)
            continue
        if not line or line.startswith("#"):
            continue
        if not going_on:
            word, _, rest = line.partition(" ")
            flaw = _flaw(word.split("\t", 1)[0].upper(), rest or line.partition("\t")[2], begun=begun)
            if flaw:
                return number, flaw
            begun = True
        going_on = line.endswith(escape)
        if line[:4].upper() in ("RUN ", "COPY", "ADD "):
            ends = [match[2] for match in _HEREDOC.finditer(line[:4000])]
    if ends:
        return text.count("\n") + 1, f"the text up to {ends[0]} never ends"
    return None if begun else (1, "it holds no instruction")


def _flaw(word: str, rest: str, *, begun: bool) -> str:
    if word not in _INSTRUCTIONS:
        return f"there is no instruction {shown(word, 40)}"
    if not rest.strip():
        return f"{word} says nothing"
    return "" if begun or word in ("FROM", "ARG") else "it does not begin with FROM"
