"""Parse a file as the format its name claims. Nothing is built from it, included or expanded."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from xml.parsers import expat

from foureyes.reviewers.critics.critic import Rule, State
from foureyes.reviewers.critics.format import rules
from foureyes.reviewers.critics.format.dockerfile import flaw_in_dockerfile
from foureyes.reviewers.critics.format.shell import DenseScript, flaw_in_shell
from foureyes.reviewers.critics.texts import shown

TEXT_MAX = 3_000_000
SOURCE_MAX = 1_000_000
FLOW_DEPTH_MAX = 500
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{\{|\{\{-")
_TEMPLATE_ENDS = (".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".erb", ".hbs", ".mustache", ".in", ".template")
#: JSON files whose readers allow comments; JSON errors in them mean nothing.
_LOOSE_JSON = re.compile(
    r"(?:^|/)(?:[tj]sconfig[\w.-]{0,80}\.json|devcontainer\.json|\.vscode/|\.eslintrc|\.babelrc|\.swcrc|api-extractor)"
    r"|\.(?:jsonc|json5|code-workspace)$"
)
_AT_LINE = re.compile(r"at line (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A defect of form, with its line."""

    rule: Rule
    line: int
    state: State = State.BLOCK
    text: str = ""


class Unparsed(Exception):  # noqa: N818 - it says why nothing can be said
    """The file was not parsed; the message says why."""


def flaws_in(text: str, path: str) -> list[Flaw]:
    """Return the flaws that keep a parser from reading the file; raise Unparsed if they cannot be determined."""
    if path.endswith(_TEMPLATE_ENDS):
        return []
    parser = parser_of(path, text)
    if parser is None:
        return []
    most = SOURCE_MAX if parser is _shell else TEXT_MAX
    if len(text) > most:
        raise Unparsed(f"longer than {most:,} characters: not parsed")
    try:
        flaws = list(parser(text))
    except (RecursionError, MemoryError):
        raise Unparsed("nested too deeply to be parsed") from None
    if flaws and parser is not _shell and _TEMPLATE.search(text):
        raise Unparsed("a template: only what is made from it can be parsed")
    return flaws


def parser_of(path: str, text: str) -> Callable[[str], Iterator[Flaw]] | None:
    """Return the parser for a file, by its name or its first line; None if there is none."""
    name = PurePosixPath(path).name.lower()
    if _LOOSE_JSON.search(path.lower()):
        return None
    if name.startswith(("dockerfile", "containerfile")) or name.endswith((".dockerfile", ".containerfile")):
        return _dockerfile
    known = _NAMES.get(name) or _SUFFIXES.get(PurePosixPath(name).suffix)
    if known is None and "." not in name and re.match(r"#!\s?\S{0,60}(?:/|\s)(?:ba|da|k)?sh\b", text):
        return _shell
    return known


def _json(text: str) -> Iterator[Flaw]:
    twice: list[str] = []

    def pairs(found: list[tuple[str, object]]) -> None:
        keys = Counter(key for key, _ in found)
        if len(keys) < len(found):
            twice.extend(key for key, count in keys.items() if count > 1)

    try:
        json.loads(text.removeprefix("\ufeff"), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        yield Flaw(rule=rules.JSON, line=error.lineno, text=f"This is not valid JSON: {error.msg}")
    except ValueError:
        said = "This JSON cannot be read: a number has too many digits"
        yield Flaw(rule=rules.JSON, line=1, state=State.UNKNOWN, text=said)
    for key in twice[:5]:
        line = text.count("\n", 0, text.rfind(json.dumps(key, ensure_ascii=False))) + 1
        said = f"The key {shown(key, 60)!r} stands twice in one object"
        yield Flaw(rule=rules.DUPLICATE, line=line, state=State.CLEAR, text=said)


def _json_lines(text: str) -> Iterator[Flaw]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            for flaw in _json(line):
                yield Flaw(rule=flaw.rule, line=number, state=flaw.state, text=flaw.text)
                return


def _yaml(text: str) -> Iterator[Flaw]:
    import yaml  # noqa: PLC0415 - works without YAML must not pay for it

    if text.count("[") + text.count("{") > FLOW_DEPTH_MAX and _flow_depth(text) > FLOW_DEPTH_MAX:
        raise Unparsed("nested too deeply to be parsed")
    try:
        # Events only: nothing is constructed and no alias is expanded.
        for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        yield Flaw(
            rule=rules.YAML, line=line, text=f"This is not valid YAML: {shown(error.problem or 'it does not parse')}"
        )
    except yaml.YAMLError:
        yield Flaw(rule=rules.YAML, line=1, text="This is not valid YAML: it holds characters that YAML does not allow")


def _flow_depth(text: str) -> int:
    """Return the depth of nested brackets, inside strings or not; the parser takes quadratic time in it."""
    depth = deepest = 0
    for match in re.finditer(r"[\[\]{}]", text):
        depth += 1 if match.group() in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _toml(text: str) -> Iterator[Flaw]:
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        yield Flaw(rule=rules.TOML, line=line, text=f"This is not valid TOML: {shown(str(error))}")


class _EntityError(Exception):
    pass


def _xml(text: str) -> Iterator[Flaw]:
    def refuse(*_: object) -> int:
        raise _EntityError

    parser = expat.ParserCreate("utf-8")
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 - expat names no keyword for "the end"
    except _EntityError:
        yield Flaw(rule=rules.ENTITIES, line=parser.CurrentLineNumber, state=State.UNKNOWN)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code) or "it does not parse"
        yield Flaw(rule=rules.XML, line=error.lineno, text=f"This is not valid XML: {said}")


def _csv(text: str, delimiter: str = "") -> Iterator[Flaw]:
    first = text.split("\n", 1)[0][:10_000]
    chosen = delimiter or max(",;\t|", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=chosen, strict=True)
    fields = 0
    try:
        for row in reader:
            fields = fields or len(row)
            if row and len(row) != fields:
                said = f"The row has {len(row)} fields and the first one {fields}"
                yield Flaw(rule=rules.RAGGED, line=reader.line_num, state=State.CLEAR, text=said)
                return
    except csv.Error as error:
        cut_off = "unexpected end" in str(error)
        state = State.BLOCK if cut_off else State.UNKNOWN
        yield Flaw(rule=rules.CSV, line=reader.line_num, state=state, text=f"This is not valid CSV: {error}")


def _tabbed(text: str) -> Iterator[Flaw]:
    return _csv(text, "\t")


def _shell(text: str) -> Iterator[Flaw]:
    try:
        flaw = flaw_in_shell(text)
    except DenseScript as dense:
        raise Unparsed(f"{dense}: not parsed") from None
    if flaw is not None:
        line, certain, said = flaw
        yield Flaw(rule=rules.SHELL, line=line, state=State.BLOCK if certain else State.UNKNOWN, text=said)


def _dockerfile(text: str) -> Iterator[Flaw]:
    flaw = flaw_in_dockerfile(text)
    if flaw is not None:
        yield Flaw(rule=rules.DOCKERFILE, line=flaw[0], text=f"This is not a valid Dockerfile: {flaw[1]}")


_SUFFIXES: dict[str, Callable[[str], Iterator[Flaw]]] = {
    **dict.fromkeys((".json", ".ipynb", ".geojson", ".webmanifest", ".har", ".sarif"), _json),
    **dict.fromkeys((".jsonl", ".ndjson"), _json_lines),
    **dict.fromkeys((".yaml", ".yml"), _yaml),
    ".toml": _toml,
    **dict.fromkeys((".xml", ".svg", ".xsd", ".xsl", ".plist", ".csproj", ".xhtml", ".rss", ".atom", ".xliff"), _xml),
    ".csv": _csv,
    ".tsv": _tabbed,
    **dict.fromkeys((".sh", ".bash"), _shell),
}
_NAMES: dict[str, Callable[[str], Iterator[Flaw]]] = {
    "cargo.lock": _toml,
    "poetry.lock": _toml,
    "uv.lock": _toml,
    "pipfile": _toml,
    "pipfile.lock": _json,
    "composer.lock": _json,
}
