"""Install the MCP protocol's own checks from npm into build/, as the lock file pins them."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[2] / "build"
INSTALL_SECONDS_MAX = 600


def installed() -> tuple[Path, Path]:
    """Return the checks' Node and program, installed once per state of the lock file. No package's script runs."""
    lock = (HERE / "package-lock.json").read_bytes()
    folder = BUILD / f"conformance-{hashlib.sha256(lock).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            _install(folder)
    packages = folder / "node_modules"
    [node] = packages.glob("node-linux-*/bin/node")
    return node, packages / ".bin" / "conformance"


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    assert npm, "the long tests need Node 20 or newer and npm"
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS_MAX, check=False)
    assert done.returncode == 0, done.stderr
    (folder / "done").touch()
