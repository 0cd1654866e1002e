"""The examples in the documentation are run as printed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.shape import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_documents_run(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda one: one.stem)
def test_what_the_documents_show_as_yaml_is_yaml(page: Path) -> None:
    for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        assert yaml.safe_load(block)
