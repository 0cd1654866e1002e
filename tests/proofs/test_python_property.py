"""Any changed comments leave a Python program equal, and any other changed token does not."""

import ast
import io
import tokenize
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from foureyes.proofs import prove
from tests.shape import ROOT

#: Real modules of this project, without what a proof refuses.
SOURCES = tuple(path.read_text(encoding="utf-8") for path in sorted(Path(ROOT, "src/foureyes/core/gates").glob("*.py")))
WORDS = st.lists(
    st.sampled_from(["the", "teacher", "knows", "this", "line", "before", "it", "goes", "live", "and", "says", "so"]),
    min_size=3,
)
SENTENCES = WORDS.map(" ".join).map(lambda text: f"{text[:300]}.")
#: A replacement for each kind of token.
OTHERS = {tokenize.NAME: "another_name", tokenize.NUMBER: "77", tokenize.STRING: "'other text'", tokenize.OP: "@"}


def proven(before: str, after: str) -> bool:
    return bool(prove({"a.py": before.encode()}, {"a.py": after.encode()}).why)


@given(st.sampled_from(SOURCES), st.data())
def test_comments_on_lines_of_their_own_are_proven(source: str, data: st.DataObject) -> None:
    """U-02: before any line that begins a statement."""
    tree = ast.parse(source)
    lines = source.split("\n")
    starts = sorted({node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)})
    # A comment of documentation tools (`#:`) is no plain words, and one directly below belongs to it.
    starts = [line for line in starts if not lines[line - 2].startswith("#:")]
    for line in sorted(data.draw(st.sets(st.sampled_from(starts), min_size=1, max_size=5)), reverse=True):
        lines.insert(line - 1, f"# {data.draw(SENTENCES)}")
    assert proven(source, "\n".join(lines))
    assert proven("\n".join(lines), source)


@given(st.sampled_from(SOURCES), st.data())
def test_another_token_is_never_proven(source: str, data: st.DataObject) -> None:
    """U-02: a name, a number, a string or an operator, with or without a new comment beside it."""
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type in OTHERS]
    token = data.draw(st.sampled_from(tokens))
    lines = source.split("\n")
    first, last = token.start[0] - 1, token.end[0] - 1
    head, tail = lines[first][: token.start[1]], lines[last][token.end[1] :]
    lines[first : last + 1] = [f"{head}{OTHERS[token.type]}{tail}"]
    changed = "\n".join(lines)
    assume(changed != source)
    assert not proven(source, changed)
    comment = f"# {data.draw(SENTENCES)}\n"
    assert not proven(source, comment + changed)


@given(st.sampled_from(SOURCES), st.data())
def test_a_token_that_goes_is_never_proven(source: str, data: st.DataObject) -> None:
    """U-02: but for brackets and commas, of which the syntax tree says whether they mean something."""
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type in OTHERS and token.string not in {"(", ")", ","}
    ]
    token = data.draw(st.sampled_from(tokens))
    lines = source.split("\n")
    first, last = token.start[0] - 1, token.end[0] - 1
    lines[first : last + 1] = [lines[first][: token.start[1]] + lines[last][token.end[1] :]]
    assert not proven(source, "\n".join(lines))


@given(st.text(max_size=80))
def test_no_text_in_a_comment_makes_the_proof_of_another_program(text: str) -> None:
    """U-02: whatever stands behind the sign of a comment, a proof means that the compiler sees the same program."""
    before, after = "x = 1\n", f"# {text}\nx = 1\n"
    if proven(before, after):
        assert ast.dump(ast.parse(after.encode())) == ast.dump(ast.parse(before.encode()))
