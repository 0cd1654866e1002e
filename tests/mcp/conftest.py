"""Collection of the MCP door's tests: the protocol's own checks run in the long run only."""

from __future__ import annotations

from tests.conftest import EFFORT

#: The checks come from npm with their own Node, and a whole server is slow: outside the long run they are not
#: collected, rather than skipped.
_LONG = ["conformance/test_conformance.py", "test_real_agents.py"]
collect_ignore = [] if EFFORT == "all" else _LONG
