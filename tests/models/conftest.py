"""Collection of the models' tests: the one with a real model takes minutes and 220 MB, so it is for the long run."""

from tests.conftest import EFFORT

collect_ignore = [] if EFFORT == "all" else ["test_local_model.py"]
