"""How is untrusted text put into a prompt so that it cannot break out? Between marks with a code that it cannot know.

The code is made from a secret of this process and from the work itself, so every work has its own, prompts about the
same work begin alike and can be cached, and nobody can write it down beforehand. It is looked for in everything that
is framed, and another one taken where it occurs, so a reviewer that gives its code away helps nobody.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable

from foureyes.reviewers.answers.shown import shown

CODE_CHARS = 16
#: The longest mark for one hidden character, `<U+10FFFF>`.
MARK_CHARS = 10
_SECRET = secrets.token_bytes(32)
#: Words that begin or end a turn for the tokenizers of open models; a blank inside makes them plain text.
_TURN = re.compile(
    r"(<[|\uff5c]|</?)(?=[ \u2581]?(?:[\w\u2581 ]{1,40}[|\uff5c]>|s>|bos>|eos>|start_of_turn>|end_of_turn>"
    r"|think>|tool_call>|tool_response>|system>|assistant>|user>))|(\[/?)(?=(?:INST|SYSTEM_PROMPT|TOOL_CALLS)\])|(<<)(?=/?SYS>>)",
    re.IGNORECASE,
)


def code_for(about: Iterable[bytes], texts: Iterable[str]) -> str:
    """The code for prompts about this; it occurs in none of the texts, however they are written."""
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
    """The text as data. `part` is ours and says what it is; everything of others goes into the body.

    In it, hidden characters are shown as marks, and nothing ends a turn for a model's tokenizer.
    """
    plain = _TURN.sub(lambda found: f"{found[0]} ", shown(body, len(body) * MARK_CHARS))
    return f'<work-{code} part="{part}">\n{plain}\n</work-{code}>\n'
