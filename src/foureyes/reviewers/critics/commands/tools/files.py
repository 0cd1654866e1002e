"""Judge tools that delete, overwrite or move files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import GUARDED, HOLE, Call, Family, Found, each, rule
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.places import GRAVE, Place, place
from foureyes.reviewers.critics.commands.wrappers.search import find_parts
from foureyes.reviewers.critics.critic import State

DELETE = rule(
    "destructive.delete",
    "Files are deleted for good",
    "A recursive delete asks nobody and leaves nothing to restore; one wrong path takes far more than was meant.",
    "Name exactly what is generated (`rm -rf ./build`), use `mktemp -d` for scratch, or move it aside first.",
)
DELETE_GRAVE = rule(
    "destructive.delete-root",
    "A whole machine, home or project is deleted",
    "The path reaches outside what this work owns: the system, a home folder, the project itself or its history.",
    "Delete only a named folder inside the project; let a person do the rest by hand.",
    "critical",
)
DEVICE = rule(
    "destructive.device",
    "A disk is overwritten",
    "Writing to a device ignores the files on it: everything there is lost.",
    "Write to a file or an image; let a person write disks after looking at `lsblk`.",
    "critical",
)
SYSTEM_FILE = rule(
    "destructive.system-file",
    "A file of the system is overwritten",
    "The machine relies on it; a wrong line can stop services or keep people out.",
    "Put it under configuration management, or write a new file in a `.d` folder and keep a copy of the old one.",
)
PERSONAL = rule(
    "destructive.personal-files",
    "Personal files are touched",
    "Documents, pictures and downloads belong to the person at this machine, not to the project.",
    "Work inside the project folder; ask the person for a copy of what is needed.",
)
EMPTY = rule(
    "destructive.truncate",
    "A file is emptied or shredded",
    "What was in it cannot be brought back.",
    "Rotate or copy it first (`mv app.log app.log.1`), or let a person do it.",
)
SYNC = rule(
    "destructive.sync-delete",
    "A copy also deletes at its target",
    "Whatever the source lacks is deleted at the target; an empty or wrong source empties it.",
    "Leave the deletion out, or run it with `--dry-run` first and keep a backup (`--backup-dir`).",
)

_RM_LONG = ("interactive", "one-file-system")
_READERS = ("cat", "head", "tail", "less", "more", "bat", "strings", "xxd", "od", "base64", "nl", "tac", "sqlite3")
_READ_PRIVATE = re.compile(
    r"/(?:Documents|Desktop|Downloads|Pictures|Photos|iCloud|OneDrive|Dropbox|Google Drive|Library)(?:/|$)"
)
_RELIED_ON = re.compile(r"/(?:etc|usr|boot|s?bin|lib(?:32|64)?|root|dev|System|Library)/")
_CACHES = re.compile(
    r"/var/lib/apt/lists/|/var/cache/|/root/\.cache|/root/\.npm|/usr/share/(?:doc|man|locale)/|/var/log/apt|/var/tmp/"
)


def _rm(call: Call) -> Iterator[Found]:
    opts = options(call.args, "", _RM_LONG)
    deep = opts.has("r", "R", "recursive", "d", "dir")
    if not opts.operands:
        if deep and opts.has("f", "force"):
            # Without a path it removes nothing, but an outer shell may have consumed the path.
            yield Found(rule=DELETE, state=State.UNKNOWN, text="What this recursive delete is to remove is missing.")
        return
    for path in opts.operands:
        yield from delete(path, call, deep=deep)


def delete(path: str, call: Call, *, deep: bool) -> Iterator[Found]:
    """Judge the removal of one path."""
    where = place(path, call)
    if where is Place.SCRATCH or where is Place.GENERATED or _CACHES.match(path):
        return
    if where is Place.PRIVATE:
        yield Found(rule=PERSONAL)
    elif not deep and not path.endswith("/*"):
        yield from _one_file(path, where)
    elif where in GRAVE:
        yield Found(rule=DELETE_GRAVE, text=_grave(path, where))
    elif where is Place.UNKNOWN and deep and call.spread:
        yield Found(rule=DELETE, text="This deletes whatever names come through the pipe, with everything below them.")
    elif where is Place.UNKNOWN and deep and GUARDED not in path:
        why = "What this deletes is only known when it runs, and nothing checks that it is not empty."
        yield Found(rule=DELETE, state=State.UNKNOWN, text=why)
    elif deep and where in (Place.NAMED, Place.SHARED_TEMP):
        yield Found(rule=DELETE, text=f"This deletes {where.value}, with everything below it.")


def _grave(path: str, where: Place) -> str:
    """Describe the loss; a path that begins with an unknown value is only that place if the value is empty."""
    if where is Place.ROOT and path.startswith(HOLE):
        return f"If the variable at its beginning is empty, this deletes {where.value}."
    return f"This deletes {where.value}."


def _one_file(path: str, where: Place) -> Iterator[Found]:
    """Judge the removal of a single file: it matters if the machine, a login or the history depends on it."""
    if where in (Place.ROOT, Place.DEVICE, Place.HISTORY, Place.PROJECT) or (where is Place.HOME and _is_door(path)):
        yield Found(rule=DELETE_GRAVE, text=_grave(path, where))
    elif where is Place.SYSTEM and _RELIED_ON.match(path):
        yield Found(rule=SYSTEM_FILE, text="A file that the machine relies on is deleted.")


def _is_door(path: str) -> bool:
    return "/." in path or path.rstrip("/*") in ("~", "")


def _rmdir(call: Call) -> Iterator[Found]:
    """Judge rmdir: it only removes empty folders, except with `/s` on Windows."""
    if any(word.lower() == "/s" for word in call.args):
        yield from _windows(call)


def _windows(call: Call) -> Iterator[Found]:
    lowered = {word.lower() for word in call.args}
    if lowered & {"/s", "-recurse", "-r", "-force", "-rec"}:
        paths = [word for word in call.args if not word.startswith(("-", "/"))]
        for path in paths or ["."]:
            yield from delete(path, call, deep=True)


def _unlink(call: Call) -> Iterator[Found]:
    for path in call.args:
        yield from delete(path, call, deep=False)


def _shred(call: Call) -> Iterator[Found]:
    for path in options(call.args, "nsT", ("iterations", "size")).operands:
        where = place(path, call)
        if where is Place.DEVICE:
            yield Found(rule=DEVICE)
        elif where not in (Place.SCRATCH, Place.GENERATED):
            yield Found(rule=EMPTY, severity="critical" if where in GRAVE else "")


def _dd(call: Call) -> Iterator[Found]:
    target = next((word[3:] for word in call.args if word.startswith("of=")), "")
    where = place(target, call) if target else Place.SCRATCH
    if where is Place.DEVICE:
        yield Found(rule=DEVICE)
    elif where in (Place.SYSTEM, Place.ROOT, Place.HOME, Place.PRIVATE, Place.HISTORY):
        yield Found(rule=SYSTEM_FILE)
    elif HOLE in target and where is Place.UNKNOWN and any(word.startswith("if=/dev/") for word in call.args):
        yield Found(
            rule=DEVICE, state=State.UNKNOWN, text="Which disk or file this overwrites is only known when it runs."
        )


def _truncate(call: Call) -> Iterator[Found]:
    opts = options(call.args, "srR", ("size", "reference"))
    size = opts.value("s", "size") or ""
    if size.lstrip("=").startswith(("0", "-", "<")) or not size:
        for path in opts.operands:
            if place(path, call) is not Place.SCRATCH:
                yield Found(rule=EMPTY)


def _mv(call: Call) -> Iterator[Found]:
    opts = options(call.args, "tS", ("target-directory", "suffix"))
    target = opts.value("t", "target-directory") or (opts.operands[-1] if len(opts.operands) > 1 else "")
    sources = opts.operands if opts.value("t") else opts.operands[:-1]
    if target == "/dev/null":
        yield Found(rule=DELETE_GRAVE, text="What is moved to /dev/null is gone.")
        return
    for path in sources:
        where = place(path, call)
        if where is Place.PRIVATE:
            yield Found(rule=PERSONAL)
        elif where in (Place.ROOT, Place.SYSTEM, Place.HISTORY, Place.PROJECT) or path in ("~", "~/"):
            yield Found(rule=DELETE_GRAVE, text=f"This moves {where.value} away.")
    yield from _over(target, call)


def _over(target: str, call: Call) -> Iterator[Found]:
    """Judge copying or moving onto something that others rely on."""
    where = place(target, call) if target else Place.SCRATCH
    if where is Place.DEVICE:
        yield Found(rule=DEVICE)
    elif where is Place.PRIVATE:
        yield Found(rule=PERSONAL)
    elif where is Place.SYSTEM and re.match(r"/(?:etc|boot|bin|sbin|lib|usr/(?:bin|sbin|lib))/", target):
        yield Found(
            rule=SYSTEM_FILE,
            state=State.BLOCK if _is_key(target) else State.CLEAR,
            severity="" if _is_key(target) else "minor",
        )


def _is_key(target: str) -> bool:
    """True for files that decide who can log in or that the system needs; new files in `.d` folders are normal."""
    return bool(
        re.match(
            r"/etc/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|crontab|ld\.so|pam|ssh/|profile$|resolv)|/boot/|/s?bin/|/lib/|/usr/s?bin/(?:sudo|su|sh|bash|login)",
            target,
        )
    )


def _cp(call: Call) -> Iterator[Found]:
    opts = options(call.args, "tS", ("target-directory", "suffix"))
    target = opts.value("t", "target-directory") or (opts.operands[-1] if len(opts.operands) > 1 else "")
    if opts.operands[:1] == ("/dev/null",) and place(target, call) not in (Place.SCRATCH, Place.GENERATED):
        yield Found(rule=EMPTY)
    for path in opts.operands[:-1]:
        if place(path, call) is Place.PRIVATE and _READ_PRIVATE.search(path + "/"):
            yield Found(rule=PERSONAL)
    yield from _over(target, call)


def _reads(call: Call) -> Iterator[Found]:
    for path in call.args:
        if not path.startswith("-") and place(path, call) is Place.PRIVATE and _READ_PRIVATE.search(path + "/"):
            yield Found(rule=PERSONAL, text="This reads a person's own documents.")


def _edits(call: Call) -> Iterator[Found]:
    """Judge in-place editors and similar tools, which change every file they are given."""
    opts = options(call.args, "efl", ("expression", "file"))
    if call.name in ("sed", "gsed", "perl") and not opts.has("i", "in-place"):
        yield from _reads(call)
        return
    for path in opts.operands:
        if place(path, call) is Place.PRIVATE:
            yield Found(rule=PERSONAL)
        elif call.name in ("sed", "gsed", "tee") and _is_key(path):
            yield Found(rule=SYSTEM_FILE)


def _tee(call: Call) -> Iterator[Found]:
    from foureyes.reviewers.critics.commands.tools.rights import DOORS, GRANTS  # noqa: PLC0415 - rights judges files too

    for path in options(call.args).operands:
        where = place(path, call)
        if DOORS.search(path):
            yield Found(rule=GRANTS)
        elif where is Place.DEVICE:
            yield Found(rule=DEVICE)
        elif where is Place.PRIVATE:
            yield Found(rule=PERSONAL)
        elif _is_key(path):
            yield Found(rule=SYSTEM_FILE)


def _rsync(call: Call) -> Iterator[Found]:
    opts = options(call.args, "efTBM", ("exclude", "include", "filter", "rsh", "files-from", "backup-dir", "log-file"))
    if opts.has("n") or "dry-run" in opts.long:
        return
    deletes = [name for name in opts.long if name.startswith(("delete", "del")) and name != "delay-updates"]
    if deletes or "remove-source-files" in opts.long:
        yield Found(rule=SYNC)
    for target in opts.operands[-1:]:
        yield from _over(target, call)


def _find(call: Call) -> Iterator[Found]:
    starts, bare, _ = find_parts(call.args)
    if "-delete" not in bare:
        return
    narrow = _narrows(call.args)
    for start in starts:
        where = place(start, call)
        if where in (Place.SCRATCH, Place.GENERATED) or (
            where in (Place.PROJECT, Place.NAMED, Place.SHARED_TEMP) and narrow
        ):
            continue
        if where is Place.UNKNOWN:
            yield Found(rule=DELETE, state=State.UNKNOWN)
        else:
            yield Found(
                rule=DELETE_GRAVE if where in GRAVE else DELETE,
                text=f"The search deletes what it finds in {where.value}.",
            )


def _narrows(args: tuple[str, ...]) -> bool:
    """True if only files that builds leave behind are deleted."""
    names = [args[at + 1] for at, word in enumerate(args[:-1]) if word in ("-name", "-iname")]
    made = re.compile(
        r"\*?\.(?:pyc|pyo|o|a|so|log|tmp|bak|swp|orig|rej|class|cache|gcda|gcno|DS_Store|map|snap)|__pycache__|\.DS_Store|Thumbs\.db|\*~|node_modules|\.pytest_cache|\*\.egg-info"
    )
    return (bool(names) and all(made.fullmatch(name) for name in names)) or "-empty" in args


def _ln(call: Call) -> Iterator[Found]:
    opts = options(call.args, "tS", ("target-directory", "suffix"))
    if opts.has("f", "force") and len(opts.operands) > 1:
        yield from _over(opts.operands[-1], call)


FAMILY = Family(
    rules=(DELETE, DELETE_GRAVE, DEVICE, SYSTEM_FILE, PERSONAL, EMPTY, SYNC),
    tools={
        **each("rm grm srm trash-empty", _rm),
        **each("remove-item ri del erase rd", _windows),
        **dict.fromkeys(_READERS, _reads),
        **each("sed gsed touch", _edits),
        "rmdir": _rmdir,
        "unlink": _unlink,
        "shred": _shred,
        "wipe": _shred,
        "dd": _dd,
        "truncate": _truncate,
        "mv": _mv,
        "gmv": _mv,
        "cp": _cp,
        "install": _cp,
        "tee": _tee,
        "rsync": _rsync,
        "find": _find,
        "gfind": _find,
        "ln": _ln,
    },
)
