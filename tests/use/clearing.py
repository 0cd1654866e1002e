"""Work that a human has cleared, for tests that begin at the end of a review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.use.served import Caller, Served


@dataclass(frozen=True)
class Cleared:
    """A cleared review and the digest of its work."""

    review: str
    digest: str


def text_file(path: str, text: str = "one\n", **more: Any) -> dict[str, Any]:
    """A file as a caller sends it."""
    return {"path": path, "text": text, **more}


def opened(author: Caller, *files: dict[str, Any], kind: str = "create_core") -> str:
    """Open a review and return its id."""
    answer = author.call("open_review", kind=kind, title="Some work", files=list(files) or [text_file("hello.txt")])
    return str(answer["review"])


def cleared(house: Served, author: Caller, *files: dict[str, Any], kind: str = "create_core") -> Cleared:
    """Open work as the author, and let the human read it and override each of its stages."""
    name = opened(author, *files, kind=kind)
    review = house.human.call("read_review", review=name)["review"]
    digest = str(review["digest"])
    for stage in dict.fromkeys(one["stage"] for one in review["requirements"]):
        words = {"stage": stage, "revision": 1, "digest": digest, "reason": "I have read all of it."}
        answer = house.human.call("override", review=name, **words)
        assert answer.is_ok, answer.text
    assert house.human.call("gate", digest=digest)["state"] == "cleared"
    return Cleared(review=name, digest=digest)
