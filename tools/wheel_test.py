"""Check that the wheel works on a machine that has never seen this repository."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from foureyes import __version__
from tools import planted

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="foureyes-wheel-") as folder:
        place = Path(folder).resolve()
        if place.is_relative_to(ROOT):
            sys.exit(f"The temporary folder {place} lies inside the repository; set TMPDIR to another place.")
        program = install(build(place), place)
        check(program, place)


def build(place: Path) -> Path:
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(place), str(ROOT)),
        cwd=place,
    )
    (wheel,) = place.glob("foureyes-*.whl")
    return wheel


def install(wheel: Path, place: Path) -> Path:
    """Install as a user does, with only the dependencies of the metadata, so that a missing one shows."""
    clean = place / "clean"
    venv.create(clean, with_pip=True)
    run(
        *(str(clean / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--only-binary", ":all:", str(wheel)),
        cwd=place,
    )
    return clean / "bin" / "foureyes"


def check_review(program: Path, place: Path) -> None:
    """Check the main job with only the package: a planted problem is found, clean work passes."""
    home = {"PATH": os.environ["PATH"], "HOME": str(place), "FOUREYES_HOME": str(place / "data")}
    for name, make, wanted in (("shop", planted.plant, 2), ("control", planted.clean, 0)):
        make(place / name)
        words = (str(program), "review", "--no-agents", "--json")
        done = subprocess.run(words, cwd=place / name, env=home, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)["findings"]
        wrong = planted.problems(found, done.stdout) if wanted else [one for one in found if one["blocking"]]
        if done.returncode != wanted or wrong:
            sys.exit(f"The installed wheel reviewed {name} wrongly ({done.returncode}): {wrong} {done.stderr}")


def check(program: Path, place: Path) -> None:
    said = run(str(program), "--version", cwd=place).strip()
    wanted = f"foureyes {__version__}"
    if said != wanted:
        sys.exit(f"The installed wheel said {said!r} instead of {wanted!r}.")
    home = run(
        str(program.with_name("python")), "-c", "import foureyes; print(foureyes.__path__[0])", cwd=place
    ).strip()
    if not (Path(home).is_relative_to(place) and (Path(home) / "py.typed").is_file()):
        sys.exit(f"The wheel's package was not the one imported, or has no py.typed: {home}")
    shown = run(str(program), "policy", "show", "solo", cwd=place)
    if "solo" not in shown:
        sys.exit(f"The installed wheel does not have its policies: {shown!r}")
    check_review(program, place)
    print(f"wheel-test: {said}, installed and run outside the repository.")


def run(*command: str, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"Failed (exit {done.returncode}): {' '.join(command)}")
    return done.stdout


if __name__ == "__main__":
    main()
