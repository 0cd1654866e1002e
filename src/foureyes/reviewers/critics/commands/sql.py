"""Find SQL statements that delete data, change what others rely on, or run programs outside the database."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.commands.model import HOLE, Found, rule, words
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.texts import Lines

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

DROP = rule(
    "destructive.sql-drop",
    "A table, schema or database is dropped",
    "Its rows are gone with it, and everything that reads it fails.",
    "Rename it first and drop it a release later, after a backup (`pg_dump`) that was restored once.",
    "critical",
)
EMPTY = rule(
    "destructive.sql-empty",
    "All rows of a table are deleted or changed",
    "Without a condition every row is hit; there is no undo after the commit.",
    "Add a WHERE that names the rows, count them with SELECT first, and run it in a transaction.",
    "critical",
)
COLUMN = rule(
    "destructive.sql-alter",
    "A column or partition is dropped",
    "Its values are gone, and older versions of the program that still read it fail.",
    "Stop using the column first, keep it for a release, and back it up before it goes.",
)
RIGHTS = rule(
    "privilege.sql",
    "Somebody is given rights over the whole database",
    "Superusers, ALL and PUBLIC can read and delete everything.",
    "Grant the one right on the one table that is needed.",
    "critical",
)
LEAVES = rule(
    "privilege.sql-shell",
    "The database runs a program or reads and writes files of its machine",
    "Whoever can run this owns the machine the database runs on.",
    "Export through the client (`\\copy`), and keep these functions switched off.",
    "critical",
)
STOPS = rule(
    "destructive.sql-server",
    "The database server or its users are stopped or removed",
    "Everybody who uses it is cut off.",
    "Let an administrator do it in a maintenance window.",
)
UNREAD_SQL = rule(
    "unknown.sql",
    "SQL that could not be read",
    "It begins like a statement that deletes, but is not a statement any dialect we know can read.",
    "Write it in plain SQL, or let a person look at it.",
)
RULES = (DROP, EMPTY, COLUMN, RIGHTS, LEAVES, STOPS, UNREAD_SQL)

SQL_CHARS_MAX = 1024 * 1024
STATEMENT_TOKENS_MAX = 5_000
DEPTH_MAX = 4
_COMMAND_TOKENS = 2
#: A text without any of these is not tokenized; the decision itself is made on the syntax tree.
_WORTH = re.compile(
    r"(?i)superuser|sysadmin|createrole|drop|truncate|delete|update|alter|grant|program|outfile|dumpfile|load_file|xp_|sp_|sys_|lo_|pg_|shutdown|kill|exec|purge|reset|detach|replace"
)
_DROPPED = words(
    "TABLE DATABASE SCHEMA KEYSPACE USER ROLE TABLESPACE CATALOG OWNED COLLECTION MEASUREMENT WAREHOUSE STAGE "
    "STREAM SHARE"
)
#: Columns may have these types; DROP … CASCADE deletes those columns too.
_HOLDS = words("TYPE DOMAIN EXTENSION SEQUENCE")
_FUNCTIONS = words(
    "load_file lo_import lo_export pg_read_file pg_read_binary_file pg_ls_dir xp_cmdshell sys_exec sys_eval "
    "sp_oacreate dbms_scheduler utl_file pg_terminate_backend load_extension system writefile"
)


def judge_sql(text: str, dialect: str = "postgres", depth: int = 0) -> Iterator[tuple[int, Found]]:
    """Yield each finding with its line, counted from 1."""
    if depth > DEPTH_MAX or not _WORTH.search(text):
        return
    if len(text) > SQL_CHARS_MAX:
        yield 1, Found(rule=UNREAD_SQL, state=State.UNKNOWN, text="The SQL is longer than is read.")
        return
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    # After some comments the tokens' own line number is wrong; their offset in the text is right.
    lines = Lines(text)
    for tokens in _statements(text, dialect):
        for found in _statement(tokens, text, dialect, depth):
            yield lines.at(tokens[0].start), found


def _statements(text: str, dialect: str) -> Iterator[list[Token]]:
    import sqlglot  # noqa: PLC0415 - only where there is SQL to read
    from sqlglot.errors import SqlglotError  # noqa: PLC0415
    from sqlglot.tokenizer_core import TokenType  # noqa: PLC0415

    shape = text.replace(HOLE, "_")
    try:
        tokens = sqlglot.tokenize(shape, read=dialect)
    except SqlglotError:
        try:
            tokens = sqlglot.tokenize(
                shape.replace("'", " ").replace('"', " ").replace("`", " ").replace("$", " "), read=dialect
            )
        except SqlglotError:
            return
    statement: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON or (
            token.text.upper() == "GO" and statement and token.line > statement[-1].line
        ):
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _statement(tokens: list[Token], text: str, dialect: str, depth: int) -> Iterator[Found]:
    words = [token.text.upper() for token in tokens[:STATEMENT_TOKENS_MAX]]
    if len(tokens) == _COMMAND_TOKENS and " " in words[1]:
        # For some statements, sqlglot returns the first word and the rest of the line as one text.
        words = [words[0], *re.findall(r"\w+", words[1])]
    if (
        words[0] in ("SELECT", "INSERT", "VALUES", "SET", "SHOW", "DESCRIBE", "USE", "BEGIN", "COMMIT", "COMMENT")
        and not set(words) & _INSIDE
    ):
        return
    if words[0] in ("EXPLAIN", "DESC", "DESCRIBE") and "ANALYZE" not in words[:3]:
        return
    found = list(_by_words(words, tokens, dialect, depth))
    if found:
        yield from found
        return
    source = text[tokens[0].start : tokens[-1].end + 1].replace(HOLE, "_")
    tree = _parsed(source, dialect)
    if tree is not None:
        yield from _tree(tree, calls=words[0] not in ("REVOKE", "GRANT", "CREATE", "ALTER", "DROP", "COMMENT"))
    elif words[0] in ("DELETE", "UPDATE") and "WHERE" not in words:
        yield Found(rule=EMPTY)
    elif words[0] in ("DELETE", "UPDATE"):
        yield Found(rule=UNREAD_SQL, state=State.UNKNOWN)


_INSIDE = words("DELETE UPDATE DROP TRUNCATE OUTFILE DUMPFILE") | {name.upper() for name in _FUNCTIONS}


def _parsed(source: str, dialect: str) -> exp.Expr | None:
    import sqlglot  # noqa: PLC0415
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        tree = sqlglot.parse_one(source, read=dialect)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError):
        # The text may be hostile; whatever error it causes in the library, the statement counts as unreadable.
        return None
    return None if isinstance(tree, exp.Command) else tree


def _by_words(words: list[str], tokens: list[Token], dialect: str, depth: int) -> Iterator[Found]:
    """Judge statements that the parser has no tree for in any dialect, by their leading words."""
    head = words[0]
    if head in ("DO", "EXECUTE", "EXEC", "PREPARE") or head == "CALL":
        yield from _executed(words, tokens, dialect, depth)
    if (head == "COPY" and "PROGRAM" in words) or "OUTFILE" in words or "DUMPFILE" in words:
        yield Found(rule=LEAVES)
    elif (
        head in ("ALTER", "CREATE")
        and words[1:2]
        and words[1] in ("USER", "ROLE", "LOGIN")
        and set(words) & {"SUPERUSER", "CREATEROLE", "SYSADMIN", "BYPASSRLS"}
    ) or (head == "GRANT" and _grants_all(words)):
        yield Found(rule=RIGHTS)
    elif (
        head in ("SHUTDOWN", "KILL")
        or (head == "RESET" and words[1:2] in (["MASTER"], ["SLAVE"]))
        or (head == "PURGE" and words[1:2] in (["BINARY"], ["MASTER"]))
    ):
        yield Found(rule=STOPS)
    elif head == "DROP" and len(words) > 1 and _dropped_kind(words):
        yield Found(rule=DROP)
    elif head == "DROP" and words[1:2] and words[1] in _HOLDS and "CASCADE" in words:
        yield Found(rule=DROP, text="CASCADE takes along every column and table that uses it.")
    elif head == "TRUNCATE" or (head == "DETACH" and "PERMANENTLY" in words):
        yield Found(rule=EMPTY, text="TRUNCATE removes every row at once; most databases cannot undo it.")
    elif head == "ALTER" and "DROP" in words and set(words) & {"PARTITION", "PARTITIONS"}:
        yield Found(rule=COLUMN)
    elif head == "ALTER" and words[1:2] == ["SYSTEM"]:
        yield Found(rule=STOPS, text="A setting of the whole server is changed.")


def _dropped_kind(words: list[str]) -> bool:
    kind = next(
        (word for word in words[1:4] if word not in ("OR", "REPLACE", "EXTERNAL", "FOREIGN", "VIRTUAL", "GLOBAL")), ""
    )
    return kind in _DROPPED


def _grants_all(words: list[str]) -> bool:
    if "ON" not in words:
        return bool({"SUPER", "SUPERUSER", "DBA", "SYSADMIN", "RDS_SUPERUSER"} & set(words)) or words[1:2] == ["ALL"]
    before = words[: words.index("ON")]
    target = words[words.index("TO") + 1 :] if "TO" in words else []
    return "ALL" in before or target[:1] == ["PUBLIC"] or {"SUPER", "FILE"} & set(before) != set()


def _executed(words: list[str], tokens: list[Token], dialect: str, depth: int) -> Iterator[Found]:
    if {"XP_CMDSHELL", "SP_OACREATE", "XP_REGWRITE", "XP_DIRTREE"} & set(words):
        yield Found(rule=LEAVES)
    from sqlglot.tokenizer_core import TokenType  # noqa: PLC0415

    strings = {TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING}
    for token in tokens:
        if token.token_type in strings:
            inside = re.sub(r"\$\w*\$|^\s*'|'\s*$", ";", token.text)
            inside = re.sub(r"(?i)\bbegin\b|\bend\b|\bdeclare\b|\bthen\b|\bloop\b", ";", inside)
            yield from (found for _, found in judge_sql(inside, dialect, depth + 1))


def _tree(tree: exp.Expr, *, calls: bool) -> Iterator[Found]:
    from sqlglot import exp  # noqa: PLC0415

    for node in tree.find_all(exp.Drop, exp.Delete, exp.Update, exp.TruncateTable, exp.Alter, exp.Anonymous, exp.Func):
        if isinstance(node, exp.Alter):
            yield from _alter(node)
        elif isinstance(node, exp.Drop):
            kind = str(node.args.get("kind") or "").upper()
            if kind in _DROPPED and not node.args.get("temporary") and not isinstance(node.parent, exp.Alter):
                yield Found(rule=DROP)
        elif isinstance(node, exp.TruncateTable):
            yield Found(rule=EMPTY)
        elif isinstance(node, exp.Delete | exp.Update):
            yield from _rows(node)
        elif calls and isinstance(node, exp.Anonymous) and str(node.this).lower() in _FUNCTIONS:
            yield Found(rule=LEAVES if str(node.this).lower() != "pg_terminate_backend" else STOPS)


def _alter(node: exp.Expr) -> Iterator[Found]:
    from sqlglot import exp  # noqa: PLC0415

    for action in node.args.get("actions") or []:
        if (isinstance(action, exp.Drop) and str(action.args.get("kind") or "COLUMN").upper() == "COLUMN") or type(
            action
        ).__name__ == "DropPartition":
            yield Found(rule=COLUMN)


def _rows(node: exp.Expr) -> Iterator[Found]:
    where = node.args.get("where")
    limited = (
        node.args.get("limit") is not None or node.args.get("using") or node.args.get("from_") or node.args.get("from")
    )
    if where is None and not limited:
        yield Found(rule=EMPTY)
    elif where is not None and _always(where.this):
        yield Found(rule=EMPTY, text="The condition is true for every row.")


def _always(condition: exp.Expr) -> bool:  # noqa: PLR0911 - one line per form
    from sqlglot import exp  # noqa: PLC0415

    if isinstance(condition, exp.Paren):
        return _always(condition.this)
    if isinstance(condition, exp.Boolean):
        return bool(condition.this)
    if isinstance(condition, exp.Literal):
        return condition.this not in ("0", "", "false")
    if isinstance(condition, exp.Or):
        return _always(condition.left) or _always(condition.right)
    if isinstance(condition, exp.And):
        return _always(condition.left) and _always(condition.right)
    if isinstance(condition, exp.EQ | exp.GTE | exp.LTE):
        return bool(condition.left == condition.right)
    if (
        isinstance(condition, exp.NEQ)
        and isinstance(condition.left, exp.Literal)
        and isinstance(condition.right, exp.Literal)
    ):
        return bool(condition.left != condition.right)
    if isinstance(condition, exp.Like) and isinstance(condition.expression, exp.Literal):
        return bool(condition.expression.this == "%")
    return False
