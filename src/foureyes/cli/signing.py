"""Which key signs here, and which one is trusted?"""

from __future__ import annotations

from pathlib import Path

from foureyes.app.book import BadLine, Line
from foureyes.app.checkpoints import last_line
from foureyes.app.keys import PRIVATE, PUBLIC, PublicKey, Signer, new_key, public_key, signer_in
from foureyes.app.ports import Damaged
from foureyes.cli.parts import Parts
from foureyes.home.trouble import Trouble


def book_end(parts: Parts) -> Line | None:
    """The last checkpoint known here."""
    try:
        return last_line(Path(parts.settings.checkpoints))
    except BadLine as error:
        raise Damaged(f"The last checkpoint in {parts.settings.checkpoints} cannot be read: {error}.") from error


def signer(parts: Parts, *, make: bool = False) -> Signer:
    """The key the book goes on with; where there is neither book nor key, a new one if asked for."""
    keys, last = Path(parts.settings.keys), book_end(parts)
    if last is not None:
        return signer_in(keys, _key_after(last))
    if make and not any(keys.glob(f"*{PRIVATE}")):
        return new_key(keys)
    return signer_in(keys)


def has_signer(parts: Parts) -> bool:
    """Whether there is any key to sign with."""
    return any(Path(parts.settings.keys).glob(f"*{PRIVATE}"))


def trusted_key(parts: Parts, file: str = "") -> PublicKey:
    """The key to check signatures with: the one named, else the one in use here."""
    if file:
        return public_key(Path(file))
    keys, last = Path(parts.settings.keys), book_end(parts)
    if last is not None and (own := keys / f"{_key_after(last)}{PUBLIC}").exists():
        return public_key(own)
    found = sorted(keys.glob(f"*{PUBLIC}"))
    if len(found) != 1:
        raise Trouble(
            f"There are {len(found)} public keys in {keys}, so it is not clear which signatures to trust.",
            "Name the right one with --key, or sign the log for the first time with `foureyes log checkpoint`.",
        )
    return public_key(found[0])


def _key_after(last: Line) -> str:
    if last.next_key:
        return PublicKey.of(last.next_key).id
    return str(last.envelope["signatures"][0]["keyid"])
