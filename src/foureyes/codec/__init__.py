"""Codec: one strict JSON form of events, commands and rules for log, spool and hashes."""

from foureyes.codec.events import EVENT_TYPES, decode, encode, read, write
from foureyes.codec.shapes import CodecError, Json, canonical

__all__ = ["EVENT_TYPES", "CodecError", "Json", "canonical", "decode", "encode", "read", "write"]
