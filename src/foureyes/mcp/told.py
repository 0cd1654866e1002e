"""How is an answer told to an agent, and how a no? A no is text that it can act on: what is wrong and what to do."""

from __future__ import annotations

from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.spooling import IsSpooled
from foureyes.codec import Json
from foureyes.codec.shapes import spelled
from foureyes.core.refusals import Refusal

#: Where a program finds the code of a refusal.
CODE = "foureyes/code"
COMPLETE = "complete"


class NotThere(Exception):  # noqa: N818 - an expected no of the protocol, before any call is made
    """A tool, resource or prompt that there is not."""


def done(data: Json) -> Json:
    """What a tool answered, as a value and as text for those who read no values."""
    content = [{"type": "text", "text": spelled(data)}]
    return {"resultType": COMPLETE, "content": content, "structuredContent": data, "isError": False}


def failed(code: str, sentence: str, next_step: str) -> Json:
    """A no: the sentence alone on its line, then what to do, then the code that programs know it by."""
    content = [{"type": "text", "text": in_words(code, sentence, next_step)}]
    return {"resultType": COMPLETE, "content": content, "isError": True, "_meta": {CODE: code}}


def in_words(code: str, sentence: str, next_step: str) -> str:
    """A no in three lines."""
    return f"{sentence}\nNext: {next_step}\nCode: {code}"


def words_of(error: Exception) -> tuple[str, str, str] | None:
    """Code, sentence and next step of what may go wrong; nothing for what may not, which is told to nobody."""
    if isinstance(error, Refusal):
        return error.code.value, error.sentence, error.next_step
    if isinstance(error, IsSpooled):
        # Told like a no: it has no answer in the shape of the tool's, and nobody must take it for done.
        return "spooled", error.sentence, error.next_step
    if isinstance(error, Unavailable):
        return "unavailable", error.sentence, error.next_step
    if isinstance(error, Damaged):
        return "damaged", "What the store holds was altered.", "Ask a human to run `foureyes log verify`."
    return None


#: What is said when something of ours failed; where and how stands in the log alone.
BROKEN = ("internal", "Something went wrong here.", "Try again with the same key; a human finds more in the log.")
