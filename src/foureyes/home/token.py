"""Reads the token with which a program acts, from a file or the environment; refuses files that others could read."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from foureyes.home.trouble import Trouble

VARIABLE = "FOUREYES_TOKEN"
FILE_VARIABLE = "FOUREYES_TOKEN_FILE"
#: The agent for which a service acts.
AGENT_VARIABLE = "FOUREYES_AGENT"
VARIABLES = frozenset({VARIABLE, FILE_VARIABLE, AGENT_VARIABLE})
FILE_BYTES_MAX = 4096
_OTHERS = 0o077


def token_of(environment: Mapping[str, str], file: str = "") -> str:
    """Return the token from the named file, else from the environment's token or file."""
    name = file or ("" if environment.get(VARIABLE) else environment.get(FILE_VARIABLE, ""))
    found = _read(name) if name else environment.get(VARIABLE, "")
    token = found.strip()
    if not token:
        raise Trouble(
            "No token says as whom this acts.",
            f"Set {VARIABLE}, or name a file of mode 0600 with --token-file; `foureyes agents add` makes one.",
            usage=True,
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise Trouble("This is no token: it has characters that none has.", "Copy it again, whole.", usage=True)
    return token


def _read(name: str) -> str:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise Trouble(
            f"The token file {name} cannot be opened: {error.strerror}.", "Name the file itself, not a link to it."
        ) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Trouble(f"{name} is no file.", "Name the file with the token.")
        if found.st_uid != os.getuid() or found.st_mode & _OTHERS:
            raise Trouble(f"Others could read the token in {name}.", f"Run: chmod 600 {name}")
        return os.read(descriptor, FILE_BYTES_MAX).decode("ascii", "replace")
    finally:
        os.close(descriptor)
