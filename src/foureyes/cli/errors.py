"""How failures are reported: the words and the exit code for every exception, for all commands."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from foureyes.cli import codes
from foureyes.cli.answer import complain
from foureyes.home import files
from foureyes.home.extras import missing
from foureyes.home.trouble import Trouble

CRASHES_MAX = 20
#: System errors that the machine causes, such as a full disk; any other OSError is a bug of ours.
_OF_THE_MACHINE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_SECRET = re.compile(r"(://[^:/?#@\s]*):[^\s'\"]*@|([?&](?:ssl)?password=)[^\s&'\"]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An expected failure in words."""

    code: int
    kind: str
    sentence: str
    next_step: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to report: to people or scripts, with or without a traceback, and the folder for crash files."""

    as_json: bool = False
    debug: bool = False
    home: Callable[[], str] = str


def tell(error: BaseException, manner: Manner) -> int:
    """Report what went wrong and what to do; return the exit code."""
    if manner.debug:
        sys.stderr.write(redacted_traceback(error))
    try:
        told = expected(error)
    except ImportError:
        told = None  # an incomplete installation lacks the modules that describe failures
    if told is None:
        told = _crash(error, manner)
    return complain(
        told.sentence,
        told.next_step,
        details=told.details,
        as_json=manner.as_json,
        code=told.code,
        kind=told.kind,
    )


def expected(error: BaseException) -> Told | None:
    """The words for an expected failure; None for a bug."""
    if isinstance(error, Trouble):
        code = codes.USAGE if error.usage else codes.BLOCKED if error.blocked else codes.INCONCLUSIVE
        return Told(code=code, kind="trouble", sentence=error.sentence, next_step=error.next_step)
    if isinstance(error, KeyboardInterrupt):
        return Told(code=codes.INTERRUPTED, kind="interrupted", sentence="Stopped.")
    if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
        place = f"{error.filename}: " if error.filename else ""
        step = "Free some space, or mend the permissions, and run it again."
        return Told(
            code=codes.INCONCLUSIVE, kind="machine", sentence=f"{place}{os.strerror(error.errno)}.", next_step=step
        )
    if isinstance(error, ModuleNotFoundError) and (lacks := missing(error.name)):
        return Told(code=codes.INCONCLUSIVE, kind="trouble", sentence=lacks.sentence, next_step=lacks.next_step)
    return _of_the_gate(error)


def _of_the_gate(error: BaseException) -> Told | None:
    # Imported here: `check` needs them only if it fails, and other commands have imported them already.
    from foureyes.app.keys import KeyTrouble  # noqa: PLC0415
    from foureyes.app.ports import Conflict, Damaged, Unavailable  # noqa: PLC0415
    from foureyes.core.refusals import Code, Refusal, refuse  # noqa: PLC0415 - as said above
    from foureyes.policy.nodes import PolicyErrors  # noqa: PLC0415

    if isinstance(error, Refusal):
        # On a command line the next step is to look up the name.
        is_lost = error.next_step == refuse(Code.REVIEW_MISSING).next_step
        step = "`foureyes status` names those that are open." if is_lost else error.next_step
        return Told(code=codes.BLOCKED, kind=error.code.value, sentence=error.sentence, next_step=step)
    if isinstance(error, PolicyErrors):
        return Told(
            code=codes.BLOCKED,
            kind="policy",
            sentence=error.sentence,
            next_step="Mend these and run it again.",
            details=tuple(map(str, error.problems)),
        )
    if isinstance(error, Unavailable | KeyTrouble):
        kind = error.word if isinstance(error, Unavailable) else "unavailable"
        return Told(code=codes.INCONCLUSIVE, kind=kind, sentence=error.sentence, next_step=error.next_step)
    if isinstance(error, Damaged):
        step = "Nothing is cleared by it. Run `foureyes log verify`, and restore a backup."
        return Told(code=codes.INCONCLUSIVE, kind="damaged", sentence=str(error), next_step=step)
    if isinstance(error, Conflict):
        sentence = "Others were faster every time; nothing was written."
        return Told(code=codes.INCONCLUSIVE, kind="busy", sentence=sentence, next_step="Run it again.")
    return None


def _crash(error: BaseException, manner: Manner) -> Told:
    """Report a bug: the details go into a file that only its owner can read."""
    what = f"foureyes failed: {type(error).__name__}."
    try:
        path = _crash_file(manner.home(), redacted_traceback(error))
    except (OSError, Trouble):
        path = ""
    step = f"Details are in {path}; please report them." if path else "Run it again with --debug to see where."
    return Told(code=codes.INTERNAL, kind="internal", sentence=what, next_step=step)


def _crash_file(home: str, text: str) -> str:
    """Write the details to a file; the data folder is not created for it."""
    if not home or not Path(home).is_dir():
        return ""
    folder = Path(home, "crashes")
    folder.mkdir(mode=0o700, exist_ok=True)
    for old in sorted(folder.iterdir())[: -CRASHES_MAX + 1]:
        old.unlink()
    path = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{os.getpid()}.txt"
    files.write_whole(str(path), text.encode("utf-8", "backslashreplace"))
    return str(path)


def redacted_traceback(error: BaseException) -> str:
    """The traceback, without the password that a database URL in it may contain."""
    return _SECRET.sub(lambda found: f"{found[1]}:•••@" if found[1] else f"{found[2]}•••", _traceback(error))


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))
