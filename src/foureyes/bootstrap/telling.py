"""Set up notifications: targets from the policy file, secrets from the environment, and the key that signs links."""

from __future__ import annotations

import ipaddress
import os
import secrets
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from foureyes.app.gate import Gate
from foureyes.app.links import KEY_BYTES
from foureyes.app.ports import Store
from foureyes.bootstrap.redacting import redaction
from foureyes.config import NONE
from foureyes.home.files import write_whole
from foureyes.home.folder import OTHERS
from foureyes.home.trouble import Trouble
from foureyes.notify.carrying import Carrying
from foureyes.notify.channels import BadAddress, Hook, Mail
from foureyes.notify.delivering import Delivery
from foureyes.notify.desk import Desk
from foureyes.notify.mail import Mailer, mailbox
from foureyes.notify.outside import Outside
from foureyes.policy.load import load

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly

#: The key that signs decision links; its name differs from those of the keys that sign the log.
LINK_KEY = "links.secret"


def tells(assembly: Assembly, desk: Desk) -> bool:
    """True if notifications are recorded: there are targets, or another server may share the database and have some."""
    return bool(desk.targets) or assembly.settings.is_postgres


def delivery(assembly: Assembly, store: Store, gate: Gate, desk: Desk, public: str) -> Delivery:
    """What delivers notifications from this store to the targets of the desk."""
    settings, out = assembly.settings, _out(assembly)
    return Delivery(
        store=store,
        policies=gate.policies,
        desk=desk,
        carrier=Carrying(out=out, mailer=Mailer(out=out)),
        clock=assembly.now,
        worker=f"{os.uname().nodename}-{os.getpid()}",
        public=public,
        shared=settings.is_postgres,
        link_key=link_key(os.path.join(settings.keys, LINK_KEY)),
        cuts=partial(redaction(assembly).said, store),
    )


def _out(assembly: Assembly) -> Outside:
    """The sender, allowed to reach public addresses and the private networks that the operator opened."""
    private = assembly.settings.notify_private
    return Outside(allowed=() if private == NONE else tuple(map(ipaddress.ip_network, private.split(","))))


def link_key(path: str) -> bytes:
    """The key that signs links, readable by its owner only; created if there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        write_whole(path, secrets.token_bytes(KEY_BYTES))
        return link_key(path)
    except OSError as error:
        raise _untrusted(path, f"cannot be opened: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        key = file.read(KEY_BYTES + 1)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & OTHERS:
        raise _untrusted(path, "is not ours alone")
    if len(key) != KEY_BYTES:
        raise _untrusted(path, f"has not {KEY_BYTES} bytes")
    return key


def desk(assembly: Assembly) -> Desk:
    """The notification targets of the policy file; an invalid address is reported before the server starts."""
    try:
        found = Desk.of(load(Path(assembly.settings.policy)).notify, os.environ)
        for one in found.targets.values():
            if isinstance(one.channel, Mail):
                mailbox(one.channel)
            if isinstance(one.channel, Hook):
                _out(assembly).check(one.channel.url)
    except BadAddress as error:
        step = "Put it right under `notify` in the policy file, or in the environment of the server."
        raise Trouble(f"The server does not start. Of where people are told: {error}.", step, usage=True) from None
    return found


def _untrusted(path: str, why: str) -> Trouble:
    step = "Remove it: the next start makes another, and links that were sent work no more."
    return Trouble(f"The server does not start. {path} {why}.", step, blocked=True)
