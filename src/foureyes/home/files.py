"""Writes files so that after a power cut they are there whole, or not at all."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress

FILE_MODE = 0o600
_CHUNK_BYTES = 1 << 20


def write_whole(path: str, content: bytes) -> None:
    """Replace the file atomically, readable by its owner alone."""
    partial = f"{path}.{os.getpid()}.partial"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(partial, flags, FILE_MODE), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    sync_folder(os.path.dirname(path) or os.curdir)


def copy_whole(source: str, target: str) -> None:
    """Copy a file to a place where there is none yet; the copy is whole and synced, or not there at all."""
    partial = f"{target}.{os.getpid()}.partial"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(source, "rb") as origin, open(os.open(partial, flags, FILE_MODE), "wb") as copy:
            while chunk := origin.read(_CHUNK_BYTES):
                copy.write(chunk)
            copy.flush()
            os.fsync(copy.fileno())
        os.link(partial, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(partial)


def sync_folder(path: str) -> None:
    """Sync a folder, so that the names in it are durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: str) -> None:
    """Sync a file's content to disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: str) -> str:
    """Return the SHA-256 hash of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
