"""The keys of checkpoints: the one that signs here, and the one that signatures are checked with."""

from __future__ import annotations

from pathlib import Path

from foureyes.app.book import BadLine, Line
from foureyes.app.checkpoints import last_line
from foureyes.app.keys import PRIVATE, PUBLIC, PublicKey, Signer, new_key, public_key, signer_in
from foureyes.app.ports import Damaged
from foureyes.cli.parts import Parts
from foureyes.home.trouble import Trouble

RETIRED = ".retired"


def book_end(parts: Parts) -> Line | None:
    """The last entry of the checkpoint journal known here."""
    try:
        return last_line(Path(parts.settings.checkpoints))
    except BadLine as error:
        raise Damaged(f"The last checkpoint in {parts.settings.checkpoints} cannot be read: {error}.") from error


def signer(parts: Parts, *, make: bool = False) -> Signer:
    """The key that signs the next checkpoint; without journal and key, a new key if `make` is set."""
    keys, last = Path(parts.settings.keys), book_end(parts)
    if last is not None:
        return signer_in(keys, _key_after(last))
    if make and not any(keys.glob(f"*{PRIVATE}")):
        return new_key(keys)
    return signer_in(keys)


def has_signer(parts: Parts) -> bool:
    """True if there is any key to sign with."""
    return any(Path(parts.settings.keys).glob(f"*{PRIVATE}"))


def trusted_key(parts: Parts, file: str = "") -> PublicKey:
    """The key to verify signatures with: the one named, else the one in use here.

    Never the key that the journal names: the holder of a rotated key could write a journal that names it.
    """
    if file:
        return public_key(Path(file))
    keys = Path(parts.settings.keys)
    private, public = sorted(keys.glob(f"*{PRIVATE}")), sorted(keys.glob(f"*{PUBLIC}"))
    if len(private) == 1:
        return _public_half(private[0])
    if len(private) + len(public) == 1:
        return public_key(public[0])
    several, kind = (private, "private") if private else (public, "public")
    raise Trouble(
        f"There are {len(several)} {kind} keys in {keys}, so it is not clear which signatures to trust.",
        "Name the right one with --key, or leave only the private key in use there. "
        "`foureyes log checkpoint` makes the first one.",
    )


def retire(parts: Parts, key: PublicKey) -> Path:
    """Set aside a private key that no longer signs, so that one is left; returns its new path."""
    own = Path(parts.settings.keys, f"{key.id}{PRIVATE}")
    return own.rename(own.with_name(f"{own.name}{RETIRED}"))


def _public_half(private: Path) -> PublicKey:
    """The public key of a private key, from its own file if possible, so that verifying needs no secret."""
    beside = private.with_suffix(PUBLIC)
    if beside.exists() and (found := public_key(beside)).id == private.stem:
        return found
    return signer_in(private.parent, private.stem).public


def _key_after(last: Line) -> str:
    if last.next_key:
        return PublicKey.of(last.next_key).id
    return str(last.envelope["signatures"][0]["keyid"])
