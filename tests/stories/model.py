"""A model with the scripted answers of `minds.py`: python -m tests.stories.model RECORD."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.agents.scripted_model import Handler, serve
from tests.stories.minds import answer_to


class Minded(Handler):
    """Answers each conversation by its content."""

    def turn(self, spoken: int, body: Any) -> dict[str, Any]:
        del spoken
        return {"answer": answer_to("\n".join(_texts(body)))}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _texts(one)]


if __name__ == "__main__":
    Minded.record = Path(sys.argv[1])
    serve(Minded)
