"""Track containers, images, volumes and networks that a script creates itself, and so may delete."""

from __future__ import annotations

from foureyes.reviewers.critics.commands.model import HOLE, MARKS, Call, words
from foureyes.reviewers.critics.commands.options import options

#: What `docker run --detach` prints: the id of the container it created.
MADE_CONTAINER = "the-container-made-here"
_MARK = "docker:"
#: A name with fewer known letters could belong to anybody.
_LETTERS_MIN = 3
_GLOBALS = words("context host log-level config connection url root")
_TAKES = "tfvepwuhlmac"
_LONG = words(
    "tag file build-arg target platform name volume env env-file network publish workdir user entrypoint label mount "
    "hostname add-host cap-add restart memory cpus iidfile cidfile driver opt subnet output cache-from cache-to"
)


def own_things(call: Call) -> set[str]:
    """Return marks for what this command creates, which are checked when something is deleted."""
    args = options(call.args, "cHl", _GLOBALS, stop=True).operands
    part = args[0] if args and args[0] in ("container", "image", "volume", "network", "builder", "buildx") else ""
    rest = args[1:] if part else args
    if not rest:
        return set()
    given = options(rest[1:], _TAKES, _LONG)
    match part, rest[0]:
        case (("" | "image" | "builder" | "buildx"), "build"):
            names = [given.value("t", "tag") or ""]
        case (("" | "image"), "tag"):
            names = list(given.operands[1:2])
        case (("" | "image"), "pull"):
            names = list(given.operands[:1])
        case (("" | "container"), ("run" | "create")):
            names = [options(rest[1:], _TAKES, _LONG, stop=True).value("name") or "", MADE_CONTAINER]
        case (("volume" | "network"), "create"):
            names = list(given.operands[-1:])
        case _:
            names = []
    return {f"{_MARK}{one}" for one in names if _is_named(one)}


def are_own(names: tuple[str, ...], call: Call) -> bool:
    """True if the script created each of these itself."""
    return bool(names) and all(f"{_MARK}{one}" in call.made for one in names)


def prints_container(call: Call) -> bool:
    """True if a command prints the id of a container that it creates, and nothing else."""
    args = options(call.args, "cHl", _GLOBALS, stop=True).operands
    rest = args[1:] if args[:1] == ("container",) else args
    given = options(rest[1:], _TAKES.replace("a", ""), _LONG, stop=True)
    return rest[:1] == ("create",) or (rest[:1] == ("run",) and given.has("d", "detach"))


def _is_named(name: str) -> bool:
    known = len(name.translate({ord(one): None for one in HOLE + MARKS}))
    return known >= _LETTERS_MIN if HOLE in name else bool(name)
