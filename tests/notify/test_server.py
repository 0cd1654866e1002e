"""A real server sends signed notifications to an outside program, and shows the delivery status."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from foureyes.bootstrap.telling import delivery, desk, tells
from foureyes.home.trouble import Trouble
from foureyes.notify.channels import signature
from tests.app.house import House, played
from tests.cli.desk import Desk
from tests.cli.running import Running
from tests.cli.test_up import HELLO, enrolled, signed_in
from tests.notify.post_office import SECRET

WAIT_SECONDS_MAX = 20
POLICY = """\
version: 1
notify:
  webhooks: [{url: "http://127.0.0.1:PORT/in", secret: "${HOOK}"}]
  people: {NAME: {to: "discord://${BOX}"}}
"""


class Outside:
    """The received requests, and a signal for the next."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.came = threading.Event()


@contextmanager
def outside() -> Iterator[tuple[Outside, int]]:
    """An outside program that accepts everything."""
    kept = Outside()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            kept.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(200)
            self.end_headers()
            kept.came.set()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kept, server.server_port
    finally:
        server.shutdown()
        server.server_close()


def policy(folder: Path, text: str) -> None:
    home = folder / ".local" / "share" / "foureyes"
    home.mkdir(parents=True, mode=0o700)
    (home / "foureyes.yaml").write_text(text, encoding="utf-8")


@pytest.mark.timeout(120)
def test_a_server_tells_a_program_outside_and_says_whom_it_cannot_tell(tmp_path: Path) -> None:
    """D-14: over real sockets; the private address is one that the operator opened."""

    @played
    async def story() -> None:
        with outside() as (other, port):
            policy(tmp_path, POLICY.replace("PORT", str(port)).replace("NAME", "root"))
            server = Running(tmp_path)
            server.environment |= {"HOOK": SECRET, "BOX": "1/token", "FOUREYES_NOTIFY_PRIVATE": "127.0.0.0/8"}
            with server:
                human = await signed_in(server)
                dev = await enrolled(server, human, "dev")
                opened = await server.ask(dev, "POST", "/reviews", kind="script", title="Hello", files=HELLO)
                assert other.came.wait(WAIT_SECONDS_MAX), server.logged()
                headers, body = other.got[0]
                raw = base64.b64decode(SECRET.removeprefix("whsec_"))
                signed = signature(raw, headers["webhook-id"], headers["webhook-timestamp"], body)
                assert headers["webhook-signature"] == signed
                assert json.loads(body)["subject"] == f"review/{opened['review']}"
                assert json.loads(body)["source"] == server.begun["address"]
                found = json.loads(server.run("status", "--json").stdout)["outbox"]
                assert [one["whom"] for one in found["targets"] if one["sent"]] == ["program"]
                key = tmp_path / ".local" / "share" / "foureyes" / "keys" / "links.secret"
                assert (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 32)
                assert SECRET not in server.logged()

    story()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("notify: {human: 'discord://${NOWHERE}'}", "NOWHERE is not set in the environment"),
        ("notify: {human: 'discord://secret-key'}", "is not complete: write discord://ID/TOKEN"),
        ("notify: {webhooks: [{url: 'https://x.example', secret: '${WEAK}'}]}", "must be whsec_"),
    ],
)
def test_a_server_that_could_tell_nobody_does_not_start(
    tmp_path: Path, text: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEAK", "weak-key")
    (tmp_path / "foureyes.yaml").write_text(f"version: 1\n{text}\n", encoding="utf-8")
    assembly = Desk(home=tmp_path).assembly()
    with pytest.raises(Trouble) as caught:
        desk(assembly)
    assert str(caught.value).startswith("The server does not start. ")
    assert says in str(caught.value)
    assert "-key" not in str(caught.value)


def test_who_is_told_by_an_address_is_told(tmp_path: Path) -> None:
    (tmp_path / "foureyes.yaml").write_text("version: 1\nnotify: {human: 'discord://111/token'}\n", encoding="utf-8")
    assembly = Desk(home=tmp_path).assembly()
    assert tells(assembly, desk(assembly))


@pytest.mark.parametrize(("database", "shared"), [("", False), ("postgresql://gate@db.example/gate", True)])
def test_servers_on_one_postgresql_share_the_outbox(tmp_path: Path, database: str, *, shared: bool) -> None:
    environment = {"FOUREYES_DATABASE": database} if database else {}
    (tmp_path / "foureyes.yaml").write_text("version: 1\n", encoding="utf-8")
    (tmp_path / "keys").mkdir(mode=0o700)
    assembly = Desk(home=tmp_path, environment=environment).assembly()
    house = House()
    nobody = desk(assembly)
    assert delivery(assembly, house.store, house.gate, nobody, "https://gate.example").shared is shared
    # A notification without a channel here may have one on another server.
    assert tells(assembly, nobody) is shared
