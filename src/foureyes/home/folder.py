"""Creates the data folder with mode 0700, and refuses one that others could read, write or swap."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from foureyes.home.trouble import Trouble

MODE = 0o700
OTHERS = 0o077
#: As many as Linux follows in one path.
SYMLINKS_MAX = 40


def default_folder(environment: Mapping[str, str]) -> str:
    """Return the default data folder: below XDG_DATA_HOME if that is absolute, else below the home folder."""
    base = environment.get("XDG_DATA_HOME", "")
    if os.path.isabs(base):
        return os.path.join(base, "foureyes")
    home = environment.get("HOME", "")
    if not os.path.isabs(home):
        raise Trouble(
            "Neither FOUREYES_HOME, XDG_DATA_HOME nor HOME says where data goes.",
            "Set FOUREYES_HOME to a folder, or use --home.",
            usage=True,
        )
    return os.path.join(home, ".local", "share", "foureyes")


def exists(path: str) -> bool:
    """True if there is something at this path, after following links."""
    return os.path.exists(path)


def make(path: str) -> None:
    """Create the folder with mode 0700 if it is missing, and check it in any case."""
    try:
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), mode=MODE, exist_ok=True)
            # A folder that another process made in between is checked like any other.
            if not os.path.lexists(path):
                os.mkdir(path, MODE)
    except OSError as error:
        raise Trouble(
            f"The data folder {path} cannot be made: {error.strerror}.", "Name another with --home or FOUREYES_HOME."
        ) from None
    check(path)


def make_parent(path: str) -> None:
    """Create the missing folders above a file, accessible to their owner alone."""
    try:
        os.makedirs(os.path.dirname(path), mode=MODE, exist_ok=True)
    except OSError as error:
        raise Trouble(f"The folder of {path} cannot be made: {error.strerror}.", "Name another place.") from None


def check(path: str) -> None:
    """Refuse a folder that others can access, with the command that corrects it."""
    for name, found in _way(path):
        _check_on_the_way(name, found)
    # Opened, so that the check applies to the folder that is there now and not to an earlier one.
    try:
        descriptor = os.open(os.path.realpath(path), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Trouble(f"There is no data folder {path}.", "Name another with --home or FOUREYES_HOME.") from None
    except NotADirectoryError:
        raise Trouble(f"{path} is not a folder.", "Name another with --home or FOUREYES_HOME.") from None
    except PermissionError:
        raise Trouble(f"The data folder {path} cannot be read by you.", f"Run: ls -ld {path}") from None
    try:
        _check_folder(path, os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _way(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every name on the way to the folder, without the folder itself; links are followed one step at a time."""
    waiting = [part for part in os.path.abspath(path).split(os.sep) if part][::-1]
    here, links = os.sep, 0
    while waiting:
        name = os.path.join(here, waiting.pop())
        try:
            found = os.lstat(name)
        except OSError:
            return  # the caller that opens it reports what is missing or inaccessible
        if stat.S_ISLNK(found.st_mode):
            yield name, found
            links += 1
            if links > SYMLINKS_MAX:
                raise Trouble(f"{path} leads through too many links.", "Name the folder itself.")
            target = os.path.normpath(os.path.join(here, os.readlink(name)))
            waiting += [part for part in target.split(os.sep) if part][::-1]
            here = os.sep
            continue
        if waiting:
            yield name, found
        here = name


def _check_on_the_way(name: str, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        if found.st_uid not in (0, os.geteuid()):
            raise Trouble(
                f"The link {name} on the way to the data folder belongs to {_user(found.st_uid)}, who could turn it.",
                "Name the folder itself with --home or FOUREYES_HOME.",
            )
    elif found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        raise Trouble(
            f"Anybody may rename what lies in {name}, so the data folder below it could be swapped.",
            f"Run: chmod o-w {name}",
        )


def _check_folder(path: str, found: os.stat_result) -> None:
    me = os.geteuid()
    if found.st_uid != me:
        raise Trouble(
            f"The data folder {path} belongs to {_user(found.st_uid)}, not to you ({_user(me)}).",
            f"Run as {_user(found.st_uid)}, name another folder with --home, or run: sudo chown -R {me} {path}",
        )
    if found.st_mode & OTHERS:
        raise Trouble(
            f"The data folder {path} is open to others (mode {stat.S_IMODE(found.st_mode):04o}).",
            f"Run: chmod 700 {path}",
        )


def _user(uid: int) -> str:
    import pwd  # noqa: PLC0415 - only somebody who is refused pays for the names

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
