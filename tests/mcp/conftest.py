"""Collection of the MCP door's tests: the protocol's own checks run in the long run only."""

from __future__ import annotations

from tests.conftest import EFFORT

#: The checks come by npm, with a Node of their own; a whole server takes its time: here they are not skipped, they
#: are not there.
_LONG = ["conformance/test_conformance.py", "test_real_agents.py"]
collect_ignore = [] if EFFORT == "all" else _LONG
