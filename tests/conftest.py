"""Settings of every test: no outside world, a time limit, repeatable examples, no tracing of the simulator."""

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import coverage
import pytest
from hypothesis import HealthCheck, settings

from tests.doors_used import RECORD, policies_of, problem
from tests.offline import no_outside_world
from tests.postgres.server import Server, lent, own

SIMULATOR = Path(__file__).parent / "sim"
#: Not measured, because it runs thousands of times: the core's own tests must cover the code.
UNMEASURED = (SIMULATOR, Path(__file__).parent / "crash", Path(__file__).parent / "seeds/stories")
EFFORT = os.environ.get("EFFORT", "test")
SIMULATOR_SECONDS_MAX = {"test": 600, "all": 3600}
#: More examples take longer, the more so while coverage traces them.
TEST_SECONDS_MAX = {"test": 60, "all": 900}
#: The parameter values of all runs of a test that are words.
WORDS = pytest.StashKey[frozenset[str]]()

# A loaded machine is slow, not wrong; the time limit of the test still holds.
settings.register_profile("test", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("all", settings.get_profile("test"), derandomize=False, max_examples=300)


def pytest_configure() -> None:
    # A shell without job control starts background commands with Ctrl-C ignored, and processes of tests inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if EFFORT not in SIMULATOR_SECONDS_MAX:
        raise pytest.UsageError(f"EFFORT is {EFFORT!r}; it must be one of {', '.join(SIMULATOR_SECONDS_MAX)}.")
    settings.load_profile(EFFORT)


@pytest.fixture(autouse=True, scope="session")
def _offline() -> Iterator[None]:
    with no_outside_world():
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Lend one PostgreSQL server per test run and worker, quick because it does not wait for the disk."""
    with lent() as server:
        yield server


@pytest.fixture(scope="session")
def durable_postgres() -> Iterator[Server]:
    """Lend a server of our own that keeps its promises; a test may stop it as a crash does, and starts it again."""
    with own(durable=True) as server:
        yield server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        limits = SIMULATOR_SECONDS_MAX if item.path.is_relative_to(SIMULATOR) else TEST_SECONDS_MAX
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(limits[EFFORT]))


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, object, object]:
    """Keep for each run of a test what its parameters are in all of them, also where not all are run."""
    made = yield
    runs = [one for one in made if isinstance(one, pytest.Function)] if isinstance(made, list) else []
    words = frozenset[str]().union(*map(_words, runs))
    for one in runs:
        one.stash[WORDS] = words
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test that claims doors and policies must have used all of them."""
    RECORD.clear()
    result = yield
    if marker := item.get_closest_marker("door"):
        words = item.stash.get(WORDS, frozenset())
        wrong = problem(marker.args, policies_of(marker.kwargs.get("policy", ())), _words(item), words)
        assert not wrong, wrong
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Take the simulator and the crashes out of the coverage run: tracing makes them slow."""
    tracer = coverage.Coverage.current() if any(map(item.path.is_relative_to, UNMEASURED)) else None
    if tracer is None:
        return (yield)
    tracer.stop()
    try:
        return (yield)
    finally:
        tracer.start()


def _words(item: pytest.Item) -> frozenset[str]:
    """The parameter values of this run of a test that are words."""
    call = getattr(item, "callspec", None)
    return frozenset(value for value in call.params.values() if isinstance(value, str)) if call else frozenset()
