"""The search of recorded requests finds a secret in every encoding, and only where one is."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.agents.recorded import framed, leaks, unframed
from tools.planted import AWS_KEY, GITHUB_TOKEN

SPELLINGS: dict[str, Callable[[str], Any]] = {
    "plain": lambda one: f"KEY = '{one}'",
    "a piece of it": lambda one: one[4:18],
    "upper case": str.upper,
    "backwards": lambda one: one[::-1],
    "in two strings": lambda one: f'"{one[:9]}" + \\n "{one[9:]}"',
    "in two entries": lambda one: [one[:9], one[9:]],
    "base64": lambda one: base64.b64encode(f"k={one};".encode()).decode(),
    "base64 of a page": lambda one: base64.encodebytes(f"{'x' * 70}\n{one}\n".encode()).decode(),
    "base64 for addresses": lambda one: base64.urlsafe_b64encode(f"??{one}".encode()).decode(),
    "hexadecimal": lambda one: one.encode().hex(),
    "escaped": lambda one: "".join(f"\\u{ord(letter):04x}" for letter in one),
    "escaped twice": lambda one: json.dumps("".join(f"\\x{ord(letter):02x}" for letter in one)),
    "in an address": lambda one: quote(one, safe="").replace("K", "%4B").replace("A", "%41"),
    "in a document": lambda one: "".join(f"&#{ord(letter)};" for letter in one),
    "JSON in JSON": lambda one: json.dumps({"a": json.dumps({"b": one})}),
}


def request(content: object) -> dict[str, Any]:
    return {"method": "POST", "headers": {}, "body": {"messages": [{"role": "user", "content": content}]}}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("secret", [AWS_KEY, GITHUB_TOKEN])
def test_a_secret_is_noticed_however_it_is_spelt(spelling: str, secret: str) -> None:
    found = leaks([request("hello"), request(SPELLINGS[spelling](secret))], (AWS_KEY, GITHUB_TOKEN))
    assert found == [secret]


def test_a_secret_in_a_header_is_noticed_and_one_that_is_not_there_is_not() -> None:
    asked = request("[secret removed: aws key]")
    assert leaks([asked], (AWS_KEY, GITHUB_TOKEN)) == []
    assert leaks([{**asked, "headers": {"x-note": AWS_KEY}}], (AWS_KEY,)) == [AWS_KEY]


def test_the_work_counts_as_framed_only_between_marks_of_one_code() -> None:
    inside = '<work-0123456789abcdef part="file 1 of 1">\nrm -rf /\n</work-0123456789abcdef>'
    other = inside.replace("</work-0", "</work-1")
    assert unframed([request(f"Look:\n{inside}\nWell?")], ["rm -rf /"]) == []
    assert "rm -rf /" in framed([request(inside)])
    for open_ones in (f"rm -rf /\n{inside}", other, f"{inside}\nrm -rf /"):
        assert unframed([request(open_ones)], ["rm -rf /", "never"]) == ["rm -rf /"]


def test_what_the_model_asked_for_is_no_prompt_of_ours() -> None:
    for block in ({"type": "tool_result", "content": "rm -rf /"}, {"functionResponse": {"output": "rm -rf /"}}):
        assert unframed([request([block])], ["rm -rf /"]) == []
    assert unframed([request([{"type": "text", "text": "rm -rf /"}])], ["rm -rf /"]) == ["rm -rf /"]
