"""Walk one part of a script, such as a pipeline, a loop or a function, and judge every command in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, ClassVar

from foureyes.reviewers.critics.commands import lexer
from foureyes.reviewers.critics.commands.expand import Expander
from foureyes.reviewers.critics.commands.feeds import Feeds
from foureyes.reviewers.critics.commands.judge import Spot
from foureyes.reviewers.critics.commands.live import live_functions
from foureyes.reviewers.critics.commands.model import HOLE, LOCAL, NOTHING, REMOTE, SECRET, Stream, words
from foureyes.reviewers.critics.commands.scene import Scene
from foureyes.reviewers.critics.commands.syntax import source

if TYPE_CHECKING:
    from tree_sitter import Node

    from foureyes.reviewers.critics.commands.walk import Walk

DEPTH_MAX = 60
LOOP_VALUES_MAX = 6
_REDIRECTS = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))
_RUN_SETTINGS = words(
    "GIT_SSH_COMMAND GIT_PAGER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_ASKPASS PAGER EDITOR VISUAL BROWSER MANPAGER LESSOPEN "
    "PROMPT_COMMAND SSH_ASKPASS SUDO_ASKPASS"
)
#: Matches `[ -n "$X" ]`.
_FILLED = re.compile(r"\s-n\s{1,4}\"?\$\{?([A-Za-z_]\w{0,80})\}?\"?(?=\s)")
_UNKNOWN_STREAM = Stream(text=None, fed=True)


class Part:
    """One script, or one part of it with a scene of its own."""

    def __init__(self, walk: Walk, scene: Scene, spot: Spot) -> None:
        self._walk = walk
        self._scene = scene
        self._spot = spot
        self._expander = Expander(scene.lookup, self._substituted)
        self._feeds = Feeds(self._expander, scene, walk.judge)
        self._depth = 0

    def run(self, node: Node, stdin: Stream, depth: int) -> Stream:
        """Judge a statement and everything inside it; return what it prints."""
        if depth > DEPTH_MAX or not self._walk.count():
            self._walk.judge.unread(self._at(node), "more than is looked through")
            return _UNKNOWN_STREAM
        self._depth = depth
        method = self.METHODS.get(node.type)
        return method(self, node, stdin, depth + 1) if method else self._children(node, stdin, depth + 1)

    def finish(self, root: Node) -> None:
        """Judge functions not called so far, with unknown arguments; findings in unused ones become notes."""
        judge = self._walk.judge
        for name in live_functions(root, self._scene, judge) if judge.keeps else list(self._scene.functions):
            self._unknown_call(name)
        with judge.idle() if judge.keeps else nullcontext():
            for name in list(self._scene.functions):
                self._unknown_call(name)

    def _unknown_call(self, name: str) -> None:
        if name not in self._scene.called:
            self._scene.called.add(name)
            Part(self._walk, self._scene.copy(), self._spot).run(self._scene.functions[name], NOTHING, 1)

    def call_function(self, name: str, words: tuple[str, ...], stdin: Stream, depth: int) -> Stream:
        first = name not in self._scene.called
        self._scene.called.add(name)
        if depth > DEPTH_MAX // 4 or (not first and not words):
            return _UNKNOWN_STREAM
        scene = self._scene.copy()
        scene.parameters = words
        return Part(self._walk, scene, self._spot).run(self._scene.functions[name], stdin, depth + 10)

    def _at(self, node: Node) -> Spot:
        return self._spot.below(node.start_point[0], node.end_point[0])

    def inside(self, node: Node, stdin: Stream, depth: int) -> Stream:
        """Walk all statements in a node, one after the other."""
        return self._children(node, stdin, depth)

    def _children(self, node: Node, stdin: Stream, depth: int) -> Stream:
        printed = [self.run(child, stdin, depth) for child in node.named_children if child.type != "comment"]
        return _joined(printed)

    def _list(self, node: Node, stdin: Stream, depth: int) -> Stream:
        """Walk `a && b || c`. Its nodes nest to the left, so they are unrolled in a loop instead of by recursion."""
        parts: list[Node] = []
        while node.type == "list":
            parts.extend(reversed(node.named_children[1:]))
            node = node.named_children[0]
        parts.append(node)
        return _joined([self.run(part, stdin, depth) for part in reversed(parts)])

    def _pipeline(self, node: Node, stdin: Stream, depth: int) -> Stream:
        stream = stdin
        for child in node.named_children:
            if child.type != "comment":
                stream = self.run(child, stream, depth)
        return stream

    def _subshell(self, node: Node, stdin: Stream, depth: int) -> Stream:
        return Part(self._walk, self._scene.copy(), self._spot).inside(node, stdin, depth)

    def _branches(self, node: Node, stdin: Stream, depth: int) -> Stream:
        self._scene.maybe += 1
        for child in node.named_children:
            if child.type == "test_command":
                self._scene.tested.update(_names_in(child))
        before = set(self._scene.filled)
        printed = self._children(node, stdin, depth)
        self._scene.filled = before
        self._scene.maybe -= 1
        return printed if printed.text == "" else _UNKNOWN_STREAM

    def _else(self, node: Node, stdin: Stream, depth: int) -> Stream:
        """Walk a branch that is taken when the test failed: a tested variable may be empty here."""
        self._scene.filled = set()
        return self._children(node, stdin, depth)

    def _for(self, node: Node, stdin: Stream, depth: int) -> Stream:
        name = node.child_by_field_name("variable")
        values = [word for one in node.children_by_field_name("value") for word in self._expander.words(one)]
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return self._children(node, stdin, depth)
        for value in values[:LOOP_VALUES_MAX] or [HOLE]:
            self._scene.variables[source(name)] = value
            self.run(body, stdin, depth)
        return _UNKNOWN_STREAM

    def _function(self, node: Node, _stdin: Stream, _depth: int) -> Stream:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self._scene.functions[source(name)] = body
            if _is_bomb(source(name), source(body)):
                self._walk.judge.bomb(self._at(node))
        return NOTHING

    def _assignment(self, node: Node, _stdin: Stream, _depth: int) -> Stream:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return NOTHING
        if value is None:
            text = ""
        elif value.type == "array":
            text = " ".join(word for one in value.named_children for word in self._expander.words(one))
        else:
            text = self._expander.text(value)
        if name.type == "subscript":
            inner = name.child_by_field_name("name")
            self._scene.assign(source(inner) if inner else "", HOLE)
        else:
            self._scene.assign(source(name), text, more="+=" in source(node)[: len(source(name)) + 2])
        if source(name) == "HISTFILE" and text in ("", "/dev/null"):
            self._walk.judge.command(("unset", "HISTFILE"), NOTHING, self._scene, self._at(node))
        return NOTHING

    def _declaration(self, node: Node, stdin: Stream, depth: int) -> Stream:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assignment(child, stdin, depth)
            else:
                self._expander.words(child)
        bare = source(node).split()
        return self._walk.judge.printed(tuple(bare)) if len(bare) == 1 else NOTHING

    def _command(self, node: Node, stdin: Stream, depth: int) -> Stream:
        words: list[str] = []
        local: dict[str, str] = {}
        redirects: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment":
                name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
                if name is not None:
                    local[source(name)] = self._expander.text(value) if value is not None else ""
            elif child.type in _REDIRECTS:
                redirects.append(child)
            elif child.is_named and child.type != "comment":
                words.extend(self._expander.words(child))
        return self._start(node, (words, redirects, local), stdin, depth)

    def _redirected(self, node: Node, stdin: Stream, depth: int) -> Stream:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.named_children if child.type in _REDIRECTS]
        if body is not None and body.type == "command":
            words = [
                word
                for child in body.named_children
                if child.type not in ("variable_assignment", *_REDIRECTS) and not _is_descriptor(child, redirects)
                for word in self._expander.words(child)
            ]
            redirects.extend(child for child in body.named_children if child.type in _REDIRECTS)
            return self._start(body, (words, redirects, {}), stdin, depth)
        stdin, _, after = self._feeds.inputs(redirects, stdin, self._at)
        self._feeds.outputs(redirects, (), self._at(node))
        printed = self.run(body, stdin, depth) if body is not None else stdin
        return self._then(after, printed, depth)

    def _start(
        self, node: Node, parts: tuple[list[str], list[Node], dict[str, str]], stdin: Stream, depth: int
    ) -> Stream:
        words, redirects, local = parts
        stdin, more, after = self._feeds.inputs(redirects, stdin, self._at)
        argv = (*words, *more)
        self._feeds.outputs(redirects, argv, self._at(node))
        if not argv:
            for name, value in local.items():
                self._scene.assign(name, value)
            return self._then(after, NOTHING, depth)
        name = argv[0]
        if name in self._scene.functions:
            printed = self.call_function(name, argv[1:], stdin, depth)
        else:
            printed = self._walk.judge.command((*_loads(local), *argv), stdin, self._scene, self._at(node))
        self._run_settings(local, node)
        self._feeds.keep(redirects, printed)
        return self._then(after, printed, depth)

    def _run_settings(self, local: dict[str, str], node: Node) -> None:
        """Judge variables whose value the program will run as a command."""
        for name in local.keys() & _RUN_SETTINGS:
            scene = self._scene.copy()
            scene.via = name
            self._walk.script(local[name], scene, self._at(node).pin())

    def _then(self, after: list[Node], printed: Stream, depth: int) -> Stream:
        """Walk the rest of a pipeline that follows `<<EOF` on the same line."""
        for node in after:
            if node.type == "pipeline":
                printed = self._pipeline(node, printed, depth)
            else:
                self.run(node, NOTHING, depth)
        return printed

    def _substituted(self, node: Node) -> str:
        """Judge the commands in `$(…)` or `<(…)`; return what is printed, or the name of the pipe."""
        inside = Part(self._walk, self._scene.copy(), self._spot)
        printed = inside.inside(node, NOTHING, self._depth + 2)
        redirect = next((child for child in node.named_children if child.type == "file_redirect"), None)
        if redirect is not None and len(node.named_children) == 1:
            return HOLE
        if node.type == "process_substitution":
            name = f"/dev/fd/{100 + len(self._scene.streams)}"
            self._scene.streams[name] = printed
            return name
        return _printed_word(printed)

    def _test(self, node: Node, _stdin: Stream, _depth: int) -> Stream:
        self._scene.tested.update(_names_in(node))
        self._scene.filled.update(_FILLED.findall(source(node)))
        for child in node.named_children:
            self._substitutions(child, 0)
        return NOTHING

    def _substitutions(self, node: Node, depth: int) -> None:
        """Judge commands inside a test or an arithmetic expression, because they run too."""
        if node.type in ("command_substitution", "process_substitution"):
            self._substituted(node)
        elif depth < DEPTH_MAX:
            for child in node.named_children:
                self._substitutions(child, depth + 1)

    def _error(self, node: Node, stdin: Stream, depth: int) -> Stream:
        """Split text that the parser could not read with the simple lexer, and report it as unreadable."""
        self._walk.judge.broken(self._at(node))
        top = node.start_point[0]
        for row, argv in lexer.commands(source(node), self._scene.lookup):
            self._walk.judge.command(argv, stdin, self._scene, self._spot.below(top + row, top + row))
        return self._children(node, stdin, depth)

    def _unset(self, node: Node, stdin: Stream, _depth: int) -> Stream:
        return self._walk.judge.command(tuple(source(node).split()), stdin, self._scene, self._at(node))

    def _inside(self, node: Node, _stdin: Stream, _depth: int) -> Stream:
        self._substituted(node)
        return NOTHING

    def _nothing(self, _node: Node, _stdin: Stream, _depth: int) -> Stream:
        return NOTHING

    METHODS: ClassVar[dict[str, Callable[[Part, Node, Stream, int], Stream]]] = {
        "list": _list,
        "pipeline": _pipeline,
        "subshell": _subshell,
        "if_statement": _branches,
        "elif_clause": _else,
        "else_clause": _else,
        "while_statement": _branches,
        "case_item": _branches,
        "c_style_for_statement": _branches,
        "for_statement": _for,
        "function_definition": _function,
        "variable_assignment": _assignment,
        "declaration_command": _declaration,
        "unset_command": _unset,
        "command": _command,
        "redirected_statement": _redirected,
        "test_command": _test,
        "ERROR": _error,
        "word": _nothing,
        "variable_name": _nothing,
        "string": _test,
        "command_substitution": _inside,
        "process_substitution": _inside,
    }


def _is_descriptor(child: Node, redirects: list[Node]) -> bool:
    """True if a number is the descriptor of a redirection, as the 0 of `sh 0<&2`, which the parser reads as a word."""
    return child.type == "number" and any(child.end_byte == one.start_byte for one in redirects)


def _printed_word(printed: Stream) -> str:
    """Return the value of a substitution; if it is unknown, a HOLE with a mark for its origin."""
    if printed.text is not None:
        return printed.text.rstrip("\n")
    if "network" in printed.traits:
        return HOLE + REMOTE
    if "secret" in printed.traits:
        return HOLE + SECRET
    return HOLE if "decoded" in printed.traits else HOLE + LOCAL


def _loads(local: dict[str, str]) -> tuple[str, ...]:
    """Return the settings of the dynamic loader as an `env` command: they decide what code the program runs."""
    given = [f"{name}={value}" for name, value in local.items() if name.startswith("LD_")]
    return ("env", *given) if given else ()


def _names_in(node: Node) -> set[str]:
    return set(lexer.names(source(node)))


def _is_bomb(name: str, body: str) -> bool:
    """True for a fork bomb such as `f() { f | f & }`."""
    squeezed = "".join(body.split())
    return f"{name}|{name}" in squeezed and "&" in squeezed


def _joined(streams: list[Stream]) -> Stream:
    told = [one for one in streams if one.fed]
    if not told:
        return NOTHING
    texts = [one.text for one in told]
    text = None if None in texts else "".join(one or "" for one in texts)
    return Stream(text=text, traits=frozenset().union(*(one.traits for one in told)), fed=True)
