"""Check that a pytest run judged the mutated copy, and that its tests failed rather than merely crashed.

The audit puts this file beside the copy of the package and loads it as a pytest plugin.
"""

import importlib
import os
from pathlib import Path

import pytest

WRONG_COPY = 70
CRASHED = 71


def pytest_exception_interact(call: pytest.CallInfo[object]) -> None:
    """Reject a break that leaves a name undefined, which proves nothing about the rule."""
    if call.excinfo is not None and isinstance(call.excinfo.value, NameError | ImportError | SyntaxError):
        pytest.exit(f"the break crashes the code: {call.excinfo.value!r}", returncode=CRASHED)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Check that the imported package is the one beside this file."""
    imported = importlib.import_module("foureyes").__file__
    if imported is None or not Path(imported).is_relative_to(os.environ["AUDITED_COPY_OF_FOUREYES"]):
        session.exitstatus = WRONG_COPY
