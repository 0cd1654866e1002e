"""Judge database clients by their arguments and by the SQL or commands they are fed."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace

from foureyes.reviewers.critics.commands import sql
from foureyes.reviewers.critics.commands.model import HOLE, Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli, is_dry
from foureyes.reviewers.critics.critic import State

DATABASE = rule(
    "destructive.database",
    "A database or everything in it is deleted",
    "All data in it is gone, for everybody who uses it.",
    "Dump it first and restore the dump once; let a person drop it by hand.",
    "critical",
)
STORE = rule(
    "destructive.key-store",
    "A data store is emptied or reconfigured",
    "Everything it holds is gone, or the server works differently for everybody.",
    "Delete single keys by name, with an expiry; change settings in the reviewed configuration.",
    "critical",
)

#: Dialect, options with SQL, other short options with values, whether operands can be SQL.
_CLIENTS: dict[str, tuple[str, tuple[str, ...], str, bool]] = {
    "psql": ("postgres", ("c", "command"), "dfFhLopPRTUvcw".replace("w", ""), False),
    "cockroach": ("postgres", ("e", "execute"), "ep", False),
    "pgcli": ("postgres", ("c",), "dhpU", False),
    "usql": ("postgres", ("c", "command"), "cf", False),
    "mysql": ("mysql", ("e", "execute"), "DehPSu", False),
    "mariadb": ("mysql", ("e", "execute"), "DehPSu", False),
    "mycli": ("mysql", ("e", "execute"), "DehPSu", False),
    "mysqlsh": ("mysql", ("e", "execute"), "DehPSu", False),
    "sqlite3": ("sqlite", ("cmd",), "", True),
    "sqlite": ("sqlite", ("cmd",), "", True),
    "duckdb": ("duckdb", ("c", "s"), "cs", True),
    "sqlcmd": ("tsql", ("Q", "q"), "QqSUPdio", False),
    "osql": ("tsql", ("Q", "q"), "QqSUPdio", False),
    "bq": ("bigquery", (), "", True),
    "snowsql": ("snowflake", ("q", "query"), "qacdruswof", False),
    "snow": ("snowflake", ("q", "query"), "qc", False),
    "clickhouse-client": ("clickhouse", ("q", "query"), "qhudm", False),
    "clickhouse": ("clickhouse", ("q", "query"), "qhud", False),
    "cqlsh": ("postgres", ("e", "execute"), "eukpf", False),
    "trino": ("trino", ("execute",), "", False),
    "presto": ("presto", ("execute",), "", False),
    "hive": ("hive", ("e",), "efi", False),
    "beeline": ("hive", ("e",), "eunpf", False),
    "spark-sql": ("spark", ("e",), "ef", False),
    "impala-shell": ("hive", ("q", "query"), "qidf", False),
    "sqlplus": ("oracle", (), "", False),
    "isql": ("tsql", (), "", False),
    "turso": ("sqlite", (), "", True),
    "ysqlsh": ("postgres", ("c", "command"), "c", False),
    "influx": ("mysql", ("execute",), "", False),
    "db2": ("postgres", (), "", True),
    "vsql": ("postgres", ("c", "command"), "c", False),
    "cbq": ("mysql", ("s", "script"), "sueq", False),
    "ksql": ("mysql", ("e", "execute"), "ef", False),
    "nzsql": ("postgres", ("c",), "c", False),
}
TEXTS_MAX = 50
_META = re.compile(r"^\s*(?:\\|\.)[^\n]*$", re.MULTILINE)


def _client(call: Call, shape: tuple[str, tuple[str, ...], str, bool]) -> Iterator[Found]:
    dialect, names, takes, operands = shape
    opts = options(call.args, takes, names)
    texts = _values(call.args, names)
    if operands:
        texts += [word for word in opts.operands if " " in word or ";" in word]
    if call.stdin.fed and call.stdin.text:
        for line, found in sql.judge_sql(_META.sub("", call.stdin.text), dialect):
            yield replace(found, line=line)
    for text in texts[:TEXTS_MAX]:
        if text.strip().startswith(HOLE):
            yield Found(rule=DATABASE, state=State.UNKNOWN, text="Which SQL this runs is only known at run time.")
            continue
        yield from (found for _, found in sql.judge_sql(_META.sub("", text), dialect))
    if call.name in ("influx", "bq", "snow", "turso", "cockroach"):
        yield from cli(Cli(rule=DATABASE, takes=takes, spares=words("query")))(call) if not texts else ()


def _values(args: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    """Return every value of these options; clients accept them more than once."""
    found = []
    for at, word in enumerate(args):
        following = args[at + 1] if at + 1 < len(args) else ""
        for name in names:
            if word in (f"-{name}", f"--{name}"):
                found.append(following)
            elif word.startswith((f"--{name}=", f"-{name}=")):
                found.append(word.partition("=")[2])
            elif len(name) == 1 and re.match(rf"-[A-Za-z]*{name}", word) and not word.startswith("--"):
                found.append(word[word.index(name, 1) + 1 :] or following)
    return found


def _drops(call: Call) -> Iterator[Found]:
    opts = options(call.args, "hpUe")
    if opts.operands and not is_dry(call):
        yield Found(rule=DATABASE)


def _mysqladmin(call: Call) -> Iterator[Found]:
    words = set(options(call.args, "hPSuip").operands)
    if words & {"drop", "shutdown", "kill", "flush-privileges", "password", "reset-slave"} - {"flush-privileges"}:
        yield Found(rule=DATABASE)


def _restores(call: Call) -> Iterator[Found]:
    if (
        any(
            word in ("--clean", "-c", "--drop", "--noIndexRestore-drop", "--overwrite-tables", "--add-drop-database")
            for word in call.args
        )
        and "--list" not in call.args
    ):
        yield Found(rule=DATABASE, text="What is there is dropped before the restore.")


_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_MONGO = re.compile(
    r"\.(?:drop|dropDatabase|dropIndexes|dropUser|dropAllUsersFromDatabase|dropRole|dropAllRolesFromDatabase|shutdownServer|fsyncLock|stepDown)\s*\("
    r"|\.(?:deleteMany|remove|deleteOne_all|findAndRemove)\s*\(\s*(?:\{\s*\})?\s*[,)]|\.(?:updateMany)\s*\(\s*\{\s*\}\s*,"
    r"|\b(?:dropDatabase|shutdown)\s*:\s*(?:1|true)|\.drop_(?:database|collection)\s*\("
)


def _mongo(call: Call) -> Iterator[Found]:
    opts = options(call.args, "upf", ("eval", "host", "port", "username", "password", "file"))
    texts = [opts.value("eval") or "", (call.stdin.text or "") if call.stdin.fed else ""]
    for text in texts:
        bare = _STRINGS.sub('""', text)
        runs = re.search(r"(?:runCommand|adminCommand)\s*\(\s*\{", bare) is not None
        if _MONGO.search(bare) or (
            runs and re.search(r"[{,]\s*[\"']?(?:dropDatabase|drop|shutdown|dropAllUsersFromDatabase)[\"']?\s*:", text)
        ):
            yield Found(rule=DATABASE)
        elif text.strip().startswith(HOLE):
            yield Found(rule=DATABASE, state=State.UNKNOWN)


_REDIS = words("flushall flushdb shutdown swapdb slaveof replicaof failover")
_REDIS_PAIRS = frozenset(
    [
        "config set",
        "config rewrite",
        "config resetstat",
        "script flush",
        "function flush",
        "function delete",
        "acl deluser",
        "acl setuser",
        "cluster reset",
        "cluster flushslots",
        "cluster forget",
        "debug segfault",
        "debug sleep",
        "debug reload",
        "debug flushall",
        "module unload",
        "module load",
        "xgroup destroy",
        "client kill",
    ]
)


def _redis(call: Call) -> Iterator[Found]:
    opts = options(call.args, "hpsauntridDX", ("user", "pass", "cacert", "cert", "key", "pattern"), stop=True)
    lines = [" ".join(opts.operands)]
    if call.stdin.fed and call.stdin.text and not call.spread:
        lines += call.stdin.text.split("\n")[:200]
    for line in lines:
        words = line.lower().split()
        pair = " ".join(words[:2])
        scripted = words[:1] == ["eval"] and re.search(
            r"call\s*\(\s*['\"](?:flushall|flushdb|del|unlink)['\"]", line, re.IGNORECASE
        )
        if (
            (words[:1] and words[0] in _REDIS)
            or pair in _REDIS_PAIRS
            or scripted
            or (words[:1] in (["del"], ["unlink"]) and (call.spread or any("*" in word for word in words)))
        ):
            yield Found(rule=STORE)


def _memcached(call: Call) -> Iterator[Found]:
    text = (call.stdin.text or "") if call.stdin.fed else ""
    if "flush_all" in text.split() or "flush_all" in call.args or call.name == "memflush":
        yield Found(rule=STORE)


def _cypher(call: Call) -> Iterator[Found]:
    texts = [*call.args, call.stdin.text or ""]
    for text in texts:
        words = _STRINGS.sub("", text).upper().split()
        if ("DELETE" in words and "WHERE" not in words and not re.search(r"\{[^}]+:", text)) or words[:2] == [
            "DROP",
            "DATABASE",
        ]:
            yield Found(rule=DATABASE)


def _hadoop(call: Call) -> Iterator[Found]:
    """Judge `hdfs dfs -rm -r` and similar: the verbs of the file system, each with a dash."""
    deeds = [word for word in call.args if word.startswith("-")]
    if ("-rm" in deeds and {"-r", "-R", "-skipTrash"} & set(deeds)) or {
        "-rmr",
        "-expunge",
        "-deleteSnapshot",
        "-format",
    } & set(deeds):
        yield Found(rule=DATABASE, text="Data of the cluster's file system is deleted.")


def _archiver(call: Call) -> Iterator[Found]:
    if "--purge" in call.args and not is_dry(call):
        yield Found(rule=DATABASE, text="Rows are deleted and kept nowhere.")


_OTHER = Cli(
    rule=DATABASE,
    takes="hpnu",
    ends=words("decommission removenode assassinate cleanup dropall clearsnapshot"),
)

FAMILY = Family(
    rules=(*sql.RULES, DATABASE, STORE),
    tools={
        **{name: functools.partial(_client, shape=shape) for name, shape in _CLIENTS.items()},
        **each("dropdb dropuser mysql_drop pg_dropcluster pg_resetwal pg_resetxlog", _drops),
        **each("hdfs hadoop", _hadoop),
        "pt-archiver": _archiver,
        **each("mysqladmin mariadb-admin", _mysqladmin),
        **each("pg_restore mongorestore myloader", _restores),
        **each("mongosh mongo", _mongo),
        **each("redis-cli valkey-cli keydb-cli dragonfly-cli", _redis),
        "memcached-tool": _memcached,
        "memflush": _memcached,
        "cypher-shell": _cypher,
        **each(
            "nodetool arangosh couchdb ravendb couchbase-cli surreal neo4j-admin pg_ctlcluster "
            "patronictl repmgr rethinkdb edgedb dgraph ydb tiup curator curator_cli es2csv "
            "elasticdump",
            cli(_OTHER),
        ),
    },
)
