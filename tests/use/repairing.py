"""An agent that repairs a refused call using only the refusal: its fields and its next call."""

from __future__ import annotations

import copy
import itertools
import re
from typing import Any

from tests.use.served import MCP, Caller, Reply

OWN_WORDS = "I ran it with three inputs, and the output was right each time."
COUNT = itertools.count()
EVIDENCE = [{"what": OWN_WORDS, "why": OWN_WORDS, "place": {"path": "hello.py"}}]


def in_own_words(value: Any) -> Any:
    """An example, with the caller's own values for its placeholders."""
    if isinstance(value, dict):
        return {name: in_own_words(one) for name, one in value.items()}
    if isinstance(value, list):
        return [in_own_words(one) for one in value]
    words = f"{OWN_WORDS} That was run {next(COUNT)}."
    return re.sub(r"<.+>", words, value) if isinstance(value, str) else value


def put(arguments: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with another value at a place as `findings[0].place.path`; `[]` is every one of a list."""
    changed = copy.deepcopy(arguments)
    places: list[Any] = [changed]
    *steps, last = re.findall(r"\w+|\[\d*\]", field)
    for step in steps:
        if step == "[]":
            places = [one for place in places for one in place]
        else:
            places = [place[_index(step)] for place in places]
    for place in places:
        for index in range(len(place)) if last == "[]" else (_index(last),):
            place[index] = value
    return changed


def without(arguments: dict[str, Any], field: str) -> dict[str, Any]:
    """The arguments without the value at a place such as `findings[0].place.line`; unchanged if there is none."""
    changed = copy.deepcopy(arguments)
    *steps, last = map(_index, re.findall(r"[^.\[\]]+|\[\d+\]", field))
    place: Any = changed
    for step in steps:
        place = place[step]
    if isinstance(place, dict):
        place.pop(last, None)
    else:
        del place[last]
    return changed


def renamed(arguments: dict[str, Any], field: str, name: str) -> dict[str, Any]:
    """The arguments with the value at one place moved to a sibling place."""
    *steps, last = map(_index, re.findall(r"[^.\[\]]+|\[\d+\]", field))
    changed = copy.deepcopy(arguments)
    place: Any = changed
    for step in steps:
        place = place[step]
    place[name.rpartition(".")[2]] = place.pop(last)
    return changed


def _index(step: str) -> Any:
    return int(step[1:-1]) if step.startswith("[") else step


def repaired(name: str, arguments: dict[str, Any], no: Reply) -> list[tuple[str, dict[str, Any]]]:
    """The calls that the refusal names: the next call, then the original one with the error corrected."""
    fields, steps = dict(no.data.get("fields", {})), []
    if "next_call" in no.data:
        call = no.data["next_call"]
        steps.append((str(call["call"]), in_own_words(dict(call["arguments"]))))
    changed = copy.deepcopy(arguments)
    if fields.get("rename_to") and not fields.get("add"):
        changed = renamed(changed, fields["field"], fields["rename_to"])
    if fields.get("add"):
        changed |= in_own_words(fields["add"])
    elif fields.get("allowed"):
        changed = put(changed, fields["field"], in_own_words(fields["allowed"][0]))
    elif "high" in fields and "field" in fields:
        changed = put(changed, fields["field"], fields["high"])
    elif "most" in fields and "field" in fields:
        changed = put(changed, fields["field"], changed[fields["field"]][: fields["most"]])
    for place in fields.get("remove", ()):
        changed = without(changed, place)
    if changed != arguments or fields.get("repeat"):
        if "key" in changed and "new_key" in fields:
            changed["key"] = fields["new_key"]
        steps.append((name, changed))
    return steps


def mended(caller: Caller, name: str, code: str, **arguments: Any) -> Reply:
    """Make a call that is refused with this code, then the calls it names; return the last answer, a success.

    Nothing is read on the caller's behalf: the refusal must name what has to be read first.
    """
    caller = caller.unread()
    no = caller.call(name, **arguments)
    assert no.code == code, no.text
    steps = repaired(name, arguments, no)
    assert steps, no.text
    reply = no
    for call, given in steps:
        if "wait" in given:
            given["wait"] = 0  # do not wait here
        if call == "read_review" and caller.door != MCP:
            given.pop("wait", None)
        reply = caller.call(call, **given)
        assert reply.is_ok, (call, given, reply.text)
    return reply
