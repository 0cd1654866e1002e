"""Programs that run the rest of their command line as a command."""

from __future__ import annotations

import functools
import re

from foureyes.reviewers.critics.commands.model import Call, each, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

ASSIGNMENT = re.compile(r"[A-Za-z_][\w.-]*=")

#: Short options with a value, long options with a value, and the number of words before the command.
_PREFIXES: dict[str, tuple[str, tuple[str, ...], int]] = {
    "nice": ("n", ("adjustment",), 0),
    "ionice": ("cnpPu", ("class", "classdata"), 0),
    "nohup": ("", (), 0),
    "time": ("fo", ("format", "output"), 0),
    "gtime": ("fo", ("format", "output"), 0),
    "timeout": ("ks", ("kill-after", "signal"), 1),
    "gtimeout": ("ks", ("kill-after", "signal"), 1),
    "stdbuf": ("ioe", ("input", "output", "error"), 0),
    "setsid": ("", (), 0),
    "chroot": ("", ("groups", "userspec"), 1),
    "nsenter": ("tSGW", ("target", "setuid", "setgid"), 0),
    "unshare": ("SGRw", ("setuid", "setgid", "root", "wd"), 0),
    "strace": ("abeEIoOpPsSuUX", (), 0),
    "ltrace": ("abeFlnopsuwx", (), 0),
    "valgrind": ("", (), 0),
    "busybox": ("", (), 0),
    "toybox": ("", (), 0),
    "builtin": ("", (), 0),
    "coproc": ("", (), 0),
    "caffeinate": ("tw", (), 0),
    "chrt": ("TPD", (), 1),
    "taskset": ("p", (), 1),
    "numactl": ("CNmpil", (), 0),
    "unbuffer": ("", (), 0),
    "xvfb-run": ("enpsfw", (), 0),
    "dbus-run-session": ("", (), 0),
    "proxychains": ("f", (), 0),
    "proxychains4": ("f", (), 0),
    "torsocks": ("", (), 0),
    "torify": ("", (), 0),
    "firejail": ("", (), 0),
    "rlwrap": ("", (), 0),
    "fakeroot": ("", (), 0),
    "cpulimit": ("lpe", (), 0),
    "logsave": ("", (), 1),
    "setarch": ("", (), 1),
    "linux64": ("", (), 0),
    "linux32": ("", (), 0),
    "softlimit": ("", (), 0),
    "prlimit": ("", (), 0),
    "choom": ("n", (), 0),
    "setlock": ("", (), 1),
    "catchsegv": ("", (), 0),
    "perf": ("", (), 1),
    "rtk": ("", (), 0),
    "aws-vault": ("", (), 2),
    "chamber": ("", (), 2),
    "direnv": ("", (), 2),
    "entr": ("", (), 0),
    "pexec": ("", (), 0),
    "multitime": ("n", (), 0),
    "sshpass": ("pfe", (), 0),
    "systemd-inhibit": ("", (), 0),
    "cgexec": ("g", (), 0),
    "scl": ("", (), 1),
    "bwrap": ("", (), 0),
    "proot": ("rbw", (), 0),
    "dotenv": ("fe", (), 0),
    "with-contenv": ("", (), 0),
    "annotate-output": ("", (), 0),
    "chronic": ("", (), 0),
    "ssh-agent": ("aEtPO", (), 0),
    "k3s": ("", (), 0),
    "microk8s": ("", (), 0),
}
_AS_ANOTHER: dict[str, tuple[str, tuple[str, ...], int]] = {
    "sudo": (
        "ugpChrtTUDR",
        ("user", "group", "prompt", "close-from", "chdir", "host", "role", "type", "other-user"),
        0,
    ),
    "doas": ("uC", (), 0),
    "pkexec": ("", ("user",), 0),
    "gosu": ("", (), 1),
    "su-exec": ("", (), 1),
    "setpriv": ("", ("reuid", "regid", "groups"), 0),
    "sudo-rs": ("ugpChrtTUDR", ("user", "group"), 0),
    "run0": ("u", ("user",), 0),
}
#: Programs that run the rest of their line, joined by spaces, through a shell.
_JOINED: dict[str, tuple[str, tuple[str, ...], int]] = {
    "eval": ("", (), 0),
    "watch": ("nq", ("interval",), 0),
    "hyperfine": ("wmMrsSpnPDcCiL", ("warmup", "runs", "prepare", "cleanup", "setup"), 0),
    "ddev": ("", (), 1),
}


#: Programs that start a shell when no command is given.
_ELSE_A_SHELL = ("nsenter", "unshare", "chroot")


def _prefixed(call: Call, shape: tuple[str, tuple[str, ...], int], *, root: bool = False) -> list[Inner]:
    takes, long_takes, skip = shape
    rest = list(options(call.args, takes, long_takes, stop=True).operands)
    rest = without_assignments(rest)[skip:]
    if rest[:1] == ["--"]:
        rest = rest[1:]
    rest = without_assignments(rest)
    if not rest and call.name in _ELSE_A_SHELL and call.args:
        return [Inner(argv=("sh", "-i"), root=root)]
    return [Inner(argv=tuple(rest), root=root)] if rest else []


def without_assignments(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and ASSIGNMENT.match(words[at]):
        at += 1
    return words[at:]


def _sudo(call: Call, shape: tuple[str, tuple[str, ...], int]) -> list[Inner]:
    opts = options(call.args, shape[0], shape[1], stop=True)
    rest = without_assignments(list(opts.operands))
    other = opts.value("u", "user")
    root = other in (None, "root", "#0")
    if opts.has("e", "edit") and call.name == "sudo":
        return [Inner(argv=("sudoedit", *rest), root=True)]
    if not rest and opts.has("i", "s", "login", "shell"):
        return [Inner(argv=("sh", "-i"), root=root)]
    if opts.has("i", "s") and call.name == "sudo":
        return [Inner(script=" ".join(rest), root=root)]
    return _prefixed(call, shape, root=root)


def _joined(call: Call, shape: tuple[str, tuple[str, ...], int]) -> list[Inner]:
    opts = options(call.args, shape[0], shape[1], stop=True)
    text = " ".join(opts.operands[shape[2] :])
    if call.name == "watch" and opts.has("x", "exec"):
        return [Inner(argv=opts.operands)]
    if call.name == "hyperfine":
        return [Inner(script=one) for one in opts.operands]
    return [Inner(script=text)] if text else []


def _env(call: Call) -> list[Inner]:
    opts = options(call.args, "uCSP", ("unset", "chdir", "split-string"), stop=True)
    rest = without_assignments(list(opts.operands))
    whole = opts.value("S", "split-string")
    if whole is not None:
        return [Inner(script=" ".join([whole, *rest]))]
    return [Inner(argv=tuple(rest))] if rest else []


def _command(call: Call) -> list[Inner]:
    opts = options(call.args, "", stop=True)
    return [] if opts.has("v", "V") or not opts.operands else [Inner(argv=opts.operands)]


def _exec(call: Call) -> list[Inner]:
    opts = options(call.args, "a", stop=True)
    return [Inner(argv=opts.operands)] if opts.operands else []


def _flock(call: Call) -> list[Inner]:
    rest = list(options(call.args, "wE", ("timeout", "conflict-exit-code"), stop=True).operands)[1:]
    inner = options(rest, "c", ("command",), stop=True)
    script = inner.value("c", "command")
    return [Inner(script=script)] if script else [Inner(argv=inner.operands)] if inner.operands else []


def _option_script(call: Call, *names: str, takes: str = "") -> list[Inner]:
    script = options(call.args, takes or "".join(n for n in names if len(n) == 1), names).value(*names)
    return [Inner(script=script)] if script else []


def _trap(call: Call) -> list[Inner]:
    rest = [word for word in call.args if word not in ("--", "-", "-l", "-p")]
    return [Inner(script=rest[0])] if len(rest) > 1 and rest[0] else []


def _alias(call: Call) -> list[Inner]:
    return [Inner(script=word.partition("=")[2]) for word in call.args if "=" in word]


def _systemd_run(call: Call) -> list[Inner]:
    rest = options(call.args, "pMuEHG", ("unit", "property", "description", "slice", "uid", "gid", "setenv"), stop=True)
    return [Inner(argv=rest.operands)] if rest.operands else []


def _capsh(call: Call) -> list[Inner]:
    """Return the shell that `--` starts with the words after it, and with the capabilities set before."""
    return [Inner(argv=("sh", *call.args[call.args.index("--") + 1 :]))] if "--" in call.args else []


def after_dashes(call: Call) -> list[Inner]:
    """Return the words after `--` as a command, if the tool was asked to run or exec something."""
    if "--" not in call.args:
        return []
    at = call.args.index("--")
    asks = {"run", "exec", "shell", "start", "execute", "x"} & set(call.args[:at])
    rest = call.args[at + 1 :]
    return [Inner(argv=rest, elsewhere=True)] if asks and rest else []


#: What a package manager does itself; any other word is a tool of the project.
_MANAGER_VERBS = words(
    "install add remove upgrade up init test start build publish pack link unlink cache config why list ls audit "
    "outdated create set plugin workspace workspaces version info login logout import prune store rebuild patch dedupe "
    "i ci rm un uninstall update node npm lint dev unpublish deprecate owner access token team org dist-tag"
)


def _runner(call: Call) -> list[Inner]:
    """Return the tool that `poetry run X`, `uv run X` or `npx X` starts."""
    given = list(call.args)
    if call.name not in ("npx", "bunx", "pnpx", "uvx", "pipx"):
        verbs = [at for at, word in enumerate(given[:4]) if word in ("run", "exec", "dlx", "x")]
        if not verbs:
            tool = options(given, stop=True).operands
            own = call.name in ("yarn", "pnpm", "bun") and tool[:1] and tool[0] not in _MANAGER_VERBS
            return [Inner(argv=tool)] if own else []
        given = given[verbs[0] + 1 :]
    rest = options(given, "cpn", ("with", "python", "package", "prefix", "name", "env"), stop=True)
    script = options(given, "c", ("call",), stop=True).value("c", "call") if call.name in ("npx", "npm") else None
    if script:
        return [Inner(script=script)]
    named = call.name in ("npm", "yarn", "pnpm", "bun") and "run" in call.args
    return [Inner(argv=rest.operands)] if rest.operands and not named else []


PEELS: dict[str, Peel] = {
    **{name: functools.partial(_prefixed, shape=shape) for name, shape in _PREFIXES.items()},
    **{name: functools.partial(_sudo, shape=shape) for name, shape in _AS_ANOTHER.items()},
    **{name: functools.partial(_joined, shape=shape) for name, shape in _JOINED.items()},
    **each(
        "poetry uv pipenv npx bunx pnpx uvx pdm hatch rye bundle conda mamba micromamba mise asdf "
        "npm yarn pnpm bun pixi",
        _runner,
    ),
    "env": _env,
    "command": _command,
    "exec": _exec,
    "flock": _flock,
    "trap": _trap,
    "alias": _alias,
    "systemd-run": _systemd_run,
    "capsh": _capsh,
    "nix-shell": lambda call: _option_script(call, "run", "command"),
    "ip": lambda call: [Inner(argv=call.args[3:])] if call.args[:2] == ("netns", "exec") and call.args[3:] else [],
    "xterm": lambda call: [Inner(argv=call.args[call.args.index("-e") + 1 :])] if "-e" in call.args else [],
    "entr": lambda call: [Inner(argv=options(call.args, stop=True).operands)],
}
