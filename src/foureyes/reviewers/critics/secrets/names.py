"""Decide whether a name says that a secret follows: `db_password` does, `password_field` and `token_count` do not."""

# ruff: noqa: S105 - lists of words that name passwords are none; one line for each sort of name
from __future__ import annotations

import re
from enum import Enum

#: The name of every secret contains one of these, in lower case.
KEYWORDS = re.compile(
    r"pass|pwd|pswd|passwd|secret|token|key|auth|cred|bearer|jwt|salt|nonce|signature|contrase|senha|pw|cert|psk|sid|dsn"
)


class Sort(Enum):
    """The sort of secret that a name promises; the stricter the sort, the more its value must look like one."""

    PASSWORD = "password"
    TOKEN = "token"
    KEY = "key"
    BARE_KEY = "bare key"
    SALT = "salt"


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORD_LIST = """
    password passwd passphrase pass pwd pw passcode pswd psw passw passwort contrasena contraseña senha userpass
    dbpass dbpassword rootpass rootpassword userpassword pgpassword mypass mypassword adminpassword adminpass
    pgpass mysqlpass keypass storepass keystorepass sshpass smtppass mailpass ldappass bindpw rootpw passwords
    requirepass
"""
_PASSWORD = frozenset(_PASSWORD_LIST.split())
_TOKEN_LIST = """
    secret secrets token tokens apikey apisecret apitoken authtoken accesstoken credential credentials cred
    creds auth authorization bearer jwt clientsecret secretkey accesskey privatekey authkey psk signature cookie
    sessionid dsn authenticity csrf webhook
"""
_TOKEN = frozenset(_TOKEN_LIST.split())
_KEY_QUALIFIERS_TEXT = """
    api access private secret encryption encrypt encrypted signing sign master auth account shared storage
    service client crypto aes hmac des rsa deploy license licence subscription app application admin consumer
    server session maps google aws azure gcp stripe openai anthropic gemini github sendgrid mailgun algolia
    datadog pagerduty firebase recaptcha jwt cipher decryption root ssh wallet vapid meilisearch read write
    write only ingest instrumentation
"""
_KEY_QUALIFIERS = frozenset(_KEY_QUALIFIERS_TEXT.split())
_SALTS = frozenset(["salt", "nonce", "seed", "iv", "pepper"])
#: Words after which the value is something about the secret, not the secret.
_ABOUT_TEXT = """
    path paths file files filename name names id ids url uri urls endpoint host port length len size min max
    type types field fields label labels title text message msg hash hashed digest policy policies scheme expiry
    expires expiration ttl timeout lifetime age count number regex regexp pattern format error errors err
    exception prompt placeholder header headers env var variable dir directory folder location algorithm algo
    alg method mode required enabled disabled valid invalid validator validation verify check checks checker
    changed change reset resets strength hint help description desc doc docs class provider store manager
    service factory builder handler helper util utils request response input output form view page template
    index column table row ref reference references rate ratelimit limit usage used count kind prefix suffix
    version date time created updated generator generate group status state rotation rotate word words list set
    map dict schema spec config conf settings options option params param args arg source target command cmd
    func function callback event action link button icon image color style node tree press down up code codes
    binding bindings board event frame frames stroke pair pairs space spaces usages vault user username server
    domain realm flow flows scope scopes audience issuer sha md bcrypt
"""
_ABOUT = frozenset(_ABOUT_TEXT.split())
#: Words before "token" that make it a position in a list, a lock or a piece of text.
_NOT_TOKENS_TEXT = """
    next previous prev lock request continuation page pagination cursor sync idempotency export start end resume change
    lex lexer syntax parser eos bos pad unk mask sep cls special stop first last current input output prompt completion
    cached reasoning total max
"""
_NOT_TOKENS = frozenset(_NOT_TOKENS_TEXT.split())
_NOT_KEYS_TEXT = """
    primary foreign public partition sort cache dict map index hot short unique composite row
"""
_NOT_KEYS = frozenset(_NOT_KEYS_TEXT.split())


def sort_of(name: str) -> Sort | None:
    """Return the sort of secret that a name promises, or None."""
    words = [word.lower() for word in _WORDS.findall(name)]
    # `secret_key_base` counts as a key: Rails derives all other keys from it.
    while words and (words[-1].isdigit() or words[-2:] == ["key", "base"]):
        words.pop()
    if not words or words[-1] in _ABOUT:
        return None
    last = words[-1]
    if last in ("key", "keys"):
        return _key(words[:-1])
    if last in _SALTS:
        return Sort.SALT
    if last in _TOKEN or last.endswith(("secret", "token", "apikey")):
        return None if "public" in words or not _NOT_TOKENS.isdisjoint(words[-2:-1]) else Sort.TOKEN
    # The word may also be further to the front, as in `password_new`; names that end in a word of _ABOUT are out by
    # now.
    if last.endswith(("password", "passwd", "passphrase")) or any(word in _PASSWORD for word in words):
        return Sort.PASSWORD
    return Sort.BARE_KEY if any(word in _TOKEN for word in words) else None


def _key(before: list[str]) -> Sort | None:
    if before and before[-1] in _NOT_KEYS:
        return None
    if any(word in _KEY_QUALIFIERS or word in _TOKEN for word in before):
        return Sort.KEY
    return Sort.BARE_KEY
