"""SQL is judged by what it does to rows, rights and the machine."""

import pytest

from foureyes.reviewers.critics.commands import CRITIC
from foureyes.reviewers.critics.commands.sql import judge_sql
from foureyes.reviewers.critics.critic import State
from tests.critics.works import look

BLOCKED = {
    "DROP TABLE users": "sql-drop",
    "drop /* x */ table if exists a.b cascade": "sql-drop",
    "DROP DATABASE prod": "sql-drop",
    "DROP SCHEMA public CASCADE": "sql-drop",
    "TRUNCATE TABLE a, b": "sql-empty",
    "DELETE FROM a": "sql-empty",
    "DELETE FROM a WHERE true": "sql-empty",
    "DELETE FROM a WHERE (1 = 1 OR id = 2)": "sql-empty",
    "DELETE FROM a WHERE id = id": "sql-empty",
    "DELETE FROM a WHERE name LIKE '%'": "sql-empty",
    "WITH x AS (DELETE FROM a RETURNING *) SELECT * FROM x": "sql-empty",
    "UPDATE a SET b = 1": "sql-empty",
    "UPDATE a SET b = 1 WHERE 'x' = 'x'": "sql-empty",
    "ALTER TABLE a DROP COLUMN b": "sql-alter",
    "ALTER TABLE a ADD COLUMN c int, DROP COLUMN b": "sql-alter",
    "ALTER TABLE a DROP PARTITION p1": "sql-alter",
    "GRANT ALL PRIVILEGES ON *.* TO 'a'@'%'": "privilege.sql",
    "GRANT SELECT ON a TO PUBLIC": "privilege.sql",
    "ALTER ROLE a WITH SUPERUSER": "privilege.sql",
    "CREATE USER a SUPERUSER": "privilege.sql",
    "COPY a FROM PROGRAM 'id'": "sql-shell",
    "EXEC xp_cmdshell 'dir'": "sql-shell",
    "SELECT LOAD_FILE('/etc/passwd')": "sql-shell",
    "SELECT a INTO OUTFILE '/tmp/x' FROM b": "sql-shell",
    "SELECT pg_read_file('/etc/passwd')": "sql-shell",
    "DO $$ BEGIN DROP TABLE a; END $$": "sql-drop",
    "EXECUTE 'DROP TABLE a'": "sql-drop",
    "SHUTDOWN": "sql-server",
    "SELECT 1; DROP TABLE a": "sql-drop",
}


@pytest.mark.parametrize("text", BLOCKED)
def test_statements_that_destroy_or_open_are_blocked(text: str) -> None:
    """002-05: DROP TABLE and its kin."""
    found = [one for _, one in judge_sql(text)]
    assert BLOCKED[text] in {
        one.rule.id.removeprefix("security.destructive.").removeprefix("security.privilege.") for one in found
    } | {one.rule.id.removeprefix("security.") for one in found}
    assert max(one.state for one in found) is State.BLOCK


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM a WHERE b = 'DROP TABLE a'",
        "-- DROP TABLE a\nSELECT 1",
        "/* DELETE FROM a */ SELECT 1",
        'SELECT "drop table" FROM a',
        "DELETE FROM a WHERE id = 5",
        "UPDATE a SET b = 1 WHERE c = 2",
        "UPDATE a SET b = x.b FROM x WHERE a.id = x.id",
        "INSERT INTO a VALUES ('DELETE FROM b')",
        "CREATE TABLE a (b int)",
        "ALTER TABLE a ADD COLUMN b int",
        "GRANT SELECT ON a TO reader",
        "DROP INDEX a_b",
        "DROP VIEW v",
        "DROP CAST (real[] AS vector)",
        "REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM PUBLIC",
        "EXPLAIN DELETE FROM a",
        "CREATE INDEX a_b ON a (b)",
        "",
        ";;;",
    ],
)
def test_statements_that_read_add_or_name_their_rows_are_left_alone(text: str) -> None:
    assert list(judge_sql(text)) == []


def test_each_statement_is_found_on_its_line() -> None:
    text = "SELECT 1;\n\nDROP TABLE a;\nSELECT ';';\n  DELETE\n  FROM b;\n"
    assert [line for line, _ in judge_sql(text)] == [3, 5]


def test_comments_of_many_lines_do_not_shift_what_follows() -> None:
    text = "/*\n * a\n * b\n */\nSELECT 1; -- x\n/* c\n */ DROP TABLE a;\nSELECT 'a\nb';\nDROP TABLE b;\n"
    assert [line for line, _ in judge_sql(text)] == [7, 10]


def test_sql_no_dialect_can_read_is_unknown_when_it_begins_like_a_deletion() -> None:
    found = list(judge_sql("DELETE FROM (((a WHERE x ==== 3"))
    assert [one.state for _, one in found] == [State.UNKNOWN]
    assert [one.rule.id for _, one in found] == ["security.unknown.sql"]


@pytest.mark.parametrize("text", BLOCKED)
@pytest.mark.parametrize("before", ["", "-- tidy up\n", "BEGIN; ", "/* a *//* b */ use shop;\n"])
def test_a_statement_that_is_handed_in_as_a_command_is_judged_as_one(text: str, before: str) -> None:
    """D-16: nobody says whether a shell or a database will run it."""
    assert look(CRITIC, "stdin", f"{before}{text};\n", kind="command").state is State.BLOCK


@pytest.mark.parametrize(
    "text", ["SELECT a FROM b WHERE c = 1;", "truncate -s 1M new.img", "select x in a b; do echo; done"]
)
def test_what_only_reads_or_only_looks_like_a_statement_is_clear(text: str) -> None:
    assert look(CRITIC, "stdin", text, kind="command").state is State.CLEAR


def test_a_command_in_a_file_of_any_name_is_judged() -> None:
    assert look(CRITIC, "todo.txt", "rm -rf /\n", kind="command").state is State.BLOCK
    assert look(CRITIC, "todo.txt", "rm -rf /\n").state is State.CLEAR


def test_a_row_of_comments_takes_no_time() -> None:
    assert look(CRITIC, "stdin", "/*" + "*//*" * 20_000 + "x", kind="command").state is not State.BLOCK
