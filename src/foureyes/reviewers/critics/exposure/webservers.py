"""Judge nginx, Apache, Caddy and HAProxy: open admin pages, listings, old TLS and unsafe headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import ANYONE, HARDEN, LISTEN_IN, hit, note, rule
from foureyes.reviewers.critics.exposure.tree import DEPTH_MAX, UnreadableError

LISTING = rule("web.directory-listing", "Folders can be listed by anybody", ANYONE, "Switch the listing off.")
STATUS = rule(
    "web.open-status",
    "An admin or status page asks nobody who he is",
    ANYONE,
    "Ask for a password or allow only your addresses.",
    "important",
)
OPEN_AUTH = rule(
    "web.password-without-tls", "Passwords are asked for without TLS", LISTEN_IN, "Serve it with TLS only."
)
OLD_TLS = rule("web.old-tls", "Old TLS is accepted", LISTEN_IN, "Allow TLS 1.2 and 1.3 only.")
CORS = rule(
    "web.cors-everybody", "Every website may read the answers", ANYONE, "Name the websites that may.", "important"
)
TRAVERSAL = rule(
    "web.alias-traversal",
    "Files beside the folder can be read",
    "A location without a slash at its end and an alias with one serves `/files../secret`.",
    "End both with a slash.",
    "important",
)
NO_VERIFY = rule("web.no-verify", "The server behind is not checked", LISTEN_IN, "Check its certificate.")
TOKENS = rule("web.version-shown", "The version is told to everybody", HARDEN, "Switch it off.")
ADMIN_API = rule(
    "web.admin-api", "The server's own admin door is open to all addresses", ANYONE, "Bind it to localhost.", "critical"
)
STATS = rule("web.open-stats", "The statistics page asks nobody who he is", ANYONE, "Set stats auth.", "important")
FILES = rule("web.whole-disk", "The whole disk is served", ANYONE, "Serve one folder.", "critical")
RULES: tuple[Rule, ...] = (
    LISTING, STATUS, OPEN_AUTH, OLD_TLS, CORS, TRAVERSAL, NO_VERIFY, TOKENS, ADMIN_API, STATS, FILES,
)  # fmt: skip

_TOKEN = re.compile(r"""(?P<line>\n)|(?P<space>[ \t\r]+)|(?P<comment>\#[^\n]*)|(?P<open>\{)|(?P<close>\})|(?P<end>;)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s{};"'\#][^\s{};]*|.)""", re.VERBOSE | re.DOTALL)  # fmt: skip
_WORDS_MAX = 200_000
_ADMIN_PLACE = re.compile(
    r"(?:^|/)(?:admin|phpmyadmin|pma|adminer|server-status|server-info|nginx_status|actuator|jenkins|grafana|kibana|prometheus|traefik|_cat|manager/html)\b",
    re.IGNORECASE,
)
_GUARDS = frozenset(
    {"auth_basic", "auth_request", "allow", "deny", "auth_jwt", "internal", "ssl_verify_client", "satisfy"}
)


@dataclass(slots=True, kw_only=True)
class _Part:
    """A directive of nginx with its words, and the directives in its braces."""

    words: list[str]
    line: int
    inner: list[_Part] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.words[0] if self.words else ""

    def find(self, name: str) -> list[_Part]:
        return [one for one in self.inner if one.name == name]


def _nginx(text: str) -> _Part:
    root = _Part(words=["main"], line=1)
    stack, words, line, first, count = [root], list[str](), 1, 1, 0
    for found in _TOKEN.finditer(text):
        kind, token = found.lastgroup, found.group()
        if kind == "text":
            first = line if not words else first
            words.append(token.strip("\"'"))
            count += 1
        elif kind == "close":
            if len(stack) == 1:
                raise UnreadableError(f"has a brace too many (line {line})")
            stack.pop()
            words = []
        elif kind in ("open", "end"):
            part = _Part(words=words, line=first)
            stack[-1].inner.append(part)
            if kind == "open":
                stack.append(part)
            words = []
        line += token.count("\n")
        if len(stack) > DEPTH_MAX or count > _WORDS_MAX:
            raise UnreadableError("is nested too deep or too long")
    return root


def judge_nginx(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of an nginx configuration."""
    todo = [(_nginx(text), False)]
    while todo:
        part, guarded = todo.pop()
        names = {one.name for one in part.inner}
        held = guarded or bool(names & _GUARDS and not _switched_off(part))
        for one in part.inner:
            yield from _directive(path, one)
        if part.name == "server":
            yield from _server(path, part)
        if part.name == "location":
            yield from _location(path, part, guarded=held)
        todo += [(one, held) for one in part.inner if one.inner]


def _switched_off(part: _Part) -> bool:
    off = [one for one in part.find("auth_basic") if one.words[1:2] == ["off"]]
    return bool(off) and not any(one.name in _GUARDS - {"auth_basic"} for one in part.inner)


def _directive(path: str, one: _Part) -> Iterator[Hit]:
    rest = one.words[1:]
    if one.name == "autoindex" and rest[:1] == ["on"]:
        yield hit(LISTING, path, one.line)
    elif one.name == "ssl_protocols" and {"SSLv2", "SSLv3", "TLSv1", "TLSv1.1"} & set(rest):
        yield hit(OLD_TLS, path, one.line)
    elif one.name == "server_tokens" and rest[:1] == ["on"]:
        yield hit(TOKENS, path, one.line)
    elif one.name == "proxy_ssl_verify" and rest[:1] == ["off"]:
        yield hit(NO_VERIFY, path, one.line)
    elif one.name == "root" and rest[:1] == ["/"]:
        yield hit(FILES, path, one.line)
    headers = {each.words[1].lower(): each for each in one.inner if each.name == "add_header" and len(each.words) > 2}  # noqa: PLR2004 - name and value
    origin = headers.get("access-control-allow-origin")
    if origin is not None and origin.words[2] in ("*", "$http_origin"):
        trusts = headers.get("access-control-allow-credentials")
        grave = origin.words[2] == "$http_origin" and trusts is not None and trusts.words[2] == "true"
        yield (hit if grave else note)(CORS, path, origin.line)


def _server(path: str, part: _Part) -> Iterator[Hit]:
    listens = [one.words[1:] for one in part.find("listen")]
    secure = any("ssl" in words or "quic" in words or words[:1] == ["443"] for words in listens) or not listens
    asks = part.find("auth_basic") + [one for place in part.find("location") for one in place.find("auth_basic")]
    asks = [one for one in asks if one.words[1:2] != ["off"]]
    local = listens and all(words and re.match(r"(?:127\.|\[::1\]|unix:|localhost)", words[0]) for words in listens)
    if asks and not secure and not local:
        yield hit(OPEN_AUTH, path, asks[0].line)


def _location(path: str, part: _Part, *, guarded: bool) -> Iterator[Hit]:
    place = part.words[-1] if len(part.words) > 1 else ""
    status = part.find("stub_status")
    returns = part.find("return") + part.find("deny")
    if not guarded and not returns and (status or (_ADMIN_PLACE.search(place) and part.find("proxy_pass"))):
        yield (hit if status else note)(STATUS, path, part.line)
    exact = len(part.words) > 2 and part.words[1] in ("=", "~", "~*")  # noqa: PLR2004 - location, mark, place
    for one in part.find("alias"):
        if not exact and place and not place.endswith("/") and one.words[-1].endswith("/"):
            yield hit(TRAVERSAL, path, one.line)


def judge_apache(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of an Apache configuration."""
    section = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:2000].strip()
        words = line.split()
        if not words or line.startswith("#"):
            continue
        name = words[0].lower()
        if name in ("<location", "<directory", "<locationmatch", "<files"):
            section = words[1].strip('">').lower() if len(words) > 1 else ""
        elif name.startswith("</"):
            section = ""
        elif name in ("require", "allow"):
            yield from _granted((path, number), section, " ".join(words[1:]).lower())
        else:
            yield from _apache((path, number), name, {word.lower().strip("\"'") for word in words[1:]})


def _granted(place: tuple[str, int], section: str, who: str) -> Iterator[Hit]:
    if who in ("all granted", "from all"):
        if _ADMIN_PLACE.search(section):
            yield hit(STATUS, *place)
        elif section == "/":
            yield note(FILES, *place)


#: Directives of Apache, the words that make them unsafe, and the rule.
_APACHE: dict[str, tuple[frozenset[str], Rule]] = {
    "options": (frozenset({"indexes", "+indexes", "all"}), LISTING),
    "sslprotocol": (frozenset({"sslv2", "sslv3", "+sslv3", "tlsv1", "+tlsv1", "tlsv1.1", "+tlsv1.1"}), OLD_TLS),
    "serversignature": (frozenset({"on"}), TOKENS),
    "traceenable": (frozenset({"on"}), TOKENS),
    "sslproxyverify": (frozenset({"none"}), NO_VERIFY),
}


def _apache(place: tuple[str, int], name: str, words: set[str]) -> Iterator[Hit]:
    found = _APACHE.get(name)
    if found is not None and found[0] & words:
        yield hit(found[1], *place)
    if name == "header" and {"access-control-allow-origin", "*"} <= words:
        yield note(CORS, *place)


def judge_caddy(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a Caddyfile."""
    for number, raw in enumerate(text.split("\n"), 1):
        words = raw[:2000].split("#")[0].split()
        if not words:
            continue
        if words[0] == "admin" and len(words) > 1 and re.match(r"(?:0\.0\.0\.0|\[::\]|:)\S{0,8}$", words[1]):
            yield hit(ADMIN_API, path, number)
        elif words[:1] == ["file_server"] and "browse" in words:
            yield hit(LISTING, path, number)
        elif words[0] == "tls_insecure_skip_verify":
            yield hit(NO_VERIFY, path, number)
        elif words[0] == "protocols" and {"tls1.0", "tls1.1"} & set(words):
            yield hit(OLD_TLS, path, number)
        elif words[0] == "root" and words[-1] == "/" and len(words) > 1:
            yield hit(FILES, path, number)
        elif words[0] == "header" and "Access-Control-Allow-Origin" in words and words[-1].strip('"') == "*":
            yield note(CORS, path, number)


def judge_haproxy(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of an HAProxy configuration."""
    stats, secured = 0, False
    for number, raw in enumerate(text.split("\n"), 1):
        said = " ".join(raw[:2000].split("#")[0].split())
        if raw[:1].strip() and said:
            if stats and not secured:
                yield hit(STATS, path, stats)
            stats, secured = 0, False
        if said.startswith(("stats enable", "stats uri")):
            stats = stats or number
        if said.startswith(("stats auth", "http-request auth", "stats http-request auth", "http-request deny")):
            secured = True
        yield from _haproxy(path, number, said)
    if stats and not secured:
        yield hit(STATS, path, stats)


def _haproxy(path: str, number: int, said: str) -> Iterator[Hit]:
    everywhere = re.search(r"(?:ipv4@|ipv6@|tcp@)?(?:0\.0\.0\.0|\*|::):\d", said)
    if said.startswith("stats socket") and everywhere and "level admin" in said:
        yield hit(ADMIN_API, path, number)
    if re.search(r"\bssl-min-ver (?:SSLv3|TLSv1\.0|TLSv1\.1)\b|\bforce-tlsv1[01]\b", said):
        yield hit(OLD_TLS, path, number)
    if "verify none" in said and said.startswith("server "):
        yield hit(NO_VERIFY, path, number)
