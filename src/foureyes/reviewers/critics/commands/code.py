"""Extract the commands that Python, Perl, Ruby, JavaScript, PHP, Lua or awk code starts with literal arguments."""

from __future__ import annotations

import ast
import base64
import binascii
import re
import warnings
from collections.abc import Iterator, Sequence

from foureyes.reviewers.critics.commands.model import HOLE, words
from foureyes.reviewers.critics.commands.wrappers.inner import Inner

CODE_CHARS_MAX = 65_536
FOUND_MAX = 200

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
    r"""|(?P<quoted>(?:%x|qx|%w|qw|q|qq|%q|%Q)(?:\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|/[^/]*/))"""
    r"""|(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[!?]?)"""
    r"""|(?P<mark>[()\[\]{},;|]|=>)""",
    re.DOTALL,
)
_STARTS = words(
    "system exec execsync execfile execfilesync spawn spawnsync popen shell_exec passthru proc_open pcntl_exec "
    "execute open2 open3 command run backtick do-shell-script term shell-command async-shell-command expect cmd "
    "os.cmd $"
)
_DELETES = words(
    "unlink unlinksync rmsync rmdirsync rmtree remove_tree rm_rf rm_r rm remove removesync emptydirsync rmdir "
    "delete rimraf deletetree deltree remove_dir_all rmdir_r unlink! rm_rf! delete_recursive"
)
_WRITES = words("writefilesync writefile appendfilesync file_put_contents")
_GLOBS = words("glob globsync")
_KNOWN = _STARTS | _DELETES | _WRITES | _GLOBS | {"write"}
#: Calls that delete what a search in the same piece of code found.
_SWEEPS = re.compile(r"\b(?:unlink|unlinkSync|rmSync|File\.delete|rm_rf)\b")
#: Languages that write a command as bare words or after their own keywords.
_PLAIN_CALLS = {
    "applescript": re.compile(r"do (?:shell )?script\s+\"((?:[^\"\\]|\\.)*)\""),
    "tcl": re.compile(r"(?:^|[;\n\[{])[ \t]*exec\s+([^;\n\]}]{1,500})"),
}
#: Plain-word orders of AppleScript, and the command that does the same.
_SAID = (
    ("empty trash", ("trash-empty", "-rf", "~/.Trash")),
    ("empty the trash", ("trash-empty", "-rf", "~/.Trash")),
    ("to shut down", ("shutdown", "now")),
    ("to restart", ("reboot",)),
)


def commands(language: str, text: str) -> list[Inner]:
    """Return the commands the code starts; a deletion is returned as the equivalent `rm`."""
    text = text[:CODE_CHARS_MAX]
    if language == "python":
        return list(_python(text, 0))[:FOUND_MAX]
    if language in _PLAIN_CALLS:
        met = _PLAIN_CALLS[language].findall(text)[:FOUND_MAX]
        said = [Inner(argv=argv) for words, argv in _SAID if language == "applescript" and words in text]
        return [*said, *(Inner(script=re.sub(r"\\(.)", r"\1", one)) for one in met)]
    return list(_tokens(language, text))[:FOUND_MAX]


def _python(text: str, depth: int) -> Iterator[Inner]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        yield from _tokens("python", text)
        return
    yield from python_tree(tree, depth)


def python_tree(tree: ast.AST, depth: int = 0) -> Iterator[Inner]:
    """Yield the commands of a parsed piece of Python."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from python_call(node, depth)
        elif isinstance(node, ast.For):
            yield from _swept(node.target, node.iter, node.body)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            yield from _swept(node.generators[0].target, node.generators[0].iter, [node.elt])


def _swept(target: ast.expr, source: ast.expr, body: Sequence[ast.AST]) -> Iterator[Inner]:
    """Read a loop such as `for p in Path("…").rglob("*"): p.unlink()` as a deletion of everything below that path."""
    if not isinstance(source, ast.Call) or not isinstance(target, ast.Name):
        return
    name = ast.unparse(source.func)
    if (
        isinstance(source.func, ast.Attribute)
        and name.endswith((".rglob", ".iterdir", ".glob"))
        and name != "glob.glob"
    ):
        start = literal(source.func.value)
        where = f"{start}/{literal(source.args[0])}" if source.args else f"{start}/*"
    elif name in ("glob.glob", "glob.iglob", "glob", "os.listdir", "os.scandir") and source.args:
        where = literal(source.args[0]) + ("/*" if name.startswith("os.") else "")
    else:
        return
    for one in (inner for line in body for inner in ast.walk(line)):
        deletes = isinstance(one, ast.Call) and ast.unparse(one.func).rpartition(".")[2] in (
            "unlink",
            "remove",
            "rmtree",
        )
        if deletes and target.id in {name.id for name in ast.walk(one) if isinstance(name, ast.Name)}:
            yield Inner(argv=("rm", "-rf", where))
            return


def python_call(node: ast.Call, depth: int = 0) -> Iterator[Inner]:
    """Yield the commands that one call starts."""
    name = ast.unparse(node.func) if isinstance(node.func, ast.Attribute | ast.Name) else ""
    name = re.sub(r"__import__\(['\"](\w+)['\"]\)", r"\1", name)
    last = name.rpartition(".")[2]
    first = node.args[0] if node.args else None
    if first is None:
        yield from _path_call(node, last)
        return
    module = name.partition(".")[0]
    if (module in ("os", "subprocess", "commands", "pty", "asyncio", "sp", "sh") or name == last) and (
        last in ("system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell")
    ):
        yield Inner(script=literal(first))
    elif module in ("subprocess", "sp", "asyncio") and last in (
        "run",
        "call",
        "check_call",
        "check_output",
        "Popen",
        "create_subprocess_exec",
    ):
        yield _subprocess(first, node)
    elif module in ("os", "pty") and (last.startswith(("exec", "spawn", "posix_spawn"))):
        yield Inner(argv=_exec_words(last, node))
    elif name == "open" and len(node.args) > 1 and set(literal(node.args[1])) & set("wax+"):
        yield Inner(argv=("tee", literal(first)))
    elif last == "rmtree":
        yield Inner(argv=("rm", "-rf", literal(first)))
    elif module == "os" and last in ("remove", "unlink", "removedirs", "rmdir"):
        yield Inner(argv=("rm", "-f", literal(first)))
    elif name in ("exec", "eval", "__import__") and depth < 4:  # noqa: PLR2004 - code in code in code is enough
        yield from _python(_decoded(first), depth + 1)


def _path_call(node: ast.Call, last: str) -> Iterator[Inner]:
    """Read `Path("…").unlink()` and `Path("…").rmdir()` as deletions."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if last in ("unlink", "rmdir") and isinstance(owner, ast.Call) and ast.unparse(owner.func).endswith("Path"):
        yield Inner(argv=("rm", "-f", literal(owner)))


def _exec_words(last: str, node: ast.Call) -> tuple[str, ...]:
    words = [literal(one) for one in node.args]
    if last.startswith("spawn") and len(words) > 1 and last != "spawn":
        words = words[1:]
    argv = node.args[1] if len(node.args) > 1 else None
    if "v" in last.removeprefix("exec").removeprefix("spawn") and isinstance(argv, ast.List | ast.Tuple):
        return tuple(literal(one) for one in argv.elts) or (words[0],)
    first = node.args[0]
    if isinstance(first, ast.List | ast.Tuple):
        return tuple(literal(one) for one in first.elts)
    return (words[0], *words[2:]) if last.startswith("exec") else (words[0],)


def _subprocess(first: ast.expr, node: ast.Call) -> Inner:
    if isinstance(first, ast.List | ast.Tuple):
        return Inner(argv=tuple(literal(one) for one in first.elts) or ("true",))
    if isinstance(first, ast.Name | ast.Attribute | ast.Subscript | ast.Starred):
        return Inner(argv=("true",))
    shell = any(
        word.arg == "shell" and not (isinstance(word.value, ast.Constant) and not word.value.value)
        for word in node.keywords
    )
    text = literal(first)
    return Inner(script=text) if shell else Inner(argv=tuple(text.split()) or ("true",))


def literal(node: ast.expr) -> str:  # noqa: PLR0911 - one line per kind of expression
    """Return the text of an expression, with a HOLE for each part that is not a literal."""
    match node:
        case ast.Constant(value=str(value)):
            return value.replace(HOLE, "")
        case ast.JoinedStr(values=values):
            return "".join(literal(one) for one in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return literal(left) + literal(right)
        case ast.Call(func=ast.Attribute(attr="expanduser"), args=[inner, *_]):
            return literal(inner)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(joint)), attr="join"), args=[ast.List(elts=parts)]
        ):
            return joint.join(literal(one) for one in parts)
        case ast.Call(func=ast.Attribute(attr="join"), args=[_, *_] as parts):
            return "/".join(literal(one) for one in parts)
        case ast.Call(func=ast.Name(id="chr"), args=[ast.Constant(value=int(code))]) if 0 < code < 0x110000:  # noqa: PLR2004
            return chr(code)
        case ast.Call(func=ast.Name(id="Path" | "str") | ast.Attribute(attr="Path"), args=[inner]):
            return literal(inner)
    return _decoded(node, otherwise=HOLE)


def _decoded(node: ast.expr, otherwise: str = "") -> str:
    """Return the text inside `b64decode(…)`, `bytes.fromhex(…)` and similar calls."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    inside = next(
        (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str | bytes)),
        None,
    )
    names = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)} | {
        one.id for one in ast.walk(node) if isinstance(one, ast.Name)
    }
    if inside is None:
        return otherwise
    try:
        if "b64decode" in names:
            return base64.b64decode(inside).decode("utf-8", "replace")
        if names & {"fromhex", "unhexlify", "a2b_hex"}:
            return bytes.fromhex(inside if isinstance(inside, str) else inside.decode()).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return otherwise
    return otherwise


def _tokens(language: str, text: str) -> Iterator[Inner]:
    """Find calls with literal arguments in any language that writes them as `name(…)` or `name …`."""
    met = list(_TOKEN.finditer(text))[:5000]
    shells = "child_process" in text
    for at, token in enumerate(met):
        string = token.group("string") or ""
        if shells and " " in string:
            # The functions of the module may be imported under any name, so every text of several words counts as a
            # command.
            yield Inner(script=_unquoted(token))
        if (string.startswith("`") and language in ("perl", "ruby", "php")) or (token.group("quoted") or "").startswith(
            ("%x", "qx")
        ):
            yield Inner(script=_unquoted(token))
        if language in ("awk", "perl", "ruby") and string and _is_piped(met, at):
            yield Inner(script=_unquoted(token).strip("| "))
        if token.group("name"):
            yield from _named(met, at, language, text)


def _named(met: list[re.Match[str]], at: int, language: str, text: str) -> Iterator[Inner]:
    """Yield what the call of one name starts, deletes or writes."""
    name = met[at].group("name").lower()
    last = re.split(r"\.|::|->", name)[-1]
    if last not in _KNOWN:
        return
    words = _arguments(met, at + 1)
    if not words:
        return
    if last in _STARTS:
        yield Inner(script=words[0]) if len(words) == 1 or " " in words[0] else Inner(argv=tuple(words))
    elif last in _GLOBS and _SWEEPS.search(text):
        yield Inner(argv=("rm", "-rf", words[0]))
    elif last in _WRITES or name in ("file.write", "io.write"):
        yield Inner(argv=("tee", words[0]))
    elif last in _DELETES and language != "awk" and name != "delete":
        deep = "recursive" in text or last.startswith(
            ("rmtree", "remove_tree", "rm_r", "rimraf", "emptydir", "deltree")
        )
        yield Inner(argv=("rm", "-rf" if deep else "-f", *words))


def _is_piped(met: list[re.Match[str]], at: int) -> bool:
    before = met[at - 1].group("mark") if at else None
    after = met[at + 1].group("mark") if at + 1 < len(met) else None
    return before == "|" or (after == "|" and at + 2 < len(met) and met[at + 2].group("name") == "getline")


def _arguments(met: list[re.Match[str]], at: int) -> list[str]:
    """Return the literal arguments that follow a name, up to the end of the call."""
    words: list[str] = []
    depth = 0
    for token in met[at : at + 40]:
        mark = token.group("mark")
        if token.group("string"):
            words.append(_unquoted(token))
        elif token.group("quoted"):
            words.extend(_unquoted(token).split())
        elif mark in ("(", "[", "{"):
            depth += 1
        elif mark in (")", "]", "}"):
            depth -= 1
            if depth <= 0 and mark == ")":
                break
        elif mark == ";" or (token.group("name") and depth == 0 and token.group("name") != "glob"):
            break
        elif token.group("name") and not words:
            words.append(HOLE)
        elif mark == "{" and words:
            break
    return [word for word in words if word] if set(words) != {HOLE} else []


def _unquoted(token: re.Match[str]) -> str:
    text = token.group(0)
    inner = re.sub(r"^(?:%x|qx|%w|qw|qq|q|%q|%Q)", "", text) if token.group("quoted") else text
    return re.sub(r"\\(.)", r"\1", inner[1:-1])
