"""Many processes at once take a minute: they are for the long run."""

from tests.conftest import EFFORT

collect_ignore = [] if EFFORT == "all" else ["test_many_machines.py"]
