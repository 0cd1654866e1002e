"""Decide whether a value looks like a secret, or like a placeholder, a reference, a word or public data."""

# ruff: noqa: PLR2004 - each number weighs one sign of a secret, beside which it stands
from __future__ import annotations

import re

from foureyes.reviewers.critics.secrets.wording import entropy, is_gibberish

#: A longer value is a text or a file, not a secret.
VALUE_MAX = 512

_BRACKETS = (("<", ">"), ("{", "}"), ("[", "]"), ("(", ")"), ("*", "*"), ("%", "%"), ("__", "__"))
_REFERENCE = re.compile(
    r"""^\$[^$0-9]|\$[{(]|\$[A-Z_]{3}|%[({]|%[sdvq](?![0-9a-z])|`|\{\{|\}\}|<%|\#\{|@\{|@@|\\\(   # a variable
    |\[[\^\\0-9A-Za-z]-|\]\{[0-9]|\]\+|\(\?[:!P=]     # a regular expression
    |[\"'][ ]?[+.]|[+.][ ]?[\"']                      # a text that is put together
    |^(?:!|&[a-z]|ENC[\[(]|AgB|vault:|ansible|secret://|op://|ref\+|arn:|projects/|env[:.(]|var\.|local\.|data\.|module\.)
    |(?i:environ|getenv|process\.env|system\.get|keyvault|secretsmanager|secretkeyref|valuefrom|file\()
    """,
    re.VERBOSE,
)
#: Parts of a value that mark it as a placeholder.
_PLACEHOLDER = re.compile(
    r"""(?i)your|(?:^|[^a-z])my[_-]|change[_-]?(?:me|it|this)|replace|example|sample|place.?holder|dummy|fake|todo|insert
    |redacted|removed|hidden|masked|censored|undefined|foobar|foo.?bar|lorem|default|do.?not|not.?set|unset|optional
    |required|x{3,}|\*{2,}|\.{3}|…|-{4,}|_{4,}|something|whatever|blah|asdf|qwer|put.?it|fill|enter.?|(?:^|[^a-z])here(?:[^a-z]|$)|abcdef|123456789
    |goes.?here|(?:some|any|super|very|top|the|new|old|my|test|a|user|bad|wrong|invalid|plain|correct|good|valid)[_-]?(?:secret|password|passwd|pass|token|key)
    |(?:secret|password|passwd|token|key)[_-]?(?:here|value|name|string|text|word|id|goes)""",
    re.VERBOSE,
)
#: Words that are a placeholder, or no secret, when they are the whole value.
_STAND_INS_TEXT = """
    pass password passwd passphrase passwort pwd pw psw secret secrets token tokens key keys apikey api_key auth
    none null nil true false yes no on off empty string str int bool bytes text any object value values name
    user username admin administrator root guest test tests testing tester foo bar baz qux abc xyz hello world
    bearer basic digest oauth oauth2 jwt login credentials credential private public default me self this prompt
    ask required optional enabled disabled file env input output hash hashed md5 sha1 sha256 sha512 bcrypt
    scrypt plain base64 hex utf8 data field label title type id ok error failed success undefined nan s3cr3t
    files define compat
"""
_STAND_INS = frozenset(_STAND_INS_TEXT.split())
_HASH_SIZES = (32, 40, 56, 64, 96, 128)
_UUID = re.compile(r"[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}")
#: The UUIDs in manuals and in the standard itself.
_UUIDS_OF_MANUALS = ("550e8400-e29b-", "123e4567-e89b-", "f47ac10b-58cc-", "6ba7b81", "3f2504e0-4f89-")
_PUBLIC = re.compile(
    r"ssh-(?:rsa|ed25519|dss) |ecdsa-sha2|-----BEGIN (?:PUBLIC|CERT)|sha(?:1|256|384|512)[-:]|https?://|[a-z]+://"
    r"|[.]{0,2}/|[A-Za-z]:\\|urn:|data:|pk_(?:live|test)_|[\w.-]+@[\w-]+\.[a-z]{2,6}$"
)
_VERSION = re.compile(r"v?[0-9]+(?:[.:/-][0-9]+){1,6}[A-Za-z0-9.-]{0,12}")
_REPEATED = re.compile(r"(.{1,4}?)\1{2,}(.{0,3})")
#: A number at the end of a name: `step_2`, `v2`, `worker-17`.
_NUMBERED = re.compile(r"(?:[_.-]?v?[0-9]{1,2}(?=$|[_.-]))")
_MIXED = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]|[0-9][^0-9A-Za-z][A-Za-z]|[A-Za-z][^0-9A-Za-z][0-9]{3}")
_HEX = re.compile(r"(?=[a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]+")
_PATH_OR_NAME = re.compile(r"(?:[A-Za-z_]\w{0,60}[./:]){1,12}[A-Za-z_]\w{0,60}(?:\(\))?")


def is_reference(value: str) -> bool:
    """True if the value names where the secret is stored, or is a variable of a template."""
    # A value in brackets is to be filled in: <your key>, {key}, [secret removed: x].
    if any(value.startswith(left) and value.endswith(right) for left, right in _BRACKETS):
        return True
    return _REFERENCE.search(value[:VALUE_MAX]) is not None


def is_dummy(value: str) -> bool:
    """True if a value of a credential's shape comes from a manual: EXAMPLE, xxxx, 123456789, one letter repeated."""
    head = value[:VALUE_MAX]
    return re.search(
        r"(?i)example|x{5,}|\*{3,}|0{8,}|1234567890|abcdefgh|placeholder|your[_-]|redacted|\.\.\.", head
    ) is not None or len(set(head)) < min(6, len(head))


def is_stand_in(value: str) -> bool:
    """True if the value is a placeholder for a secret: changeme, <key>, password, none."""
    return (
        value.lower().strip("'\"`.,;:!?()[]{}<> ") in _STAND_INS
        or _PLACEHOLDER.search(value[:VALUE_MAX]) is not None
        or len(set(value)) < 3
        or _is_repeated(value[:VALUE_MAX])
    )


def _is_repeated(value: str) -> bool:
    """True if the value repeats one piece, with little after it: `abcabcabc1`, but not `pppmki`."""
    met = _REPEATED.fullmatch(value)
    return met is not None and 3 * (len(value) - len(met.group(2))) >= 2 * len(value)


def is_public(value: str) -> bool:
    """True if the value is public by its kind: an address, a path, a version, a public key, a checksum's notation."""
    return _PUBLIC.match(value) is not None or _VERSION.fullmatch(value[:80]) is not None


def is_uuid(value: str) -> bool:
    """True if the value has the shape of a UUID."""
    return _UUID.fullmatch(value) is not None


def is_manual_uuid(value: str) -> bool:
    """True if the value is a UUID copied from a manual, or one with few different digits."""
    return value.lower().startswith(_UUIDS_OF_MANUALS) or len(set(value)) < 7 or is_dummy(value)


def is_name(value: str) -> bool:
    """True if the value is a dotted name or a path of code: `settings.secret`, `a/b/c`, `Foo::bar`."""
    return _PATH_OR_NAME.fullmatch(value[:VALUE_MAX]) is not None and not is_gibberish(value)


def is_checksum(value: str) -> bool:
    """True if the value has exactly the length and characters of a common hash."""
    return len(value) in _HASH_SIZES and re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", value) is not None


def randomness(value: str) -> float:
    """Return how random a value looks: 0 for words, about 0.5 for a made-up password, 1 for a key."""
    classes = sum(
        1 for pattern in (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9]") if re.search(pattern, value) is not None
    )
    score = 0.0
    if is_gibberish(value):
        score += 0.4
    if _MIXED.search(_NUMBERED.sub("", value)):
        score += 0.2
    if classes >= 3:
        score += 0.1
    if score and len(value) >= 16 and entropy(value) > 3:
        score += 0.1
        if len(value) >= 20 and entropy(value) > 3.4:
            score += 0.2
    if len(value) >= 24 and _HEX.fullmatch(value):
        score += 0.2
    return min(score, 1.0)
