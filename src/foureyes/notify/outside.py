"""Sends HTTP requests to other machines, to addresses that were checked first (protection against SSRF).

A name is resolved once, everything it resolves to must be a public address, and the connection goes to one of exactly
these: so a name that resolves to something else a moment later gains nothing. Redirects are not followed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from foureyes.notify.channels import BadAddress

SECONDS_MAX = 5.0
ANSWER_BYTES_MAX = 64 * 1024
BODY_BYTES_MAX = 64 * 1024
URL_CHARS_MAX = 2_000
ADDRESSES_MAX = 32
_OK, _REDIRECT, _ERROR = 200, 300, 400
_TOO_MANY = 429
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: |\r\n)")
_WAIT = re.compile(rb"\r\nretry-after: *([0-9]{1,6}) *\r\n", re.IGNORECASE)
_URL = re.compile(r"[\x21-\x7e]+")
#: Special-use blocks that some versions of `ipaddress` take for public; a cloud's metadata service is in 192.0.0.0/24.
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        (
            *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"),
            # Of IPv6 only 2000::/3 is assigned; embedded IPv4 addresses are extracted before.
            *("::/3", "4000::/2", "8000::/1"),
            # Special-use blocks within 2000::/3; `fec0::/10`, once site-local, is among those above.
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        ),
    )
)
#: Prefixes that embed an IPv4 address in an IPv6 one.
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
#: Resolves a host and port to addresses.
Resolve = Callable[[str, int], Awaitable[list[str]]]


class NotSent(Exception):  # noqa: N818 - expected: the other side is not ours
    """The message was not accepted, or that is unknown; the reason never names the address, which may hold a key."""

    def __init__(self, why: str, *, wait_seconds: int = 0) -> None:
        """Keep the reason, and how long the other side wants to be left alone."""
        super().__init__(why)
        self.why, self.wait_seconds = why, wait_seconds


async def resolve(host: str, port: int) -> list[str]:
    """Resolve a name with the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


def is_public(address: Address) -> bool:
    """True if an address is public; an IPv4 address inside an IPv6 one is judged as an IPv4 address."""
    inner = _inner(address)
    if inner is not None:
        return is_public(inner)
    if any(address.version == one.version and address in one for one in _SPECIAL):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The outgoing connection: `allowed` are private networks that the operator opened for it."""

    allowed: tuple[Network, ...] = ()
    resolve: Resolve = resolve
    seconds_max: float = SECONDS_MAX
    context: Callable[[], ssl.SSLContext] = ssl.create_default_context

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a POST request; return when the other side accepted it, and raise NotSent otherwise."""
        parts = _parts(url)
        if len(body) > BODY_BYTES_MAX:
            raise NotSent(f"it has more than {BODY_BYTES_MAX} bytes")
        try:
            async with asyncio.timeout(self.seconds_max):
                answer = await self._answer(parts, _request(parts, body, headers))
        except TimeoutError:
            raise NotSent(f"no answer within {self.seconds_max:g} seconds") from None
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise NotSent(_said(error)) from None
        _check(answer)

    def check(self, url: str) -> None:
        """Refuse a webhook address that can never be reached; raises BadAddress without quoting the address."""
        problem = self._problem(url)
        if problem:
            raise BadAddress(f"the url of a webhook would be refused: {problem}")

    def _problem(self, url: str) -> str:
        """Return why an address can never be reached, without resolving names; empty if it may be."""
        parts = urlsplit(url)
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname or ""
        if parts.scheme == "http" and not self.allowed:
            return "it is not encrypted: write https://, or open its network with notify_private"
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return ""
        if self._is_allowed(address):
            return ""
        if parts.scheme == "http":
            return "it is not encrypted, and notify_private does not open its network"
        return "" if is_public(address) else "its address is not public, and notify_private does not open its network"

    async def checked(self, host: str, port: int, *, plain: bool = False) -> str:
        """Return an address of this host that may be reached; one forbidden address refuses the whole host."""
        try:
            names = (await self.resolve(host, port))[:ADDRESSES_MAX]
        except (OSError, UnicodeError):
            raise NotSent("its name does not resolve") from None
        found = [ipaddress.ip_address(one.partition("%")[0]) for one in names]
        if not found:
            raise NotSent("its name does not resolve")
        for one in found:
            if self._is_allowed(one):
                continue
            if plain:
                raise NotSent("it is not encrypted, which is for allowed private addresses only")
            if not is_public(one):
                raise NotSent("it resolves to an address that is not public")
        return str(found[0])

    def _is_allowed(self, address: Address) -> bool:
        plain = _inner(address) or address
        return any(plain.version == one.version and plain in one for one in self.allowed)

    async def _answer(self, parts: SplitResult, request: bytes) -> bytes:
        host, plain = parts.hostname or "", parts.scheme == "http"
        port = parts.port or (80 if plain else 443)
        address = await self.checked(host, port, plain=plain)
        tls = None if plain else self.context()
        reader, writer = await asyncio.open_connection(
            address, port, ssl=tls, server_hostname=None if plain else host, limit=ANSWER_BYTES_MAX
        )
        try:
            writer.write(request)
            await writer.drain()
            return await reader.readuntil(b"\r\n\r\n")
        finally:
            # Not awaited: a server that keeps the connection open must not hold us up either.
            writer.transport.abort()


def _inner(address: Address) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in one for one in _NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return None


def _parts(url: str) -> SplitResult:
    """Split an address into its parts; raises NotSent if it is not a plain web address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotSent("its address cannot be read") from None
    plain = len(url) <= URL_CHARS_MAX and _URL.fullmatch(url)
    named = parts.scheme in ("http", "https") and parts.hostname
    if not plain or not named or parts.username is not None or parts.password is not None or port == 0:
        raise NotSent("its address is no plain web address")
    return parts


def _request(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> bytes:
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    given = {
        "host": parts.netloc,
        "user-agent": "foureyes",
        "accept": "application/json",
        "connection": "close",
        "content-length": str(len(body)),
        **headers,
    }
    for name, value in given.items():
        if not _URL.fullmatch(name) or not re.fullmatch(r"[\x20-\x7e]*", value):
            raise NotSent("a header of it cannot be sent")
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("ascii") + body


def _check(answer: bytes) -> None:
    found = _STATUS.match(answer)
    if found is None:
        raise NotSent("its answer is not HTTP")
    status = int(found[1])
    if _OK <= status < _REDIRECT:
        return
    if _REDIRECT <= status < _ERROR:
        raise NotSent(f"it answered {status}: redirects are not followed")
    wait = _WAIT.search(answer) if status == _TOO_MANY else None
    raise NotSent(f"it answered {status}", wait_seconds=int(wait[1]) if wait else 0)


def _said(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return f"its certificate or encryption is not in order: {error.reason or 'refused'}"
    if isinstance(error, asyncio.IncompleteReadError):
        return "it hung up before it answered"
    if isinstance(error, asyncio.LimitOverrunError):
        return f"its answer has more than {ANSWER_BYTES_MAX} bytes before it begins"
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
