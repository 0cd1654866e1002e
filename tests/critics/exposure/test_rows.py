"""Every row of the cloud tables flags a resource that breaks it and passes one that does not."""

import pytest

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.exposure.cloud import Row
from foureyes.reviewers.critics.exposure.rules import PREFIX
from foureyes.reviewers.critics.exposure.terraform import book
from tests.critics.exposure.looking import look

ROWS = book().rows
IDS = [one.rule.id.removeprefix(PREFIX) for one in ROWS]


def values(row: Row) -> tuple[str, str | None]:
    """A value that is well, and one that is not; None where only silence is not."""
    operator, _, value = row.want.partition(" ")
    first = value.split("|")[0]
    if operator in ("=", "=?"):
        return _written(first), _written({"true": "false", "false": "true"}.get(first, "something-else"))
    if operator.startswith("!="):
        return _written("something-else"), _written(first)
    if operator == ">=":
        return value, str(int(value) - 1)
    if operator == "tls":
        return '"1.2"', '"1.0"'
    return ('"x"', None) if operator == "set" else ('""', '"x"')


def _written(value: str) -> str:
    return value if value in ("true", "false") else f'"{value}"'


def resource(row: Row, value: str | None) -> tuple[str, int]:
    """A resource with the value at the row's path, and the line of that value."""
    *outer, last = row.paths[0].split(".")
    head = f'resource "{row.kinds[0]}" "one" {{'
    if value is None:
        return f"{head}\n}}\n", 1
    opened = [f"{name} {{" for name in outer]
    lines = [head, *opened, f'"{last}" = {value}' if "-" in last else f"{last} = {value}", *("}" for _ in outer), "}"]
    return "\n".join(lines) + "\n", len(outer) + 2


def found(row: Row, text: str) -> list[tuple[int, State]]:
    judged = look("main.tf", text)
    assert judged.unread == ()
    return [(one.line, one.state) for one in judged.hits if one.rule.id == row.rule.id]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_row_tells_bad_from_good(row: Row) -> None:
    """002-05: each attribute of a cloud resource, on its own line; what is not said is a note at the resource."""
    good, bad = values(row)
    assert found(row, resource(row, good)[0]) == []
    silent = found(row, resource(row, None)[0])
    assert silent == ([] if row.silent else [(1, State.CLEAR)])
    if bad is not None:
        text, line = resource(row, bad)
        blocks = State.CLEAR if row.rule.severity == "minor" else State.BLOCK
        assert found(row, text) == [(line, blocks)]


def test_what_only_terraform_can_work_out_is_not_accused() -> None:
    """002-05: a variable without a default says nothing either way; one with a default says that."""
    text = 'resource "aws_db_instance" "one" {\n  publicly_accessible = var.open\n}\n'
    row = next(one for one in ROWS if one.rule.id.endswith("aws.rds-publicly-accessible"))
    assert found(row, text) == []
    assert found(row, text + 'variable "open" {\n  default = true\n}\n') == [(2, State.BLOCK)]
    assert found(row, text + 'variable "open" {\n  default = false\n}\n') == []
