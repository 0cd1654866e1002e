"""Answers and refusals as results of tools: as a value, and as text for clients that show their model no values."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.spooling import IsSpooled
from foureyes.codec import Json
from foureyes.codec.shapes import spelled
from foureyes.core.refusals import Refusal

#: The key of the refusal's code in the result's metadata.
CODE = "foureyes/code"
COMPLETE = "complete"


class NotThere(Exception):  # noqa: N818 - an expected no of the protocol, before any call is made
    """An unknown tool, resource, prompt or method."""


def done(data: Json) -> Json:
    """The result of a successful call, as a value and as text for clients that read no values."""
    content = [{"type": "text", "text": spelled(data)}]
    return {"resultType": COMPLETE, "content": content, "structuredContent": data, "isError": False}


def failed(code: str, sentence: str, next_step: str, particulars: Json | None = None) -> Json:
    """The result of a refused call: text for a model, and a value with code, sentence, next step and particulars."""
    value = {"code": code, "sentence": sentence, "next_step": next_step, **(particulars or {})}
    text = "\n".join((in_words(code, sentence, next_step), *_lines(value)))
    return {
        "resultType": COMPLETE,
        "content": [{"type": "text", "text": text}],
        "structuredContent": value,
        "isError": True,
        "_meta": {CODE: code},
    }


def refused(refusal: Refusal) -> Json:
    """A refusal as the result of a tool."""
    return failed(refusal.code.value, refusal.sentence, refusal.next_step, dict(refusal.particulars()))


def in_words(code: str, sentence: str, next_step: str) -> str:
    """A refusal in three lines: the sentence, the next step, and the code for programs."""
    return f"{sentence}\nNext: {next_step}\nCode: {code}"


def _lines(value: Json) -> Iterator[str]:
    """The particulars as text, for clients that show their model only the text."""
    if "next_call" in value:
        yield f"Call: {value['next_call']['call']} {spelled(value['next_call']['arguments'])}"
    if "fields" in value:
        yield f"Fields: {spelled(value['fields'])}"


def words_of(error: Exception) -> tuple[str, str, str] | None:
    """Code, sentence and next step of an expected failure; None for an unexpected one, which clients do not see."""
    if isinstance(error, Refusal):
        return error.code.value, error.sentence, error.next_step
    if isinstance(error, IsSpooled):
        # Reported as an error: it has no answer in the tool's schema, and must not be taken for done.
        return "spooled", error.sentence, error.next_step
    if isinstance(error, Unavailable):
        return error.word, error.sentence, error.next_step
    if isinstance(error, Damaged):
        return "damaged", "What the store holds was altered.", "Ask a human to run `foureyes log verify`."
    return None


#: The answer to an unexpected failure; its details are only in the log.
BROKEN = ("internal", "Something went wrong here.", "Try again with the same key; a human finds more in the log.")
