"""The critic of shell commands and SQL: judges what the commands in a work do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from foureyes.app.reviewers import Change, File, Unread
from foureyes.reviewers.critics.commands import sql
from foureyes.reviewers.critics.commands.command import hits, judge_code, judge_script, judge_words, settled
from foureyes.reviewers.critics.commands.embedded import is_script, is_typed, pieces
from foureyes.reviewers.critics.commands.embedded.images import copied_into_images
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.judge import Placed, Spot
from foureyes.reviewers.critics.commands.live import mentions
from foureyes.reviewers.critics.commands.long import LINE_CHARS_MAX, is_long, parts_of
from foureyes.reviewers.critics.commands.places import Place
from foureyes.reviewers.critics.commands.syntax import SCRIPT_BYTES_MAX
from foureyes.reviewers.critics.commands.tools import (
    RULES,
    TOO_LONG,
    containers,
    files,
    packages,
    rights,
    root,
    system,
)
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, counted, judged
from foureyes.reviewers.critics.texts import is_prose, readable, unread_of, without_long_lines

PROGRAM_MODE = "100755"
FILE_CHARS_MAX = 2 * 1024 * 1024
_NOT_ALL = f"longer than {FILE_CHARS_MAX // 1024} KiB; lines above {LINE_CHARS_MAX // 1024} KiB were not read"
_NO_COMMANDS = f"longer than {FILE_CHARS_MAX // 1024} KiB; no commands were looked for"
#: Rules that do not apply while an image is built: there, these actions affect only the image.
_IMAGE_OWN = frozenset(
    {
        files.DELETE,
        files.DELETE_GRAVE,
        files.SYSTEM_FILE,
        files.EMPTY,
        rights.OWNER,
        rights.OPEN,
        rights.USERS,
        packages.UNINSTALL,
        system.SERVICES,
        root.ROOT_TOOL,
        root.ROOT_SHELL,
        containers.CONTAINERS,
    }
)


@dataclass(slots=True)
class _Count:
    commands: int = 0
    statements: int = 0
    #: True if another file calls a function of this name; None where everything that is written is run.
    mentions: Callable[[str], bool] | None = None
    #: True if an image of the work contains this file, so that it runs there.
    in_image: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """Find every place in a file that contains commands, and judge what they would do."""

    name: str = "commands"
    scope: str = "security"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return all rules about commands."""
        return RULES

    def look(self, change: Change) -> Judged:
        """Judge every file of the work."""
        found: list[Hit] = []
        unread: list[Unread] = []
        count = _Count()
        copied = copied_into_images(change.files)
        for file in change.files:
            count.in_image = file.path in copied
            count.mentions = None if is_typed(file.path, change.kind) else partial(_is_called, file, change.files)
            found.extend(_file(file, change.kind, unread, count))
        looked = f"{counted(count.commands, 'shell command')}, {counted(count.statements, 'SQL statement')}"
        return judged(found, unread=unread, looked_at=looked)


def _file(file: File, kind: str, unread: list[Unread], count: _Count) -> Iterator[Hit]:
    text = readable(file)
    if text is None:
        unread.extend(unread_of(file))
        return
    # Editors put a byte order mark before the first letter; a shell that misreads it fails on the first line only.
    text = text.removeprefix("\ufeff").replace("\0", "").replace("\r\n", "\n")
    why = ""
    if len(text) > FILE_CHARS_MAX:
        why = _NOT_ALL
        script = is_script(file.path, text, kind)
        text = without_long_lines(text, LINE_CHARS_MAX)
        if script:
            yield _too_long(file.path, why)
        elif len(text) > FILE_CHARS_MAX:
            unread.append(Unread(path=file.path, why=_NO_COMMANDS))
            return
    for piece in pieces(file.path, text, kind, program=file.mode == PROGRAM_MODE):
        piece = replace(piece, image=True) if count.in_image else piece  # noqa: PLW2901 - the same, where it runs
        long = is_long(piece)
        if long:
            why = why or f"a script in it is longer than {SCRIPT_BYTES_MAX // 1024} KiB; it was read in parts"
            yield from () if piece.note or piece.certain else (_too_long(file.path, why),)
        for part in parts_of(piece, file) if long else (piece,):
            yield from map(_whole, hits(list(_kept(part, _judged(part, count))), file.path))
    if why:
        unread.append(Unread(path=file.path, why=why))


def _is_called(file: File, files: Iterable[File], name: str) -> bool:
    """True if another file of the work that machines read names this function."""
    others = (one for one in files if one is not file and not is_prose(one.path))
    return any(mentions((one.text or "")[:FILE_CHARS_MAX], name) for one in others)


def _too_long(path: str, why: str) -> Hit:
    return Hit(rule=TOO_LONG, path=path, state=State.UNKNOWN, text=f"Not all of it was read: {why}.")


def _whole(hit: Hit) -> Hit:
    """Report unread text for the whole file, because the changed lines may be in the part that was not read."""
    return replace(hit, line=0, end=0) if hit.rule is TOO_LONG else hit


def _judged(piece: Piece, count: _Count) -> list[Placed]:
    if piece.language == "sql":
        count.statements += piece.text.count(";") or 1
        dialect = "mysql" if "`" in piece.text else "postgres"
        return [
            Placed(found=found, spot=_spot(piece, line), evidence=_shown(piece.text, line))
            for line, found in sql.judge_sql(piece.text, dialect)
        ]
    if piece.argv:
        placed, judged_count = judge_words(piece.argv, piece.line)
    elif piece.language != "shell":
        placed, judged_count = judge_code(piece.language, piece.text, piece.line)
    else:
        placed, judged_count = judge_script(piece.text, piece.line, pinned=piece.pinned, mentions=count.mentions)
    count.commands += judged_count
    return settled(placed)


def _spot(piece: Piece, line: int) -> Spot:
    at = piece.line if piece.pinned else piece.line + line - 1
    return Spot(line=at, end=at)


def _shown(text: str, line: int) -> str:
    lines = text.split("\n")
    return " ".join(lines[line - 1].split())[:160] if line <= len(lines) else ""


def _kept(piece: Piece, placed: list[Placed]) -> Iterator[Placed]:
    """Adjust findings to their place: an image is a machine of its own, and an example is only a note."""
    for one in placed:
        found = one.found
        own = found.rule in _IMAGE_OWN or found.text == rights.JOINS_DAEMON
        if piece.image and own and Place.ROOT.value not in found.text:
            continue
        if piece.certain and found.state is not State.BLOCK:
            continue
        if piece.note:
            if found.state is State.BLOCK:
                yield replace(one, found=replace(found, state=State.CLEAR, severity="minor"))
            continue
        yield one


CRITIC = Commands()
