"""Effects of a command on the script that runs it: its folder, its variables, the files it creates."""

from __future__ import annotations

import posixpath
import re

from foureyes.reviewers.critics.commands.model import HOLE, Call, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.outputs import printf
from foureyes.reviewers.critics.commands.own_things import own_things
from foureyes.reviewers.critics.commands.scene import MADE_MAX, Scene

#: Tools that only print, compare or build; they are not judged as unknown tools.
HARMLESS = words(
    "echo printf true false : test [ [[ ls cat grep egrep fgrep rg ag sort uniq wc head tail cut tr seq date pwd "
    "whoami id uname which type basename dirname realpath readlink diff cmp stat file touch mkdir sleep wait jobs "
    "read local declare typeset readonly export unset shift return exit break continue let set shopt ulimit umask "
    "getopts hash help man info less more tree du df free ps top htop jq yq column nl tac rev paste join comm "
    "fold fmt expand tee yes cal bc expr md5sum sha1sum sha256sum sha512sum cksum strings od hexdump xxd pytest "
    "mypy ruff black isort flake8 pylint eslint prettier tsc jest vitest mocha rspec javac rustc gofmt cmake "
    "ninja gcc g++ clang ld ar nm objdump strip logger mktemp open code subl"
)
_CHECKS = words("sha256sum sha512sum sha1sum shasum md5sum gpg gpgv cosign minisign openssl b3sum slsa-verifier")
#: What is unpacked from `tool-1.2.tar.gz` is expected in `tool-1.2` in the working folder of the script.
_ARCHIVE = re.compile(r"(?:[^/]{1,200}/){0,20}([^/]{1,200}?)\.(?:tar(?:\.(?:gz|bz2|xz|zst|lz))?|tgz|tbz2?|txz|zip)")
FETCHED_MAX = 200


def follow(call: Call, scene: Scene) -> None:  # noqa: C901 - one line per builtin
    """Update the scene with what this command changes for the commands after it."""
    match call.name:
        case "cd" | "pushd":
            target = [word for word in call.args if not word.startswith("-") or word == "-"]
            scene.go(target[0] if target else "~")
        case "popd":
            scene.cwd = HOLE
        case "set":
            _set(call, scene)
        case "read" | "mapfile" | "readarray":
            _read(call, scene)
        case "alias":
            for word in call.args:
                name, equals, text = word.partition("=")
                if equals:
                    scene.aliases[name] = text
        case "printf" if call.args[:1] == ("-v",) and len(call.args) > 1:
            scene.assign(call.args[1], printf(call.args[2:]) or HOLE)
        case (
            "mkdir"
            | "mktemp"
            | "tar"
            | "unzip"
            | "cp"
            | "git"
            | "curl"
            | "wget"
            | "virtualenv"
            | "python"
            | "python3"
            | "export"
            | "touch"
        ):
            _made(call, scene)
        case "docker" | "podman" | "nerdctl" | "finch":
            scene.made.update(own_things(call) if len(scene.made) < MADE_MAX else ())
        case name if name in _CHECKS:
            scene.fetched.clear()


def _set(call: Call, scene: Scene) -> None:
    unset_ends = any(re.fullmatch(r"-[a-zA-Z]*u[a-zA-Z]*", word) for word in call.args) or "nounset" in call.args
    if "--" in call.args:
        scene.parameters = call.args[call.args.index("--") + 1 :]
    scene.strict = scene.strict or unset_ends


def _read(call: Call, scene: Scene) -> None:
    """Assign what `read` was fed. The last name takes the rest of the line."""
    names = options(call.args, "adinNptu").operands
    known = call.stdin.fed and bool(call.stdin.text)
    values = (call.stdin.text or "").strip("\n").split("\n")[0].split(None, max(len(names) - 1, 0)) if known else []
    for at, name in enumerate(names):
        scene.assign(name, values[at] if at < len(values) else ("" if known else HOLE))


def _made(call: Call, scene: Scene) -> None:  # noqa: C901 - one line per tool
    operands = [word for word in call.args if not word.startswith("-")]
    if call.name == "mkdir":
        scene.make(list(options(call.args, "m").operands))
    elif call.name == "touch":
        scene.make(operands)
    elif call.name in ("tar", "unzip", "cp"):
        scene.make(_copied(call, operands))
    elif call.name == "git" and operands[:1] == ["clone"] and len(operands) > 1:
        last = operands[-1]
        scene.make([posixpath.basename(last).removesuffix(".git") if len(operands) == 2 else last])  # noqa: PLR2004
    elif call.name == "git" and operands[:2] == ["worktree", "add"] and len(operands) > 2:  # noqa: PLR2004
        scene.make([operands[2]])
    elif call.name in ("virtualenv", "python", "python3") and (call.name == "virtualenv" or "venv" in operands):
        scene.make(operands[-1:])
    elif call.name == "export":
        for word in call.args:
            name, equals, value = word.partition("=")
            if equals:
                scene.assign(name, value)
    elif call.name in ("curl", "wget") and len(scene.fetched) < FETCHED_MAX:
        scene.fetched.update(fetched_files(call))


def _copied(call: Call, operands: list[str]) -> list[str]:
    """Return the folders that unpacking or copying creates."""
    if call.name == "cp":
        deep = options(call.args).has("r", "R", "a", "recursive", "archive")
        return operands[-1:] if deep and len(operands) > 1 else []
    target = options(call.args, "d").value("d") if call.name == "unzip" else None
    return [*([target] if target else []), *(met[1] for word in operands if (met := _ARCHIVE.fullmatch(word)))]


def fetched_files(call: Call) -> list[str]:
    """Return the files that a download writes."""
    opts = options(
        call.args, "oAbcdeFHKmPQrTuUwXxYyzEDt" if call.name == "curl" else "OPoaeiBtTUAR", ("output", "output-document")
    )
    named = opts.value("o", "output") if call.name == "curl" else opts.value("O", "output-document")
    urls = [word for word in opts.operands if "/" in word]
    if named:
        return [named.removeprefix("./")] if named != "-" else []
    if call.name == "wget" or opts.has("O", "remote-name"):
        return [posixpath.basename(url.partition("?")[0]) for url in urls if not url.endswith("/")]
    return []
