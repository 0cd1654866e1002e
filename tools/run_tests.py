"""Run pytest, and repeat the few failed tests alone: a loaded machine is slow, not wrong.

The argument is the whole command. A test that passes the second time is named as flaky at the end; more than AGAIN_MAX
failures, and every failure of the long run (EFFORT=all), are final. Decision 0037 says why.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

AGAIN_MAX = 3
FAILED = 1
LAST_FAILED = Path(".pytest_cache/v/cache/lastfailed")


def main(command: list[str]) -> int:
    """The exit code of the run, or of the repeated failures."""
    LAST_FAILED.unlink(missing_ok=True)
    code = subprocess.run(command, check=False).returncode
    failed = sorted(json.loads(LAST_FAILED.read_text())) if code == FAILED and LAST_FAILED.exists() else []
    if not 0 < len(failed) <= AGAIN_MAX or os.environ.get("EFFORT") == "all":
        return code
    print(f"\nOnce more by themselves: {', '.join(failed)}", flush=True)
    alone = command[: command.index("pytest") + 1]
    if again := subprocess.run([*alone, *failed], check=False).returncode:
        return again
    for test in failed:
        print(f"FLAKY {test}: it failed beside the others and passed alone. Mend it.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
