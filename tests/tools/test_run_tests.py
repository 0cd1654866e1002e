"""A test that fails in the parallel run is repeated alone and named; no other failure is forgiven."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shape import ROOT

FLAKY = """
from pathlib import Path

def test_one():
    been = Path("been")
    was = been.exists()
    been.touch()
    assert was

def test_other():
    assert True
"""
BROKEN = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_it(number):
    assert not number
"""


def ran(folder: Path, text: str, effort: str = "test") -> subprocess.CompletedProcess[str]:
    """These tests in a folder of their own, as `make test` runs the project's."""
    (folder / "test_them.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "tools.run_tests", sys.executable, "-m", "pytest", "-q"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "EFFORT": effort},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def test_what_passes_the_second_time_is_named_as_flaky(tmp_path: Path) -> None:
    done = ran(tmp_path, FLAKY)
    assert done.returncode == 0, done.stdout
    assert "FLAKY test_them.py::test_one: it failed beside the others" in done.stdout
    assert "test_other:" not in done.stdout


def test_the_long_helping_forgives_nothing(tmp_path: Path) -> None:
    done = ran(tmp_path, FLAKY, effort="all")
    assert done.returncode == 1
    assert "FLAKY" not in done.stdout


@pytest.mark.parametrize("failures", [1, 3, 4])
def test_what_fails_twice_fails(tmp_path: Path, failures: int) -> None:
    done = ran(tmp_path, BROKEN.format(count=failures + 1))
    assert done.returncode == 1
    assert "FLAKY" not in done.stdout
    assert ("Once more" in done.stdout) is (failures <= 3)


def test_a_run_that_could_not_begin_is_not_forgiven(tmp_path: Path) -> None:
    done = ran(tmp_path, "import nowhere_to_be_found\n")
    assert done.returncode == 2
