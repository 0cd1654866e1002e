"""Work that cannot be parsed is blocked; work that only looks unfinished gets a note."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.format import CRITIC
from foureyes.reviewers.critics.python import tools
from tests.critics.works import file, hits_of, look, rules_of, work

BROKEN = {
    "a.json": ('{\n  "a": 1,\n}\n', 3),
    "a.jsonl": ('{"a": 1}\n{"a":\n', 2),
    "a.yaml": ("a: 1\nb: [1, 2\nc: 3\n", 3),
    "a.toml": ("a = 1\nb = \n", 2),
    "a.xml": ("<a>\n<b></a>\n", 2),
    "a.csv": ('a,b\n1,"2\n', 2),
    "a.py": ("x = 1\ndef f(:\n", 2),
    "a.sh": ("if true; then\n  echo a\n", 2),
    "Dockerfile": ("FROM x\nRUNN apt\n", 2),
    "Cargo.lock": ("[[package]\n", 1),
}


@pytest.mark.parametrize("path", BROKEN)
def test_what_does_not_parse_blocks_on_its_line(path: str) -> None:
    """The first layer of a chain looks at the form."""
    text, line = BROKEN[path]
    (hit,) = [one for one in look(CRITIC, path, text).hits if one.state is State.BLOCK]
    assert hit.rule.id.startswith("format.parse.")
    assert hit.line == line


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", '\ufeff{"a": [1, 2, {"b": null}]}\n'),
        ("a.jsonl", '{"a": 1}\n\n{"b": 2}\n'),
        ("tsconfig.json", '{\n  // a comment\n  "a": 1,\n}\n'),
        ("a.yaml", "a: &x [1, 2]\nb: *x\nc: !Ref thing\n---\nd: |\n  text\n"),
        ("a.toml", '[a]\nb = """\ntext\n"""\n'),
        ("a.xml", '<?xml version="1.0"?>\n<!DOCTYPE a>\n<a b="c">d &amp; e</a>\n'),
        ("a.csv", 'a;b\n"1;2";3\n'),
        ("a.tsv", "a\tb\n1\t2\n"),
        ("a.py", 'type A = int\nx = f"{"a"}"\n'),
        ("a.sh", "#!/bin/sh\ncase $1 in a) echo;; esac\ncat <<EOF\n$x\nEOF\n"),
        (
            "Dockerfile",
            "# syntax=docker/dockerfile:1\nARG A=1\nFROM x:$A AS b\nRUN a \\\n  # why\n  && b\nRUN <<EOF\nodd\nEOF\n",
        ),
        ("README.md", "Title\n=======\n\n```py\nx\n```\n"),
        ("a.txt", "plain\n"),
        ("__init__.py", ""),
    ],
)
def test_what_is_well_formed_is_left_alone(path: str, text: str) -> None:
    judged = look(CRITIC, path, text)
    assert judged.hits == ()
    assert judged.unread == ()


def test_a_merge_conflict_blocks_code_and_is_a_note_where_a_text_shows_one() -> None:
    conflict = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"
    hit = hits_of(look(CRITIC, "a.go", conflict), "format.conflict")[0]
    assert (hit.state, hit.line) == (State.BLOCK, 2)
    assert hits_of(look(CRITIC, "a.md", conflict), "format.conflict")[0].state is State.BLOCK
    shown = f"A conflict:\n\n```\n{conflict}```\n"
    assert hits_of(look(CRITIC, "a.md", shown), "format.conflict")[0].state is State.CLEAR


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("a.md", "Text\n\n```py\nx = 1\n", "fence"),
        ("a.md", "Long text \u2026 [truncated]\n", "truncated"),
        ("a.py", "def f():\n    # ... rest of the function stays the same\n    pass\n", "truncated"),
        ("a.md", "As an AI language model, I cannot know this.\n", "chatter"),
        ("a.py", "# Sure! Here is the code:\n\n", "placeholder-free"),
        ("a.txt", "Sure! Here is the code:\n", "chatter"),
        ("a.py", "def f():\n    pass  # TODO: implement this\n", "placeholder"),
        ("a.md", "Lorem ipsum dolor sit amet\n", "placeholder"),
        ("a.md", "Dear <insert name here>,\n", "placeholder"),
        ("a.js", "a\r\nb\nc\r\n", "line-ends"),
        ("a.js", "x" * 6000 + "\n", "long-line"),
        ("a.js", b"x = '\xff'\n", "encoding"),
        ("a.js", "", "empty"),
        ("a.json", '{"a": 1, "a": 2}', "duplicate-key"),
        ("a.csv", "a,b\n1,2,3\n", "ragged"),
    ],
)
def test_what_looks_unfinished_is_a_note(path: str, text: str | bytes, rule: str) -> None:
    judged = look(CRITIC, path, text)
    assert (f"format.{rule}" in rules_of(judged)) == (rule != "placeholder-free")
    assert judged.state is State.CLEAR


def test_what_broke_the_file_may_stand_on_another_line_than_where_it_is_noticed() -> None:
    before, after = b'{\n"a": {\n"b": 1\n}\n}\n', b'{\n"a": {\n"b": 1\n}\n'
    broken = File(path="a.json", content=after, before=before, changed=((3, 3),))
    (hit,) = CRITIC.look(Change(title="", kind="code", files=(broken,))).hits
    assert (hit.state, hit.line) == (State.BLOCK, 0)
    assert "line 4" in hit.text
    old = File(path="a.json", content=after, before=after + b" ", changed=((3, 3),))
    assert CRITIC.look(Change(title="", kind="code", files=(old,))).hits[0].line == 4


def test_every_conflict_is_told_once_because_an_older_one_is_not_judged() -> None:
    conflict = "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"
    assert [hit.line for hit in hits_of(look(CRITIC, "a.go", conflict * 2), "format.conflict")] == [1, 6]


def test_an_empty_answer_is_no_answer() -> None:
    for kind in ("text", "plan", "command"):
        assert "format.nothing" in rules_of(look(CRITIC, "plan", " \n", kind=kind), least=State.BLOCK)
    assert rules_of(CRITIC.look(Change(title="", kind="code", files=()))) == {"format.nothing"}


def test_entities_are_refused_before_they_grow() -> None:
    text = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]>\n<a>&y;</a>\n'
    (hit,) = look(CRITIC, "a.xml", text).hits
    assert (hit.rule.id, hit.state) == ("format.xml-entities", State.UNKNOWN)
    outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<a>&x;</a>\n'
    assert rules_of(look(CRITIC, "a.xml", outside)) == {"format.xml-entities"}


def test_aliases_of_yaml_are_not_expanded() -> None:
    text = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(40))
    assert look(CRITIC, "a.yaml", text).hits == ()


def test_templates_are_said_to_be_unread() -> None:
    judged = look(CRITIC, "chart/templates/a.yaml", "a: {{ .Values.a }}\n{{- if .b }}\nc: 1\n{{- end }}\n")
    assert judged.hits == ()
    assert ["template" in one.why for one in judged.unread] == [True]
    assert look(CRITIC, "a.yaml.j2", "{% if a %}\n").unread == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", "[" * 100_000),
        ("a.yaml", "[" * 20_000),
        ("a.toml", "a = " + "[" * 20_000),
        ("a.xml", "<a>" * 50_000),
        ("a.py", "(" * 50_000),
        ("a.py", "-" * 50_000 + "1"),
        ("a.sh", "$(" * 5_000),
        ("a.json", "9" * 50_000),
    ],
)
def test_deep_nesting_breaks_nothing_and_is_not_cleared(path: str, text: str) -> None:
    judged = look(CRITIC, path, text)
    assert judged.state is not State.CLEAR or judged.unread


def test_python_that_nobody_could_parse_is_said_to_be_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing parser is neither a veto nor an approval."""
    monkeypatch.setattr(tools, "_ruff_command", lambda _folder: ["/nowhere/ruff"])
    judged = look(CRITIC, "a.py", "def f(:\n")
    assert judged.hits == ()
    assert ["may be broken" in one.why for one in judged.unread] == [True]


def test_yaml_that_would_take_quadratic_time_is_not_parsed() -> None:
    assert [one.why for one in look(CRITIC, "a.yaml", "[" * 2_000).unread] == ["nested too deeply to be parsed"]
    assert look(CRITIC, "a.yaml", "a: []\n" * 2_000).unread == ()


@pytest.mark.parametrize("path", ["a.json", "a.yaml", "a.toml", "a.xml", "a.csv", "a.py", "a.sh", "a.md", "Dockerfile"])
def test_a_file_that_is_too_large_is_said_to_be_unread_and_takes_no_time(path: str) -> None:
    judged = look(CRITIC, path, "x " * 2_000_000)
    assert judged.unread or judged.hits


@given(
    text=st.text(max_size=300),
    path=st.sampled_from(
        ["a.json", "a.yaml", "a.toml", "a.xml", "a.csv", "a.sh", "a.md", "Dockerfile", "a.jsonl", "a"]
    ),
)
def test_no_text_breaks_it(text: str, path: str) -> None:
    lines = text.count("\n") + 1
    assert all(0 <= hit.line <= lines for hit in look(CRITIC, path, text).hits)


def test_what_is_gone_or_a_link_or_binary_has_no_form() -> None:
    files = (file("a__json", b"{", mode="120000"), file("a__png", b"\x89PNG\0\xff"))
    assert CRITIC.look(Change(title="", kind="code", files=files)).hits == ()


def test_rules_have_their_own_ids() -> None:
    assert len({rule.id for rule in CRITIC.rules}) == len(CRITIC.rules)
    assert CRITIC.look(work(a__md="x")).looked_at == "the form of 1 file"
