"""Frames untrusted text in a prompt between marks with a code that the text cannot know.

The code is made from a secret of this process and from the work itself, so every work has its own, prompts about the
same work begin alike and can be cached, and nobody can predict it. If it occurs in anything that is framed, another one
is taken, so a reviewer that reveals its code helps nobody.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable

from foureyes.reviewers.answers.shown import shown

CODE_CHARS = 16
#: The length of the longest mark for one hidden character, `<U+10FFFF>`.
MARK_CHARS = 10
_SECRET = secrets.token_bytes(32)
#: Tokens that begin or end a turn for the tokenizers of open models; a blank inside makes them plain text.
_TURN = re.compile(
    r"(<[|\uff5c]|</?)(?=[ \u2581]?(?:[\w\u2581 ]{1,40}[|\uff5c]>|s>|bos>|eos>|start_of_turn>|end_of_turn>"
    r"|think>|tool_call>|tool_response>|system>|assistant>|user>))|(\[/?)(?=(?:INST|SYSTEM_PROMPT|TOOL_CALLS)\])|(<<)(?=/?SYS>>)",
    re.IGNORECASE,
)


def code_for(about: Iterable[bytes], texts: Iterable[str]) -> str:
    """Return the code for prompts about this work; it occurs in none of the texts, in any case."""
    digest = hmac.new(_SECRET, digestmod=hashlib.sha256)
    for one in about:
        digest.update(len(one).to_bytes(8, "big") + one)
    searched = [one.casefold() for one in texts]
    code = digest.hexdigest()[:CODE_CHARS]
    while any(code in one for one in searched):
        digest.update(b"again")
        code = digest.hexdigest()[:CODE_CHARS]
    return code


def frame(code: str, part: str, body: str) -> str:
    """Return the text framed as data. `part` is ours and says what it is; all untrusted text goes into the body.

    In the body, hidden characters are shown as marks, and nothing ends a turn for a model's tokenizer.
    """
    plain = _TURN.sub(lambda found: f"{found[0]} ", shown(body, len(body) * MARK_CHARS))
    return f'<work-{code} part="{part}">\n{plain}\n</work-{code}>\n'
