"""U-60: everyday commits do not stop `foureyes review`, and dangerous changes beside them still do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.use.laptop import result_of, review

#: Right from Python 3.14 on, which the project declares.
NEW_PYTHON = """\
def read(text: str) -> int:
    try:
        return int(text)
    except ValueError, TypeError:
        return 0
"""
CALLS_SHELL = """\
import subprocess


def run(x: str) -> None:
    subprocess.run(x, shell=True)  # noqa: {}
"""
IMAGES = """\
docker build -t shop/test .
cid="$(docker run -d shop/test)"
docker rm -vf "$cid"
docker rmi -f shop/test
"""
SOCKET = """\
services:
  web:
    build: {{context: ., target: {}}}
    volumes:
      - /var/run/docker.sock:/var/run/docker.sock
"""
ALLOWED = """\
PASSWORD = "hunter2S3cret!"  # pragma: allowlist secret
OTHER_PASSWORD = "hunter3S3cret!"  # nosec
"""
HARMLESS: dict[str, str | bytes] = {
    "aliases.zsh": "alias gwipe='git reset --hard && git clean -dffx'\nalias gpf='git push --force'\n",
    "helpers.sh": "tidy_up() {\n  git clean -dffx\n}\nagain() {\n  tidy_up\n}\n",
    "dump.sh": "pg_dump --no-password --no-psqlrc shop\nmysql -u root -p 2>&1\n",
    "images.sh": IMAGES,
    "scratch.sh": "cp -r assets staging\nrm -rf staging\necho 1 > /tmp/shop.pid\nrm -rf /tmp/shop.pid\n",
    "locale/de/LC_MESSAGES/shop.po": 'msgid "password=Enter1t-here"\nmsgstr "password=Gib9s-hier"\n',
    "locale/de.json": '{"password": "Passwort1!"}\n',
    "package-lock.json": '{"password": "hunter2hunterX9"}\n',
    "logo.png": b'\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00password="hunter2S3cret"\n\xff\xd8\x00\x00\x90\x91\x92\x93',
    "allowed.py": ALLOWED,
    "shell_allowed.py": CALLS_SHELL.format("S602"),
    "newest/mod.py": NEW_PYTHON,
    "legacy/mod.py": 'print "hello"\n',
    ".devcontainer/compose.yaml": SOCKET.format("base"),
    "compose-dev.yaml": SOCKET.format("base"),
    "shop/.docker/docker-compose.yaml": SOCKET.format("dev-envs"),
    ".env": "TIMEZONE=Etc/UTC\nLOG_LEVEL=info\n",
}
DANGEROUS: dict[str, str] = {
    "deploy/.docker/docker-compose.yaml": SOCKET.format("production"),
    "deploy/docker-compose.yaml": SOCKET.format("dev-envs"),
    "called.sh": "leave() {\n  git clean -dffx\n}\ntrap leave EXIT\n",
    "shadow.zsh": "alias git='rm -rf ~'\n",
    "login.sh": "mysql --password Sup3rS3cretX shop\n",
    "others.sh": "docker build -t shop/test .\ndocker rm -vf production-db\n",
    "folder.sh": "rm -rf assets\n",
    "tokens.po": 'msgid "AKIA2E0A8F3B244C9986"\n',
    "noted.py": CALLS_SHELL.format("E501"),
    "older/mod.py": "def kind(x: int) -> int:\n    match x:\n        case 1:\n            return 2\n    return 3\n",
    "settings.env": "DB_PASSWORD=hunter2X9\n",
}
DECLARED = {
    "newest/pyproject.toml": '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.14"\n',
    "older/pyproject.toml": '[project]\nname = "b"\nversion = "1"\nrequires-python = ">=3.8"\n',
    "legacy/setup.cfg": "[options]\npython_requires = >=2.7,<3\n",
    "old.py": 'def broken(:\n    pass\n\n\nprint("here")\n',
}


@pytest.fixture(scope="module")
def blocked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The blocking rules by path, as printed by the command."""
    folder = tmp_path_factory.mktemp("u60") / "shop"
    folder.mkdir()
    _git(folder, "init", "-q")
    _write(folder, DECLARED)
    _git(folder, "add", "-A")
    _git(folder, "-c", "user.email=a@example.org", "-c", "user.name=a", "commit", "-qm", "one")
    _write(folder, HARMLESS | DANGEROUS)
    (folder / "old.py").write_text(DECLARED["old.py"] + 'print("there")\n', encoding="utf-8")
    ran = review(folder, "--no-agents", "--json")
    assert ran.returncode == 2, ran.stdout + ran.stderr
    found: dict[str, list[str]] = {}
    for one in result_of(ran)["findings"]:  # type: ignore[attr-defined]
        if one["blocking"]:
            found.setdefault(one["path"], []).append(one["rule"])
    return found


@pytest.mark.parametrize("path", HARMLESS)
def test_what_is_harmless_does_not_stop_the_work(blocked: dict[str, list[str]], path: str) -> None:
    """U-60: uncalled aliases, options as values, own containers and folders, catalogues, pragmas, new syntax."""
    assert path not in blocked


@pytest.mark.parametrize("path", DANGEROUS)
def test_what_is_dangerous_beside_it_still_does(blocked: dict[str, list[str]], path: str) -> None:
    """U-60: no rule is weaker than it must be."""
    assert path in blocked


def test_a_file_that_was_broken_before_is_not_held_against_a_line_beside_it(blocked: dict[str, list[str]]) -> None:
    """U-60: syntax is judged on changed lines."""
    assert "old.py" not in blocked


@pytest.mark.door("command", policy="solo")
def test_a_command_as_it_is_typed_is_judged_with_its_aliases(tmp_path: Path) -> None:
    """U-60: what an agent wants to run is all run."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "wanted").write_text("alias x='rm -rf /'\n", encoding="utf-8")
    ran = review(tmp_path / "here", "wanted", "--kind", "command", "--no-agents", "--json")
    assert ran.returncode == 2, ran.stdout + ran.stderr


def _write(folder: Path, files: dict[str, str | bytes] | dict[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["/usr/bin/git", "-C", str(folder), *words], check=True, capture_output=True)
