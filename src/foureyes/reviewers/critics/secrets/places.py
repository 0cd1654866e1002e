"""Find passwords by their place: in addresses, request headers, command lines and SQL."""

# ruff: noqa: PLR2004 - each number weighs one sign of a secret, beside which it stands
from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.secrets import rules, values
from foureyes.reviewers.critics.secrets.calls import CALLS, Place
from foureyes.reviewers.critics.secrets.found import Found, TooMany, letters_of

#: Needles that must be in the text, the pattern with the secret as `v`, the rule, and the score of a word and of a
#: random value.
_PLACES: tuple[Place, ...] = (
    (
        ("://",),
        re.compile(r"://[^\s/:@\"'<>`\\]{0,100}:(?P<v>[^\s/\"'<>`@]{1,200}(?:@[^\s/\"'<>`@.:]{1,40})?)@[\w\[$%{.*-]"),
        rules.URL,
        0.45,
        0.8,
    ),
    (
        ("uthorization", "AUTHORIZATION"),
        re.compile(
            r"(?i)authorization[\"']{0,2}\s{0,4}[:=,]\s{0,4}[\"'`]{0,2}(?:bearer|basic|token|apikey|digest)\s{1,4}"
            r"(?P<v>[A-Za-z0-9._~+/=:-]{8,2000})"
        ),
        rules.HEADER,
        0.0,
        0.75,
    ),
    (
        ("curl", "wget", "http"),
        re.compile(r"(?:\s-u|--user|--proxy-user)[\s=]{0,4}[\"']?[\w.@+-]{1,64}:(?P<v>[^\s\"'@]{3,128})"),
        rules.COMMAND,
        0.45,
        0.75,
    ),
    (
        ("mysql", "mysqldump", "mariadb", "sshpass"),
        re.compile(
            r"(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass)\b[^\n|;]{0,120}?\s-p\s?[\"']?(?P<v>[^\s\"'-][^\s\"']{2,100})"
        ),
        rules.COMMAND,
        0.45,
        0.75,
    ),
    (
        ("pass:",),
        re.compile(r"(?:-pass(?:in|out)?|-k)\s{1,4}[\"']?pass:(?P<v>[^\s\"']{3,100})"),
        rules.COMMAND,
        0.5,
        0.75,
    ),
    (
        (
            "docker",
            "podman",
            "helm",
            "redis-cli",
            "az ",
            "npm",
            "oc ",
            "skopeo",
            "smbclient",
            "ldap",
            "rabbitmq",
            "htpasswd",
        ),
        re.compile(
            r"(?:(?:docker|podman|helm|oc|skopeo|az)\s[^\n|;]{0,60}login[^\n|;]{0,120}?\s-p[\s=]|redis-cli[^\n|;]{0,80}?\s-a\s"
            r"|ldap\w{3,8}\s[^\n|;]{0,120}?\s-w\s|rabbitmqctl\s(?:add_user|change_password)\s\S{1,60}\s"
            r"|htpasswd\s(?:-\w{1,8}\s){1,4}\S{1,80}\s\S{1,40}\s)[\"']?(?P<v>[^\s\"']{3,100})"
        ),
        rules.COMMAND,
        0.45,
        0.75,
    ),
    (
        ("identified", "IDENTIFIED", "Identified", "password", "PASSWORD", "Password"),
        re.compile(
            r"(?i)\b(?:identified\s{1,4}(?:with\s{1,4}[\w'\"]{1,40}\s{1,4})?(?:by|as)|(?:encrypted\s{1,4})?password)"
            r"(?:\s{0,4}=\s{0,4}|\s{1,4})[uUbBnN]?'(?P<v>[^'\s(]{3,128})'"
        ),
        rules.SQL,
        0.45,
        0.75,
    ),
    (
        ("wd=", "assword=", "PWD=", "ASSWORD="),
        re.compile(r"(?i)(?:;|\b)(?:pwd|password)\s{0,2}=\s{0,2}(?P<v>[^;\s\"'&{}$<>%]{3,128})\s{0,2};"),
        rules.URL,
        0.45,
        0.8,
    ),
    # The format that libpq and others read: `host=db user=app password=… dbname=app`.
    (
        ("assword=",),
        re.compile(
            r"(?i)(?:\b(?:host|user|dbname|port|server|uid|database)=[^\s\"'&;]{1,80}\s{1,4})"
            r"password=(?P<v>[^\s\"'&;{}$<>%]{3,128})"
        ),
        rules.URL,
        0.45,
        0.8,
    ),
    (
        ("net user", "NET USER"),
        re.compile(r"(?i)\bnet1?(?:\.exe)?\s{1,4}user\s{1,4}[\w.-]{1,40}\s{1,4}(?P<v>[^\s/*\"'][^\s\"']{2,60})"),
        rules.COMMAND,
        0.45,
        0.75,
    ),
)

_EVERY = (*_PLACES, *CALLS)
_LETTERS = tuple(tuple(map(frozenset, needles)) for needles, *_ in _EVERY)

#: The maximum number of places of one sort in a text.
STARTS_MAX = 20_000

#: Words in the place of a value that are not one: the next option, or a redirection (`2>&1`, `>/dev/null`).
_NEXT_WORD = re.compile(r"--?[A-Za-z]|[0-9]?[<>]|[&|]")

_USUAL_PASSWORDS_OF_MANUALS_TEXT = """
    pw pass password pwd passwd secret user username xxx p pa hunter2 mypass
"""
_USUAL_PASSWORDS_OF_MANUALS = frozenset(_USUAL_PASSWORDS_OF_MANUALS_TEXT.split())


def in_places(text: str) -> Iterator[Found]:
    """Yield every password that its place reveals; raise TooMany."""
    letters = letters_of(text)
    for (needles, pattern, rule, word, random), sets in zip(_EVERY, _LETTERS, strict=True):
        times = sum(text.count(needle) for needle, each in zip(needles, sets, strict=True) if each <= letters)
        if not times:
            continue
        if times > STARTS_MAX:
            raise TooMany("addresses, commands and statements")
        for match in pattern.finditer(text):
            value = match.group("v")
            if is_harmless(value):
                continue
            share = values.randomness(value)
            score = word + (random - word) * min(1.0, share / 0.6)
            if score > 0.25:
                yield Found(start=match.start("v"), end=match.end("v"), rule=rule, score=score)


def is_harmless(value: str) -> bool:
    """True if the value is too short, a placeholder, a reference, or a password commonly used in manuals."""
    return (
        len(value) < 3
        or _NEXT_WORD.match(value) is not None
        or value.lower() in _USUAL_PASSWORDS_OF_MANUALS
        or values.is_reference(value)
        or values.is_stand_in(value)
    )
