"""The `call` commands: every call that a token may make, as a command, made in the name of the token's account."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foureyes.app.calls.call import Call, Need
from foureyes.app.calls.field_words import Explained, explained
from foureyes.app.calls.registry import CALLS
from foureyes.app.plain import marked
from foureyes.app.ports import Unavailable
from foureyes.cli import codes
from foureyes.cli.answer import Answer, Line
from foureyes.cli.parts import Asking, Heard, Parts
from foureyes.cli.program import Group, answering
from foureyes.codec.strict import STRICT
from foureyes.core.refusals import Code, Refusal
from foureyes.home.token import AGENT_VARIABLE, token_of
from foureyes.home.trouble import Trouble

FILE_BYTES_MAX: Final = 32 * 1024 * 1024
#: Calls that answer yes or no, and the field that says which: a script that reads only the exit code must not take a
#: no for a yes. For every other call the exit code says whether the call was done.
JUDGES: Final = {"gate": "allowed", "record_live": "allowed", "can_graduate": "can_graduate"}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPOOLED, _NOBODY, _TOO_MANY, _OURS, _NO_ROOM = 202, 401, 429, 500, 507
_GOOD = (200, 201)


def spelt(name: str) -> str:
    """The name of a call or a field as it is typed on a command line."""
    return _WORDS.sub("-", name).replace("_", "-").lower()


#: The calls that a token may make, by the name that is typed. Calls that need a human are not commands.
OFFERED: Final[Mapping[str, Call[Any]]] = {
    spelt(name): one for name, one in sorted(CALLS.items()) if one.needs is not Need.HUMAN
}


class Calls(Group):
    """A command for every call, built when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all calls, in order."""
        return list(OFFERED)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """The command of a call."""
        return _command(cmd_name, OFFERED[cmd_name]) if cmd_name in OFFERED else None


@click.group(cls=Calls)
def call() -> None:
    """Ask the server as an account: every call that HTTP and MCP have.

    The account is that of the token in FOUREYES_TOKEN. Fields are options; those with a shape of their own take JSON,
    or @FILE. Exit code 0: it was done, and a question at the gate was answered with yes. 2: it was refused, or the
    answer is no. 3: it waits in the spool. 4: the server did not answer.
    """


def _command(name: str, one: Call[Any]) -> click.Command:
    rows = tuple(explained(one.form))
    own = tuple(row for row in rows if "." not in row.place)
    needed = frozenset(row.place for row in own if row.needed)

    @answering
    def made(parts: Parts, *, body: str, server: str, token_file: str, **fields: object) -> Answer:
        data = _together(_body(body), {field: value for field, value in fields.items() if value is not None})
        _check_whole(data, needed)
        asking = Asking(
            call=one.name,
            data=data,
            token=token_of(os.environ, token_file),
            server=server,
            agent=os.environ.get(AGENT_VARIABLE, ""),
        )
        return _answer(one.name, parts.ask(asking))

    says = one.says if one.says.endswith(".") else f"{one.says}."
    options = [_option(row, tuple(_inner(row, rows))) for row in own]
    function: Any = made
    for option in reversed((*options, *_COMMON)):
        function = option(function)
    found: click.Command = click.command(name, help=says, epilog=_typed(name, own))(function)
    return found


_COMMON = (
    click.option("--body", metavar="FILE", default="", help="A file with fields as one JSON object; - for stdin."),
    click.option("--server", metavar="URL", default="", help="The server to ask, instead of the one that runs here."),
    click.option("--token-file", metavar="FILE", default="", help="A file of mode 0600 with the token."),
)


def _typed(name: str, own: tuple[Explained, ...]) -> str:
    """An example of the whole command with the fields that it needs."""
    fields = (f"--{spelt(row.place)} {_spelt_out(row.example)}" for row in own if row.needed)
    return f"Example: {' '.join(('foureyes call', name, *fields))}"


def _option(row: Explained, inner: tuple[Explained, ...]) -> Any:
    kind = _kind(row.schema)
    words = [f"{row.meaning}.", *_choices(row), f"Example: {_spelt_out(row.example)}."]
    if isinstance(kind, JsonWord):
        words.append("A text, JSON or @FILE." if kind.takes_text else "JSON or @FILE.")
    words += [f"{each.place.removeprefix(row.place)}: {each.meaning}{_choice_words(each)}." for each in inner]
    if row.needed:
        words.append("Needed.")
    return click.option(f"--{spelt(row.place)}", row.place, type=kind, default=None, help=" ".join(words))


def _inner(row: Explained, rows: tuple[Explained, ...]) -> Iterator[Explained]:
    """The rows of the fields inside a field."""
    return (one for one in rows if one.place.startswith((f"{row.place}.", f"{row.place}[].")))


def _choices(row: Explained) -> Iterator[str]:
    if row.allowed and not isinstance(_kind(row.schema), Word):
        yield f"One of: {', '.join(row.allowed)}."


def _choice_words(row: Explained) -> str:
    return f" ({', '.join(row.allowed)})" if row.allowed else ""


def _spelt_out(example: object) -> str:
    """An example value as it is typed, quoted for a shell if needed."""
    return shlex.quote(example if isinstance(example, str) else json.dumps(example, ensure_ascii=False))


def _kind(shape: Any) -> click.ParamType[Any]:
    """The click type of a field; null is not offered, because an optional field can be left out."""
    shapes = [one for one in shape.get("anyOf", ()) if one.get("type") != "null"]
    shape = next(iter(shapes), shape)
    if len(shapes) > 1:
        return JsonWord(takes_text=any(one.get("type") == "string" for one in shapes))
    if "enum" in shape:
        return Word(shape["enum"])
    match shape.get("type"):
        case "string":
            return click.STRING
        case "integer":
            return click.INT
        case "boolean":
            return Truth()
        case _:
            return JsonWord(takes_text="type" not in shape)


class Word(click.Choice[str]):
    """One of the words that help and completion show. Other spellings are sent too; the server decides on them."""

    def convert(self, value: Any, *_: object) -> str:
        """The word as it was typed."""
        return str(value)


class Truth(click.Choice[Any]):
    """`true` or `false`, as in JSON, and no other words."""

    def __init__(self) -> None:
        """Accept these two words."""
        super().__init__(("true", "false"))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The boolean that the word means."""
        return super().convert(value, param, ctx) == "true"


class JsonWord(click.ParamType[Any]):
    """A value that is JSON, or `@` and the name of a file with it; if the field takes a text, any other value is one.

    A value that begins like an object or a list is never taken for a text: a typing error in JSON must not change its
    meaning.
    """

    name = "json|@file"

    def __init__(self, *, takes_text: bool = False) -> None:
        """Accept only JSON, or texts too."""
        self.takes_text = takes_text
        if takes_text:
            self.name = "text|json|@file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The parsed value; null is refused."""
        text = str(value)
        try:
            text = _file(text[1:]) if text.startswith("@") else text
            found = read_json(text)
        except ValueError as error:
            if self.takes_text and not text.lstrip().startswith(("{", "[")):
                return text
            also = " A text that begins so is sent as a JSON string, in double quotes." if self.takes_text else ""
            self.fail(f"this is not JSON: {error}.{also}", param, ctx)
        return self.fail("leave it out instead.", param, ctx) if found is None else found


def read_json(text: str) -> Any:
    """Parse strict JSON (no duplicate field, no NaN); raises ValueError with the reason."""
    try:
        return STRICT.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _file(name: str) -> str:
    try:
        with click.open_file(name, encoding="utf-8") as opened:
            text: str = opened.read(FILE_BYTES_MAX + 1)
    except UnicodeDecodeError:
        raise Trouble(f"{name} is not UTF-8.", "Write it in UTF-8.", usage=True) from None
    except OSError as error:
        raise Trouble(f"{name} cannot be read: {error.strerror}.", "Name a file that is there.", usage=True) from None
    if len(text) > FILE_BYTES_MAX:
        raise Trouble(f"{name} has more than {FILE_BYTES_MAX} characters.", "Send less at a time.", usage=True)
    return text


def _body(name: str) -> dict[str, Any]:
    if not name:
        return {}
    try:
        found = read_json(_file(name))
    except ValueError as error:
        raise Trouble(f"What is in {name} is not JSON: {error}.", "Mend it and send it again.", usage=True) from None
    if not isinstance(found, dict):
        raise Trouble(f"What is in {name} is no JSON object.", "Write the fields as one object.", usage=True)
    return found


def _together(body: dict[str, Any], fields: dict[str, object]) -> dict[str, Any]:
    twice = next((field for field in fields if field in body), "")
    if twice:
        raise click.UsageError(f"--{spelt(twice)} is in the body too: say it once.")
    return {**body, **fields}


def _check_whole(data: Mapping[str, Any], needed: frozenset[str]) -> None:
    missing = sorted(spelt(field) for field in needed - data.keys())
    if missing:
        raise click.UsageError(f"Missing: --{', --'.join(missing)}.")


def _answer(name: str, heard: Heard) -> Answer:
    data = heard.data
    if heard.status == _SPOOLED:
        return Answer(code=codes.PENDING, lines=tuple(_lines(data)), data=data)
    if heard.status not in _GOOD:
        raise no_of(heard.status, data)
    is_no = data.get(JUDGES.get(name, "")) is False
    return Answer(code=codes.BLOCKED if is_no else codes.OK, lines=tuple(_lines(data)), data=data)


def no_of(status: int, data: Mapping[str, Any]) -> Exception:
    """The exception for an error answer of the server, so that it is reported like a local one."""
    code, sentence, step = (str(data.get(name, "")) for name in ("code", "title", "next_step"))
    if status == _NOBODY:
        return Trouble(sentence, "Ask a human for a token: foureyes agents add NAME", usage=True)
    if status == _TOO_MANY or status >= _OURS:
        return Unavailable(sentence, step, full=status == _NO_ROOM)
    if code in {one.value for one in Code}:
        return Refusal(Code(code), sentence, step)
    return Trouble(sentence, step, blocked=True)


def _lines(data: Mapping[str, Any]) -> Iterator[Line]:
    for name, one in data.items():
        if isinstance(one, str):
            yield Line(f"{name}: {marked(one)}")
            continue
        first, *rest = json.dumps(one, indent=2, ensure_ascii=False).split("\n")
        yield Line(f"{name}: {marked(first)}")
        yield from (Line(marked(line)) for line in rest)
