"""Find the functions of a script that may be called without a call that the parser sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.commands.judge import Judge, is_tool
from foureyes.reviewers.critics.commands.model import words
from foureyes.reviewers.critics.commands.scene import Scene
from foureyes.reviewers.critics.commands.syntax import source

if TYPE_CHECKING:
    from tree_sitter import Node

#: Function names that the shell itself, makepkg, bats and similar tools call.
_CALLED_BY_TOOLS = words(
    "precmd preexec chpwd periodic zshexit zshaddhistory command_not_found_handle command_not_found_handler "
    "prepare build check package pkgver setup teardown setup_file teardown_file setup_suite teardown_suite main "
    "start stop restart reload status start_pre start_post stop_pre stop_post postinst prerm preinst postrm"
)
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#[^\n]*")


def live_functions(root: Node, scene: Scene, judge: Judge) -> Iterator[str]:
    """Yield the functions that the script did not call by name, but may: by a trap, as a word of a command, or by hand.

    Each is yielded once. The caller judges it before it asks for the next, so its own calls are known by then.
    """
    text = _COMMENT.sub("", _outside(root, scene))
    for name in scene.called:
        text += _body(name, scene)
    waiting = [name for name in scene.functions if name not in scene.called]
    while waiting:
        ready = [name for name in waiting if name in scene.called or _may_be_called(name, text, judge)]
        if not ready:
            return
        for name in ready:
            waiting.remove(name)
            text += _body(name, scene)
            yield name


def mentions(text: str, name: str) -> bool:
    """True if a name occurs in a text as a word of its own."""
    return name in text and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w=-])", text) is not None


def _may_be_called(name: str, text: str, judge: Judge) -> bool:
    if judge.dispatches or name in _CALLED_BY_TOOLS or name.startswith("TRAP") or is_tool(name):
        return True
    return mentions(text, name) or judge.mentions(name)


def _outside(root: Node, scene: Scene) -> str:
    """Return the script without its functions."""
    data = bytearray(root.text or b"")
    for body in scene.functions.values():
        whole = body.parent if body.parent is not None else body
        start, end = whole.start_byte - root.start_byte, whole.end_byte - root.start_byte
        if 0 <= start < end <= len(data) and data[start:end] == (whole.text or b""):
            data[start:end] = b" " * (end - start)
    return data.decode("utf-8", "replace")


def _body(name: str, scene: Scene) -> str:
    return "\n" + _COMMENT.sub("", source(scene.functions[name])) if name in scene.functions else ""
