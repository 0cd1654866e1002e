"""Judge configurations of Redis, MongoDB and PostgreSQL: authentication, listen addresses and encryption."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import ANYONE, GAIN, LISTEN_IN, REACHABLE, hit, note, rule
from foureyes.reviewers.critics.exposure.tree import Node
from foureyes.reviewers.critics.exposure.yamls import read_yaml

REDIS_PROTECTED = rule(
    "redis.protected-mode", "Protected mode is switched off", ANYONE, "Set protected-mode yes.", "important"
)
REDIS_OPEN = rule(
    "redis.open",
    "It listens to the world and asks for no password",
    ANYONE,
    "Bind 127.0.0.1 or set requirepass.",
    "critical",
)
REDIS_BIND = rule("redis.bind", "It listens on every address", REACHABLE, "Bind the addresses that need it.")
REDIS_DEBUG = rule(
    "redis.debug-command", "Dangerous commands are allowed to all", GAIN, "Set it to no or local.", "important"
)
MONGO_OPEN = rule(
    "mongo.open", "It listens to the world and asks nobody who he is", ANYONE, "Set security.authorization.", "critical"
)
MONGO_AUTH = rule(
    "mongo.no-authorization", "It asks nobody who he is", ANYONE, "Set security.authorization: enabled.", "important"
)
MONGO_BIND = rule("mongo.bind", "It listens on every address", REACHABLE, "Bind the addresses that need it.")
MONGO_TLS = rule("mongo.tls", "It accepts what is not encrypted", LISTEN_IN, "Set net.tls.mode: requireTLS.")
HBA_TRUST = rule(
    "postgres.trust", "A connection is trusted without a password", ANYONE, "Use scram-sha-256.", "important"
)
HBA_TRUST_WORLD = rule(
    "postgres.trust-world", "The whole world is trusted without a password", ANYONE, "Use scram-sha-256.", "critical"
)
HBA_WEAK = rule(
    "postgres.weak-authentication", "Passwords are sent openly or hashed weakly", LISTEN_IN, "Use scram-sha-256."
)
HBA_WORLD = rule("postgres.world", "Everybody may try", REACHABLE, "Name your networks and use hostssl.")
PG_LISTEN = rule("postgres.listen", "It listens on every address", REACHABLE, "Set listen_addresses to what is needed.")
PG_SSL = rule("postgres.ssl-off", "It speaks openly", LISTEN_IN, "Set ssl = on.")
RULES: tuple[Rule, ...] = (
    REDIS_PROTECTED, REDIS_OPEN, REDIS_BIND, REDIS_DEBUG, MONGO_OPEN, MONGO_AUTH, MONGO_BIND, MONGO_TLS, HBA_TRUST,
        HBA_TRUST_WORLD,
    HBA_WEAK, HBA_WORLD, PG_LISTEN, PG_SSL,
)  # fmt: skip
_EVERYWHERE = frozenset({"0.0.0.0", "*", "::", "-::*", "::*"})  # noqa: S104 - looked for, not listened on
_LINE_MAX = 2000


def _pairs(text: str, separator: str | None = None) -> Iterator[tuple[int, str, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        words = line[:_LINE_MAX].split("#")[0].replace(separator or " ", " ").split()
        if len(words) > 1:
            yield number, words[0].lower(), [word.strip("'\"") for word in words[1:]]


def judge_redis(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a Redis configuration."""
    said = {key: (number, values) for number, key, values in _pairs(text)}
    off = said.get("protected-mode", (0, ["yes"]))
    bind = said.get("bind", (0, []))
    secured = "requirepass" in said or any(key in said for key in ("user", "aclfile"))
    everywhere = bool(_EVERYWHERE & set(bind[1]))
    if off[1][0].lower() == "no":
        if everywhere and not secured:
            yield hit(REDIS_OPEN, path, bind[0])
        elif not secured:
            yield hit(REDIS_PROTECTED, path, off[0])
    elif everywhere:
        yield hit(REDIS_BIND, path, bind[0])
    for key in ("enable-debug-command", "enable-module-command", "enable-protected-configs"):
        if key in said and said[key][1][0].lower() == "yes":
            yield hit(REDIS_DEBUG, path, said[key][0])


def judge_mongo(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a MongoDB configuration, in YAML or in the older format."""
    if "=" in text and ":" not in text.split("=", maxsplit=1)[0]:
        said = {key: (number, values) for number, key, values in _pairs(text, "=")}
        bind, auth = said.get("bind_ip", (0, [])), said.get("auth", (0, ["false"]))
        everywhere = any(part in _EVERYWHERE for value in bind[1] for part in value.split(","))
        open_line = said["noauth"][0] if "noauth" in said else auth[0]
        yield from _mongo(path, (everywhere, bind[0]), (auth[1][0] == "true", open_line or 1), written=True)
        return
    for document in read_yaml(text):
        yield from _mongo_document(path, document)


def _mongo_document(path: str, document: Node) -> Iterator[Hit]:
    if document.get("net") is None and document.get("security") is None:
        return
    bind, all_of_them = document.at("net.bindIp"), document.at("net.bindIpAll")
    auth = document.at("security.authorization")
    everywhere = (all_of_them is not None and all_of_them.yes) or (
        bind is not None and any(part.strip() in _EVERYWHERE for one in bind.items for part in one.text.split(","))
    )
    line = document.at_line("net.bindIp" if bind is not None else "net.bindIpAll")
    on = auth is not None and auth.text == "enabled"
    yield from _mongo(
        path, (everywhere, line), (on, document.at_line("security.authorization")), written=auth is not None
    )
    mode = document.at("net.tls.mode") or document.at("net.ssl.mode")
    if mode is not None and not mode.text.startswith("require"):
        yield hit(MONGO_TLS, path, mode.line)


def _mongo(path: str, bound: tuple[bool, int], secured: tuple[bool, int], *, written: bool) -> Iterator[Hit]:
    everywhere, line = bound
    if everywhere and not secured[0]:
        yield hit(MONGO_OPEN, path, line)
    elif everywhere:
        yield hit(MONGO_BIND, path, line)
    elif not secured[0] and written:
        yield hit(MONGO_AUTH, path, secured[1])


def judge_postgres(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of pg_hba.conf or postgresql.conf."""
    if "pg_hba" in path.rpartition("/")[2]:
        yield from _hba(path, text)
        return
    for number, key, values in _pairs(text, "="):
        if key == "listen_addresses" and _EVERYWHERE & {part.strip() for one in values for part in one.split(",")}:
            yield hit(PG_LISTEN, path, number)
        if key == "ssl" and values[0].lower() in ("off", "false", "no", "0"):
            yield hit(PG_SSL, path, number)


def _hba(path: str, text: str) -> Iterator[Hit]:
    for number, kind, values in _pairs(text):
        local = kind == "local"
        if kind not in ("local", "host", "hostssl", "hostnossl", "hostgssenc", "hostnogssenc"):
            continue
        place = 2 if local else 3
        if len(values) <= place:
            continue
        address = "" if local else values[2]
        if not local and "/" not in address and len(values) > place + 1 and values[3][:1].isdigit():
            place += 1
        method = values[place].lower()
        world = address in ("0.0.0.0/0", "::/0", "all", "0.0.0.0")  # noqa: S104 - looked for, not listened on
        near = address.startswith(("127.", "::1", "localhost"))
        if (method == "trust" and local) or (method == "trust" and near):
            yield note(HBA_TRUST, path, number, "Every account of this machine is trusted without a password.")
        elif method == "trust":
            yield hit(HBA_TRUST_WORLD if world else HBA_TRUST, path, number)
        elif method in ("password", "md5", "ident") and not local and not near:
            yield hit(HBA_WEAK, path, number)
        elif world and kind != "hostssl" and method != "reject":
            yield hit(HBA_WORLD, path, number)
