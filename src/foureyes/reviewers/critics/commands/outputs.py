"""Compute what a harmless command would print, as far as its arguments tell. Nothing is ever run."""

from __future__ import annotations

import base64
import binascii
import codecs
import posixpath
import re

from foureyes.reviewers.critics.commands import quoting
from foureyes.reviewers.critics.commands.model import HOLE, Call, Stream, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.own_things import MADE_CONTAINER, prints_container
from foureyes.reviewers.critics.commands.places import SCRATCH
from foureyes.reviewers.critics.commands.shown import shown

OUTPUT_CHARS_MAX = 65_536
ORIGIN_CHARS_MAX = 160
ORIGIN_WORDS_MAX = 12
TERMINAL = "/dev/tty"

FETCHES = words(
    "curl wget fetch aria2c http https xh lynx nc ncat netcat socat ftp scp sftp ssh telnet openssl dig nslookup "
    "gh iwr irm invoke-webrequest invoke-restmethod"
)
_DECODERS = words("base64 base32 xxd uudecode openssl gpg gunzip zcat bunzip2 bzcat unxz xzcat zstdcat od tr rev")
_SHELLS = words("sh bash zsh dash ash ksh csh fish powershell pwsh cmd")
#: Tools whose output varies, but is only names of branches, hosts, versions and times, never shell syntax.
_PLAIN_WORDS = words("date hostname uname whoami id nproc wc uuidgen seq arch getconf logname users groups")
_SECRET_FILES = re.compile(
    r"(?:^|/)(?:\.ssh(?:/(?!config$|known_hosts|.*\.pub$)|$)|\.aws(?:/|$)|\.gnupg(?:/|$)|\.kube/config|\.netrc|\.pgpass|\.docker/config\.json|\.npmrc|\.pypirc|\.git-credentials"
    r"|\.env(?:$|\.(?!example|sample|template|dist))|id_(?:rsa|dsa|ecdsa|ed25519)(?!\.pub)|/etc/passwd$|shadow$|gshadow$|credentials$|\.vault-token"
    r"|secrets?\.(?:ya?ml|json|env)|.*\.pem$|.*\.p12$|.*\.key$|\.bash_history|\.zsh_history|Login Data|Cookies$)"
)

#: Commands that make a secret store print what it keeps.
_PRINTS_SECRET = re.compile(
    r"(?:kubectl|oc|k) .*\bget secrets?\b.*(?:-o|--output)[ =]?(?:yaml|json|go-template|jsonpath)"
    r"|vault (?:kv get|read) |aws .*secretsmanager get-secret-value|aws .*ssm get-parameters? .*--with-decryption"
    r"|gcloud secrets versions access|az keyvault secret show|op (?:read|item get) |bw get (?:password|item) "
    r"|pass show |doppler secrets (?:get|download)|gh auth token|gcloud auth print-"
    r"|gpg2? .*(?:-d|--decrypt|--export-secret)"
)


def is_secret(path: str) -> bool:
    """True if a file of this name usually contains keys or passwords."""
    return bool(_SECRET_FILES.search(path))


def output(call: Call) -> Stream:
    """Return the output of a call, with its traits and its origin."""
    text = _text(call)
    traits = set(call.stdin.traits) if call.stdin.fed else set()
    if call.name in FETCHES:
        traits.add("network")
    if call.name in _SHELLS and "-i" in call.args:
        traits.add("shell")
    if call.name in _DECODERS:
        traits.add("decoded")
    if call.name in ("env", "printenv", "export", "set") and not call.args:
        traits.add("secret")
    if any(is_secret(word) for word in call.args if not word.startswith("-")) or _PRINTS_SECRET.match(
        " ".join((call.name, *call.args[:ORIGIN_WORDS_MAX]))[:ORIGIN_CHARS_MAX]
    ):
        traits.add("secret")
    if call.name in ("cat", "head", "tail") and call.args:
        traits.add("file")
    origin = " | ".join(one for one in (call.stdin.origin, shown((call.name, *call.args))) if one) if traits else ""
    line = call.stdin.line if text is call.stdin.text else 0
    text = text[:OUTPUT_CHARS_MAX] if text is not None else None
    return Stream(text=text, traits=frozenset(traits), fed=True, origin=origin[:ORIGIN_CHARS_MAX], line=line)


def _text(call: Call) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one line per tool
    words = call.args
    match call.name:
        case "echo":
            return _echo(words)
        case "printf":
            return printf(words)
        case "cat" | "tee" | "sort" | "uniq" | "head" | "tail" | "sudo":
            files = [word for word in words if not word.startswith("-")]
            return call.stdin.text if (not files or call.name == "tee") and call.stdin.fed else None
        case "base64" | "base32" | "xxd" | "rev" | "tr" | "sed" | "openssl":
            return _filtered(call)
        case "which" | "command" | "type" | "basename" if words:
            return posixpath.basename(words[-1]) + "\n"
        case "dirname" if words:
            return posixpath.dirname(words[-1]) or "."
        case "realpath" | "readlink" if words:
            return words[-1]
        case "pwd":
            return call.cwd or "."
        case "tty":
            return TERMINAL
        case "mktemp":
            return f"{SCRATCH}/made"
        case "find" | "fd" | "fdfind":
            return _search(words)
        case "ls" | "git" if call.name == "ls" or words[:1] == ("ls-files",):
            return f"./{HOLE}"
        case "git" if "--show-toplevel" in words:
            return "."
        case "docker" | "podman" | "nerdctl" if prints_container(call):
            return MADE_CONTAINER
        case "crontab" if words[:1] == ("-l",):
            return f"{HOLE}\n"
        case "pip" | "pip3" if words[:1] == ("freeze",):
            return None
        case "true" | ":" | "false" | "cd" | "set" | "export" | "mkdir" | "rm" | "touch":
            return ""
        case name if name in _PLAIN_WORDS:
            return "1"
        case _:
            return None


def _echo(words: tuple[str, ...]) -> str:
    escapes, rest, end = False, list(words), "\n"
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        flag = rest.pop(0)
        escapes = escapes or "e" in flag
        end = "" if "n" in flag else end
    text = " ".join(rest)
    return (quoting.ansi(text) if escapes else text) + end


def printf(words: tuple[str, ...]) -> str | None:
    """Return what printf prints for these words."""
    rest = list(words)
    if rest[:1] == ["-v"]:
        return ""
    if rest[:1] == ["--"]:
        rest.pop(0)
    if not rest:
        return ""
    shape, values = quoting.ansi(rest[0]), iter(rest[1:])

    def fill(met: re.Match[str]) -> str:
        if met.group(1) == "%":
            return "%"
        value = next(values, "")
        return quoting.ansi(value) if met.group(1) == "b" else value

    made = re.sub(r"%[-#0 +]*\d*(?:\.\d+)?([sbdqciuxX%])", fill, shape)
    more = list(values)
    return (
        made
        if not more or "%" not in rest[0]
        else made + "".join(re.sub(r"%[sbd]", one.replace("\\", ""), shape) for one in more)
    )


def _filtered(call: Call) -> str | None:  # noqa: PLR0911 - one line per tool
    words, text = call.args, call.stdin.text
    if text is None or not call.stdin.fed or HOLE in text:
        return None
    opts = options(words)
    try:
        match call.name:
            case "base64" | "base32" if opts.has("d", "D", "decode") or "-di" in words:
                decode = base64.b64decode if call.name == "base64" else base64.b32decode
                return decode("".join(text.split())).decode("utf-8", "replace").replace("\0", "")
            case "openssl" if {"base64", "-d"} <= {word.lstrip("-") if word != "-d" else word for word in words}:
                return base64.b64decode("".join(text.split())).decode("utf-8", "replace").replace("\0", "")
            case "xxd" if opts.has("r"):
                return bytes.fromhex("".join(text.split())).decode("utf-8", "replace").replace("\0", "")
            case "rev":
                return "\n".join(line[::-1] for line in text.split("\n"))
            case "tr":
                return _translated(words, text)
            case "sed":
                return _replaced(words, text)
            case _:
                return None
    except (ValueError, binascii.Error):
        return None


def _translated(words: tuple[str, ...], text: str) -> str | None:
    sets = [quoting.ansi(word) for word in words if not word.startswith("-")]
    if "-d" in words and len(sets) == 1:
        return text.translate({ord(one): None for one in _set(sets[0])})
    if len(sets) != 2:  # noqa: PLR2004 - from one set to another
        return None
    if sets == ["A-Za-z", "N-ZA-Mn-za-m"]:
        return codecs.encode(text, "rot13")
    old, new = _set(sets[0]), _set(sets[1])
    return text.translate({ord(one): (new[at] if at < len(new) else new[-1:]) for at, one in enumerate(old)})


def _set(written: str) -> str:
    def spread(met: re.Match[str]) -> str:
        return "".join(
            chr(one) for one in range(ord(met.group(1)), min(ord(met.group(2)), ord(met.group(1)) + 128) + 1)
        )

    return re.sub(r"([A-Za-z0-9])-([A-Za-z0-9])", spread, written)


def _replaced(words: tuple[str, ...], text: str) -> str | None:
    if len(words) != 1 or not re.fullmatch(r"s(.)[^*?\[\].\\]{1,100}\1[^&\\]{0,100}\1g?", words[0]):
        return None
    _, old, new, _ = words[0].split(words[0][1], 3)
    return text.replace(old, new)


def _search(words: tuple[str, ...]) -> str:
    """Return the paths a search prints: unknown names below its starting points."""
    starts = []
    for word in words:
        if word.startswith(("-", "(", "!")):
            break
        starts.append(word)
    return "\n".join(f"{start.rstrip('/')}/{HOLE}" for start in starts or ["."])
