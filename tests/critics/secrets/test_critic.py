"""The critic reports the place and kind of a secret, and never shows it."""

import json
import time
from dataclasses import asdict
from itertools import pairwise

import pytest

from foureyes.app.reviewers import LINK_MODE, Change, File
from foureyes.reviewers.critics.critic import Judged, State
from foureyes.reviewers.critics.secrets import CRITIC, spans
from foureyes.reviewers.critics.secrets.find import TEXT_MAX
from foureyes.reviewers.critics.secrets.found import Found, mark
from tests.conftest import EFFORT
from tests.critics.secrets import planted
from tests.critics.works import file, hits_of, look, rules_of, work

PASS = "pass" + "word"
WEAK = f'{PASS} = "kzwqhvtx"\n'
#: Hostile characters, and the CPU seconds for them; a loaded machine is slower, a quadratic pattern takes minutes.
HOSTILE = TEXT_MAX if EFFORT == "all" else 1_000_000
SECONDS_MAX = 10


def shown(judged: Judged) -> str:
    """Every printable part of a result."""
    return repr(judged) + json.dumps(asdict(judged), default=str)


@pytest.mark.parametrize("seed", range(20 if EFFORT == "all" else 3))
def test_no_output_contains_a_secret_in_any_writing(seed: int) -> None:
    """Row 002-05: credentials are found, redacted in every output."""
    secrets = planted.one_of_each(seed)
    text = "".join(f"{PASS} = '{one}'\nurl = 'https://me:{one}@host'\n" for one in secrets.values())
    change = Change(title=f"t {text}", kind="code", note=text, files=(file("a.py", text), file(".env", text)))
    said = shown(CRITIC.look(change))
    for value in secrets.values():
        for form in planted.forms(value):
            assert form not in said


def test_a_mark_tells_two_secrets_apart_and_a_guessable_one_has_none() -> None:
    one, other = planted.one_of_each(1)["github-token"], planted.one_of_each(2)["github-token"]
    first, second = look(CRITIC, "a.py", f"{one}\n{other}\n").hits
    assert first.evidence != second.evidence
    assert first.evidence.startswith("github-token, 40 characters, gh…")
    (weak,) = look(CRITIC, "a.py", WEAK).hits
    assert weak.evidence == "password, 8 characters"
    short = Found(start=0, end=8, rule=CRITIC.rules[0], score=1.0, known="ab")
    assert mark(short, "ab345678") == "8 characters"


def test_each_hit_names_its_lines_however_many_there_are() -> None:
    token, key = planted.one_of_each(3)["npm-token"], planted.one_of_each(3)["private-key"]
    text = f"a\r\nb\n{token}\n\n{key}\nc {token} d {token}\n"
    hits = look(CRITIC, "a.txt", text).hits
    last = text[: text.rindex(token)].count("\n") + 1
    assert [(hit.line, hit.end) for hit in hits if hit.rule.id.endswith("npm-token")] == [(3, 3), (last, last)]
    assert [(hit.line, hit.end) for hit in hits if hit.rule.id.endswith("private-key")] == [(5, last - 1)]


def test_a_live_looking_credential_is_critical_and_a_generic_one_important() -> None:
    (live,) = look(CRITIC, "a.py", planted.one_of_each(4)["stripe-key"]).hits
    (generic,) = look(CRITIC, "a.py", WEAK).hits
    assert (live.rule.severity, live.state) == ("critical", State.BLOCK)
    assert (generic.rule.severity, generic.state) == ("important", State.BLOCK)


@pytest.mark.parametrize(
    "path", ["tests/test_a.py", "src/a_test.go", "spec/a.rb", "a.spec.ts", ".env.example", "x/fixtures/a.yml"]
)
def test_a_made_up_password_of_a_test_is_a_note_and_a_live_looking_token_is_not(path: str) -> None:
    judged = look(CRITIC, path, WEAK)
    assert [hit.severity for hit in judged.hits if hit.state is State.CLEAR] == ["minor"]
    assert judged.state is State.CLEAR
    assert look(CRITIC, path, planted.one_of_each(5)["github-token"]).state is State.BLOCK


def test_a_private_key_of_a_test_is_for_somebody_else_to_judge() -> None:
    key = planted.one_of_each(5)["private-key"]
    assert look(CRITIC, "tests/fixtures/server.txt", key).state is State.UNKNOWN
    assert look(CRITIC, "deploy/server.txt", key).state is State.BLOCK


def test_a_clean_work_is_clear_and_says_what_was_looked_at() -> None:
    judged = CRITIC.look(work(a__py="x = 1\n", b__md="# words\n"))
    assert judged.hits == ()
    assert judged.looked_at.startswith("2 files; ")


def test_secrets_in_the_note_and_in_a_path_are_said_without_them() -> None:
    token = planted.one_of_each(6)["github-token"]
    judged = CRITIC.look(Change(title="x", kind="code", note=f"uses {token}", files=(file(f"a/{token}.txt", "x"),)))
    assert {hit.text for hit in judged.hits} == {
        "A GitHub token is written in plain text, in the note",
        "A GitHub token is written in plain text, in the path",
    }
    assert all(token not in hit.evidence for hit in judged.hits)


def test_gone_files_and_submodules_are_not_read_and_links_are() -> None:
    token = planted.one_of_each(7)["github-token"]
    files = (
        File(path="gone", mode="000000", content=None, before=token.encode()),
        File(path="sub", mode="160000", content=None),
        File(path="link", mode="120000", content=token.encode(), changed=((1, 1),)),
    )
    assert [hit.path for hit in CRITIC.look(Change(title="x", kind="code", files=files)).hits] == ["link"]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig", "binary"])
def test_a_file_that_is_no_utf_8_is_searched_too(encoding: str) -> None:
    token = planted.one_of_each(8)["github-token"]
    text = f"käse\n{token}\n"
    data = b"\0\xff" + text.encode() if encoding == "binary" else text.encode(encoding)
    judged = look(CRITIC, "a.dat", data)
    assert [hit.line for hit in hits_of(judged, "security.secrets.github-token")] == [2]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\0" * 50, b"\xff\xfe", b"\xff\xfe\x00", b"\xed\xa0\x80", "\u0130key=".encode() * 9]
)
def test_bad_input_never_crashes(content: bytes) -> None:
    assert look(CRITIC, "a.py", content).state is State.CLEAR


def test_a_line_of_ten_million_characters_is_refused_and_said() -> None:
    judged = look(CRITIC, "a.js", b"key=" * 2_500_000)
    assert judged.hits == ()
    assert [one.why for one in judged.unread] == [
        "not searched for secrets in its lines of more than 100 thousand characters"
    ]


def test_a_text_of_too_many_lines_is_refused_and_said() -> None:
    judged = look(CRITIC, "a.js", b"key=\n" * 1_000_000)
    assert [one.why for one in judged.unread] == [
        f"not searched for secrets to its end: it has more than {TEXT_MAX // 1_000_000} million characters"
    ]


def test_the_lines_beside_an_endless_one_are_searched() -> None:
    text = f"a = 1\n// {'x' * (TEXT_MAX + 1)}\n{next(iter(planted.one_of_each(1).values()))}\n"
    judged = look(CRITIC, "a.js", text)
    assert [(hit.line, hit.state) for hit in judged.hits] == [(3, State.BLOCK)]
    assert len(judged.unread) == 1


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "-eyJ",
        'key="',
        f"{PASS}: ",
        "mysql -p",
        "://a:b",
        "-----BEGIN PRIVATE" + " KEY-----\n",
        "%41",
        " sk" + "-ant-",
        f"{PASS}='\\",
        "kind: Secret\ndata:\n  a: b\n",
        "identified by ",
        "ibm_cloud ",
    ],
)
def test_no_hostile_line_takes_long(piece: str) -> None:
    text = piece * (HOSTILE // len(piece))
    started = time.process_time()
    look(CRITIC, "a.txt", text)
    assert time.process_time() - started < SECONDS_MAX


def test_a_text_with_too_many_look_alikes_is_said_to_be_unread() -> None:
    judged = look(CRITIC, "a.txt", "secret_key = 1\n" * 40_000)
    assert "too many names" in judged.unread[0].why


def test_hundreds_of_secrets_in_one_file_are_told_as_a_whole() -> None:
    judged = look(CRITIC, "a.py", WEAK * 500)
    assert len(judged.hits) == 201
    assert "300 more" in {hit.text[:8] for hit in judged.hits}


def test_spans_are_in_order_and_never_overlap() -> None:
    text = "\n".join(f"{PASS}='{one}' https://u:{one}@h" for one in planted.one_of_each(9).values())
    found = spans(text, "a.py")
    assert found
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert rules_of(look(CRITIC, "a.py", text)) <= {rule.id for rule in CRITIC.rules}


def test_a_link_is_read_as_what_it_says_and_is_no_binary_file() -> None:
    """Where it leads is all there is of it, so nothing is left unread."""
    links = (File(path="ok", content=b"a", mode=LINK_MODE), File(path="out", content=b"/etc/shadow", mode=LINK_MODE))
    assert CRITIC.look(Change(title="links", kind="code", files=links)).unread == ()
