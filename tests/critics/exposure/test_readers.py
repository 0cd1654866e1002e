"""The readers give every value its line, agree with the libraries, and stay within their bounds."""

import json
from contextlib import suppress
from typing import Any

import hcl2
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from foureyes.reviewers.critics.exposure.hcl import read_hcl
from foureyes.reviewers.critics.exposure.jsons import read_json
from foureyes.reviewers.critics.exposure.tree import Node, UnreadableError
from foureyes.reviewers.critics.exposure.yamls import read_yaml

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
TERRAFORM = """
# a file with everything in it
locals {
  names = ["a", "b"]
}
resource "aws_s3_bucket" "logs" {
  bucket = "logs" // why
  count  = var.on ? 1 : 0
  tags   = { Name = "x", "Other" : true }
  policy = <<-EOF
    {"Statement": []}
  EOF
  /* a comment
     of two lines */
  versioning {
    enabled = true
    days    = -3
  }
  dynamic "rule" {
    for_each = [for one in var.rules : one if one != ""]
    content {
      name = rule.value["name"]
    }
  }
  title = "a ${upper("b ${var.c}")} \\"quoted\\""
  list  = concat(
    ["a"],
    var.more,
  )
}
"""


def plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: plain(inner) for key, inner in node.value.items()}
    if isinstance(node.value, list):
        return [plain(inner) for inner in node.value]
    return node.value


@given(PLAIN)
def test_json_is_read_as_the_library_reads_it(value: object) -> None:
    assert plain(read_json(json.dumps(value))) == value
    assert plain(read_json(json.dumps(value, indent=2, ensure_ascii=False))) == value


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=8), PLAIN, max_size=4))
def test_yaml_is_read_as_the_library_reads_it(value: dict[str, object]) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    assert [plain(one) for one in read_yaml(text)] == [_keys_as_text(yaml.safe_load(text))]


def _keys_as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _keys_as_text(inner) for key, inner in value.items()}
    return [_keys_as_text(one) for one in value] if isinstance(value, list) else value


def test_every_value_has_its_line() -> None:
    node = read_yaml("a:\n  - b: 1\n    c: 2\n\nd: {e: 3}\n")[0]
    assert (node.at_line("a"), node.at_line("a.c"), node.at_line("d.e"), node.at_line("d.x")) == (1, 3, 5, 5)
    assert read_json('{\n "a": [\n  1,\n  {"b":\n   2}]}').at_line("a") == 2
    assert [one.line for one in read_json('[\n1,\n"x\\n",\n2]').items] == [2, 3, 4]


def test_aliases_and_merges_are_followed_within_bounds() -> None:
    node = read_yaml("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: *x\n")[0]
    assert plain(node)["y"] == {"b": 3, "a": 1}
    assert plain(node)["z"] == {"a": 1, "b": 2}
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 12)
    )
    with pytest.raises(UnreadableError, match="values"):
        read_yaml(laughs)


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: *b", "a: [", "\ta: 1", "? {a: 1}\n: 2", "a: 'x", "- a\nb: c"])
def test_bad_yaml_is_said_to_be_bad(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_yaml(text)


@pytest.mark.parametrize("text", ["", "{", "[1", "}", '{"a": tru}', '"x', "1 2", "nan", "9" * 50, '{"a": \\x}'])
def test_bad_json_is_said_to_be_bad(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_json(text)


@pytest.mark.parametrize("text", ["a {", "a = ", 'a = "x', "a = <<E\nx", "}", "a = [1", "= 3", 'a = "${x"', "a = {b}"])
def test_bad_hcl_is_said_to_be_bad(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_hcl(text)


def test_hcl_is_read_as_the_library_reads_it() -> None:
    """The library is too slow to use, and good enough to compare with."""
    theirs = hcl2.loads(TERRAFORM)
    ours = {one.labels[:2]: one.body for one in read_hcl(TERRAFORM)}
    body = ours["aws_s3_bucket", "logs"]
    other = theirs["resource"][0]['"aws_s3_bucket"']['"logs"']
    known = {key for key in other if not key.startswith("__")} - {"dynamic"}
    assert known | {"rule"} == set(body.map)
    assert plain(body.map["tags"]) == {"Name": "x", "Other": True}
    assert plain(body.map["versioning"]) == [{"enabled": True, "days": -3}]
    assert other["versioning"][0]["days"] == -3
    assert plain(body.map["bucket"]) == other["bucket"].strip('"')
    assert [key for key in body.map if body.map[key].opaque] == ["count", "title", "list"]


def test_hcl_has_lines_through_comments_and_heredocs() -> None:
    body = next(one.body for one in read_hcl(TERRAFORM) if one.labels)
    lines = TERRAFORM.split("\n")
    for key in ("bucket", "policy", "versioning", "title", "list"):
        assert lines[body.at_line(key) - 1].strip().startswith(key)
    assert lines[body.at_line("versioning.days") - 1].strip().startswith("days")
    assert lines[body.at_line("rule.name") - 1].strip().startswith("name")


@given(st.text(max_size=200) | st.text('[]{}()"${}<>\n=,:#/*-_aE ', max_size=200))
def test_no_text_breaks_a_reader(text: str) -> None:
    for read in (read_yaml, read_json, read_hcl):
        with suppress(UnreadableError):
            read(text)
