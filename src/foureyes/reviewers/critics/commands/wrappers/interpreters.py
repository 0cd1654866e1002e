"""Extract code and commands from the arguments of interpreters, editors and tools with a shell escape."""

from __future__ import annotations

import functools
import re

from foureyes.reviewers.critics.commands.model import Call, each
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

#: Language, the options that carry code, and short options with another value.
_INTERPRETERS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "python": ("python", ("c",), "cmWXQ"),
    "perl": ("perl", ("e", "E"), "eEIMmxCD"),
    "ruby": ("ruby", ("e",), "eIrCEKx"),
    "node": ("js", ("e", "p", "eval", "print"), "eprC"),
    "nodejs": ("js", ("e", "p", "eval", "print"), "eprC"),
    "bun": ("js", ("e", "eval"), "e"),
    "deno": ("js", (), ""),
    "php": ("php", ("r", "B", "R", "E"), "rBREdcfz"),
    "lua": ("lua", ("e",), "el"),
    "luajit": ("lua", ("e",), "el"),
    "osascript": ("applescript", ("e",), "el"),
    "groovy": ("js", ("e",), "e"),
    "jrunscript": ("js", ("e",), "ef"),
    "jjs": ("js", (), ""),
    "scala": ("js", ("e",), "e"),
    "julia": ("js", ("e", "E", "eval"), "eELptJ"),
    "Rscript": ("js", ("e",), "e"),
    "rscript": ("js", ("e",), "e"),
    "r": ("js", ("e",), "ef"),
    "elixir": ("js", ("e", "eval"), "er"),
    "erl": ("js", ("eval",), ""),
    "ghc": ("js", ("e",), "e"),
    "octave": ("js", ("eval",), ""),
    "octave-cli": ("js", ("eval",), ""),
    "bpftrace": ("awk", ("e",), "e"),
    "irb": ("ruby", ("e",), "eIr"),
    "emacs": ("js", ("eval",), ""),
    "tclsh": ("tcl", (), ""),
    "wish": ("tcl", (), ""),
    "rpm": ("js", ("eval", "E"), "E"),
    "knife": ("ruby", ("E",), "E"),
    "rake": ("ruby", ("p", "e"), "pe"),
    "rails": ("ruby", (), ""),
}
_SCRIPTED = ("perl", "ruby", "node", "nodejs", "php", "lua")
_AWKS = ("awk", "gawk", "mawk", "nawk", "original-awk")
_VIMS = ("vi", "vim", "nvim", "view", "rvim", "rview", "vimdiff", "ex", "gvim", "less", "more", "most", "pg")

#: Tools with options whose value is a command they start.
_STARTERS: dict[str, tuple[str, ...]] = {
    "tar": (
        "checkpoint-action",
        "to-command",
        "use-compress-program",
        "I",
        "rsh-command",
        "info-script",
        "F",
        "new-volume-script",
    ),
    "gtar": ("checkpoint-action", "to-command", "use-compress-program", "I", "rsh-command"),
    "bsdtar": ("use-compress-program",),
    "zip": ("unzip-command", "TT"),
    "man": ("pager", "P", "html", "H"),
    "split": ("filter",),
    "openvpn": ("up", "down", "tls-verify"),
    "wget": ("use-askpass",),
    "nc": ("e", "c", "exec", "sh-exec"),
    "ncat": ("e", "c", "exec", "sh-exec"),
    "netcat": ("e", "c"),
    "start-stop-daemon": ("x", "exec", "a", "startas"),
    "aria2c": ("on-download-complete", "on-download-error", "on-download-start"),
    "mail": ("exec",),
    "crontab": (),
    "gem": ("e",),
    "sort": ("compress-program",),
    "lftp": ("c", "e"),
    "jmap": (),
    "logrotate": (),
    "tcpdump": ("z",),
    "dvips": ("R",),
    "restic": ("password-command", "stdin-from-command"),
    "nmap": (),
    "gimp": ("b",),
    "dc": ("e",),
    "finger": (),
    "msfconsole": ("x",),
    "socat": (),
    "nohup": (),
}
_EXECUTES = re.compile(r"(?:exec|system|shell|pty)[:=]", re.IGNORECASE)


def _interpreter(call: Call, shape: tuple[str, tuple[str, ...], str]) -> list[Inner]:
    language, names, takes = shape
    opts = options(call.args, takes, names, stop=True)
    # Options after the name of a script belong to the script.
    stops = call.name in _SCRIPTED or language == "python"
    own = call.args[: len(call.args) - len(opts.operands)] if stops else call.args
    text = _all_values(own, names) if names else ""
    if call.name == "deno" and call.args[:1] == ("eval",):
        text = " ".join(call.args[1:])
    if text:
        return [Inner(code=(language, text))]
    module = opts.value("m") if language == "python" else None
    if module:
        return [Inner(argv=(module, *opts.operands))]
    reads = not opts.operands or opts.operands[0] in ("-", "/dev/stdin")
    if reads:
        return [Inner(code=(language, call.stdin.text))] if call.stdin.fed and call.stdin.text else []
    return [Inner(argv=opts.operands)]


def _java(call: Call) -> list[Inner]:
    return [Inner(argv=call.args[call.args.index("-jar") + 1 :])] if "-jar" in call.args[:-1] else []


def _all_values(args: tuple[str, ...], names: tuple[str, ...]) -> str:
    """Return all given code, joined: perl and ruby accept `-e` many times, also behind other letters."""
    found = []
    for at, word in enumerate(args):
        long = word[2:].partition("=")[0] if word.startswith("--") else ""
        if long and long in names:
            found.append(word.partition("=")[2] or (args[at + 1] if at + 1 < len(args) else ""))
        elif word.startswith("-") and not word.startswith("--") and word[1:] and set(word[1:]) & set(names):
            letter = next(one for one in word[1:] if one in names)
            if word[1 : word.index(letter)].isalnum() or word[1] == letter:
                found.append(word[word.index(letter) + 1 :] or (args[at + 1] if at + 1 < len(args) else ""))
        elif word.startswith("-") and word[1:] in names and len(word) > 2:  # noqa: PLR2004 - a long name after one dash
            found.append(args[at + 1] if at + 1 < len(args) else "")
    return "\n".join(found)


def _awk(call: Call) -> list[Inner]:
    opts = options(call.args, "FvfeEilo", ("field-separator", "assign", "file", "source"), stop=True)
    program = opts.value("e", "source") or (opts.operands[0] if opts.operands and not opts.has("f") else "")
    return [Inner(code=("awk", program))] if program else []


def _editor(call: Call) -> list[Inner]:
    """Return the commands of `-c ':!sh'`, `+'!sh'`, and of lines fed to the editor."""
    given = [
        value
        for at, word in enumerate(call.args)
        if word in ("-c", "--cmd", "-S")
        for value in call.args[at + 1 : at + 2]
    ]
    given += [word[1:] for word in call.args if word.startswith("+") and len(word) > 1]
    if call.stdin.fed and call.stdin.text and call.name in ("ex", "vi", "vim", "ed", "red"):
        given += call.stdin.text.split("\n")[:50]
    inner = []
    for text in given:
        inner.extend(_editor_command(text.strip().lstrip(":")))
    return inner


def _editor_command(text: str) -> list[Inner]:
    if text.startswith("!"):
        return [Inner(script=text[1:])]
    if "shell=" in text or text.startswith(("shell", "terminal", "term")):
        return [Inner(argv=("sh", "-i"))]
    met = re.match(r"(?:py3?|python3?|pyx|lua|perl|ruby)\s+(.*)", text, re.DOTALL)
    return [Inner(code=("lua" if text.startswith("lua") else "python", met.group(1)))] if met else []


def _starter(call: Call, names: tuple[str, ...]) -> list[Inner]:
    """Return the command of each option that starts one, without a leading `exec=` or similar."""
    short = "".join(name for name in names if len(name) == 1)
    opts = options(call.args, short, names)
    values = [opts.value(name) for name in names if name in opts.long or name in opts.values]
    values += [call.args[at + 1] for at, word in enumerate(call.args[:-1]) if word == "-TT"]
    texts = [re.sub(r"^(?:exec|sh|command)=", "", value) for value in values if value]
    return [
        Inner(script=_bare_program(text))
        for text in texts
        if not text.startswith(("dot", "echo", "ttyout", "sleep", "bell"))
    ]


def _bare_program(text: str) -> str:
    """Return the text unchanged: compressors are often given as a bare program name."""
    return text


def _gdb(call: Call) -> list[Inner]:
    given = [
        call.args[at + 1]
        for at, word in enumerate(call.args[:-1])
        if word in ("-ex", "--ex", "-x", "--eval-command", "-o", "-iex")
    ]
    inner: list[Inner] = []
    for text in given:
        inner.extend(_editor_command(text.replace("shell ", "!", 1) if text.startswith("shell ") else text))
    return inner


def _expect(call: Call) -> list[Inner]:
    text = options(call.args, "cdf").value("c") or (call.stdin.text if call.stdin.fed else "")
    spawned = re.findall(r"(?:^|;|\n)[ \t]*(?:spawn|exec|system)\s+([^;\n]{1,500})", text or "")
    return [Inner(script=one) for one in spawned[:8]]


def _socat(call: Call) -> list[Inner]:
    return [Inner(script=_EXECUTES.sub("", word.split(",")[0], count=1)) for word in call.args if _EXECUTES.match(word)]


def _sed(call: Call) -> list[Inner]:
    """Return the commands that GNU sed runs with `e`."""
    opts = options(call.args, "efl", ("expression", "file"))
    scripts = [value for value in (opts.value("e", "expression"),) if value] or list(opts.operands[:1])
    found = []
    for text in scripts:
        met = re.match(r"\d*\s*e\s*(?:exec\s+)?(.*)", text.split(";")[0], re.DOTALL)
        if met and (met.group(1) or text in ("e", "1e")):
            found.append(Inner(script=met.group(1).replace("1>&0", "")))
    return found


def _make(call: Call) -> list[Inner]:
    text = options(call.args, "CfIjlo", ("eval", "directory", "file")).value("eval", "E")
    if not text:
        return []
    recipe = [
        line.lstrip("\t @-")
        for line in re.split(r"[\n;]|\\n", text)
        if line.startswith(("\t", "\\t")) or ":" not in line
    ]
    return [Inner(script=line.replace("\\t", "").lstrip("-@ ")) for line in recipe if line.strip()]


#: Settings of git whose value is a program to start.
_GIT_RUNS = ("pager", "editor", "sshcommand", "fsmonitor", "askpass", "helper")


def _git(call: Call) -> list[Inner]:
    """Return the commands git starts from `-c` settings, and from config, submodule, bisect and rebase."""
    inner = []
    for at, word in enumerate(call.args[:-1]):
        if word not in ("-c", "--config-env") or "=" not in call.args[at + 1]:
            continue
        name, _, value = call.args[at + 1].partition("=")
        lowered = name.lower()
        if lowered.startswith("alias.") and value.startswith("!"):
            inner.append(Inner(script=value[1:]))
        elif lowered.startswith("alias."):
            inner.append(Inner(argv=("git", *value.split())))
        elif lowered.endswith(
            ("pager", "editor", "sshcommand", "fsmonitor", "askpass", "helper")
        ) or lowered.startswith("pager."):
            inner.append(Inner(script=value.lstrip("!")))
    words = [word for word in call.args if not word.startswith("-")]
    if words[:1] == ["config"]:
        runs = words[1].lower().endswith(_GIT_RUNS) if words[2:] else False
        inner += [Inner(script=word.lstrip("!")) for word in words[2:] if word.startswith("!") or runs]
    rest = call.args[call.args.index("foreach") + 1 :] if words[:2] == ["submodule", "foreach"] else ()
    if rest:
        inner.append(Inner(script=" ".join(word for word in rest if word != "--recursive")))
    if words[:2] == ["bisect", "run"]:
        inner.append(Inner(argv=call.args[call.args.index("run") + 1 :]))
    given = [name for name in ("-x", "--exec") if words[:1] == ["rebase"] and name in call.args[:-1]]
    return inner + [Inner(script=call.args[call.args.index(name) + 1]) for name in given]


def _apt(call: Call) -> list[Inner]:
    given = [word for word in call.args if "Invoke" in word or "Dpkg::Pre-Install" in word]
    return [Inner(script=word.partition("=")[2].strip('{}";')) for word in given]


def _gcc(call: Call) -> list[Inner]:
    if "-wrapper" not in call.args[:-1]:
        return []
    return [Inner(argv=tuple(call.args[call.args.index("-wrapper") + 1].split(",")))]


def _run_parts(call: Call) -> list[Inner]:
    pattern = options(call.args, "ua", ("regex", "arg", "umask")).value("regex")
    return [Inner(argv=(pattern.strip("^$"),))] if pattern else []


def _dot_shell(call: Call) -> list[Inner]:
    r"""Return the commands of sqlite3 `.shell` and of `\!` in psql and mysql, which leave the database."""
    texts = [*call.args, call.stdin.text or ""] if call.stdin.fed else list(call.args)
    found = []
    for text in texts:
        found += re.findall(r"(?:^|[\n;])[ \t]*(?:\.shell|\.system|\\!|system)\s+([^\n]{1,500})", text)
    return [Inner(script=one) for one in found[:8]]


_PYTHONS = [f"python{version}" for version in ("2", "3", *(f"3.{minor}" for minor in range(6, 16)), "2.7")] + [
    "pypy",
    "pypy3",
    "ipython",
]

PEELS: dict[str, Peel] = {
    **{name: functools.partial(_interpreter, shape=shape) for name, shape in _INTERPRETERS.items()},
    **{name: functools.partial(_interpreter, shape=_INTERPRETERS["python"]) for name in _PYTHONS},
    **{name: functools.partial(_starter, names=names) for name, names in _STARTERS.items() if names},
    **dict.fromkeys(_AWKS, _awk),
    **dict.fromkeys((*_VIMS, "ed", "red", "nano"), _editor),
    **each("gdb lldb cdb", _gdb),
    **each("sqlite3 psql mysql mariadb sqlite", _dot_shell),
    **each("apt apt-get aptitude", _apt),
    **each("gcc g++ cc c89 c99", _gcc),
    "expect": _expect,
    "java": _java,
    "socat": _socat,
    "sed": _sed,
    "gsed": _sed,
    "make": _make,
    "gmake": _make,
    "git": _git,
    "run-parts": _run_parts,
}
