"""Find private keys and files of logins, in a text or as a whole file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import translate
from functools import lru_cache
from pathlib import PurePosixPath

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.secrets import rules, values
from foureyes.reviewers.critics.secrets.found import Found
from foureyes.reviewers.critics.secrets.names import sort_of

#: The maximum length of a private key; of a key without an end, this much is taken.
_KEY_MAX = 20_000
_GAP = r"(?: |\+|%20)"
_TITLE = rf"{_GAP}(?:[A-Z0-9]{{1,12}}{_GAP}){{0,3}}PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?-----"
_BEGIN = re.compile("-----BEGIN" + _TITLE)
_END = re.compile("-----END" + _TITLE)
#: What must follow for it to be a key and not a line about keys.
_BODY = re.compile(r"(?:\\[nr]|[\s\"'+,>|]|%0[AaDd]|[A-Za-z-]{4,20}: [^\n]{1,80}\n){1,60}[A-Za-z0-9+/=%]{24}")
_ENCRYPTED = re.compile(r"ENCRYPTED")
_PUTTY = re.compile(r"Private-Lines: [0-9]{1,3}\r?\n(?P<v>(?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,200})")

#: Files that consist of secrets, by the last part of the path; `*` matches anything.
_WHOLE = (
    ".env",
    ".env.*",
    "*.env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.ppk",
    "*.kdbx",
    "*.asc",
    ".netrc",
    "_netrc",
    ".pgpass",
    "pgpass.conf",
    ".htpasswd",
    "htpasswd",
    "*.htpasswd",
    "kubeconfig",
    "*.kubeconfig",
    "credentials.json",
    "service-account*.json",
    "service_account*.json",
    "client_secret*.json",
    "credentials",
    ".dockercfg",
    ".git-credentials",
    ".pypirc",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    "*.tfstate",
    "*.tfstate.backup",
    "wp-config.php",
    "master.key",
)
_WHOLE_PATHS = ("*.kube/config", "*.aws/credentials", "*.docker/config.json", "*.ssh/id_*", "*.gnupg/*")
_IS_WHOLE = re.compile("|".join(map(translate, _WHOLE))).match
_IS_WHOLE_PATH = re.compile("|".join(map(translate, _WHOLE_PATHS))).match
_TEMPLATE = re.compile(r"(?i)(?:^|[._-])(?:example|sample|template|dist|tpl|tmpl|default|schema)(?:$|[._-])")
#: Bytes that an encrypted file begins with or contains.
_SEALED = re.compile(
    rb"\A(?:\$ANSIBLE_VAULT;|\x00GITCRYPT|age-encryption\.org|-----BEGIN (?:PGP|AGE)[A-Z ]{0,20} (?:MESSAGE|FILE))"
    rb"|ENC\[AES256_GCM"
)
_ENV_VALUE = re.compile(
    rb"(?m)^[ \t]{0,8}(?:export[ \t]{1,4})?[A-Za-z_][A-Za-z0-9_]{0,80}[ \t]{0,4}=[ \t]{0,4}[\"']?[^\s\"'#]"
)
_SETTINGS_BYTES_MAX = 100_000
_SETTING = re.compile(
    r"[ \t]{0,8}(?:export[ \t]{1,4})?(?P<name>[A-Za-z_][A-Za-z0-9_]{0,80})[ \t]{0,4}="
    r"[ \t]{0,4}[\"']?(?P<value>[^\s\"'#]{1,500})"
)
#: The minimum randomness of a made-up password.
_RANDOM_MIN = 0.4
_SECRET_BYTES = re.compile(
    rb"PRIVATE KEY|(?i:password|passwd|token|secret|client-key-data|\bauth\b|_key\b|:[^:\s]{3,80}:|:\$|:\{SHA)"
)
_BINARY = (".p12", ".pfx", ".jks", ".keystore", ".kdbx")


@lru_cache(maxsize=256)
def _name_of(path: str) -> str:
    return PurePosixPath(path).name.lower()


def is_sealed(content: bytes) -> bool:
    """True if the file is encrypted (SOPS, ansible-vault, git-crypt, age, PGP), as it should be."""
    return _SEALED.search(content[:1_000_000]) is not None


def whole_secret(path: str, content: bytes) -> str:
    """Return why the whole file is a secret, in words for people; empty if it is not."""
    name = _name_of(path)
    if not _IS_WHOLE(name) and not _IS_WHOLE_PATH(path.lower()) and not _IS_WHOLE_PATH("/" + path.lower()):
        return ""
    if _TEMPLATE.search(name) or is_sealed(content) or not content.strip():
        return ""
    if name.endswith(_BINARY):
        return "a store of keys"
    if name == ".env" or name.startswith(".env.") or name.endswith(".env"):
        return "an environment file with values" if _ENV_VALUE.search(content) else ""
    if name.endswith((".pem", ".key", ".asc", ".ppk")) or name.startswith("id_"):
        held = re.search(rb"PRIVATE KEY|Private-Lines|PRIVATE", content) is not None or name == "master.key"
        return "a private key" if held else ""
    return "a file of logins" if _SECRET_BYTES.search(content) else ""


def has_secret_settings(content: bytes) -> bool:
    """True if any setting of an environment file is a secret by its name or by its value."""
    for line in content[:_SETTINGS_BYTES_MAX].decode("utf-8", "replace").split("\n"):
        met = _SETTING.match(line)
        if met is None or values.is_reference(met["value"]) or values.is_stand_in(met["value"]):
            continue
        if sort_of(met["name"]) is not None or "@" in met["value"] or values.randomness(met["value"]) >= _RANDOM_MIN:
            return True
    return len(content) > _SETTINGS_BYTES_MAX


def private_keys(text: str) -> Iterator[Found]:
    """Yield every unencrypted private key."""
    if "PRIVATE" in text:
        at = 0
        while begin := _BEGIN.search(text, at):
            at = begin.end()
            body = _BODY.match(text, begin.end())
            if body is None:
                if _is_alone(text, begin):
                    yield Found(start=begin.start(), end=begin.end(), rule=rules.PRIVATE_KEY, score=0.4)
                continue
            end = _END.search(text, begin.end(), begin.end() + _KEY_MAX)
            stop = end.end() if end else _ragged_end(text, begin.end())
            at = stop
            sealed = _ENCRYPTED.search(text, begin.start(), min(stop, begin.end() + 200)) is not None
            if not sealed and not values.is_dummy(text[body.end() - 24 : body.end() + 40]):
                yield Found(start=begin.start(), end=stop, rule=rules.PRIVATE_KEY, score=0.95, known="-----")
    if "Private-Lines: " in text and "Encryption: none" in text:
        for match in _PUTTY.finditer(text):
            yield Found(start=match.start("v"), end=match.end("v"), rule=rules.PRIVATE_KEY, score=0.95)


def _is_alone(text: str, begin: re.Match[str]) -> bool:
    """True if the text ends with this line: a key that is cut off."""
    return not text[begin.end() : begin.end() + 200].strip() and text[: begin.start()].rpartition("\n")[2].strip() == ""


_RAGGED = re.compile(r"(?:[A-Za-z0-9+/=\s\\,\"']|[A-Za-z-]{4,20}: ){1,20000}")


def _ragged_end(text: str, at: int) -> int:
    match = _RAGGED.match(text, at, at + _KEY_MAX)
    return match.end() if match else at


_NETRC = re.compile(r"(?m)\bpassword[ \t]{1,4}(?P<v>\S{3,200})")
_PGPASS = re.compile(r"(?m)^[^#:\n]{1,100}:[0-9*]{1,6}:[^:\n]{1,100}:[^:\n]{1,100}:(?P<v>[^:\n]{1,200})$")
_HTPASSWD = re.compile(r"(?m)^[\w.@+-]{1,80}:(?P<v>(?:\$(?:apr1|2[aby]|[156])\$|\{SHA\})[^\s:]{8,128})")
_KUBECONFIG = re.compile(
    r"(?m)^\s{0,20}(?:client-key-data|token|password|id-token|refresh-token):[ \t]{0,4}[\"']?(?P<v>[^\s\"'#]{6,8000})"
)
_KUBE_KIND = re.compile(
    r"(?m)^\s{0,8}[\"']?kind[\"']?\s{0,4}:\s{0,4}[\"']?(?P<kind>Secret|Config)[\"']?\s{0,4},?\s{0,4}$"
)
_KUBE_DATA = re.compile(
    r"(?m)^(?P<indent>\s{0,12})(?:data|stringData):\s{0,4}\n(?P<body>(?:(?P=indent)\s{1,12}[^\n]{0,9000}\n?){1,200})"
)
_KUBE_PAIR = re.compile(r"(?m)^\s{1,24}[\"']?[\w.-]{1,120}[\"']?:[ \t]{1,4}[\"']?(?P<v>[^\s\"'#|>][^\n\"']{2,8000})")


def login_lines(text: str, path: str) -> Iterator[Found]:
    """Yield passwords in .netrc, .pgpass, .htpasswd, kubeconfigs and Kubernetes Secrets."""
    name = _name_of(path)
    if name in (".netrc", "_netrc"):
        yield from _each(_NETRC, text, rules.LOGIN_FILE)
    if name in (".pgpass", "pgpass.conf"):
        yield from _each(_PGPASS, text, rules.LOGIN_FILE)
    if ":$" in text or ":{SHA}" in text:
        for match in _HTPASSWD.finditer(text):
            yield Found(start=match.start("v"), end=match.end("v"), rule=rules.LOGIN_FILE, score=0.7)
    if "kind" not in text or is_sealed(text[:200_000].encode("utf-8", "replace")):
        return
    for part_start, part in _documents(text):
        kind = _KUBE_KIND.search(part)
        if kind and kind.group("kind") == "Config" and "clusters" in part:
            yield from _each(_KUBECONFIG, part, rules.LOGIN_FILE, offset=part_start)
        elif kind and kind.group("kind") == "Secret":
            for block in _KUBE_DATA.finditer(part):
                offset = part_start + block.start("body")
                yield from _each(_KUBE_PAIR, block.group("body"), rules.KUBERNETES, offset=offset)


def _documents(text: str) -> Iterator[tuple[int, str]]:
    """Yield the YAML documents of a file, with the position of each."""
    at = 0
    for part in re.split(r"(?m)(?<=\n)(?=---)", text):
        yield at, part
        at += len(part)


def _each(pattern: re.Pattern[str], text: str, rule: Rule, *, offset: int = 0) -> Iterator[Found]:
    for match in pattern.finditer(text):
        value = match.group("v").rstrip()
        if not values.is_reference(value) and not values.is_stand_in(value):
            start = match.start("v")
            yield Found(start=offset + start, end=offset + start + len(value), rule=rule, score=0.7)
