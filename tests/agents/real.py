"""The real agents for the long tests, installed from npm into build/ as the lock file pins them.

No script of a package is run while it is installed; each package is checked against its hash in the lock file.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build"
INSTALL_SECONDS_MAX = 600


def installed() -> Path:
    """Return a folder with the three programs, made once for every state of the lock file."""
    lock = (HERE / "package-lock.json").read_bytes()
    folder = BUILD / f"agents-{hashlib.sha256(lock).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not (folder / "bin").is_dir():
            _install(folder)
    return folder / "bin"


def node_folder() -> Path:
    """The folder of Node, which Codex and Gemini CLI need."""
    found = shutil.which("node")
    assert found, "the long tests need Node 20 or newer and npm"
    return Path(found).resolve().parent


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    assert npm, "the long tests need Node 20 or newer and npm"
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS_MAX, check=False)
    assert done.returncode == 0, done.stderr
    packages, links = folder / "node_modules", folder / "bin.partial"
    shutil.rmtree(links, ignore_errors=True)
    links.mkdir()
    # Its package copies the program for this machine to its place by a script; here it is linked instead.
    [claude] = [one for one in packages.glob("@anthropic-ai/claude-code-*/claude") if "musl" not in one.parent.name]
    (links / "claude").symlink_to(claude)
    for name in ("codex", "gemini"):
        (links / name).symlink_to(packages / ".bin" / name)
    links.rename(folder / "bin")
