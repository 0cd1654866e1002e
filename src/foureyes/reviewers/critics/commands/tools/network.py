"""Judge network tools: secrets that are sent, remote shells, and deletions through HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import HOLE, SECRET, Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.outputs import is_secret
from foureyes.reviewers.critics.commands.tools.files import SYSTEM_FILE
from foureyes.reviewers.critics.commands.tools.generic import ENDS

REMOTE_CODE = rule(
    "remote-code",
    "Code from the network is run unseen",
    "Whoever controls that address, or the way to it, runs what they like here; nobody can review what it will be.",
    "Download a fixed version, check its hash or signature, read it, and then run it.",
    "critical",
)
REVERSE_SHELL = rule(
    "remote-shell",
    "A shell is handed to another machine",
    "Whoever listens there types commands here.",
    "Remove it; use ssh with a key for a named person.",
    "critical",
)
EXFILTRATION = rule(
    "exfiltration",
    "Secrets are sent to another machine",
    "Keys, passwords or the environment leave this machine and must be considered known.",
    "Send only what the receiver needs, never files that hold credentials; rotate what was sent.",
    "critical",
)
HTTP_DELETE = rule(
    "destructive.http",
    "Something is deleted through its web interface",
    "The service deletes it at once and asks nobody.",
    "Read it first (GET), keep a copy or a snapshot, and let a person send the request.",
)

_CURL_TAKES = "AbcCdDeEFhHKmoPQrtTuUwxXyYz"
_CURL_LONG = words(
    "request data data-raw data-binary data-urlencode form header user url output upload-file config cookie json "
    "proxy user-agent referer max-time retry connect-timeout"
)
_ENDING_PATHS = ENDS | {"clear", "close", "kill", "deactivate", "disable", "leave"}
_MUTATION = re.compile(
    r"mutation\b[^{]{0,200}\{\s*(?:\w+\s*:\s*)?(?:delete|remove|destroy|purge|\w{1,80}(?-i:Delete|Remove|Destroy|Purge))\w*",
    re.IGNORECASE,
)


def _curl(call: Call) -> Iterator[Found]:
    opts = options(call.args, _CURL_TAKES, _CURL_LONG)
    bodies = [value for name, value in opts.long.items() if name.startswith(("data", "form", "json", "upload"))]
    bodies += [opts.values[letter] for letter in "dFT" if letter in opts.values]
    method = (opts.value("X", "request") or ("POST" if bodies else "GET")).upper()
    urls = [*opts.operands, opts.long.get("url", "")]
    yield from _request(method, urls, bodies)
    if _sends_secret(call, [*bodies, *urls, *opts.values.values()]):
        yield Found(rule=EXFILTRATION)


def _request(method: str, urls: list[str], bodies: list[str]) -> Iterator[Found]:
    changes = method not in ("GET", "HEAD", "OPTIONS")
    ends = changes and (any(_ends_something(url) for url in urls) or any(_body_deletes(body) for body in bodies))
    if method == "DELETE" or ends or any(_MUTATION.search(body) for body in bodies):
        yield Found(rule=HTTP_DELETE)


def _body_deletes(body: str) -> bool:
    """True for a bulk request body whose actions delete, archive or change visibility."""
    return (
        re.search(r"\{\s*\"(?:delete|remove|remove_index)\"\s*:\s*\{", body) is not None
        or re.search(r"\"archived\"\s*:\s*true|\"private\"\s*:\s*false|\"visibility\"\s*:\s*\"public\"", body)
        is not None
        or re.search(r"\"action\"\s*:\s*\"(?:delete|clear)\w*\"", body) is not None
    )


def _ends_something(url: str) -> bool:
    """True for a path whose last words say delete, such as `/_delete_by_query` or `/doDelete`."""
    path = re.sub(r"^\w+://[^/]*", "", url.partition("?")[0])
    for piece in [one for one in path.split("/") if one][-2:]:
        words = [word.lower() for word in re.split(r"[-_.]|(?<=[a-z])(?=[A-Z])", piece) if word]
        words = [word for word in words if word not in ("do", "batch", "bulk", "api", "force")]
        if words and words[0] in _ENDING_PATHS:
            return True
    return False


def _sends_secret(call: Call, words: list[str]) -> bool:
    if any(SECRET in word for word in call.args):
        return True
    files = [word[word.index("@") + 1 :] for word in words if "@" in word and "://" not in word] + [
        call_word for call_word in words if call_word.startswith(("/", "~", "."))
    ]
    reads_stdin = any(word in ("@-", "-", ".") or word.endswith("@-") for word in words)
    return any(is_secret(one) for one in files) or (reads_stdin and "secret" in call.stdin.traits)


def _wget(call: Call) -> Iterator[Found]:
    opts = options(
        call.args,
        "OoaPeiUtTwQBRA",
        ("method", "post-data", "post-file", "body-data", "body-file", "header", "output-document", "user", "password"),
    )
    bodies = [value for name, value in opts.long.items() if name.startswith(("post", "body"))]
    method = (opts.long.get("method") or ("POST" if bodies else "GET")).upper()
    yield from _request(method, list(opts.operands), bodies)
    if any(is_secret(value) for value in bodies) or any(SECRET in word for word in call.args):
        yield Found(rule=EXFILTRATION)


def _httpie(call: Call) -> Iterator[Found]:
    words = options(call.args, "aAp", ("auth", "auth-type", "verify", "session")).operands
    method = (
        words[0].upper()
        if words and words[0].isalpha()
        else ("POST" if any("=" in word for word in words[1:]) else "GET")
    )
    yield from _request(method, [word for word in words if "/" in word], [])
    if any("@" in word and is_secret(word.partition("@")[2]) for word in words[1:]) or any(
        SECRET in word for word in words
    ):
        yield Found(rule=EXFILTRATION)


def _powershell_web(call: Call) -> Iterator[Found]:
    lowered = [word.lower() for word in call.args]
    if "-method" in lowered[:-1] and lowered[lowered.index("-method") + 1] == "delete":
        yield Found(rule=HTTP_DELETE)


#: Commands that Redis, Memcached and similar stores accept over a plain connection.
_STORE_DEED = re.compile(r"\s*(?:flush_all|flushall|flushdb|shutdown)\b", re.IGNORECASE)


def _netcat(call: Call) -> Iterator[Found]:
    opts = options(call.args, "ecIiOPpqsTVvwXx".replace("v", ""), ("exec", "sh-exec"))
    if opts.has("e", "c", "exec", "sh-exec") or "shell" in call.stdin.traits:
        yield Found(rule=REVERSE_SHELL)
    elif call.stdin.fed and _STORE_DEED.match(call.stdin.text or ""):
        yield Found(rule=HTTP_DELETE, text="A store is told to empty itself, or to stop.")
    elif "secret" in call.stdin.traits:
        yield Found(rule=EXFILTRATION)


#: Commands that HAProxy and similar services accept on their sockets.
_SOCKET_DEED = re.compile(
    r"(?:^|[;\n])[ \t]*(?:(?:disable|shutdown|del|clear) (?:server|frontend|sessions?|map|acl|table|agent|health)\b"
    r"|set server \S+ state maint)"
)


def _socat(call: Call) -> Iterator[Found]:
    kinds = [word.split(":")[0].lower() for word in call.args]
    runs = any(kind in ("exec", "system", "shell", "pty") for kind in kinds) or any("pty" in word for word in call.args)
    wires = any(kind.startswith(("tcp", "udp", "openssl", "ssl", "sctp", "socks")) for kind in kinds)
    if runs and wires:
        yield Found(rule=REVERSE_SHELL)
    elif call.stdin.fed and _SOCKET_DEED.search(call.stdin.text or ""):
        yield Found(rule=HTTP_DELETE, text="A running service is told to take something out of service.")
    elif wires and (any(is_secret(word) for word in call.args) or "secret" in call.stdin.traits):
        yield Found(rule=EXFILTRATION)


#: System folders of the other machine; applications are deployed to other folders.
_REMOTE_SYSTEM = re.compile(r"^[^/:]+:/(?:$|(?:etc|boot|bin|sbin|lib|lib64|dev|root|usr/(?:s?bin|lib))(?:/|$))")


def _copies(call: Call) -> Iterator[Found]:
    opts = options(call.args, "cFiJloPSXDe")
    sources, target = opts.operands[:-1], opts.operands[-1:]
    if target and ":" in target[0] and any(is_secret(one) for one in sources):
        yield Found(rule=EXFILTRATION)
    elif call.name == "scp" and target and sources and _REMOTE_SYSTEM.search(target[0]):
        yield Found(rule=SYSTEM_FILE, text="A file that another machine relies on is overwritten.")


def _tunnel(call: Call) -> Iterator[Found]:
    """Judge a pipe into ssh, which may carry secrets."""
    if "secret" in call.stdin.traits:
        yield Found(rule=EXFILTRATION)


def _openssl(call: Call) -> Iterator[Found]:
    if call.args[:1] == ("s_client",) and "shell" in call.stdin.traits:
        yield Found(rule=REVERSE_SHELL)


def _dns(call: Call) -> Iterator[Found]:
    if any(SECRET in word for word in call.args):
        yield Found(rule=EXFILTRATION)


def _mails(call: Call) -> Iterator[Found]:
    if "secret" in call.stdin.traits or any(
        is_secret(word) or SECRET in word for word in call.args if HOLE not in word or SECRET in word
    ):
        yield Found(rule=EXFILTRATION)


FAMILY = Family(
    rules=(REMOTE_CODE, REVERSE_SHELL, EXFILTRATION, HTTP_DELETE),
    tools={
        "curl": _curl,
        "wget": _wget,
        **each("http https xh xhs httpx curlie", _httpie),
        **each("invoke-restmethod invoke-webrequest iwr irm", _powershell_web),
        **each("nc ncat netcat telnet rcat", _netcat),
        "socat": _socat,
        **each("scp sftp ftp lftp rsync", _copies),
        "ssh": _tunnel,
        "openssl": _openssl,
        **each("dig nslookup host ping", _dns),
        **each("mail mailx sendmail mutt", _mails),
    },
)
