"""Read the redirections of a command: what it reads, where it writes, and what it is fed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.commands.expand import Expander
from foureyes.reviewers.critics.commands.judge import Judge, Spot
from foureyes.reviewers.critics.commands.model import HOLE, NOTHING, Stream, words
from foureyes.reviewers.critics.commands.outputs import TERMINAL
from foureyes.reviewers.critics.commands.scene import Scene
from foureyes.reviewers.critics.commands.syntax import source

if TYPE_CHECKING:
    from tree_sitter import Node

_STATEMENTS = words(
    "pipeline command list redirected_statement subshell compound_statement negated_command if_statement "
    "while_statement for_statement case_statement"
)


STREAMS_MAX = 500


class Feeds:
    """Reads the redirections of one part of a script."""

    def __init__(self, expander: Expander, scene: Scene, judge: Judge) -> None:
        self._expander = expander
        self._scene = scene
        self._judge = judge

    def inputs(
        self, redirects: list[Node], stdin: Stream, at: Callable[[Node], Spot]
    ) -> tuple[Stream, list[str], list[Node]]:
        """Return the standard input, words the parser took for targets, and statements after a here-document's mark."""
        more: list[str] = []
        after: list[Node] = []
        for node in redirects:
            if node.type == "herestring_redirect":
                text = " ".join(word for child in node.named_children for word in [self._expander.text(child)])
                stdin = Stream(text=text + "\n", fed=True)
            elif node.type == "heredoc_redirect":
                stdin = self._heredoc(node, at)
                more += [
                    word for child in node.children_by_field_name("argument") for word in self._expander.words(child)
                ]
                after += [child for child in node.named_children if child.type in _STATEMENTS]
                for child in node.named_children:
                    if child.type == "file_redirect":
                        self.outputs([child], (), at(node))
            else:
                targets = node.children_by_field_name("destination")
                more += [
                    word
                    for child in targets[1:]
                    if not _is_descriptor(child, node)
                    for word in self._expander.words(child)
                ]
                if targets and "<" in source(node)[:2] and "<&" not in source(node)[:3]:
                    stdin = self._fed_from(targets[0])
        return stdin, more, after

    def keep(self, redirects: list[Node], printed: Stream) -> None:
        """Remember what was written to which file, because the file may be run later."""
        for one in redirects:
            targets = one.children_by_field_name("destination") if one.type == "file_redirect" else []
            inner = [child for child in one.named_children if child.type == "file_redirect"]
            if inner:
                self.keep(inner, printed)
            if targets and ">" in source(one)[:3] and printed.fed and len(self._scene.streams) < STREAMS_MAX:
                for word in self._expander.words(targets[0]):
                    if HOLE not in word and not word.startswith("/dev/"):
                        self._scene.streams[word] = printed
                        self._scene.streams[f"./{word}"] = printed

    def _fed_from(self, target: Node) -> Stream:
        name = "".join(self._expander.words(target))
        if name == TERMINAL:
            return NOTHING
        return self._scene.streams.get(name) or self._judge.printed(("cat", name))

    def _heredoc(self, node: Node, at: Callable[[Node], Spot]) -> Stream:
        start = next((source(one) for one in node.named_children if one.type == "heredoc_start"), "")
        body = next((one for one in node.named_children if one.type == "heredoc_body"), None)
        if body is None:
            return Stream(text="", fed=True)
        text = source(body) if set(start) & set("'\"\\") else self._expander.heredoc(body)
        if source(node).lstrip("0123456789").startswith("<<-"):
            text = "\n".join(line.lstrip("\t") for line in text.split("\n"))
        return Stream(text=text, fed=True, line=at(body).line)

    def outputs(self, redirects: list[Node], argv: tuple[str, ...], spot: Spot) -> None:
        for one in redirects:
            targets = one.children_by_field_name("destination")
            if one.type != "file_redirect" or not targets:
                continue
            sign = source(one)[: targets[0].start_byte - one.start_byte].strip().lstrip("0123456789")
            for word in self._expander.words(targets[0]):
                if ">" in sign or word.startswith(("/dev/tcp", "/dev/udp")):
                    self._judge.redirect(sign, word, argv, self._scene, spot)
                if ">" in sign and not sign.endswith("&"):
                    self._scene.make([word])


def _is_descriptor(child: Node, redirect: Node) -> bool:
    """True if a number belongs to the redirection directly after it, not to the command."""
    following = redirect.next_sibling
    return child.type == "number" and following is not None and following.start_byte == child.end_byte
