"""Find commands that turn the right to run one tool into the right to run everything."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from foureyes.reviewers.critics.commands.model import REMOTE, Call, Family, Found, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.places import SCRATCH
from foureyes.reviewers.critics.commands.tools.network import HTTP_DELETE, REMOTE_CODE, REVERSE_SHELL
from foureyes.reviewers.critics.commands.tools.root import (
    ROOT_SHELL,
    ROOT_TOOL,
    SHELL_ESCAPE,
    WRITERS,
    as_root,
)
from foureyes.reviewers.critics.commands.tools.system import BOMB
from foureyes.reviewers.critics.commands.wrappers.interpreters import PEELS as INTERPRETERS
from foureyes.reviewers.critics.commands.wrappers.shells import SHELLS
from foureyes.reviewers.critics.critic import State

SECRET_FILE = rule(
    "privilege.secret-file",
    "A file with everybody's passwords or keys is read",
    "Password hashes and private keys let whoever reads them become somebody else.",
    "Ask for the one credential that is needed, through the secret store.",
    "critical",
)

_HERE = frozenset(("",)) | words(
    "env command exec builtin nohup time nice timeout coproc rlwrap tmux screen xterm systemd-run trap alias eval "
    "ssh-agent"
)
#: Programs that are passed through: what they start counts as started by their own caller.
PASSES_ON = _HERE | SHELLS
#: Tools that carry or inspect a file without acting on its content.
_CARRIERS = words("cp mv install rm tee cat ls chmod chown chgrp touch stat mkdir test grep diff tar gpg dpkg sh bash")
_PROTECTED = re.compile(
    r"/etc/(?:g?shadow-?|sudoers\S*|security/)|/root/|id_(?:rsa|dsa|ecdsa|ed25519)$|\.ssh/(?!.*\.pub$|known_hosts|config$|$)|/proc/\d+/mem|ssh_host_\w+_key$|\.kdbx$|\.aws/credentials$|\.gnupg/(?:secring|private-keys)|(?:^|/)\.(?:netrc|pgpass|git-credentials|vault-token)$|gcloud/\w*credentials\w*\.(?:json|db)$|/ntds\.dit|SAM$"
)


def judge(call: Call, *, via: str, elsewhere: bool) -> Iterator[Found]:
    """Find unexpected shells, tools as root that can do anything, and code from the network."""
    yield from _shell(call, via=via, elsewhere=elsewhere)
    if any(word.startswith(("LD_PRELOAD=", "LD_LIBRARY_PATH=", "LD_AUDIT=")) for word in call.args) and (
        {call.name, *call.args} & {"sudo", "doas", "pkexec", "su"}
    ):
        yield Found(rule=SHELL_ESCAPE, text="A library of somebody's choice is loaded into a program run as root.")
    if call.name == "nmap" and "--interactive" in call.args:
        yield Found(rule=SHELL_ESCAPE)
    if call.root:
        yield from as_root(call)
    if call.name in RUN_FILES - {"cat"} or call.name in _EVALS:
        yield from _fed(call)
    yield from _protected(call)


_EVALS = ("iex", "invoke-expression")
_CODE = frozenset(
    name
    for name in INTERPRETERS
    if name.startswith(("python", "perl", "ruby", "node", "php", "lua", "bun", "deno", "pypy", "osascript", "tclsh"))
)


#: Programs that run, or print, the file they are given.
RUN_FILES = SHELLS | _CODE | {"source", ".", "cat"}


def _shell(call: Call, *, via: str, elsewhere: bool) -> Iterator[Found]:
    if call.name not in SHELLS:
        return
    opts = options(call.args, "oO", ("rcfile", "init-file"), stop=True)
    bare = not opts.has("c", "version") and not opts.operands and not call.stdin.fed
    if opts.has("p") and call.name in ("sh", "bash", "dash", "ksh", "zsh", "ash", "csh", "mksh") and not opts.operands:
        yield Found(rule=ROOT_SHELL, text="With -p the shell keeps the rights of whoever owns it.")
    elif call.root and bare and not elsewhere:
        yield Found(rule=ROOT_SHELL)
    elif bare and call.own and not elsewhere:
        yield Found(rule=SHELL_ESCAPE, text="A copy of a shell is started; such copies are made for their setuid bit.")
    elif (bare and via not in _HERE and via not in SHELLS and not elsewhere) or (
        bare
        and via in ("env", "nice", "timeout", "time", "nohup", "exec")
        and call.args in ((), ("-i",))
        and via != "exec"
    ):
        yield Found(rule=SHELL_ESCAPE)


def _fed(call: Call) -> Iterator[Found]:
    """Judge a shell or interpreter that runs what comes through the pipe."""
    opts = options(call.args, "ceomWXrIEd", stop=True)
    reads = (
        call.name in ("source", ".", *_EVALS)
        or opts.has("s")
        or not opts.operands
        or opts.operands[0] in ("-", "/dev/stdin")
    )
    inline = opts.has("c", "e", "m", "r", "E") and call.name not in ("source", ".")
    if not call.stdin.fed or not reads or (inline and "s" not in opts.short):
        return
    if "network" in call.stdin.traits:
        yield Found(rule=REMOTE_CODE)
    elif call.stdin.text is None and "decoded" in call.stdin.traits:
        yield Found(rule=REMOTE_CODE, text="What is run was hidden by an encoding, so that nobody can read it here.")
    elif call.stdin.text is None and "file" not in call.stdin.traits and call.name in SHELLS:
        yield Found(rule=UNSEEN, state=State.UNKNOWN)


UNSEEN = rule(
    "unknown.piped-code",
    "A shell runs what another program prints",
    "What that will be cannot be told from the text.",
    "Write it to a file that is reviewed, and run that.",
)


_PEEKS = words("cat head tail less more grep awk sed cp xxd base64 strings unshadow john hashcat curl")


def _protected(call: Call) -> Iterator[Found]:
    tools = _PEEKS | WRITERS if call.root else _PEEKS
    words = [word for word in call.args if not word.startswith("-")]
    # Written files are judged by the rules for files; as root, even writing may reveal a secret.
    words = words[:-1] if call.name == "cp" and not call.root else words
    if call.name in tools and any(_PROTECTED.search(word) for word in words):
        yield Found(rule=SECRET_FILE)


def handed(call: Call, files: Collection[str]) -> Iterator[Found]:
    """Judge a tool run as root on a file that the same script wrote, because the file decides what the tool does."""
    if not call.root or call.name in _CARRIERS:
        return
    given = [word.rpartition("=")[2].removeprefix("file://") for word in call.args]
    inside = {f"{word.rstrip('/')}/" for word in given if word.startswith(SCRATCH)}
    if any(word in files for word in given if word) or any(one.startswith(tuple(inside)) for one in files if inside):
        yield Found(rule=ROOT_TOOL, text="This runs as root on a file that the same script wrote.")


def fetched(call: Call, files: Collection[str]) -> Iterator[Found]:
    """Judge running a file that the same script fetched and did not verify."""
    if not files:
        return
    words = [call.name, *(word for word in call.args if not word.startswith("-"))]
    runs = call.name in SHELLS or call.name in _CODE or call.name in ("source", ".")
    target = next((word for word in words[1:]), "") if runs else call.name
    names = {one.rpartition("/")[2].lower() for one in files} | {one.lower() for one in files}
    if target and (target.lower() in names or target.removeprefix("./").lower() in names):
        yield Found(rule=REMOTE_CODE)


#: A web request that deletes, or a service library told to delete one object by its name.
_SDK_DELETE = re.compile(
    r"\b(?:requests|httpx|axios|got|ky)\.delete\s*\(|\bmethod\s*[:=]\s*[\"']DELETE[\"']|\bNet::HTTP::Delete\b"
    r"|\b[A-Za-z_]\w{1,60}\.[A-Za-z_]\w{1,60}\.delete\s*\(\s*[\"'][^\"']"
)


def code(language: str, text: str) -> Iterator[Found]:
    """Judge code in another language: remote shells, downloaded code, root rights, fork bombs and deletions."""
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    wires = names & {"socket", "Socket", "TCPSocket", "fsockopen", "IO_Socket_INET", "INET", "net", "tcp", "connect"}
    hands = names & {
        "dup2",
        "pty",
        "exec",
        "popen",
        "spawn",
        "subprocess",
        "STDIN",
        "proc_open",
        "shell_exec",
        "execute",
        "system",
    }
    starts = re.search(r"\b(?:/bin/)?(?:ba|z|da|k|a)?sh\b|cmd\.exe|pty", text) is not None
    obeys = names & {"gets", "recv", "receive", "makefile"}
    if wires and hands and (starts or obeys) and language != "awk":
        yield Found(rule=REVERSE_SHELL)
    if REMOTE in text or (
        language == "python" and re.search(r"\bexec\s*\(\s*(?:urllib|requests|__import__\(['\"]urllib)", text)
    ):
        yield Found(rule=REMOTE_CODE)
    if re.search(r"\bset(?:e|re|res)?uid\s*\(\s*0|\$<\s*=\s*0|Process::Sys\.setuid\(0", text):
        yield Found(rule=SHELL_ESCAPE, text="The code makes itself root.")
    if re.search(r"\bfork\s+while\s+(?:1|fork)\b|\bwhile\b\W{0,4}(?:1|true|True)\W{1,6}(?:os\.)?fork\b", text):
        yield Found(rule=BOMB)
    if _SDK_DELETE.search(text):
        yield Found(rule=HTTP_DELETE)
    if "/inet/tcp/" in text:
        yield Found(rule=REVERSE_SHELL)


FAMILY = Family(rules=(ROOT_SHELL, SHELL_ESCAPE, ROOT_TOOL, SECRET_FILE, UNSEEN), tools={})
