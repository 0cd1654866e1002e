"""U-54: the headline names unjudged work, and unread work is inconclusive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.use.laptop import foureyes, repository, result_of, review

pytestmark = pytest.mark.door("command", policy="solo")

EVIL = "import fs from 'fs'\nfs.rmSync('/', {recursive: true, force: true})\n"


def test_a_language_that_no_program_judges_is_named_in_the_headline(tmp_path: Path) -> None:
    """U-54: "Nothing blocks" alone was said of TypeScript that nobody had looked into."""
    work = repository(tmp_path / "shop")
    (work / "evil.ts").write_text(EVIL, encoding="utf-8")
    (work / "more.ts").write_text(EVIL, encoding="utf-8")
    ran = review(work, "--no-agents", "-q")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "TypeScript: 2 files, nobody judged them." in " ".join(ran.stdout.split())
    asked = review(work, "--no-agents", "--json", "--anew")
    assert result_of(asked)["unjudged"] == ["TypeScript: 2 files"]


def test_a_language_that_no_program_judges_is_named_beside_what_blocks(tmp_path: Path) -> None:
    """U-54: with a finding that blocks, the word TypeScript was nowhere in the text."""
    work = repository(tmp_path / "shop")
    (work / "tool.py").write_text(
        "import subprocess\n\n\ndef run(name):\n    subprocess.run('ls ' + name, shell=True)\n", encoding="utf-8"
    )
    (work / "x.ts").write_text("eval(location.hash)\n", encoding="utf-8")
    for ran in (review(work, "--no-agents"), review(work, "--no-agents", "-q"), foureyes(work, "why")):
        assert ran.returncode == 2, ran.stdout + ran.stderr
        assert "1 thing to fix" in ran.stdout
        assert "TypeScript: 1 file, nobody judged it." in " ".join(ran.stdout.split())


def test_python_and_shell_alone_are_judged(tmp_path: Path) -> None:
    """U-54: nothing is said where programs read all of it."""
    ran = review(repository(tmp_path / "shop"), "--no-agents", "-q")
    assert "nobody judged" not in ran.stdout


def test_a_file_beyond_what_a_review_holds_is_no_answer(tmp_path: Path) -> None:
    """U-54: evil.sh as one file too many passed with exit 0."""
    work = repository(tmp_path / "shop")
    for number in range(2_100):
        (work / f"a{number:04d}.txt").write_text("x\n", encoding="utf-8")
    (work / "zz-evil.sh").write_text("rm -rf /\n", encoding="utf-8")
    ran = review(work, "--no-agents", "-q")
    assert ran.returncode == 4, ran.stdout + ran.stderr
    assert "nobody read all of it" in " ".join(ran.stdout.split())


@pytest.mark.parametrize(("name", "code"), [("logo.png", 0), ("text.woff2", 0), ("tool.bin", 4)])
def test_pictures_and_fonts_need_no_reading(tmp_path: Path, name: str, code: int) -> None:
    """U-54: named classes of files are no reason to have no answer; an unknown binary is."""
    work = repository(tmp_path / "shop")
    (work / name).write_bytes(bytes(range(256)) * 40)
    ran = review(work, "--no-agents", "-q")
    assert ran.returncode == code, ran.stdout + ran.stderr
