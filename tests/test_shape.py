"""The code keeps the house rules, and the rules notice when it does not."""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import shape
from tests.shape import ROOT, Source, sources

Rule = Callable[[Source], Iterator[str]]

PRODUCT = sources("src")
CORE = sources("src/foureyes/core")
EVERYTHING = sources("src", "tests", "bench", "tools")
HELPERS = [source for source in EVERYTHING if "/test_" not in source.path]


def offences(rule: Rule, among: list[Source], *more: Rule) -> list[str]:
    assert among, "nothing was looked at"
    return [offence for source in among for one in (rule, *more) for offence in one(source)]


def found(rule: Rule, text: str) -> bool:
    return bool(list(rule(Source(path="example.py", text=text))))


def test_files_are_short() -> None:
    assert offences(shape.long_file, HELPERS) == []


def test_functions_are_short_and_take_few_positional_parameters_and_every_module_states_what_it_is() -> None:
    """In one go: reading a thousand files takes longer than looking at them."""
    more = (shape.many_positional_parameters, shape.missing_docstring, shape.questions)
    assert offences(shape.long_functions, EVERYTHING, *more) == []


def test_the_core_imports_only_itself_and_value_modules() -> None:
    assert offences(shape.foreign_imports, CORE) == []


def test_the_core_has_no_clock_randomness_input_or_output() -> None:
    assert offences(shape.impure_names, CORE) == []


def test_nothing_hides_from_coverage() -> None:
    assert offences(shape.coverage_pragmas, PRODUCT) == []


def test_long_files_and_functions_are_noticed() -> None:
    assert not found(shape.long_file, "x = 1\n" * 400)
    assert found(shape.long_file, "x = 1\n" * 401)
    assert not found(shape.long_functions, "def f():\n" + "    x = 1\n" * 59)
    assert found(shape.long_functions, "async def f():\n" + "    x = 1\n" * 60)


def test_the_sixth_positional_parameter_is_noticed() -> None:
    assert not found(shape.many_positional_parameters, "def f(self, a, b, c, d, e, *, f, g): ...")
    assert found(shape.many_positional_parameters, "def f(a, b, /, c, d, e, f): ...")


def test_a_module_without_docstring_is_noticed() -> None:
    assert found(shape.missing_docstring, "x = 1\n")


def test_a_question_as_a_docstring_is_noticed() -> None:
    assert not found(shape.questions, '"""The gate."""\n\ndef f():\n    """True if it is open."""\n')
    assert found(shape.questions, '"""May this go live?"""\n')
    assert found(shape.questions, 'def f():\n    """Is it open? The log says."""\n')


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "import random, re",
        "from time import monotonic",
        "from foureyes.store import codec",
        "from foureyes import core_tricks",
        "from foureyes.core_tricks import x",
        "from . import model",
        "def f():\n    import uuid",
    ],
)
def test_a_foreign_import_in_the_core_is_noticed(line: str) -> None:
    assert found(shape.foreign_imports, line)


@pytest.mark.parametrize("line", ["from collections.abc import Set", "from foureyes.core.model import Review"])
def test_a_value_import_in_the_core_is_allowed(line: str) -> None:
    assert not found(shape.foreign_imports, line)


@pytest.mark.parametrize(
    "line",
    [
        "x = datetime.now(UTC)",
        "x = datetime.datetime.utcnow()",
        "x = date.today()",
        "clock = datetime.now",
        "x = clock.now()",
        "x = uuid4()",
        "x = uuid.uuid4()",
        "x = random.random()",
        "open('f')",
        "print('f')",
        "x = os.getenv('f')",
        "logging.info('f')",
        "asyncio.run(f)",
        "x = time.time()",
        "x = hash('f')",
    ],
)
def test_an_impure_name_in_the_core_is_noticed(line: str) -> None:
    assert found(shape.impure_names, line)


@pytest.mark.parametrize("line", ["due = now + hours", "x = facts.now", "x = finding.open", "def f(now): return now"])
def test_time_as_an_argument_is_allowed(line: str) -> None:
    assert not found(shape.impure_names, line)


def test_a_pragma_is_noticed() -> None:
    assert found(shape.coverage_pragmas, "x = 1  # pragma: " + "no cover")


def test_lock_files_name_no_address_and_every_package_has_a_hash() -> None:
    locks = sorted((ROOT / "requirements").glob("*.lock"))
    assert locks
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert re.findall(r"--(?:extra-)?index-url|--find-links|\w+://", text) == []
        for package in re.split(r"\n(?=[a-z0-9])", text)[1:]:
            assert "--hash=sha256:" in package, package


def test_the_lock_names_every_extra_that_a_locked_package_asks_for() -> None:
    """Where one is missing, pip looks for the newest version of that package and finds no hash for it."""
    text = (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")
    pins = map(Requirement, re.findall(r"^[^\s#].*==\S+", text, flags=re.MULTILINE))
    locked = {canonicalize_name(one.name): one.extras for one in pins}
    asked = [
        one
        for package in distributions()
        if canonicalize_name(package.name) in locked
        for one in map(Requirement, package.requires or ())
        if one.extras and (one.marker is None or one.marker.evaluate({"extra": ""}))
    ]
    assert asked
    assert [str(one) for one in asked if not one.extras <= locked[canonicalize_name(one.name)]] == []


def test_every_ignored_lint_rule_has_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rules = re.findall(r'^ +"[A-Z]+[0-9]*",.*$', text, flags=re.MULTILINE)
    assert rules
    assert [line for line in rules if not re.search(r"# \w+", line)] == []
