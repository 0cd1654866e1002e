"""Requests drawn from the API description: valid, nearly valid, and meant to break the server."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from foureyes.http.bodies import BODY_BYTES_MAX
from tests.doors.states import Facts

#: Names meant to lead elsewhere, to look like another, or to break the code that prints or stores them.
NAMES = (
    *("", " ", ".", "..", "../../etc/passwd", "..%2f..%2fetc", "/etc/passwd", "a/b", "C:\\x", "\\\\host\\share"),
    *(
        "CON",
        "nul.txt",
        "a\x00b",
        "a\nb",
        "\u202etxt.exe",
        "\u200bdev",
        "d\u0435v",
        "\u0430nn",
        "\uff24\uff25\uff36",
        "dev ",
        "DEV",
        "dweIler",
    ),
    *("-rf", "--help", "'; DROP TABLE log; --", "<script>alert(1)</script>", "{{7*7}}", "${jndi:ldap://x}", "%s%n"),
    *("review/r1", "principal/dev", "clock", "foureyes", "null", "true", "0", "-1", "1e999", "😀" * 20, "x" * 5_000),
)
NUMBERS = (0, 1, -1, 2, 99, 100, 101, 2**31, 2**63, 2**64, -(2**63), 10**30)
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1e308,
    "",
    "x",
    [],
    {},
    [[]],
    {"a": 1},
    "2026-01-05T09:00:00Z",
    [None],
    "\ud800",
)
#: Cursors of a list: some that it could have issued, and some that only look like one.
CURSORS = tuple(
    urlsafe_b64encode(one).decode()
    for one in (
        *(b'["2026-01-05T10:01:00.000000Z","r1"]', b'["2026-01-05T10:01:00.000000Z",1]', b'["r1"]', b'["","",""]'),
        *(b'["\\u0000","x"]', b'["\\u0000",1]', b'["\\u0000"]', b'["\\ud800","x"]', b'["\\ud800",1]', b'["\\ud800"]'),
        *(b"[" * 5_000, b'{"a":' * 5_000, b"[" + b"9" * 5_000 + b"]", b'["a",1e999]', b'["a",NaN]', b'["a",-1,0]'),
        *(b"null", b"{}", b'"ab"', b"[1,2]", b"[null,null]", b"\xff\xfe", b""),
    )
)
#: Fields that make the server wait that long, so never sent with large values.
WAITED = frozenset({"seconds", "wait"})
HOSTS = ("evil.example", "127.0.0.1:8004.evil.example", "LOCALHOST", "", "127.0.0.1:8004@evil", "[::1]", "x" * 300)
ORIGINS = ("null", "https://evil.example", "http://127.0.0.1:8004.evil.example", "file://", "", "http://127.0.0.1")
KEYS = ("k1", "k1", "k2", "k3", "\x7f", "x" * 201, "ключ", " ", "k1;drop")
DEPTH_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A request, and the operation it was made for."""

    operation: str
    method: str
    path: str
    query: str = ""
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Shooter:
    """Draws requests from the description, with names that exist."""

    described: Any
    facts: Facts
    callers: dict[str, dict[str, str]]
    random: Random
    #: A valid request of each operation, used now and then as a starting point.
    usual: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.operations = [
            (path, method, one) for path, ways in self.described["paths"].items() for method, one in ways.items()
        ]

    def shot(self) -> Shot:
        """Draw one request."""
        path, method, one = self.random.choice(self.operations)
        values, query, headers = dict[str, str](), dict[str, Any](), self._headers()
        usual = self.usual.get(one["operationId"], {}) if self.random.random() < 0.4 else {}
        for parameter in one.get("parameters", ()):
            name, where = parameter["name"], parameter["in"]
            value = usual.get(name) or (
                self._named(name) if where == "path" else self._value(parameter["schema"], name, 0)
            )
            if where == "path":
                values[name] = str(value)
            elif where == "query" and (parameter["required"] or name in WAITED or self.random.random() < 0.4):
                query[name] = value
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", quote(value, safe="" if self.random.random() < 0.9 else "/"))
        if self.random.random() < 0.03:
            path += self.random.choice(("/", "//", "/..", "%00", "?x"))
        return Shot(
            operation=one["operationId"],
            method=method.upper() if self.random.random() < 0.97 else self.random.choice(("PATCH", "HEAD", "BREW")),
            path=path,
            query=self._query(query),
            body=self._body(one, usual) if "requestBody" in one else b"",
            headers=headers,
        )

    def _headers(self) -> dict[str, str]:
        draw = self.random.random()
        headers = dict(self.callers[self.random.choice(sorted(self.callers))])
        if draw < 0.03:
            headers["host"] = self.random.choice(HOSTS)
        elif draw < 0.06:
            headers["origin"] = self.random.choice(ORIGINS)
        elif draw < 0.2:
            headers["idempotency-key"] = self.random.choice(KEYS)
        elif draw < 0.23:
            headers["authorization"] = self.random.choice(
                ("Bearer", "Bearer  ", "Bearer \xff", "Basic eA==", "x" * 9_000)
            )
        elif draw < 0.25:
            headers["foureyes-agent"] = self.random.choice((*NAMES[:12], "dweller", "dev")).strip() or "x"
        elif draw < 0.27:
            headers["content-length"] = self.random.choice(("-1", "x", "99999999999", "0"))
        return {name: value.encode("utf-8", "replace").decode("latin-1") for name, value in headers.items()}

    def _query(self, query: dict[str, Any]) -> str:
        found = urlencode({name: str(one).encode("utf-8", "replace") for name, one in query.items()})
        draw = self.random.random()
        if draw < 0.05:
            return found + self.random.choice(
                ("&limit=--5", "&limit=1&limit=2", "&x=%ff%fe", "&=", "&limit=٣", "&&&", "&a[]=1")
            )
        return found

    def _body(self, one: Any, usual: dict[str, Any]) -> bytes:
        content = one["requestBody"]["content"]
        if "application/json" not in content:
            return self.random.randbytes(self.random.choice((0, 1, 100, 5_000)))
        draw = self.random.random()
        if draw < 0.08:
            return self.random.choice(RAW)()
        schema = content["application/json"]["schema"]
        body = {name: value for name, value in usual.items() if name in schema.get("properties", {})}
        body = body or self._value(schema, "", 0)
        if draw < 0.4:
            body = self._spoiled(body)
        text = json.dumps(body)
        return text.replace("1.5", "NaN").encode() if draw < 0.1 else text.encode()

    def _value(self, schema: Any, name: str, depth: int) -> Any:
        """A valid value, mostly one that exists under that name."""
        if "anyOf" in schema:
            return self._value(self.random.choice(schema["anyOf"]), name, depth)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        made: dict[str, Callable[[], Any]] = {
            "object": lambda: self._record(schema, depth),
            "array": lambda: self._list(schema, name, depth),
            "integer": lambda: self._number(name),
            "number": lambda: self.random.choice((0.5, 1, -3)),
            "boolean": lambda: self.random.random() < 0.5,
            "null": lambda: None,
        }
        return made.get(schema.get("type", "string"), lambda: self._named(name))()

    def _record(self, schema: Any, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        chance = 0.5 if depth < DEPTH_MAX else 0.0
        known = {
            name: self._value(one, name, depth + 1)
            for name, one in schema.get("properties", {}).items()
            if name in required or self.random.random() < chance
        }
        if schema.get("additionalProperties", False) is not False and depth < DEPTH_MAX:
            known |= {self._named("key")[:40]: self._named("text") for _ in range(self.random.randint(0, 2))}
        return known

    def _list(self, schema: Any, name: str, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self._value(one, name, depth + 1) for one in schema["prefixItems"]]
        most = 3 if depth < DEPTH_MAX else 0
        return [self._value(schema.get("items", {}), name, depth + 1) for _ in range(self.random.randint(0, most))]

    def _number(self, name: str) -> int:
        if name in WAITED:
            return self.random.choice((0, 0, -1, 46, 10**9))
        return self.facts.revision if name == "revision" and self.random.random() < 0.7 else self.random.choice(NUMBERS)

    def _named(self, name: str) -> str:
        """An existing value for that name, or a harmful name."""
        facts, draw = self.facts, self.random.random()
        there = {
            "review": (facts.review, facts.review, "r2"),
            "reviewId": (facts.review,),
            "seat": (facts.seat, f"{facts.stage}.2"),
            "finding": (facts.finding, f"{facts.stage}.2-F1"),
            "request": (facts.request,),
            "stage": (facts.stage,),
            "digest": (facts.digest, "0" * 64),
            "name": ("dev", "ann", "robot", "dweller", "newcomer"),
            "token": ("t-dev", "t-robot"),
            "path": ("hello.py", "a.txt"),
            "text": ("print('hello')\n", "A word."),
            "base64": ("eA==", "%"),
            "verdict": ("approve", "concerns", "reject"),
            "severity": ("critical", "important", "minor"),
            "kind": ("script", "story", "agent", "human"),
            "mode": ("100644", "100755"),
            "cursor": CURSORS,
        }
        if draw < 0.75:
            return self.random.choice(there.get(name, ("A few plain words.",)))
        return self.random.choice(NAMES) if draw < 0.98 else "y" * 70_000

    def _spoiled(self, body: Any) -> Any:
        """A copy of the body with one error somewhere."""
        if isinstance(body, dict) and body:
            name = self.random.choice(sorted(body))
            draw = self.random.random()
            if draw < 0.2:
                return {key: one for key, one in body.items() if key != name}
            if draw < 0.4:
                return {**body, self.random.choice(("extra", "__class__", "reviewer", "creator", "id", "seq")): "dev"}
            if draw < 0.7 and isinstance(body[name], dict | list):
                return {**body, name: self._spoiled(body[name])}
            return {**body, name: self.random.choice(ODD)}
        if isinstance(body, list) and body:
            return [self._spoiled(body[0]), *body[1:]]
        return self.random.choice(ODD)


#: Bodies that are not a valid JSON object.
RAW: tuple[Callable[[], bytes], ...] = (
    lambda: b"",
    lambda: b"[]",
    lambda: b"null",
    lambda: b"{",
    lambda: b'{"kind": "a", "kind": "b"}',
    lambda: b'{"review": "r1", "revision": NaN, "text": Infinity}',
    lambda: b'{"revision": 1e999}',
    lambda: b'{"text": "\xff\xfe"}',
    lambda: b'{"text": "\\ud800"}',
    lambda: b"\xef\xbb\xbf{}",
    lambda: b"{}" + b"\x00" * 10,
    lambda: b"[" * 50_000,
    lambda: b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    lambda: b'{"revision": ' + b"9" * 5_000 + b"}",
    lambda: b'{"text": "' + b"a" * 200_000 + b'"}',
    lambda: b"kind=script&title=x",
    lambda: b'<?xml version="1.0"?><a/>',
)
TOO_MUCH = b" " * (BODY_BYTES_MAX + 1)
