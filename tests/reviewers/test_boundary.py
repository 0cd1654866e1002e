"""No secret leaves this machine in any field, and the remaining text keeps its line numbers."""

import base64
import json
import random
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Change, Checked, Earlier, File, Look, Task, Unread
from foureyes.core.commands import Draft, Settlement
from foureyes.core.values import Criterion, Evidence, Place, Standing
from foureyes.reviewers.boundary import UNSEARCHED, Outgoing, boundary, redacted, scrub, told
from tests.critics.secrets.planted import PROVIDERS, drawn, forms, one_of_each

PASS = "pass" + "word"
KINDS = sorted(PROVIDERS)
#: Text as an author could write it around a secret.
AROUND = st.text(st.characters(codec="utf-8"), max_size=60)


def file(path: str, content: str | bytes | None, before: str | None = None) -> File:
    data = content.encode() if isinstance(content, str) else content
    return File(path=path, content=data, before=None if before is None else before.encode(), changed=((1, 9),))


def task(*files: File, note: str = "", questions: tuple[str, ...] = ()) -> Task:
    return Task(change=Change(title="t", kind="code", files=files, note=note), questions=questions)


def printed(out: Outgoing) -> str:
    """Everything that could be sent, stored or shown."""
    files = [
        (one.content or b"").decode("latin-1") + (one.before or b"").decode("latin-1") for one in out.task.change.files
    ]
    return repr(out) + repr(asdict(out.task)) + "".join(files)


@pytest.mark.parametrize("kind", KINDS)
def test_no_field_of_a_task_carries_a_secret_out(kind: str) -> None:
    """D-16: keys never reach an adapter; the denial is recorded without the value."""
    value = one_of_each(21)[kind]
    draft = Draft(
        severity="minor", text=f"see {value}", evidence=value, suggestion=value, place=Place(path="a.py", start=2)
    )
    whole = Task(
        change=Change(
            title=f"use {value}",
            kind="code",
            note=f"as in {value}",
            files=(file("a.py", f"x\n{value}\ny\n", before=f"{value}\n"), file(f"dir/{value.splitlines()[0]}", value)),
            unread=(Unread(path="b", why=f"holds {value}"),),
            policy=("p.yml", f"# {value}".encode()),
        ),
        questions=(f"is {value} right?",),
        checklist=(value,),
        earlier=(Earlier(finding="f", draft=draft, standing=Standing.OPEN, answer=f"no: {value}"),),
        verify=(draft,),
    )
    out = boundary(whole)
    said = printed(out) + repr(out.task.change.policy)
    for form in forms(value):
        assert form not in said
    assert out.removed
    assert out.task.change.files[0].lines[-1] == "y"
    assert all(form not in json.dumps([*map(asdict, out.removed), *map(asdict, out.withheld)]) for form in forms(value))


@given(before=AROUND, after=AROUND, kind=st.sampled_from(KINDS), seed=st.integers(0, 10_000))
def test_a_planted_secret_never_survives_and_lines_stay(before: str, after: str, kind: str, seed: int) -> None:
    """D-16, for any text around it that does not run into the secret itself."""
    value = one_of_each(seed)[kind]
    text = f"{before}\n{value}\n{after}"
    clean, count = redacted(text, "a.txt")
    assert value not in clean
    assert count >= 1
    assert clean.count("\n") == text.count("\n")
    assert redacted(clean, "a.txt") == (clean, 0)


@given(text=st.text(max_size=300), path=st.sampled_from(["a.py", "a.yml", ".netrc", "x"]))
def test_any_text_is_cleaned_once_and_for_all(text: str, path: str) -> None:
    clean, _ = redacted(text, path)
    assert clean.count("\n") == text.count("\n")
    assert redacted(clean, path) == (clean, 0)


@given(
    words=st.lists(
        st.sampled_from([PASS, "=", ":", '"', "'", "\n", "hQ7tz!Lw2", "secret_key", "://u:", "@h", "<", ">", " "]),
        max_size=30,
    )
)
def test_a_text_made_of_the_pieces_of_secrets_is_cleaned_once_and_for_all(words: list[str]) -> None:
    text = "".join(words)
    clean, _ = redacted(text, "a.yml")
    assert clean.count("\n") == text.count("\n")
    assert redacted(clean, "a.yml") == (clean, 0)


def test_text_without_secrets_leaves_as_it_is() -> None:
    text = "def f(password: str) -> None:\n    login(password)\n"
    assert redacted(text, "a.py") == (text, 0)
    plain = task(file("a.py", text), note="a note")
    out = boundary(plain)
    assert out.task == plain
    assert (out.removed, out.withheld) == ((), ())
    assert out.task.change.files[0] is plain.change.files[0]


def test_what_was_removed_is_known_by_place_and_kind() -> None:
    token = one_of_each(22)["github-token"]
    out = boundary(task(file("a.py", f"a\nb = '{token}'\n")))
    (one,) = out.removed
    assert (one.path, one.line, one.kind) == ("a.py", 2, "github-token")
    assert out.task.change.files[0].lines == ("a", "b = '[secret removed: github token]'")


WRITINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "hex": lambda value: value.encode().hex(),
    "quoted": quote,
}


@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
@pytest.mark.parametrize("shift", ["", "x", "xy"])
def test_a_secret_seen_once_is_taken_out_wherever_it_comes_back(write: Callable[[str], str], shift: str) -> None:
    value = "hQ7" + "tz!Lw2/" + drawn(random.Random(3), 12)
    again = write(shift + value)
    out = boundary(
        task(file("a.yml", f"{PASS}: '{value}'\n"), file("b.txt", f"see {again} there\n"), note=f"it is {again}")
    )
    said = printed(out)
    assert value not in said
    assert again not in said


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", "id_rsa", "server.pem", ".netrc", "credentials.json", "kubeconfig", "terraform.tfstate"],
)
def test_a_file_of_secrets_is_held_back_and_said_to_be_unread(path: str) -> None:
    """D-16: .env files never reach an adapter."""
    content = f"{PASS}=kzwqhvtx\nTOKEN=PRIVATE KEY\n"
    out = boundary(task(file(path, content), file("a.py", "x = 1\n")))
    assert [one.path for one in out.task.change.files] == ["a.py"]
    assert [one.path for one in out.withheld] == [path]
    assert out.task.change.unread == out.withheld
    assert "held back" in out.withheld[0].why
    assert "kzwqhvtx" not in printed(out)


def test_a_file_of_secrets_that_is_deleted_is_held_back_too() -> None:
    gone = File(path=".env", mode="000000", content=None, before=b"A=kzwqhvtx\n")
    assert boundary(task(gone)).task.change.files == ()


def test_an_encrypted_file_and_a_template_may_leave() -> None:
    sealed = file("prod.env", "A=ENC[AES256_GCM,data:abc,type:str]\n")
    template = file(".env.example", "A=\n")
    assert boundary(task(sealed, template)).task.change.files == (sealed, template)


def test_what_cannot_be_searched_is_held_back() -> None:
    out = boundary(task(file("a.js", b"key=1;" * 1_000_000), file("b.py", "x\n")))
    assert [one.path for one in out.task.change.files] == ["b.py"]
    assert "cannot be searched" in out.withheld[0].why
    clean, count = redacted("secret_key = 1\n" * 40_000)
    assert clean.startswith(UNSEARCHED)
    assert (count, clean.count("\n")) == (1, 40_000)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_other_encodings_are_cleaned_in_their_own(encoding: str) -> None:
    token = one_of_each(23)["github-token"]
    out = boundary(task(file("a.txt", f"käse\n{token}\nende\n".encode(encoding))))
    text = (out.task.change.files[0].content or b"").decode(encoding)
    assert text == "käse\n[secret removed: github token]\nende\n"


def test_the_marker_cannot_be_steered_by_the_work() -> None:
    """Framing: what is put in comes from our own list of kinds, and nothing joins across it."""
    token = one_of_each(24)["github-token"]
    clean, _ = redacted(f"</wo {token} rk>{PASS}: '{token}'")
    assert "</work>" not in clean.replace(" ", "")
    assert clean.count("[secret removed: ") == 2


def test_values_do_not_show_in_a_print_of_what_leaves() -> None:
    token = one_of_each(25)["github-token"]
    out = boundary(task(file("a.py", token)))
    assert token not in repr(out)
    assert token in out.known.plain


def test_a_reviewer_s_report_is_cleaned_in_every_field() -> None:
    """D-16: what a reviewer quotes is not stored."""
    value = one_of_each(26)["slack-token"]
    place = Place(path="a.py", start=1, end=2)
    look = Look(
        verdict="concerns",
        summary=value,
        findings=(Draft(severity="minor", text=value, evidence=value, suggestion=value, place=place),),
        settled=(Settlement(finding="f", resolved=True, note=value),),
        evidence=(Evidence(what=value, why=value, place=place),),
        checklist=(Criterion(name="n", passed=True, note=value),),
        answers=(value,),
        strengths=(value,),
        checked=(Checked(index=0, result="confirmed", evidence=value),),
        unread=(Unread(path="p", why=value),),
        confidence=80,
    )
    clean = scrub(look)
    assert value not in repr(clean)
    assert clean.findings[0].place == place
    assert (clean.verdict, clean.confidence, clean.settled[0].resolved) == ("concerns", 80, True)
    assert scrub(clean) == clean


def test_a_report_that_quotes_a_bare_password_of_the_work_is_cleaned() -> None:
    value = "hQ7tz" + "Lw2kpx"
    out = boundary(task(file("a.yml", f"{PASS}: {value}\n")))
    look = Look(summary=f"it says {value} there")
    assert scrub(look).summary == look.summary
    assert scrub(look, out.known).summary == "it says [secret removed: repeated] there"


def lay(folder: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o444)


def test_a_folder_laid_out_for_an_agent_has_no_secret_in_any_file(tmp_path: Path) -> None:
    """D-16, for agents: every file of the checkout, not only the changed ones."""
    secrets = one_of_each(27)
    value = "hQ7tz" + "Lw2kpx"
    files = {f"src/{name}.txt": f"a\n{one}\nb\n".encode() for name, one in secrets.items()}
    files |= {".env": f"A={value}\n".encode(), "same.txt": f"x {value} y\n".encode(), "fine.py": b"x = 1\n"}
    files |= {"large.bin": b"\0" * 5_000_001, f"named-{secrets['npm-token']}": b"x"}
    plain = Change(
        title="t", kind="code", files=(file("a.yml", f"{PASS}: {value}\n"),), lay_out=lambda to: lay(to, files)
    )
    folder = tmp_path / "work"
    folder.mkdir()
    lay_out = boundary(Task(change=plain)).task.change.lay_out
    assert lay_out is not None
    lay_out(folder)
    there = {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    everything = b"".join(there.values()).decode("latin-1") + "".join(there)
    assert [form for one in (*secrets.values(), value) for form in forms(one) if form in everything] == []
    assert there["fine.py"] == b"x = 1\n"
    assert there[".env"] == b"[withheld: an environment file with values]\n"
    assert there["large.bin"] == b"[withheld: it was not searched for secrets]\n"
    assert there["src/npm-token.txt"] == b"a\n[secret removed: npm token]\nb\n"
    assert (folder / "src/npm-token.txt").stat().st_mode & 0o777 == 0o444


def test_a_link_in_a_laid_out_folder_is_not_followed_and_leads_nowhere_outside(tmp_path: Path) -> None:
    token = one_of_each(28)["npm-token"]
    outside = tmp_path / "outside.txt"
    outside.write_text(token, encoding="utf-8")
    folder = tmp_path / "work"
    folder.mkdir()

    def lay_links(to: Path) -> None:
        (to / "out").symlink_to(outside)
        (to / "up").symlink_to("..")
        (to / "loop").symlink_to("loop")
        (to / "in").symlink_to("a.txt")
        (to / "a.txt").write_text(token, encoding="utf-8")

    lay_out = boundary(Task(change=Change(title="t", kind="code", files=(), lay_out=lay_links))).task.change.lay_out
    assert lay_out is not None
    lay_out(folder)
    assert outside.read_text(encoding="utf-8") == token
    assert sorted(one.name for one in folder.iterdir() if one.name != "loop") == ["a.txt", "in"]
    assert (folder / "in").is_symlink()
    assert (folder / "in").read_text(encoding="utf-8") == "[secret removed: npm token]"


def test_what_was_kept_from_a_reviewer_is_on_the_record_without_its_value() -> None:
    """D-16: how many secrets of which kinds, and which files were held back."""
    key = "AKIA" + "Q3ZT7RX2MB5LWPNE"
    files = (
        File(path="a.py", content=f"KEY = '{key}'\n".encode(), changed=((1, 1),)),
        File(path=".env", content=b"DB_PASSWORD=Zk8vQ2nT5xLw\n", changed=((1, 1),)),
    )
    outgoing = boundary(Task(change=Change(title="t", kind="code", files=files)))
    look = told(Look(summary="fine"), outgoing)
    assert "taken out before it was sent" in look.summary
    assert key not in look.summary
    assert [one.path for one in look.unread] == [".env"]
    assert told(Look(summary="fine"), boundary(Task(change=Change(title="t", kind="code", files=())))).summary == "fine"
