"""Judge commands that change permissions, owners, users and groups on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.places import Place, place
from foureyes.reviewers.critics.commands.tools.files import PERSONAL

GRANTS = rule(
    "privilege.grant",
    "Somebody is given more rights",
    "Whoever gains root, a group like docker or sudo, or a key to log in, can do everything from then on.",
    "Let an administrator grant it by hand, as narrow as possible and for a limited time.",
    "critical",
)
SETUID = rule(
    "privilege.setuid",
    "A program will run with another user's rights",
    "A setuid bit or a capability turns any weakness of that program into root for everybody on the machine.",
    "Use a service with its own user, or a narrow sudoers line that an administrator reviews.",
    "critical",
)
OPEN = rule(
    "privilege.world-writable",
    "Everybody may write here",
    "Any user or broken service can then change or replace it.",
    "Give the one user or group that needs it the rights (`chmod 750`, `chown user:group`).",
)
OWNER = rule(
    "privilege.ownership",
    "Rights of a whole tree are changed",
    "The old owners and modes of system files are not written down anywhere; logins and services stop working.",
    "Change exactly the folder that needs it, never the system's or a whole home.",
)
USERS = rule(
    "destructive.users",
    "A user or group is removed or locked",
    "The account's files, mail and jobs may go with it, and whoever relies on it is locked out.",
    "Let an administrator do it after looking at what belongs to the account.",
)

#: Files that decide who may log in, become root or run programs as another user.
DOORS = re.compile(
    r"^/etc/(?:sudoers(?:$|\.d/)|passwd-?$|shadow-?$|group$|gshadow$|pam\.d/|ssh/sshd_config|security/|doas\.conf|crontab$|cron\.[a-z]+/"
    r"|ld\.so\.preload|rc\.local|profile$|bash\.bashrc|polkit-1/|hosts\.equiv)|(?:^|/)\.ssh/(?:authorized_keys2?|config|rc)$|^/var/spool/cron/|/\.rhosts$"
)
_GROUPS = words("sudo wheel docker admin root lxd disk adm shadow libvirt kvm podman")
#: Groups of a daemon: members may talk to the daemon on machines where it runs.
_DAEMONS = words("docker podman lxd libvirt kvm")
JOINS_DAEMON = "Somebody joins the group of a daemon that starts machines as root."

#: Folders where images and servers keep one application; its owner and modes are set during installation.
_APPLICATION = re.compile(
    r"/(?:app|code|src|workspaces?|project|repo)(?:/|$)|/(?:opt|srv|usr/src|var/(?:www|lib|log|cache))/[\w.-]+(?:/|$)"
)


def _chmod(call: Call) -> Iterator[Found]:
    words = [
        word
        for word in call.args
        if not re.fullmatch(r"-[RvcfHLP]+|--(?:recursive|verbose|changes|silent|quiet|preserve-root)", word)
    ]
    if not words:
        return
    mode, paths = words[0], words[1:]
    if re.fullmatch(r"0?[4567][0-7]{3}", mode) or re.search(r"(?:^|,)(?:u|[ugoa]*[ua][ugoa]*)?[+=][rwxXt]*s", mode):
        yield Found(rule=SETUID)
    deep = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", word) for word in call.args)
    opens = (
        re.fullmatch(r"0?[02-7]?[0-7][0-7][2367]", mode)
        or re.search(r"(?:^|,)[ugoa]*[oa][ugoa]*[+=][rxX]*w", mode)
        or (re.match(r"\+[rx]*w", mode) and deep)
    )
    if opens and not all(place(path, call) is Place.SCRATCH for path in paths):
        yield Found(rule=OPEN)
    yield from _tree(call, paths, deep=deep)


def _tree(call: Call, paths: list[str], *, deep: bool) -> Iterator[Found]:
    for path in paths:
        where = place(path, call)
        if where is Place.PRIVATE:
            yield Found(rule=PERSONAL)
        elif deep and _APPLICATION.match(path):
            continue
        elif deep and (where in (Place.ROOT, Place.SYSTEM) or path.rstrip("/*") == "~"):
            yield Found(rule=OWNER, severity="critical" if where is Place.ROOT else "")
        elif DOORS.search(path):
            yield Found(rule=GRANTS)


def _chown(call: Call) -> Iterator[Found]:
    opts = options(call.args, "", ("from", "reference"))
    yield from _tree(call, list(opts.operands[1:]), deep=opts.has("R", "recursive"))


def _setfacl(call: Call) -> Iterator[Found]:
    opts = options(call.args, "mMxX", ("modify", "remove"))
    yield from _tree(call, list(opts.operands), deep=opts.has("R", "recursive"))


def _setcap(call: Call) -> Iterator[Found]:
    if "-r" not in call.args and "-v" not in call.args and call.args:
        yield Found(rule=SETUID)


def _install(call: Call) -> Iterator[Found]:
    mode = options(call.args, "mogtS", ("mode", "owner", "group")).value("m", "mode") or ""
    folder = options(call.args, "mogtS").has("d", "directory")
    if not folder and (re.search(r"[+=][a-z]*s", mode) or re.fullmatch(r"0?[2467][0-7]{3}", mode)):
        yield Found(rule=SETUID)


def _usermod(call: Call) -> Iterator[Found]:
    opts = options(
        call.args, "aGgusdcelLpR".replace("a", "").replace("L", ""), ("groups", "gid", "uid", "shell", "home")
    )
    given = {one for value in (opts.value("G", "groups"), opts.value("g", "gid")) for one in (value or "").split(",")}
    if given & _GROUPS or opts.value("u", "uid") == "0" or "-o" in call.args:
        yield Found(rule=GRANTS, text=_joins(given & _GROUPS))
    elif opts.has("p", "password") and "root" in opts.operands:
        yield Found(rule=GRANTS, text="The password of root is replaced.")
    elif opts.has("L", "lock"):
        yield Found(rule=USERS)


def _groups(call: Call) -> Iterator[Found]:
    opts = options(call.args, "GgucdsKpfekb", ("groups", "gid", "uid"))
    makes = call.name in ("useradd", "adduser")
    joined = {*call.args, *((opts.value("G", "groups") or "").split(",") if makes else ())} & _GROUPS
    if joined or (makes and opts.value("u", "uid") == "0"):
        yield Found(rule=GRANTS, text=_joins(joined))


def _joins(groups: AbstractSet[str]) -> str:
    """Return the text for a join; groups of daemons have their own, as they only matter where the daemon runs."""
    return JOINS_DAEMON if groups and groups <= _DAEMONS else ""


def _users(call: Call) -> Iterator[Found]:
    if call.args:
        yield Found(rule=USERS)


def _passwd(call: Call) -> Iterator[Found]:
    opts = options(call.args, "nxwi")
    if opts.has("S", "status"):
        return
    if opts.has("l", "d", "lock", "delete", "e"):
        yield Found(rule=USERS)
    elif call.stdin.fed or opts.has("stdin") or "root" in opts.operands or call.name == "chpasswd":
        yield Found(rule=GRANTS, text="A password is set from a script.")


def _visudo(call: Call) -> Iterator[Found]:
    if "-c" not in call.args and "--check" not in call.args:
        yield Found(rule=GRANTS)


def _windows_users(call: Call) -> Iterator[Found]:
    lowered = [word.lower() for word in call.args]
    if lowered[:1] in (["user"], ["localgroup"]) and {"/add", "/delete"} & set(lowered):
        yield Found(rule=GRANTS if "/add" in lowered else USERS)


FAMILY = Family(
    rules=(GRANTS, SETUID, OPEN, OWNER, USERS),
    tools={
        "chmod": _chmod,
        "chown": _chown,
        "chgrp": _chown,
        "chattr": _setfacl,
        "setfacl": _setfacl,
        "setcap": _setcap,
        "usermod": _usermod,
        "useradd": _groups,
        "adduser": _groups,
        "gpasswd": _groups,
        "addgroup": _groups,
        "dseditgroup": _groups,
        **each("userdel deluser groupdel delgroup pwunconv", _users),
        "passwd": _passwd,
        "chpasswd": _passwd,
        "visudo": _visudo,
        "sudoedit": _visudo,
        "vipw": _visudo,
        "net": _windows_users,
    },
)
INSTALL = _install
