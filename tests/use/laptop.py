"""`foureyes review` in its own repository, with models at loopback addresses and no agents installed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.doors_used import COMMAND, RECORD, named_policy

FOUREYES = (str(Path(sys.executable).with_name("foureyes")),)


@dataclass
class Listener:
    """A model's address that answers nothing but errors, and counts who came."""

    url: str
    came: list[str] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Listener]:
    """An endpoint on loopback for as long as this lasts."""
    listener = Listener(url="")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            listener.came.append(self.path)
            self.send_response(500)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        listener.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield listener
        server.shutdown()
        thread.join()


def repository(folder: Path) -> Path:
    """A repository with one changed line."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "a.py").write_text("x = 1\n", encoding="utf-8")
    commit(folder, "one")
    (folder / "a.py").write_text("x = 2\n", encoding="utf-8")
    return folder


def review(work: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `foureyes review` there without a terminal."""
    return foureyes(work, "review", *arguments, **environment)


def foureyes(work: Path, *arguments: str, types: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Any command there; with something to type there is a terminal."""
    home = work.parent / "person"
    home.mkdir(exist_ok=True)
    variables = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path), **environment}
    RECORD.note(COMMAND, named_policy(variables, work / "foureyes.yaml", default="solo"))
    ours, theirs = pty.openpty() if types else (-1, subprocess.DEVNULL)
    try:
        if types:
            os.write(ours, f"{types}\n".encode())
        return subprocess.run(
            [*FOUREYES, *arguments],
            cwd=work,
            env=variables,
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        if types:
            os.close(ours)
            os.close(theirs)


def result_of(ran: subprocess.CompletedProcess[str]) -> dict[str, object]:
    """The output of `--json`."""
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def commit(folder: Path, message: str) -> None:
    """Commit all that is there."""
    git(folder, "add", "-A")
    git(folder, "-c", "user.email=a@example.org", "-c", "user.name=a", "commit", "-qm", message)


def git(folder: Path, *arguments: str) -> None:
    """Run git there."""
    subprocess.run(["/usr/bin/git", "-C", str(folder), *arguments], check=True, capture_output=True)
