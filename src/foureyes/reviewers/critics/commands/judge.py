"""Judge one command, and all commands that it starts through wrappers, shells and interpreters."""

from __future__ import annotations

import dataclasses
import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.commands import builtins, outputs
from foureyes.reviewers.critics.commands.code import commands as code_commands
from foureyes.reviewers.critics.commands.model import HOLE, MARKS, NOTHING, REMOTE, Call, Found, Stream, words
from foureyes.reviewers.critics.commands.redirects import judge_redirect
from foureyes.reviewers.critics.commands.scene import Scene
from foureyes.reviewers.critics.commands.shown import shown
from foureyes.reviewers.critics.commands.tools import (
    BOMB,
    FAMILIES,
    REMOTE_CODE,
    TOO_LONG,
    UNCLEAR,
    UNREADABLE,
    generic,
    privilege,
    root,
)
from foureyes.reviewers.critics.commands.wrappers import peel
from foureyes.reviewers.critics.commands.wrappers.inner import Inner
from foureyes.reviewers.critics.commands.wrappers.plain import ASSIGNMENT
from foureyes.reviewers.critics.critic import State

if TYPE_CHECKING:
    from foureyes.reviewers.critics.commands.walk import Walk

PEELS_MAX = 12
WORDS_MAX = 2_000
FOUND_MAX = 2_000
#: Code that builds text from numbers or a function from its name, and calls that could run the result.
_SPELLED = re.compile(
    r"\bchr\s*\(|fromCharCode|fromCodePoint|\bpack\s*\(|\bbytes\s*\(\s*[\[(]|\bgetattr\s*\(|\bmap\s*\(\s*chr\b"
)
_STARTS = re.compile(
    r"\b(?:system|popen|exec\w*|eval|spawn\w*|subprocess|passthru|shell_exec|proc_open|child_process|__import__|os)\b"
)
#: What is typed at the prompt of an editor or pager to start a command; a shell has no such word.
_TYPED = re.compile(r"!\S|:!")
_STARTED = words(
    "cd sudo doas su ssh env source . eval exec command builtin python python3 node npm yarn make go cargo"
)
_ENDINGS = (".exe", ".cmd", ".bat")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """The lines of the file that a command occupies."""

    line: int = 1
    end: int = 1
    #: True for a script inside a word: its own lines are not lines of the file.
    pinned: bool = False

    def below(self, start: int, end: int) -> Spot:
        """Return the spot that lies `start` to `end` rows further down."""
        return self if self.pinned else Spot(line=self.line + start, end=self.line + end)

    def pin(self) -> Spot:
        return dataclasses.replace(self, pinned=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A finding, its place, and the words of the command as evidence."""

    found: Found
    spot: Spot
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How a command was started."""

    depth: int = 0
    root: bool = False
    spread: bool = False
    elsewhere: bool = False
    #: The program that starts it; empty for the shell itself.
    via: str = ""


class Judge:
    """Judges commands one at a time; scripts inside them are passed back to the walk."""

    def __init__(self) -> None:
        self.placed: list[Placed] = []
        self.judged = 0
        self.walk: Walk | None = None
        #: True if functions and aliases that nothing calls become notes; False for typed text, where everything is
        #: run.
        self.keeps = False
        #: True if other files of the work call something by this name.
        self.mentions: Callable[[str], bool] = _never
        #: True if a program was started whose name is only known at run time: it may be any function.
        self.dispatches = False
        self._idle = 0

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Judge code that nothing calls: what would block becomes a note, and what is unclear is left out."""
        self._idle += 1
        try:
            yield
        finally:
            self._idle -= 1

    def command(self, argv: tuple[str, ...], stdin: Stream, scene: Scene, spot: Spot) -> Stream:
        """Judge a command and all it starts; return what it prints."""
        return self._command(
            argv, stdin, (scene, spot), _How(root=scene.root, elsewhere=scene.elsewhere, via=scene.via)
        )

    def code(self, language: str, text: str, scene: Scene, spot: Spot) -> None:
        """Judge what a piece of another language starts."""
        self._code((language, text), (scene, spot), _How())

    def _command(self, argv: tuple[str, ...], stdin: Stream, where: tuple[Scene, Spot], how: _How) -> Stream:
        scene, spot = where
        self.judged += 1
        while len(argv) > 1 and ASSIGNMENT.match(argv[0]) and "/" not in argv[0].partition("=")[0]:
            argv = argv[1:]
        if argv and _TYPED.match(argv[0]):
            argv, how = (argv[0].lstrip(":!"), *argv[1:]), dataclasses.replace(how, via="!")
            argv = argv if argv[0] else argv[1:]
        if not argv:
            return NOTHING
        if how.depth > PEELS_MAX or len(argv) > WORDS_MAX:
            self.unclear(spot, "goes deeper or is longer than is looked through")
            argv = argv[:WORDS_MAX]
            if how.depth > PEELS_MAX:
                return NOTHING
        name = program(argv[0])
        if HOLE in name or not name:
            self.dispatches = self.dispatches or not self._idle
            self._unknown_program(argv, spot, how)
            return Stream(text=None, fed=True)
        if set(name) & set("?*[") and len(name) > 1:
            name = _matched(name)
        if name in scene.aliases and scene.aliases[name].split()[:1] != [argv[0]]:
            text = " ".join([scene.aliases[name], *argv[1:]])
            return self._script(Inner(script=text), stdin, where, how)
        call = self._call(name, argv, stdin, scene, how)
        self._judge_call(call, spot, how, scene)
        builtins.follow(call, scene)
        return self._started(call, (scene, spot), how)

    def _call(self, name: str, argv: tuple[str, ...], stdin: Stream, scene: Scene, how: _How) -> Call:
        written = argv[0]
        if written in scene.streams:
            name, argv, stdin = "sh", ("sh",), scene.streams[written]
        operand = next((word for word in argv[1:] if not word.startswith("-")), "")
        if operand in scene.streams and (not stdin.fed or name in ("source", ".")) and name in privilege.RUN_FILES:
            stdin = scene.streams[operand]
            argv = tuple(word for word in argv if word != operand)
        return Call(
            name=name,
            args=argv[1:],
            stdin=stdin,
            root=how.root,
            cwd="" if how.elsewhere else scene.cwd,
            made=scene.made,
            spread=how.spread,
            own="/" in written and not written.startswith(("/", "~")),
        )

    def _judge_call(self, call: Call, spot: Spot, how: _How, scene: Scene) -> None:
        for found in self._findings(call, how, scene):
            at = call.stdin.line + found.line - 1
            there = Spot(line=at, end=at) if found.line and call.stdin.line else spot
            evidence = shown((call.name, *call.args))
            self.add(found, there, f"{call.stdin.origin} | {evidence}" if call.stdin.origin else evidence)

    def _findings(self, call: Call, how: _How, scene: Scene) -> Iterator[Found]:
        if generic.only_explains(call):
            yield from root.explains(call)
            return
        known = FAMILIES.get(call.name)
        if known is not None:
            yield from known(call)
        elif call.name not in builtins.HARMLESS:
            yield from generic.unknown_tool(call)
        yield from privilege.judge(call, via=how.via, elsewhere=how.elsewhere)
        yield from privilege.fetched(call, scene.fetched)
        yield from privilege.handed(call, scene.streams)

    def _started(self, call: Call, where: tuple[Scene, Spot], how: _How) -> Stream:
        inners = peel(call)
        printed: Stream | None = None
        for inner in inners:
            deeper = _How(
                depth=how.depth + 1,
                root=how.root or inner.root,
                spread=how.spread or inner.spread,
                elsewhere=how.elsewhere or inner.elsewhere,
                via=how.via if how.via and call.name in privilege.PASSES_ON else call.name,
            )
            with self.idle() if self.keeps and defines_new_alias(call) else nullcontext():
                printed = self._inner(inner, call, where, deeper)
        if len(inners) == 1 and printed is not None and printed.fed:
            return printed
        return outputs.output(call)

    def _inner(self, inner: Inner, call: Call, where: tuple[Scene, Spot], how: _How) -> Stream:
        stdin = inner.stdin if inner.stdin is not None else call.stdin
        if inner.argv:
            return self._command(inner.argv, stdin, where, how)
        if inner.code is not None:
            return self._code(inner.code, where, how)
        if inner.script is not None:
            return self._script(inner, stdin, where, how)
        return NOTHING

    def _code(self, code: tuple[str, str], where: tuple[Scene, Spot], how: _How) -> Stream:
        language, text = code
        if text.startswith(HOLE + REMOTE):
            self.remote(where[1])
            return NOTHING
        for found in privilege.code(language, text):
            self.add(found, where[1], shown((language, text)))
        if how.depth and _SPELLED.search(text) and _STARTS.search(text):
            self.unclear(where[1], "puts together letter by letter what it runs")
        for inner in code_commands(language, text.replace(HOLE, "").translate({ord(one): None for one in MARKS})):
            self._inner(inner, Call(name=language, args=()), where, how)
        return Stream(text=None, fed=True)

    def _script(self, inner: Inner, stdin: Stream, where: tuple[Scene, Spot], how: _How) -> Stream:
        scene, spot = where
        text = inner.script or ""
        simple = text.split()
        if how.via and simple and not set(text) & set("|&;<>()$`\\\"'*?[{#\n\0"):
            return self._command(tuple(simple), stdin, where, how)
        if self.walk is None:
            return NOTHING
        stands = inner.script is stdin.text and stdin.line > 0
        spot = Spot(line=stdin.line, end=stdin.line) if stands else spot.pin()
        inside = scene if how.via in ("eval", "source", ".") else scene.copy()
        if inside is not scene:
            if inner.parameters:
                inside.variables["0"] = inner.parameters[0]
                inside.parameters = inner.parameters[1:]
            inside.root, inside.elsewhere, inside.via = how.root, how.elsewhere, how.via
        return self.walk.script(text, inside, spot, stdin)

    def _unknown_program(self, argv: tuple[str, ...], spot: Spot, how: _How) -> None:
        if REMOTE in argv[0]:
            self.remote(spot)
        elif how.root or generic.is_risky(argv[1:]):
            self.add(
                Found(rule=UNCLEAR, state=State.UNKNOWN, text="Which program this starts is only known at run time."),
                spot,
                shown(argv),
            )

    def redirect(self, sign: str, target: str, argv: tuple[str, ...], scene: Scene, spot: Spot) -> None:
        """Judge where output is sent."""
        self.judged += 1
        call = Call(name=program(argv[0]) if argv else "", args=argv[1:], cwd=scene.cwd, made=scene.made)
        for found in judge_redirect(sign, target, call):
            self.add(found, spot, shown((*argv, sign, target)))

    def printed(self, argv: tuple[str, ...]) -> Stream:
        """Return what a plain command would print."""
        return outputs.output(Call(name=program(argv[0]), args=argv[1:]))

    def unclear(self, spot: Spot, why: str) -> None:
        self.add(Found(rule=UNCLEAR, state=State.UNKNOWN, text=f"A script {why}."), spot, "")

    def unread(self, spot: Spot, why: str) -> None:
        self.add(Found(rule=TOO_LONG, state=State.UNKNOWN, text=f"A script was not read: {why}."), spot, "")

    def remote(self, spot: Spot) -> None:
        self.add(Found(rule=REMOTE_CODE), spot, "the output of a download, run at once")

    def bomb(self, spot: Spot) -> None:
        self.add(Found(rule=BOMB), spot, "")

    def broken(self, spot: Spot) -> None:
        self.add(Found(rule=UNREADABLE, state=State.UNKNOWN), spot, "")

    def add(self, found: Found, spot: Spot, evidence: str) -> None:
        if self._idle:
            if found.state is not State.BLOCK:
                return
            found = dataclasses.replace(found, state=State.CLEAR, severity="minor")
        if len(self.placed) < FOUND_MAX:
            self.placed.append(Placed(found=found, spot=spot, evidence=evidence))


def program(word: str) -> str:
    """Return the name of the program in lower case, without folder and file extension."""
    name = posixpath.basename(word.replace("\\", "/") if ":\\" in word else word.rstrip("/")).lower()
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def defines_new_alias(call: Call) -> bool:
    """True if an `alias` command only defines new names; an alias named like a tool replaces that tool."""
    return call.name == "alias" and not any(is_tool(word.partition("=")[0]) for word in call.args)


def is_tool(name: str) -> bool:
    """True if people already start a program by this name."""
    return name in FAMILIES or name in builtins.HARMLESS or name in _STARTED


def _never(_name: str) -> bool:
    return False


def _matched(pattern: str) -> str:
    """Resolve a pattern such as `/bin/r?` to a known tool that it matches; `rm` is preferred."""
    met = fnmatch.filter(FAMILIES, pattern)
    return "rm" if "rm" in met else (met[0] if met else pattern)
