"""Rebuild .venv if it does not match the lock file.

Make runs this with the machine's own Python, so it uses the standard library only.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements" / "dev.lock"


def main() -> None:
    tools = fingerprint(LOCK, Path(__file__))
    if stamped("tools") != tools:
        require_ensurepip()
        print("Installing the locked tools into .venv ...", flush=True)
        # First of all: an installation that is interrupted must not count as complete the next time.
        (VENV / "tools.stamp").unlink(missing_ok=True)
        shutil.rmtree(VENV, ignore_errors=True)
        run(sys.executable, "-m", "venv", str(VENV))
        pip("--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCK))
        stamp("tools", tools)
    package = fingerprint(ROOT / "pyproject.toml", ROOT / "src" / "foureyes" / "__init__.py")
    if stamped("package") != package:
        pip("--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT))
        stamp("package", package)


def require_ensurepip() -> None:
    try:
        import ensurepip  # noqa: F401, PLC0415 - its absence is what we look for
    except ImportError:
        sys.exit("This Python has no ensurepip and cannot make a virtual environment; on Debian install python3-venv.")


def fingerprint(*paths: Path) -> str:
    """Hash of everything that makes an installation stale: the Python, the folder, the files."""
    digest = hashlib.sha256(f"{sys.version} {sys.base_prefix} {ROOT}".encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def stamped(name: str) -> str:
    path = VENV / f"{name}.stamp"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def stamp(name: str, text: str) -> None:
    (VENV / f"{name}.stamp").write_text(text, encoding="utf-8")


def pip(*arguments: str) -> None:
    """Run pip and show its output: it takes a minute or two."""
    options = ("--disable-pip-version-check", "--progress-bar", "on" if sys.stdout.isatty() else "off")
    run(str(VENV / "bin" / "python"), "-m", "pip", "install", *options, *arguments)


def run(*command: str) -> None:
    code = subprocess.call(command)
    if code:
        sys.exit(f"Installing failed (exit {code}): {' '.join(command)}")


if __name__ == "__main__":
    main()
