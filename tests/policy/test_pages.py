"""The pages about policies match the program."""

import re

import pytest

from foureyes.policy import load_text
from foureyes.policy.load import shipped_text
from foureyes.policy.schema import SECTIONS
from tests.policy.reference import PAGE, TITLES, page
from tests.shape import ROOT

HOWTO = ROOT / "docs" / "howto" / "write-a-policy.md"
EXAMPLES = re.findall(r"```yaml\n(.*?)```", HOWTO.read_text(encoding="utf-8"), flags=re.DOTALL)
SNIPPETS = re.findall(r"```python\n(.*?)```", HOWTO.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_reference_page_is_that_of_the_schema() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.policy.reference"
    assert set(TITLES) <= set(SECTIONS)


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_of_the_howto_loads(text: str) -> None:
    assert load_text("foureyes.yaml", text.encode(), shipped_text).policy.rules.default


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


def test_the_snippet_of_the_howto_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = SNIPPETS
    exec(snippet, {})  # noqa: S102 - our own page
    assert capsys.readouterr().out == "the policies say the same\n"
