"""A longer time limit, because restarts take longer than stories."""

from tests.conftest import EFFORT

collect_ignore = [] if EFFORT == "all" else ["test_rolling.py"]
