"""Where a server listens, and the host names and origins that it accepts as its own."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from foureyes.cli.serving import Serving
from foureyes.home.trouble import Trouble

EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The server's addresses, local and public, and the host names and origins that it accepts."""

    local: str
    public: str
    hosts: frozenset[str]
    origins: frozenset[str]
    tls_hosts: frozenset[str]


def addresses(serving: Serving, port: int) -> Addresses:
    """The addresses of a server; a request with any other host name is refused."""
    local, public = address_of(serving.host, port), serving.public_url
    names = {"127.0.0.1", "localhost", "[::1]", urlsplit(local).netloc.rpartition(":")[0]}
    ours = {f"http://{name}:{port}" for name in names} | ({public} if public else set())
    hosts = {urlsplit(one).netloc for one in ours}
    tls = {urlsplit(one).netloc for one in ours if one.startswith("https://")}
    return Addresses(
        local=local,
        public=public or local,
        hosts=frozenset(hosts),
        origins=frozenset(ours),
        tls_hosts=frozenset(tls),
    )


def bound_socket(serving: Serving) -> socket.socket:
    """Bind the port; raises Trouble with the reason if that fails."""
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((serving.host, serving.port))
    except (OSError, OverflowError) as error:
        bound.close()
        why = getattr(error, "strerror", "") or str(error)
        raise Trouble(
            f"Port {serving.port} of {serving.host} cannot be had: {why}.",
            "Choose another with --port, or end what listens there.",
        ) from None
    bound.set_inheritable(False)
    return bound


def address_of(host: str, port: int) -> str:
    """The URL of the server on this machine."""
    name = "127.0.0.1" if host in EVERYWHERE else f"[{host}]" if ":" in host else host.lower()
    return f"http://{name}:{port}"
