"""Find what runs on another machine or inside a container."""

from __future__ import annotations

import re

from foureyes.reviewers.critics.commands.model import Call, each, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.wrappers.inner import Inner, Peel

_SSH_TAKES = "BbcDEeFIiJLlmOopQRSWw"
_CONTAINER_TAKES = "abcehlmpuvwi"
_LONG = words(
    "name env env-file volume workdir user network publish entrypoint label mount memory cpus hostname add-host "
    "container namespace context kubeconfig platform index detach-keys pod-running-timeout file project-name "
    "profile host"
)


def _ssh(call: Call) -> list[Inner]:
    opts = options(call.args, _SSH_TAKES, stop=True)
    inner = [Inner(script=value) for value in _proxies(call.args)]
    words = list(opts.operands)
    more = options(words[1:], _SSH_TAKES, stop=True).operands if words else ()
    if more:
        inner.append(Inner(script=" ".join(more), elsewhere=True))
    elif words and call.stdin.fed and call.stdin.text and call.name == "ssh":
        inner.append(Inner(script=call.stdin.text, elsewhere=True))
    return inner


def _proxies(args: tuple[str, ...]) -> list[str]:
    """Return the values of `-o ProxyCommand=…` and similar options, which run on this machine."""
    given = [
        word
        for word in args
        if word.partition("=")[0].lstrip("-o").lower() in ("proxycommand", "localcommand", "knownhostscommand")
    ]
    return [word.partition("=")[2].lstrip(";") for word in given]


def _scp(call: Call) -> list[Inner]:
    program = options(call.args, "cFiJloPSXD").value("S")
    return [*(Inner(script=value) for value in _proxies(call.args)), *([Inner(script=program)] if program else [])]


def _rsync(call: Call) -> list[Inner]:
    program = options(call.args, "efTBM", ("rsh", "rsync-path")).value("e", "rsh")
    return [Inner(script=program)] if program and program.split()[:1] != ["ssh"] else []


def _container(call: Call) -> list[Inner]:
    """Return what `exec` and `run` of docker, podman and nerdctl start, with or without compose."""
    words = list(
        options(
            call.args, "cHlfp", ("context", "host", "log-level", "config", "file", "project-name", "profile"), stop=True
        ).operands
    )
    if words[:1] == ["compose"]:
        words = list(options(words[1:], "fp", ("file", "project-name", "profile", "env-file"), stop=True).operands)
    if words[:1] == ["container"]:
        words = words[1:]
    if not words or words[0] not in ("exec", "run"):
        return []
    opts = options(words[1:], _CONTAINER_TAKES.replace("i", ""), _LONG, stop=True)
    entry = opts.long.get("entrypoint")
    argv = opts.operands[1:]
    if entry:
        argv = (entry, *argv)
    return [Inner(argv=argv, elsewhere=True)] if argv else []


def _kubectl(call: Call) -> list[Inner]:
    words = list(options(call.args, "ns", _LONG, stop=True).operands)
    if not words or words[0] not in ("exec", "run", "debug"):
        return []
    if "--" in call.args:
        return [Inner(argv=call.args[call.args.index("--") + 1 :], elsewhere=True)]
    rest = options(words[1:], "cnf", _LONG, stop=True).operands[1:]
    return [Inner(argv=rest, elsewhere=True)] if rest and words[0] == "exec" else []


def _ansible(call: Call) -> list[Inner]:
    opts = options(call.args, "maiuefltTMoPBcDK", ("args", "module-name", "inventory", "user"))
    module, text = opts.value("m", "module-name") or "command", opts.value("a", "args")
    return [Inner(script=text, elsewhere=True)] if text and module.split(".")[-1] in ("command", "shell", "raw") else []


def _cloud_ssh(call: Call) -> list[Inner]:
    """Return the script in an option of gcloud compute ssh, az vm run-command, fly ssh console and similar."""
    opts = options(call.args, "C", ("command", "scripts", "parameters", "cmd"))
    text = opts.value("command", "scripts", "C")
    wants = {"ssh", "run-command", "console", "exec"} & set(call.args)
    return [Inner(script=text, elsewhere=True)] if text and wants else []


#: Short options with a value; the remaining words run on many machines.
_MANY = {"pssh": "hHlpote", "parallel-ssh": "hHlpote", "pdsh": "wgxlfuRt", "clush": "wgxlfuRt", "dsh": "gmFNr"}


def _many(call: Call) -> list[Inner]:
    rest = options(call.args, _MANY[call.name], ("hosts", "host", "user"), stop=True).operands
    return [Inner(script=" ".join(rest), elsewhere=True)] if rest else []


def _salt(call: Call) -> list[Inner]:
    at = next((at for at, word in enumerate(call.args) if word.startswith("cmd.")), None)
    rest = call.args[at + 1 :] if at is not None else ()
    return [Inner(script=rest[0], elsewhere=True)] if rest else []


def _sftp(call: Call) -> list[Inner]:
    """Return deletions among the lines fed to sftp, and lines with `!`, which run on this machine."""
    lines = (call.stdin.text or "").split("\n")[:200] if call.stdin.fed else []
    typed = [
        Inner(script=line.lstrip("-@ !"), elsewhere=not line.startswith("!"))
        for line in lines
        if re.match(r"\s*(?:[-@ ]*(?:rm|rmdir|mrm)\b|!)", line)
    ]
    return [*_scp(call), *typed]


def _vagrant(call: Call) -> list[Inner]:
    text = options(call.args, "c", ("command",)).value("c", "command")
    return [Inner(script=text, elsewhere=True)] if text and "ssh" in call.args else []


PEELS: dict[str, Peel] = {
    "ssh": _ssh,
    "autossh": _ssh,
    "mosh": _ssh,
    "scp": _scp,
    "sftp": _sftp,
    **dict.fromkeys(_MANY, _many),
    **each("salt salt-call salt-ssh", _salt),
    "rsync": _rsync,
    **each("docker podman nerdctl docker-compose podman-compose lxc finch", _container),
    **each("kubectl oc kubecolor k", _kubectl),
    "ansible": _ansible,
    **each("gcloud az fly flyctl", _cloud_ssh),
    "vagrant": _vagrant,
}
