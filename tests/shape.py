"""The house rules for source files: each rule lists the lines that break it.

Each rule takes a parsed file and yields its offences as sentences, so that the rules can be tested like any other code.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
POSITIONAL_PARAMETERS_MAX = 5

CORE_MAY_IMPORT = frozenset(
    {
        "__future__",
        "collections",
        "dataclasses",
        "datetime",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "itertools",
        "math",
        "re",
        "typing",
        "unicodedata",
    }
)
FORBIDDEN_IN_CORE = frozenset(
    {
        "__import__",
        "asyncio",
        "breakpoint",
        "compile",
        "environ",
        "eval",
        "exec",
        "getenv",
        "hash",
        "importlib",
        "input",
        "logging",
        "open",
        "os",
        "print",
        "random",
        "sys",
        "time",
        "urandom",
        "uuid",
        "uuid4",
    }
)
CLOCK_METHODS = frozenset({"now", "today", "utcnow"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One Python file, read and parsed."""

    path: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.path, self.text)

    def at(self, node: ast.stmt | ast.expr) -> str:
        return f"{self.path}:{node.lineno}"


@lru_cache(maxsize=1)
def _parsed(path: str, text: str) -> ast.Module:
    """Parse a file; only the last tree is cached, because all rules read one file before the next one."""
    return ast.parse(text, filename=path)


def sources(*folders: str) -> list[Source]:
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return [Source(path=str(path.relative_to(ROOT)), text=path.read_text(encoding="utf-8")) for path in paths]


def long_file(source: Source) -> Iterator[str]:
    lines = source.text.count("\n")
    if lines > FILE_LINES_MAX:
        yield f"{source.path} has {lines} lines, more than {FILE_LINES_MAX}"


def long_functions(source: Source) -> Iterator[str]:
    for function in _functions(source):
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > FUNCTION_LINES_MAX:
            yield f"{source.at(function)} {function.name} has {lines} lines, more than {FUNCTION_LINES_MAX}"


def many_positional_parameters(source: Source) -> Iterator[str]:
    for function in _functions(source):
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        count = len(names) - (names[:1] in (["self"], ["cls"]))
        if count > POSITIONAL_PARAMETERS_MAX:
            yield f"{source.at(function)} {function.name} has {count} positional parameters"


def missing_docstring(source: Source) -> Iterator[str]:
    if not ast.get_docstring(source.tree):
        yield f"{source.path} does not say what it is for"


def questions(source: Source) -> Iterator[str]:
    """Docstrings whose first line asks instead of stating."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if first.endswith("?") or "? " in first:
                yield f"{source.path}: {getattr(node, 'name', 'the module')} has a question as its docstring"


def foreign_imports(source: Source) -> Iterator[str]:
    """Find what the core may not import: anything but itself and the value modules of the standard library."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case ast.ImportFrom():
                modules = ["a relative path"]
            case _:
                continue
        for module in modules:
            if not (module.split(".")[0] in CORE_MAY_IMPORT or f"{module}.".startswith("foureyes.core.")):
                yield f"{source.at(node)} imports {module}"


def impure_names(source: Source) -> Iterator[str]:
    """Find clocks, randomness, input and output. `now` as an argument is how time comes in; `x.now()` is a clock."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in FORBIDDEN_IN_CORE:
                yield f"{source.at(node)} uses {name}"
            case ast.Call(func=ast.Attribute(attr=name) as called) if name in CLOCK_METHODS:
                yield f"{source.at(called)} reads the clock with {ast.unparse(called)}"
            case ast.Attribute(attr=name, value=value) if name in CLOCK_METHODS and _is_calendar(value):
                yield f"{source.at(node)} names the clock {ast.unparse(node)}"
            case ast.Attribute(attr="uuid4" | "getenv" | "urandom" as name):
                yield f"{source.at(node)} uses {name}"


def coverage_pragmas(source: Source) -> Iterator[str]:
    for number, line in enumerate(source.text.splitlines(), start=1):
        if "pragma: no cover" in line or "pragma: no branch" in line:
            yield f"{source.path}:{number} hides from coverage"


def _functions(source: Source) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _is_calendar(value: ast.expr) -> bool:
    return ast.unparse(value).split(".")[-1] in {"date", "datetime"}
