"""Cut a connection to PostgreSQL at a chosen byte, by a proxy on a Unix socket that counts."""

import contextlib
import select
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from psycopg import conninfo

from tests.postgres.server import as_url

SOCKET = ".s.PGSQL.5432"
PIECE_BYTES = 65536
#: A message's type byte and length.
HEAD_BYTES = 5


@dataclass(slots=True, kw_only=True)
class Proxy:
    """A proxy that cuts the connection after so many more bytes to or from the server."""

    url: str
    to_server: int | None = None
    from_server: int | None = None
    passed_to_server: int = 0
    passed_from_server: int = 0
    #: Round trips: how often the client sent after an answer of the server.
    trips: int = 0
    #: What the server sent since the count began.
    heard: bytearray = field(default_factory=bytearray)
    #: Number of whole messages of the server that may still pass, whatever their length.
    messages: int | None = None
    _unfinished: bytearray = field(default_factory=bytearray)
    #: Bytes sent to the client after the last byte from the server, and whether the connection then ends at
    #: once or only when the client closes it.
    last_words: bytes = b""
    lingers: bool = False
    _server_spoke: bool = True
    connections: list[tuple[socket.socket, socket.socket]] = field(default_factory=list)

    def count(self) -> None:
        self.passed_to_server = self.passed_from_server = self.trips = 0
        self.heard.clear()

    def cut(self) -> None:
        """Cut every connection now."""
        for pair in self.connections:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


@contextmanager
def between(url: str) -> Iterator[Proxy]:
    """Run a proxy in front of a server that is reached by a Unix socket."""
    with tempfile.TemporaryDirectory(prefix="foureyes-proxy-") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(folder) / SOCKET))
        listener.listen()
        proxy = Proxy(url=as_url(conninfo.make_conninfo(url, host=folder)))
        server = str(conninfo.conninfo_to_dict(url)["host"])
        threads = [threading.Thread(target=_serve, args=(proxy, listener, server))]
        threads[0].start()
        try:
            yield proxy
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            proxy.cut()
            for thread in threads:
                thread.join()


def _serve(proxy: Proxy, listener: socket.socket, server: str) -> None:
    pumps = []
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            break
        pumps.append(threading.Thread(target=_pump, args=(proxy, client, f"{server}/{SOCKET}")))
        pumps[-1].start()
    proxy.cut()
    for pump in pumps:
        pump.join()


def _pump(proxy: Proxy, client: socket.socket, address: str) -> None:
    with client, socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        proxy.connections.append((client, server))
        with contextlib.suppress(OSError):
            while True:
                for source in select.select([client, server], [], [])[0]:
                    piece = source.recv(PIECE_BYTES)
                    if not piece or not _passed(proxy, piece, source is client, server if source is client else client):
                        _end(proxy, client, server)
                        return


def _end(proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
    """Close the connection to the server; the client's may stay open and silent until the client closes it."""
    server.shutdown(socket.SHUT_RDWR)
    while proxy.lingers and client.recv(PIECE_BYTES):
        pass


def _passed(proxy: Proxy, piece: bytes, to_server: bool, target: socket.socket) -> bool:
    """Forward as much as may pass; False if the connection must be cut after it."""
    left = proxy.to_server if to_server else _left(proxy, piece)
    piece = piece if left is None else piece[:left]
    proxy.trips += to_server and proxy._server_spoke
    proxy._server_spoke = not to_server
    last = not to_server and left is not None and left <= len(piece)
    # Counted before it is forwarded, because the receiver may read the count at once.
    if to_server:
        proxy.passed_to_server += len(piece)
        proxy.to_server = None if left is None else left - len(piece)
    else:
        proxy.passed_from_server += len(piece)
        proxy.heard += piece
        if proxy.from_server is not None and left is not None:
            proxy.from_server = left - len(piece)
    # In one piece, like a server that ends a session: the client reads both at once.
    target.sendall(piece + proxy.last_words if last else piece)
    return proxy.to_server != 0 if to_server else not last


def _left(proxy: Proxy, piece: bytes) -> int | None:
    """The number of bytes of the server that may pass, this piece included, counted from the start of a message."""
    if proxy.messages is None:
        return proxy.from_server
    heard = proxy._unfinished
    before, at = len(heard), 0
    heard += piece
    while proxy.messages and (end := message_end(heard, at)) <= len(heard):
        at = end
        proxy.messages -= 1
    if proxy.messages:
        del heard[:at]
        return None
    heard.clear()
    return max(at - before, 0)


def message_end(heard: bytes | bytearray, at: int) -> int:
    """The end of the server's message that starts at `at`; beyond the received bytes if it is incomplete."""
    if at + HEAD_BYTES > len(heard):
        return len(heard) + 1
    return at + 1 + int(struct.unpack_from("!I", heard, at + 1)[0])
