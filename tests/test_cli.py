"""The console script says its version, explains itself, and refuses what it does not know."""

import subprocess
import sys
from importlib.metadata import entry_points, version

import pytest

from foureyes import __version__
from foureyes.bootstrap import main


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"foureyes {__version__}\n"


def test_the_installed_package_has_the_version_of_the_source() -> None:
    assert version("foureyes") == __version__


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_is_printed_when_asked_for_or_when_nothing_is_asked(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    assert "Usage: foureyes" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["reveiw"], ["reveiw", "--help"]])
def test_an_unknown_argument_exits_64_with_a_sentence_that_names_it(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 64
    said = capsys.readouterr()
    assert said.err.splitlines()[1:] == [
        "foureyes does not know 'reveiw'. Did you mean 'review'?",
        "`foureyes --help` shows what it knows.",
    ]
    assert said.out == ""


def test_windows_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"], platform="win32") == 1
    assert capsys.readouterr().err == "foureyes runs on Linux and macOS; Windows is not supported.\n"


def test_the_console_script_leads_to_main() -> None:
    (script,) = entry_points(group="console_scripts", name="foureyes")
    assert script.load() is main


INTERRUPTED = """
import sys
from foureyes.bootstrap import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.exit(main(["review"]))
"""


@pytest.mark.parametrize("module", ["foureyes.config", "foureyes.cli.program", "foureyes.cli.review"])
def test_stopping_it_while_it_loads_shows_no_traceback(module: str) -> None:
    """A person who presses Ctrl-C at once is told as much as one who waits."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, module], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "Stopped.")


def test_the_exit_code_reaches_the_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from foureyes.bootstrap import main; sys.exit(main())", "nonsense"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (64, "")
    assert "'nonsense'" in done.stderr
