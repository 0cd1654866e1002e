"""U-42: for a wrong field of any call, the refusal names it and its allowed values, and repairs it in one step."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest

from foureyes.app.calls.bodies import schema, taken
from foureyes.app.calls.call import Call, Need
from foureyes.app.calls.registry import CALLS
from foureyes.core.refusals import Refusal
from foureyes.http.routes import GET, WAYS
from foureyes.mcp.tools import TOOLS
from tests.use.repairing import repaired
from tests.use.served import HTTP, MCP, Caller, Reply, Served, served

#: A value that is wrong wherever a fixed set is expected.
UNKNOWN = "zz_unheard_of"
_CLASS_NAMES = re.compile(r"\b(NoneType|dict|fields of [A-Z]\w+|[A-Z]\w+Form|[A-Z]\w+Shown)\b")
#: The caller of a call, by its need.
_WHO = {Need.HUMAN: "human", Need.PUBLISH: "ci", Need.VOUCH: "platform"}
DEPTH_MAX = 8
#: Requests of these methods have no JSON body.
BARE = (GET, "PUT")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("misfits"), "solo") as up:
        up.account("dev")
        up.account("ci", "publisher", kind="service", scopes=("publish", "read"))
        up.account("platform", "service", kind="service", scopes=("vouch", "author", "read", "review", "signal"))
        yield up


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    others = [one for one in found.get("anyOf", [found]) if one != {"type": "null"}]
    return others[0] if len(others) == 1 else {}


def _example(found: dict[str, Any], depth: int = 0) -> Any:
    """A value with every field that it may have, so that each can be wrong."""
    inner = _plain(found)
    kind = inner.get("type")
    if kind == "object":
        fields = inner.get("properties", {}) if depth < DEPTH_MAX else {}
        return {name: _example(one, depth + 1) for name, one in fields.items()}
    if kind == "array":
        return [_example(one, depth + 1) for one in inner.get("prefixItems", [inner.get("items", {})])]
    plain = {"integer": 1, "number": 0.5, "boolean": True}
    if inner.get("format") == "date-time":
        return "2026-01-31T23:59:59Z"
    return inner["enum"][0] if "enum" in inner else plain.get(str(kind), "words")


def _wrongs(found: dict[str, Any], value: Any, place: str = "") -> Iterator[tuple[str, str, Any]]:
    """The possible errors at each place of a form: the place, the error, and the wrong value."""
    inner = _plain(found)
    if inner.get("type") == "object" and "properties" in inner and isinstance(value, dict):
        begin = f"{place}." if place else ""
        yield f"{begin}{UNKNOWN}", "unknown", {**value, UNKNOWN: 1}
        for name in inner.get("required", ()):
            yield f"{begin}{name}", "missing", {field: one for field, one in value.items() if field != name}
        for name, one in inner["properties"].items():
            if name in value:
                for at, what, wrong in _wrongs(one, value[name], f"{begin}{name}"):
                    yield at, what, {**value, name: wrong}
    elif inner.get("type") == "array" and isinstance(value, list) and value and "items" in inner:
        for at, what, wrong in _wrongs(inner["items"], value[0], f"{place}[0]"):
            yield at, what, [wrong]
    if place and inner.get("type") in ("array", "object", "integer", "boolean", "string"):
        yield place, "type", "zz" if inner["type"] in ("integer", "boolean") else 0.25


def _refused(call: Call[Any], body: dict[str, Any]) -> Refusal | None:
    try:
        taken(call.form, body)
    except Refusal as no:
        return no
    return None


def _cases() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    for name, call in CALLS.items():
        form: Any = call.form
        found = schema(form)
        whole = _example(found)
        if _refused(call, whole) is None:
            for place, what, body in _wrongs(found, whole):
                yield name, place, what, body


CASES = list(_cases())


def test_nearly_every_call_has_cases() -> None:
    """U-42: a call that takes something is tried with something wrong in it."""
    takes = {name for name, call in CALLS.items() if schema(cast("Any", call.form))["properties"]}
    assert takes - {name for name, *_ in CASES} == set()
    assert len(CASES) > 800


def _names_the_place(fields: dict[str, Any], place: str) -> bool:
    return fields.get("field") == place or place in (*fields.get("missing", ()), *fields.get("remove", ()))


def test_every_wrong_field_of_every_call_is_named_and_put_right() -> None:
    """U-42: unknown, missing and of another type, at every depth; one step makes it fit."""
    for name, place, what, body in CASES:
        no = _refused(CALLS[name], body)
        if no is None:
            continue  # this place takes any value
        fields: dict[str, Any] = json.loads(json.dumps(no.particulars()["fields"]))
        assert _names_the_place(fields, place), (name, place, what, fields)
        assert fields.keys() & {"allowed", "known_fields", "expected"}, (name, place, what, fields)
        assert no.next_step not in ("", "Correct the field."), (name, place, what)
        assert not _CLASS_NAMES.search(no.sentence + no.next_step), (name, place, what, no.sentence)
        told = Reply(is_ok=False, data={"fields": fields}, text=no.sentence)
        (step,) = repaired(name, body, told)
        assert _refused(CALLS[name], step[1]) is None, (name, place, what, fields)


def _who(house: Served, need: Need, door: str) -> Caller:
    who = _WHO.get(need, "dev")
    return (house.human if who == "human" else house.callers[who]).at(door)


@pytest.mark.parametrize("name", [name for name in CALLS if name in WAYS and WAYS[name].method not in BARE])
@pytest.mark.door("http", policy="solo")
def test_a_wrong_field_is_named_over_http(house: Served, name: str) -> None:
    """U-42: the first of each sort at the door itself."""
    seen, way = set[str](), WAYS[name]
    elsewhere = {*re.findall(r"\{(\w+)\}", way.paths[0]), *way.query}
    for call, place, what, body in CASES:
        sort = f"{what} {'nested' if '.' in place else 'top'}"
        in_path = re.split(r"[.\[]", place)[0] in elsewhere
        if call != name or sort in seen or in_path or _refused(CALLS[name], body) is None:
            continue
        seen.add(sort)
        no = _who(house, CALLS[name].needs, HTTP).unread().call(name, **body)
        assert no.code == "bad_value", (sort, no.text)
        assert _names_the_place(no.data["fields"], place), (sort, no.text)
        assert no.data["fields"].keys() & {"allowed", "known_fields", "expected"}, no.text


@pytest.mark.parametrize("name", [name for name in TOOLS if TOOLS[name].call.needs is not Need.HUMAN])
def test_a_wrong_field_is_named_over_mcp(house: Served, name: str) -> None:
    """U-42: the same as a tool, where only what could hold content is refused at the top."""
    for call, place, what, body in CASES:
        if call == name and "." in place and what != "type":
            no = _who(house, CALLS[name].needs, MCP).unread().call(name, **body)
            assert no.code == "bad_value", no.text
            assert _names_the_place(no.data["fields"], place), no.text
            return
