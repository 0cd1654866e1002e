"""Find what find, xargs and parallel run on the files they are given."""

from __future__ import annotations

import itertools

from foureyes.reviewers.critics.commands.model import HOLE, Call, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

#: Tests and actions of find that take the next word as their value.
FIND_TAKES = words(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime "
    "-atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -maxdepth -mindepth "
    "-links -inum -samefile -fstype -printf -fprint -fprint0 -fls -used -context -regextype -newermt -newerct "
    "-newerat -files0-from -D -O"
)
_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
VALUES_MAX = 8


def find_parts(args: tuple[str, ...]) -> tuple[list[str], list[str], list[tuple[str, ...]]]:
    """Return the starting points of find, its tests and actions without value, and the commands it runs."""
    words = list(args)
    while words and words[0] in ("-H", "-L", "-P"):
        words.pop(0)
    starts = list(itertools.takewhile(lambda word: not word.startswith(("-", "(", "!", ")")), words))
    bare: list[str] = []
    runs: list[tuple[str, ...]] = []
    at = len(starts)
    while at < len(words):
        word = words[at]
        at += 1
        if word in _RUNS:
            end = next(
                (i for i in range(at, len(words)) if words[i] == ";" or (words[i] == "+" and words[i - 1] == "{}")),
                len(words),
            )
            runs.append(tuple(words[at:end]))
            at = end + 1
        elif word in FIND_TAKES:
            at += 1
        else:
            bare.append(word)
    return starts or ["."], bare, runs


def _find(call: Call) -> list[Inner]:
    starts, _, runs = find_parts(call.args)
    inner = []
    for run in runs:
        for start in starts[:VALUES_MAX]:
            below = _found(start, call.args)
            inner.append(Inner(argv=tuple(word.replace("{}", below) for word in run), spread=True))
    return inner


def _found(start: str, args: tuple[str, ...]) -> str:
    """Return a path for what a search finds: everything below its start, or the name it looks for."""
    names = [args[at + 1] for at, word in enumerate(args[:-1]) if word in ("-name", "-iname", "-path", "-wholename")]
    below = start.rstrip("/")
    return f"{below}/_/{names[0].lstrip('*/')}" if names and names[0].strip("*./") else f"{below}/*"


def _fd(call: Call) -> list[Inner]:
    for name in ("-x", "-X", "--exec", "--exec-batch"):
        if name in call.args:
            rest = call.args[call.args.index(name) + 1 :]
            argv = tuple(word.replace("{}", f"./{HOLE}") for word in rest)
            return [Inner(argv=argv if "{}" in " ".join(rest) else (*argv, f"./{HOLE}"), spread=True)]
    return []


def _values(call: Call) -> list[str]:
    """Return what comes in through the pipe, word by word."""
    if call.stdin.text is None or not call.stdin.fed:
        return [HOLE]
    return call.stdin.text.split()[:VALUES_MAX] or [""]


def _xargs(call: Call) -> list[Inner]:
    opts = options(call.args, "IiLlnPsEead", ("replace", "max-args", "max-procs", "delimiter", "arg-file"), stop=True)
    if not opts.operands:
        return []
    mark = opts.value("I", "i", "replace")
    listed = opts.value("a", "arg-file")
    values = _values(call) if listed is None else [] if listed == "/dev/null" else [HOLE]
    if mark is not None and (opts.has("I") or "replace" in opts.long):
        mark = mark or "{}"
        if call.stdin.fed and call.stdin.text:
            values = call.stdin.text.strip("\n").split("\n")[:VALUES_MAX]
        return [Inner(argv=tuple(word.replace(mark, value) for word in opts.operands), spread=True) for value in values]
    return [Inner(argv=(*opts.operands, *(one for one in values if one)), spread=True)]


def _parallel(call: Call) -> list[Inner]:
    takes = ("jobs", "colsep", "delay", "retries", "timeout", "joblog", "results", "sshlogin", "max-procs")
    words = list(call.args)
    marks = [at for at, word in enumerate(words) if word.startswith(":::")]
    values = [word for word in words[marks[0] + 1 :] if not word.startswith(":::")] if marks else _values(call)
    command = words[: marks[0]] if marks else words
    rest = options(command, "jIndaSNLl", takes, stop=True).operands
    if not rest:
        return [Inner(script=value) for value in values[:VALUES_MAX]]
    inner = []
    for value in values[:VALUES_MAX]:
        filled = [word.replace("{}", value).replace("{.}", value).replace("{1}", value) for word in rest]
        if filled == list(rest) and value:
            filled.append(value)
        inner.append(_started(filled))
    return inner


def _started(words: list[str]) -> Inner:
    """Return the line that parallel passes to a shell; a single word with spaces is a whole script."""
    return Inner(script=words[0], spread=True) if " " in words[0] else Inner(argv=tuple(words), spread=True)


PEELS: dict[str, Peel] = {
    "find": _find,
    "gfind": _find,
    "fd": _fd,
    "fdfind": _fd,
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
    "rush": _parallel,
    "sem": _parallel,
}
