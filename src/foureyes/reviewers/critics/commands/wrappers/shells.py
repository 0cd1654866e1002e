"""Find what a shell, `su`, `at` or a terminal multiplexer runs."""

from __future__ import annotations

import re

from foureyes.reviewers.critics.commands.model import Call, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

JOBS_MAX = 200
SHELLS = words("sh bash zsh dash ash ksh ksh93 mksh fish csh tcsh yash sash rbash pwsh powershell elvish nu xonsh")


def shell(call: Call) -> list[Inner]:
    """Return the script of `-c TEXT`, or the standard input if no script is named."""
    opts = options(call.args, "oO", ("rcfile", "init-file"), stop=True)
    if opts.has("c", "command", "Command"):
        rest = [word for word in opts.operands if word]
        return [Inner(script=rest[0], parameters=tuple(opts.operands[1:]))] if rest else []
    if call.name in ("pwsh", "powershell"):
        return _powershell(call)
    reads = opts.has("s") or not opts.operands or opts.operands[0] in ("-", "/dev/stdin")
    if reads and call.stdin.fed and call.stdin.text:
        return [Inner(script=call.stdin.text, parameters=(call.name, *opts.operands))]
    return []


def _source(call: Call) -> list[Inner]:
    reads = not call.args or call.args[0] in ("/dev/stdin", "-")
    return [Inner(script=call.stdin.text)] if reads and call.stdin.fed and call.stdin.text else []


def _powershell(call: Call) -> list[Inner]:
    lowered = [word.lower() for word in call.args]
    for name in ("-command", "-c", "/c"):
        if name in lowered:
            return [Inner(script=" ".join(call.args[lowered.index(name) + 1 :]))]
    return []


def _su(call: Call) -> list[Inner]:
    opts = options(call.args, "cgGsuw", ("command", "group", "shell", "session-command", "user"))
    script = opts.value("c", "command", "session-command")
    user = next((word for word in opts.operands if word != "-"), opts.value("u", "user") or "root")
    if script:
        return [Inner(script=script, root=user == "root")]
    if call.name == "runuser" and opts.has("u"):
        return [Inner(argv=opts.operands)]
    return [Inner(argv=("sh", "-i"), root=True)] if user == "root" else []


def _at(call: Call) -> list[Inner]:
    return [Inner(script=call.stdin.text)] if call.stdin.fed and call.stdin.text else []


def _expression(call: Call) -> list[Inner]:
    return [Inner(script=" ".join(call.args))] if call.args else _at(call)


def _crontab(call: Call) -> list[Inner]:
    """Return the commands of the lines piped into crontab; each line is a time and a command."""
    lines = (call.stdin.text or "").split("\n")[:JOBS_MAX] if call.stdin.fed else []
    met = [re.match(r"\s*(?:@\w+|(?:[\d*/,A-Za-z-]+\s+){5})\s*(\S.*)", line) for line in lines]
    return [Inner(script=one.group(1)) for one in met if one]


def _script(call: Call) -> list[Inner]:
    opts = options(call.args, "cEIOTBmot", ("command",))
    text = opts.value("c", "command")
    if not text and "/dev/null" in opts.operands:
        # The typescript is discarded, so only the shell it starts is wanted.
        return [Inner(argv=("sh", "-i"))]
    return [Inner(script=text)] if text else []


def _multiplexer(call: Call) -> list[Inner]:
    """Return what tmux and screen run: the last words of a new window, or keys sent to a window."""
    words = list(call.args)
    if call.name == "tmux" and any(word.startswith("send") for word in words):
        opts = options(words[1:], "tN")
        keys = [word for word in opts.operands if word not in ("Enter", "C-m", "Space")]
        return [Inner(script=" ".join(keys))] if keys else []
    if call.name == "screen":
        if "stuff" in words:
            return [Inner(script=" ".join(words[words.index("stuff") + 1 :]).replace("\\n", "\n"))]
        rest = options(words, "SpTchesrt", stop=True)
        return [Inner(argv=rest.operands)] if rest.operands else []
    starts = ("new-session", "new", "new-window", "neww", "split-window", "splitw", "run-shell", "run", "respawn-pane")
    if not words or words[0] not in starts:
        return []
    rest = options(words[1:], "sntcexyFfl", stop=True)
    return [Inner(script=" ".join(rest.operands))] if rest.operands else []


def _cmd(call: Call) -> list[Inner]:
    lowered = [word.lower() for word in call.args]
    at = next((lowered.index(one) for one in ("/c", "/k") if one in lowered), None)
    if at is None:
        return []
    rest = call.args[at + 1 :]
    return [Inner(argv=tuple(rest[0].split()) if len(rest) == 1 else rest)]


PEELS: dict[str, Peel] = {
    **dict.fromkeys(SHELLS, shell),
    "source": _source,
    ".": _source,
    "iex": _expression,
    "invoke-expression": _expression,
    "su": _su,
    "runuser": _su,
    "at": _at,
    "batch": _at,
    "crontab": _crontab,
    "script": _script,
    "tmux": _multiplexer,
    "screen": _multiplexer,
    "cmd": _cmd,
}
