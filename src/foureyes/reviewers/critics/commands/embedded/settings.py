"""Extract the commands from YAML and JSON files that machines act on: pipelines, package scripts, manifests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.model import HOLE, words

FILE_CHARS_MAX = 512 * 1024
DEPTH_MAX = 40
_KEYS = words(
    "after_script after_success ansible.builtin.command ansible.builtin.raw ansible.builtin.shell args bash "
    "before_install before_script build buildcommand cmd cmds command commands deploy entrypoint exec healthcheck "
    "hooks initializecommand inlinescript install oncreatecommand onfailure post_build postattachcommand "
    "postcommand postcreatecommand postinstall poststartcommand powershell pre_build precommand preinstall pwsh "
    "raw run script sh shell startcommand test updatecontentcommand win_shell"
)
#: Keys whose items are the words of one command, not commands of their own.
_ARGV = words("command args entrypoint exec test cmd")
_WORTH = re.compile(r"(?i)\b(?:" + "|".join(re.escape(one) for one in sorted(_KEYS)) + r")\"?\s*:|\"scripts\"\s*:")
_EXPRESSION = re.compile(r"\$\{\{.{0,300}?\}\}|\{\{.{0,300}?\}\}|<<\s*[\w.]{1,80}\s*>>")


def keyed(path: str, text: str) -> Iterator[Piece]:
    """Yield every value that a runner, a package manager or a container would start."""
    if len(text) > FILE_CHARS_MAX or not _WORTH.search(text):
        return
    import yaml  # noqa: PLC0415 - only where there is such a file

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    clean = text.replace("\t", " ") if path.endswith((".json", ".jsonc")) else text
    try:
        roots = list(yaml.compose_all(clean, Loader=loader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    seen: set[int] = set()
    scripts = path.rpartition("/")[2] in ("package.json", "composer.json", "deno.json", "deno.jsonc")
    for root in roots:
        yield from _walk(root, seen, 0, scripts=scripts)


def _walk(node: Any, seen: set[int], depth: int, *, scripts: bool) -> Iterator[Piece]:
    if node is None or depth > DEPTH_MAX or id(node) in seen:
        return
    seen.add(id(node))
    if node.id == "mapping":
        if _runs_javascript(node):
            yield from _javascript(node)
            return
        for key, value in node.value:
            name = str(key.value).lower() if key.id == "scalar" else ""
            if scripts and depth == 0 and name == "scripts" and value.id == "mapping":
                yield from _scripts(value)
            elif name in _KEYS:
                yield from _value(name, value, node)
            yield from _walk(value, seen, depth + 1, scripts=scripts)
    elif node.id == "sequence":
        for value in node.value:
            yield from _walk(value, seen, depth + 1, scripts=scripts)


def _scripts(node: Any) -> Iterator[Piece]:
    for _, value in node.value:
        if value.id == "scalar":
            yield _scalar(value)


def _value(name: str, value: Any, owner: Any) -> Iterator[Piece]:
    if value.id == "scalar":
        language = _language(owner)
        if language is not None:
            inside = name in _ARGV and _is_container(owner)
            yield replace(_scalar(value, language), image=inside)
        return
    if value.id != "sequence":
        return
    items = [one for one in value.value if one.id == "scalar"]
    if name in _ARGV and len(items) == len(value.value) and items and not _are_scripts(items):
        argv = tuple(_holes(str(one.value)) for one in items)
        if argv[0] in ("CMD", "CMD-SHELL"):
            argv = ("sh", "-c", *argv[1:]) if argv[0] == "CMD-SHELL" else argv[1:]
        if name != "args" or argv[0] in ("-c", "/bin/sh", "sh", "bash", "/bin/bash"):
            yield Piece(argv=("sh", *argv) if argv[0] == "-c" else argv, line=value.start_mark.line + 1, image=True)
        return
    for one in items:
        yield _scalar(one)


def _is_container(owner: Any) -> bool:
    """True if a mapping describes a container, so that its command writes inside that container."""
    keys = {str(key.value) for key, _ in owner.value if key.id == "scalar"}
    return "image" in keys or ("build" in keys and not keys.isdisjoint({"ports", "volumes", "depends_on", "expose"}))


def _runs_javascript(node: Any) -> bool:
    """True if a step uses the action whose `script` is JavaScript, which no shell reads."""
    return any(
        key.id == value.id == "scalar" and key.value == "uses" and str(value.value).startswith("actions/github-script@")
        for key, value in node.value
    )


def _javascript(node: Any) -> Iterator[Piece]:
    """Yield the `script` of such a step as JavaScript."""
    given = (value for key, value in node.value if key.value == "with" and value.id == "mapping")
    for key, value in ((key, value) for one in given for key, value in one.value):
        if key.value == "script" and value.id == "scalar":
            yield Piece(text=_holes(str(value.value)), line=value.start_mark.line + 1, language="js", pinned=True)


def _are_scripts(items: list[Any]) -> bool:
    """True if the items are whole commands: then the first has spaces, unlike the first word of one command."""
    return " " in str(items[0].value)


def _language(owner: Any) -> str | None:
    """Return the language of a step, which may name another shell than the default; None if it is not supported."""
    given = {
        str(key.value).lower(): str(value.value)
        for key, value in owner.value
        if key.id == "scalar" and value.id == "scalar"
    }
    shell = given.get("shell", "") if "run" in given else ""
    if shell.startswith("python"):
        return "python"
    return "shell" if shell.split(" ")[0] in ("", "sh", "bash", "zsh", "pwsh", "powershell", "cmd") else None


def _scalar(node: Any, language: str = "shell") -> Piece:
    block = node.style in ("|", ">")
    line = node.start_mark.line + (2 if block else 1)
    return Piece(text=_holes(str(node.value)), line=line, language=language, pinned=node.style != "|")


def _holes(text: str) -> str:
    return _EXPRESSION.sub(_meaning, text.replace(HOLE, ""))


def _meaning(met: re.Match[str]) -> str:
    """Resolve an expression of the runner: its own folders are known, everything else is a HOLE."""
    inside = met.group(0).strip("${} ")
    return {"github.workspace": ".", "runner.temp": "$TMPDIR"}.get(inside, HOLE)
