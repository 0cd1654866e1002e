"""Ed25519 signing keys for checkpoints and receipts: makes and loads them; refuses private keys open to others."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FOLDER_MODE, PRIVATE_MODE, PUBLIC_MODE = 0o700, 0o600, 0o644
OTHERS = 0o077
PRIVATE, PUBLIC = ".key", ".pub"
KEY_BYTES_MAX = 10_000
RAW_BYTES = 32
ID_CHARS = 32
MAKE_ONE = "Make a key, or name the folder that holds it."


class KeyTrouble(Exception):  # noqa: N818 - a state of the key files, told to whoever starts the program
    """A key is missing, ambiguous, or not ours alone: what it is, and the next step."""

    def __init__(self, sentence: str, next_step: str) -> None:
        """Keep what is shown to the user."""
        super().__init__(f"{sentence} {next_step}")
        self.sentence = sentence
        self.next_step = next_step


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """What anybody may have, to check what was signed."""

    raw: bytes

    @property
    def id(self) -> str:
        """The id of the key: the beginning of its hash."""
        return hashlib.sha256(self.raw).hexdigest()[:ID_CHARS]

    @property
    def text(self) -> str:
        """The key in the encoding of the records."""
        return base64.b64encode(self.raw).decode()

    @classmethod
    def of(cls, text: str) -> PublicKey:
        """Parse a key in the encoding of the records."""
        try:
            raw = base64.b64decode(text, validate=True)
        except ValueError:
            raw = b""
        if len(raw) != RAW_BYTES:
            raise KeyTrouble("This is no public key.", "Name a .pub file, as it lies beside the signing key.")
        return cls(raw=raw)

    def signed(self, signature: bytes, message: bytes) -> bool:
        """True if the owner of this key signed exactly these bytes."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - most commands never check a signature
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - likewise

        try:
            ed25519.Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """A private key at work; what it is made of stays inside."""

    public: PublicKey
    sign: Callable[[bytes], bytes] = field(repr=False)


def new_key(folder: Path) -> Signer:
    """Make a key pair on disk: the private key readable for this user alone, the public key for everybody."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - only who makes a key pays for it
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - likewise

    _make_folder(folder)
    private = ed25519.Ed25519PrivateKey.generate()
    public = PublicKey(raw=private.public_key().public_bytes_raw())
    secret = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    shown = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    _write(folder / f"{public.id}{PUBLIC}", shown, PUBLIC_MODE)
    _write(folder / f"{public.id}{PRIVATE}", secret, PRIVATE_MODE)
    _sync(folder)
    return Signer(public=public, sign=private.sign)


def signer_in(folder: Path, key: str = "") -> Signer:
    """Return the key with this id; without an id, the only key in the folder."""
    _check_folder(folder)
    if key:
        return _signer(folder / f"{key}{PRIVATE}")
    found = sorted(folder.glob(f"*{PRIVATE}"))
    if not found:
        raise KeyTrouble(f"There is no signing key in {folder}.", MAKE_ONE)
    if len(found) > 1:
        raise KeyTrouble(
            f"There are {len(found)} signing keys in {folder}, and no checkpoint says which one is in use.",
            "Leave the one that is in use there and move the others away.",
        )
    return _signer(found[0])


def public_key(path: Path) -> PublicKey:
    """Read a public key file."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - as above

    try:
        with path.open("rb") as file:
            key = serialization.load_pem_public_key(file.read(KEY_BYTES_MAX))
    except OSError as error:
        raise KeyTrouble(f"The public key {path} cannot be read: {error.strerror}.", "Name its .pub file.") from None
    except ValueError:
        raise KeyTrouble(f"{path} is no public key.", "Name its .pub file, in PEM.") from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise KeyTrouble(f"{path} is not an Ed25519 key.", "Name the .pub file that foureyes made.")
    return PublicKey(raw=key.public_bytes_raw())


def forget(folder: Path, key: str) -> None:
    """Remove a private key that is no longer used; its public key stays."""
    (folder / f"{key}{PRIVATE}").unlink(missing_ok=True)
    _sync(folder)


def check_keys(folder: Path) -> None:
    """Refuse to start if a private key is not owned by and readable for this user alone."""
    _check_folder(folder)
    for path in folder.glob(f"*{PRIVATE}"):
        os.close(_opened(path))


def _signer(path: Path) -> Signer:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - only who signs pays for it
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - likewise

    descriptor = _opened(path)
    with os.fdopen(descriptor, "rb") as file:
        text = file.read(KEY_BYTES_MAX)
    try:
        key = serialization.load_pem_private_key(text, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise KeyTrouble(f"{path} is no Ed25519 private key in PEM.", "Put the key back from its safe copy.")
    return Signer(public=PublicKey(raw=key.public_key().public_bytes_raw()), sign=key.sign)


def _opened(path: Path) -> int:
    """Open a private key file and check the open descriptor, not the path, which could be swapped in between."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyTrouble(f"The signing key {path} is not there.", "Put it back from its safe copy.") from None
    except OSError as error:
        raise KeyTrouble(
            f"The signing key {path} is a link or cannot be opened: {error.strerror}.", "Put the file itself there."
        ) from None
    found = os.fstat(descriptor)
    wrong = ""
    if not stat.S_ISREG(found.st_mode):
        wrong = "is not a file"
    elif found.st_uid != os.geteuid():
        wrong = "belongs to somebody else"
    elif found.st_mode & OTHERS:
        wrong = f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})"
    if wrong:
        os.close(descriptor)
        raise KeyTrouble(
            f"The signing key {path} {wrong}.",
            f"Run: chmod 600 {path}. If somebody may have read it, make a new key and rotate to it.",
        )
    return descriptor


def _check_folder(folder: Path) -> None:
    try:
        found = folder.stat()
    except OSError:
        raise KeyTrouble(f"There is no folder {folder} with keys.", MAKE_ONE) from None
    if found.st_mode & OTHERS or found.st_uid != os.geteuid():
        raise KeyTrouble(f"The folder {folder} with the keys is open to others.", f"Run: chmod 700 {folder}")


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    _check_folder(folder)


def _write(path: Path, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
