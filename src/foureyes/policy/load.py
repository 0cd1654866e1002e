"""Load a policy and the files it names, from its own folder or revision only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path, PurePosixPath

from foureyes.policy.build import Loaded, build
from foureyes.policy.hidden import refuse_hidden
from foureyes.policy.json_text import read_json
from foureyes.policy.nodes import FILE_BYTES_MAX, Node, PolicyErrors, Problem
from foureyes.policy.problems import Problems
from foureyes.policy.yaml_text import read_yaml

FILE_NAME = "foureyes.yaml"
DEFAULT = "solo"
#: The policy of a server on which no policy was written or activated.
SERVER_DEFAULT = "server"
SHIPPED = ("solo", "server", "team", "resolve", "peer", "chains", "session", "panel")

#: Returns the bytes of a file beside the policy by its name; raises OSError if there is none.
Read = Callable[[str], bytes]


def load(path: Path, read: Read | None = None, *, default: str = DEFAULT) -> Loaded:
    """Load the policy at `path`; if there is none, the shipped one called `default`.

    `read` gives the bytes of the policy and of every file it names, so that they can come from a git revision. Without
    it they come from the folder of `path`, and from nowhere else.
    """
    source = read or folder(path.parent)
    try:
        text = source(path.name)
    except FileNotFoundError:
        _refuse_misnamed(path.name, source)
        return shipped(default, f"There is no {path.name}: the shipped policy {default} is used.")
    except OSError as error:
        raise _unreadable(
            path.name, f"the file cannot be read: {error.strerror or error}", "it is a file in its folder"
        ) from None
    return load_text(path.name, text, source)


def load_text(name: str, text: bytes, read: Read) -> Loaded:
    """Load a policy from its bytes; `read` supplies the files it names. Raises PolicyErrors, and nothing else."""
    problems = Problems()
    try:
        root = parse(name, text, problems)
    except PolicyErrors as error:
        problems.extend(error.problems)
        problems.raise_if_any()
        raise
    return build(name, root, lambda other: parse(other, _inside(other, read), problems), problems)


def shipped(name: str, *notes: str) -> Loaded:
    """Load one of the shipped policies."""
    if name not in SHIPPED:
        raise _unreadable(name, f"{name!r} is no shipped policy", f"the shipped ones are {', '.join(SHIPPED)}")
    loaded = load_text(f"{name}.yaml", shipped_text(f"{name}.yaml"), shipped_text)
    return Loaded(policy=loaded.policy, notify=loaded.notify, notes=(*notes, *loaded.notes))


def shipped_text(name: str) -> bytes:
    """The bytes of a shipped file, such as `team.yaml` or `config/critic-chains.json`."""
    return (resources.files("foureyes.policy") / "shipped").joinpath(*PurePosixPath(name).parts).read_bytes()


def folder(root: Path) -> Read:
    """Return a reader for one folder; a link that leads out of it is refused."""

    def read(name: str) -> bytes:
        found = (root / name).resolve(strict=True)
        if not found.is_relative_to(root.resolve()) or not found.is_file():
            raise PermissionError(f"{name} leads out of the policy's folder, or is no file")
        with found.open("rb") as file:
            return file.read(FILE_BYTES_MAX + 1)

    return read


def parse(name: str, text: bytes, problems: Problems) -> Node:
    """Parse a file into nodes, as JSON or YAML by its suffix; raises PolicyErrors if it cannot be read further."""
    if len(text) > FILE_BYTES_MAX:
        raise _unreadable(name, f"the file has more than {FILE_BYTES_MAX} bytes", "write a smaller one")
    try:
        plain = text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise _unreadable(name, "a byte that is no UTF-8", "save the file as UTF-8", line=line) from None
    refuse_hidden(name, plain)
    return read_json(name, plain, problems) if name.endswith(".json") else read_yaml(name, plain, problems)


def _refuse_misnamed(name: str, read: Read) -> None:
    """Refuse a policy with the suffix .yml, since a policy that is written but not read is worse than none."""
    other = str(PurePosixPath(name).with_suffix(".yml"))
    with suppress(FileNotFoundError):
        read(other)
        raise _unreadable(other, "a file of this name is not read", f"call it {name}")


def _inside(name: str, read: Read) -> bytes:
    """The bytes of a file that a policy names; a path that leads out of the folder is refused without reading it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name or not name.isprintable():
        raise ValueError("the path leads out of the policy's folder")
    if path.suffix not in {".yaml", ".yml", ".json"}:
        raise ValueError("it is neither .yaml nor .json")
    return read(name)


def _unreadable(name: str, wrong: str, allowed: str, *, line: int = 1) -> PolicyErrors:
    return PolicyErrors((Problem(file=name, line=line, wrong=wrong, allowed=allowed),))
