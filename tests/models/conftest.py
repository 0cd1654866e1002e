"""Which tests of models are there? The one with a real model takes minutes and 220 MB: only in the long run."""

from tests.conftest import EFFORT

collect_ignore = [] if EFFORT == "all" else ["test_local_model.py"]
