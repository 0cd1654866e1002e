"""Judge a redirection by the file that it overwrites or appends to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Found
from foureyes.reviewers.critics.commands.places import Place, place, resolved
from foureyes.reviewers.critics.commands.tools.files import DEVICE, PERSONAL, SYSTEM_FILE
from foureyes.reviewers.critics.commands.tools.network import REVERSE_SHELL
from foureyes.reviewers.critics.commands.tools.rights import DOORS, GRANTS

_LOGS = re.compile(r"/var/log/|/var/run/|/run/|/proc/self/|/var/tmp/|/opt/|/srv/|/mnt/|/data/|/home/|/Users/|/var/lib/")


def judge_redirect(sign: str, target: str, call: Call) -> Iterator[Found]:
    """Judge `>` (empties a file) and `>>` (appends to it); some files must not be written by scripts at all."""
    if sign.endswith("&") and (target.isdigit() or target == "-"):
        return
    full = resolved(target, call.cwd)
    if full.startswith(("/dev/tcp/", "/dev/udp/")):
        yield Found(rule=REVERSE_SHELL, text="The output is sent to another machine over a raw connection.")
        return
    if DOORS.search(full):
        yield Found(rule=GRANTS, text=f"`{target}` decides who may enter or become root; this line changes it.")
        return
    where = place(target, call)
    if where is Place.DEVICE:
        yield Found(rule=DEVICE, text="Writing to the device itself destroys every file on it.", severity="critical")
    elif where is Place.PRIVATE:
        yield Found(rule=PERSONAL)
    elif where is Place.SYSTEM and (not _LOGS.match(full) or _empties(sign, call)):
        yield Found(rule=SYSTEM_FILE)


def _empties(sign: str, call: Call) -> bool:
    """True if nothing is written, so that the old content is lost."""
    silent = call.name in ("", ":", "true") or (call.name == "cat" and call.args == ("/dev/null",))
    return silent and ">>" not in sign
