"""The reference equals the help of the commands and settings."""

import re
import tomllib

from foureyes import config
from foureyes.cli.program import COMMANDS
from foureyes.cli.restoring import WORDS
from tests.cli.test_program import LEAVES
from tests.shape import ROOT
from tools import reference


def test_the_reference_of_commands_is_up_to_date() -> None:
    """If this fails: `python -m tools.reference`."""
    page = (reference.REFERENCE / "cli.md").read_text(encoding="utf-8")
    assert page == reference.commands()
    told = set(re.findall(r"^(?:## |\| \[`)(foureyes [a-z -]+)", page, flags=re.MULTILINE))
    assert {f"foureyes {path}" for path in LEAVES} <= told


def test_the_readme_names_every_command_and_every_extra() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^- \*\*The command line\*\*:(.*?)\(\[reference\]", page, flags=re.MULTILINE | re.DOTALL)
    assert sorted(re.findall(r"`([a-z]+)`", listed)) == sorted(COMMANDS)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(re.findall(r"`foureyes\[([a-z]+)\]`", page)) == set(project["optional-dependencies"])


def test_the_reference_of_settings_is_up_to_date() -> None:
    """If this fails: `python -m tools.reference`."""
    page = (reference.REFERENCE / "configuration.md").read_text(encoding="utf-8")
    assert page == reference.with_settings(page)
    assert all(f"`{one.variable}`" in page for one in config.KNOWN)


def test_the_words_to_type_are_those_the_guide_names() -> None:
    assert WORDS in (ROOT / "docs" / "howto" / "back-up-and-restore.md").read_text(encoding="utf-8")
