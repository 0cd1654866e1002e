"""Judge sudoers, sshd and systemd files: who may become root, and how users log in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    CREDENTIALS,
    ESCAPE,
    GAIN,
    HARDEN,
    LISTEN_IN,
    REACHABLE,
    hit,
    note,
    rule,
)

NO_PASSWORD = rule(
    "sudo.nopasswd-all", "Somebody may do everything as root without a password", GAIN, "Name the commands.", "critical"
)
NO_PASSWORD_SOME = rule("sudo.nopasswd", "A command runs as root without a password", GAIN, "Ask for the password.")
NO_AUTHENTICATE = rule(
    "sudo.no-authenticate", "sudo does not ask who one is", ANYONE, "Remove !authenticate.", "critical"
)
KEEP_LOADER = rule(
    "sudo.keeps-loader", "sudo keeps variables that load foreign code", GAIN, "Remove LD_* from env_keep.", "critical"
)
NO_RESET = rule("sudo.no-env-reset", "sudo keeps the whole environment", GAIN, "Remove !env_reset.", "important")
SUDO_WILDCARD = rule(
    "sudo.wildcard",
    "A wildcard stands for any argument",
    "Arguments can be added that do more.",
    "Name the arguments.",
    "important",
)
SUDO_SHELL = rule(
    "sudo.shell-escape",
    "The command hands out a root shell",
    GAIN,
    "Allow a program that cannot start others.",
    "important",
)
EVERYBODY = rule("sudo.everybody", "Everybody may use sudo for everything", GAIN, "Name who may.", "critical")
WRITABLE = rule(
    "sudo.writable-command", "The command lies where others can write", GAIN, "Move it under /usr.", "important"
)

ROOT_LOGIN = rule(
    "sshd.root-login", "root may log in with a password", REACHABLE, "Set PermitRootLogin no.", "important"
)
EMPTY = rule("sshd.empty-passwords", "Empty passwords are accepted", ANYONE, "Set PermitEmptyPasswords no.", "critical")
PASSWORDS = rule("sshd.passwords", "Passwords are accepted", CREDENTIALS, "Set PasswordAuthentication no and use keys.")
OLD_SSH = rule("sshd.old-protocol", "SSH 1 is accepted", LISTEN_IN, "Set Protocol 2.", "important")
WEAK_SSH = rule("sshd.weak-ciphers", "Weak ciphers are accepted", LISTEN_IN, "Remove cbc, arcfour, 3des, md5 and sha1.")
HOST_TRUST = rule(
    "sshd.host-trust", "Other hosts vouch for users", ANYONE, "Set HostbasedAuthentication no.", "important"
)
ENVIRONMENT = rule(
    "sshd.user-environment", "Users set the server's environment", GAIN, "Set PermitUserEnvironment no.", "important"
)
NO_MODES = rule(
    "sshd.no-strict-modes", "Files that others can write are trusted", GAIN, "Set StrictModes yes.", "important"
)
FORWARD = rule("sshd.gateway-ports", "Forwarded ports are opened to all", REACHABLE, "Set GatewayPorts no.")
X11 = rule("sshd.x11", "X11 is forwarded", HARDEN, "Set X11Forwarding no.")
TRIES = rule("sshd.tries", "Many guesses are allowed", HARDEN, "Set MaxAuthTries to 4 or less.")

UNIT_ROOT = rule("systemd.root", "A service that listens runs as root", GAIN, "Set User= or DynamicUser=yes.")
NEW_PRIVILEGES = rule(
    "systemd.new-privileges", "A process may gain more rights than its parent", HARDEN, "Set NoNewPrivileges=yes."
)
UNIT_CAPABILITY = rule(
    "systemd.capabilities", "A service is given near-root capabilities", ESCAPE, "Name only what it needs.", "important"
)
UNIT_LOADER = rule("systemd.loader", "Foreign code is loaded into a service", GAIN, "Remove LD_PRELOAD.", "important")
UNIT_WRITABLE = rule(
    "systemd.writable-program",
    "A service starts a program that others can write",
    GAIN,
    "Move it under /usr.",
    "important",
)
SOCKET_MODE = rule("systemd.open-socket", "Everybody may use the socket", ANYONE, "Set SocketMode=0660.")
UNIT_OPEN = rule(
    "systemd.listens-without-auth",
    "An admin door is opened to all addresses",
    ANYONE,
    "Listen on 127.0.0.1.",
    "important",
)
RULES: tuple[Rule, ...] = (
    NO_PASSWORD, NO_PASSWORD_SOME, NO_AUTHENTICATE, KEEP_LOADER, NO_RESET, SUDO_WILDCARD, SUDO_SHELL, EVERYBODY,
        WRITABLE,
    ROOT_LOGIN, EMPTY, PASSWORDS, OLD_SSH, WEAK_SSH, HOST_TRUST, ENVIRONMENT, NO_MODES, FORWARD, X11, TRIES, UNIT_ROOT,
    NEW_PRIVILEGES, UNIT_CAPABILITY, UNIT_LOADER, UNIT_WRITABLE, SOCKET_MODE, UNIT_OPEN,
)  # fmt: skip

_LINE_MAX = 4000
_GRANT = re.compile(r"(?P<who>[^\s=#][^\s=]{0,200})\s{1,40}(?P<host>[^\s=]{1,200})\s{0,40}=\s{0,40}(?P<what>.{1,3000})")
_SHELLS = re.compile(
    r"(?:^|/)(?:ba|z|da|k|fi|c|tc)?sh$|(?:^|/)(?:vim?|nano|emacs|less|more|man|awk|gawk|perl|python[\d.]*|ruby|lua|node|php|find|env"
    r"|tar|zip|ed|ftp|gdb|git|nmap|screen|tmux|ssh|rsync|docker|podman|kubectl|su|tee|dd|cp|mv|chmod|chown|systemctl|strace|xargs)$"
)
_UNSAFE_PLACE = re.compile(r"/(?:tmp|var/tmp|home|dev/shm)/")
_LOADER = re.compile(r"\bLD_(?:PRELOAD|LIBRARY_PATH|AUDIT)\b|\bPYTHONPATH\b|\bPERL5LIB\b|\bBASH_ENV\b")


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their continuation lines joined, each with the number of its first line."""
    parts: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), 1):
        if not parts:
            start = number
        if line.rstrip("\r").endswith("\\"):
            parts.append(line.rstrip("\r")[:-1])
            continue
        yield start, (" ".join([*parts, line]))[:_LINE_MAX].strip()
        parts = []
    if parts:
        yield start, " ".join(parts)[:_LINE_MAX].strip()


def judge_sudoers(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a sudoers file."""
    for number, line in _joined(text):
        if not line or (line.startswith("#") and not re.match(r"#\d+\s", line)):
            continue
        if line.startswith("Defaults"):
            yield from _defaults(path, number, line)
        elif not re.match(r"(?:User|Host|Runas|Cmnd|Cmd)_Alias\b|@include", line) and (found := _GRANT.fullmatch(line)):
            yield from _grant(path, number, found["who"], found["what"])


def _defaults(path: str, number: int, line: str) -> Iterator[Hit]:
    if "!authenticate" in line:
        yield hit(NO_AUTHENTICATE, path, number)
    if "!env_reset" in line:
        yield hit(NO_RESET, path, number)
    if "env_keep" in line and _LOADER.search(line):
        yield hit(KEEP_LOADER, path, number)


def _grant(path: str, number: int, who: str, what: str) -> Iterator[Hit]:
    rest = re.sub(r"^\([^)]{0,200}\)\s{0,20}", "", what)
    free = "NOPASSWD:" in rest
    commands = [one.strip() for one in re.sub(r"\b[A-Z_]{4,20}:", "", rest).split(",")]
    everything = "ALL" in commands
    if everything and free:
        yield hit(NO_PASSWORD, path, number)
    elif everything and who == "ALL":
        yield hit(EVERYBODY, path, number)
    elif free:
        yield hit(NO_PASSWORD_SOME, path, number)
    for one in commands:
        program, _, arguments = one.partition(" ")
        if not program.startswith("/"):
            continue
        if "*" in one:
            yield hit(SUDO_WILDCARD, path, number)
        if _SHELLS.search(program) and not arguments:
            yield hit(SUDO_SHELL, path, number)
        if _UNSAFE_PLACE.match(program):
            yield hit(WRITABLE, path, number)


_SSHD: dict[str, tuple[Rule, frozenset[str]]] = {
    "permitrootlogin": (ROOT_LOGIN, frozenset({"yes"})),
    "permitemptypasswords": (EMPTY, frozenset({"yes"})),
    "passwordauthentication": (PASSWORDS, frozenset({"yes"})),
    "protocol": (OLD_SSH, frozenset({"1", "1,2", "2,1"})),
    "hostbasedauthentication": (HOST_TRUST, frozenset({"yes"})),
    "ignorerhosts": (HOST_TRUST, frozenset({"no"})),
    "permituserenvironment": (ENVIRONMENT, frozenset({"yes"})),
    "strictmodes": (NO_MODES, frozenset({"no"})),
    "gatewayports": (FORWARD, frozenset({"yes"})),
    "x11forwarding": (X11, frozenset({"yes"})),
}
_WEAK = re.compile(
    r"(?:^|,)\+?(?:[\w@.-]{0,40}-cbc|arcfour[\w-]{0,20}|3des[\w-]{0,20}|hmac-md5[\w@.-]{0,40}|diffie-hellman-group1-sha1)"
)


def judge_sshd(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of an sshd configuration."""
    for number, line in enumerate(text.split("\n"), 1):
        words = line[:_LINE_MAX].split("#")[0].replace("=", " ", 1).split()
        if len(words) < 2:  # noqa: PLR2004 - a word and its value
            continue
        key, value = words[0].lower(), words[1].lower().strip('"')
        found = _SSHD.get(key)
        if found is not None and value in found[1]:
            yield hit(found[0], path, number)
        if key in ("ciphers", "macs", "kexalgorithms") and not value.startswith("-") and _WEAK.search(value):
            yield hit(WEAK_SSH, path, number)
        if key == "maxauthtries" and value.isdecimal() and int(value[:6]) > 6:  # noqa: PLR2004 - the default
            yield hit(TRIES, path, number)


_NEAR_ROOT = re.compile(
    r"\bCAP_(?:SYS_ADMIN|SYS_MODULE|SYS_RAWIO|SYS_PTRACE|DAC_OVERRIDE|DAC_READ_SEARCH|SETUID|BPF)\b"
)
_LISTENS = re.compile(
    r"(?:--?(?:host|bind|listen|address|addr|http)[ =:]\s{0,5}\"?(?:0\.0\.0\.0|\[?::\]?|:\d{2,5}))|0\.0\.0\.0:\d{2,5}"
)
_ADMIN = re.compile(
    r"tcp://0\.0\.0\.0:2375|--insecure(?:-port)?\b|--no-auth\b|--disable-auth|--auth[= ]none|--allow-anonymous"
)


def judge_systemd(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a systemd unit."""
    said: dict[str, tuple[str, int]] = {}
    section_line = 0
    for number, line in _joined(text):
        if line.startswith(("#", ";")) or not line:
            continue
        if line.startswith("["):
            section_line = number if line == "[Service]" else section_line
            continue
        key, equals, value = line.partition("=")
        if equals:
            yield from _setting(path, number, key.strip(), value.strip())
            said.setdefault(key.strip(), (value.strip(), number))
    if not section_line:
        return
    if "NoNewPrivileges" not in said:
        yield note(NEW_PRIVILEGES, path, section_line)
    start = said.get("ExecStart", ("", 0))
    user = said.get("User", ("root", start[1]))
    if _LISTENS.search(start[0]) and user[0] in ("root", "0") and "DynamicUser" not in said:
        yield hit(UNIT_ROOT, path, user[1])


def _setting(path: str, number: int, key: str, value: str) -> Iterator[Hit]:
    if key == "AmbientCapabilities" and _NEAR_ROOT.search(value):
        yield hit(UNIT_CAPABILITY, path, number)
    elif key == "Environment" and re.search(r"\bLD_(?:PRELOAD|AUDIT)=", value):
        yield hit(UNIT_LOADER, path, number)
    elif key == "SocketMode" and value.endswith(("6", "7", "2")):
        yield hit(SOCKET_MODE, path, number)
    elif key == "NoNewPrivileges" and value.lower() in ("no", "false", "0", "off"):
        yield hit(NEW_PRIVILEGES, path, number)
    elif key.startswith("Exec"):
        program = value.lstrip("-+!@:").split(" ")[0]
        if re.match(r"/(?:tmp|var/tmp|dev/shm)/", program):
            yield hit(UNIT_WRITABLE, path, number)
        if _ADMIN.search(value):
            yield hit(UNIT_OPEN, path, number)
