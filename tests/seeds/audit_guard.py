"""Did this pytest run judge the mutated copy, and did its tests fail rather than merely crash?

The audit lays this file beside the copy of the package and loads it as a pytest plugin.
"""

import importlib
import os
from pathlib import Path

import pytest

WRONG_COPY = 70
CRASHED = 71


def pytest_exception_interact(call: pytest.CallInfo[object]) -> None:
    """A break that leaves a name undefined proves nothing about the rule."""
    if call.excinfo is not None and isinstance(call.excinfo.value, NameError | ImportError | SyntaxError):
        pytest.exit(f"the break crashes the code: {call.excinfo.value!r}", returncode=CRASHED)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The package that was imported must be the one beside this file."""
    imported = importlib.import_module("foureyes").__file__
    if imported is None or not Path(imported).is_relative_to(os.environ["AUDITED_COPY_OF_FOUREYES"]):
        session.exitstatus = WRONG_COPY
