"""The OpenAPI description of the HTTP API, built from the registry of calls."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast, get_type_hints

from foureyes import __version__
from foureyes.app.calls.bodies import schema
from foureyes.app.calls.call import Call
from foureyes.app.calls.registry import CALLS
from foureyes.codec import Json
from foureyes.http.problems import MEDIA_TYPE
from foureyes.http.routes import GET, OTHERS, WAYS, Way

_NAMES = re.compile(r"\{(\w+)\}").findall
#: The statuses that every call may answer besides its own.
_PROBLEMS = {
    "400": "The request could not be read.",
    "401": "No credential, or one that opens nothing.",
    "403": "Not with this credential.",
    "404": "There is no such thing, or not for this viewer.",
    "409": "It does not fit how things stand.",
    "413": "Too large.",
    "421": "Another host.",
    "422": "Understood, and refused.",
    "429": "Too many; see Retry-After.",
    "503": "The store cannot answer now.",
    "507": "The disk is full; nothing was kept.",
}
_GONE = {"410": "It is there no longer; what to do instead is said."}


@cache
def described() -> Json:
    """The whole OpenAPI 3.1 document."""
    paths = dict[str, dict[str, Any]]()
    for name, way in WAYS.items():
        for number, path in enumerate(way.paths):
            operation = _operation(CALLS[name], way, path)
            # Every operation needs an id of its own.
            if number:
                operation["operationId"] = f"{name}_{number + 1}"
            paths.setdefault(path, {})[way.method.lower()] = operation
    for name, way in OTHERS.items():
        paths.setdefault(way.path, {})[way.method.lower()] = _other(name) if name in _OTHERS else _retired(name, way)
    return {
        "openapi": "3.1.0",
        "info": {"title": "foureyes", "version": __version__, "summary": "The four-eyes principle for AI agents."},
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM, "Spooled": _SPOOLED, **_shown()},
            "responses": {f"Problem{status}": _said(text) for status, text in (_PROBLEMS | _GONE).items()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "foureyes_session"},
            },
        },
    }


def _operation(call: Call[Any], way: Way, path: str) -> Json:
    form = schema(cast("Any", call.form))
    in_path = _NAMES(path)
    parameters = [_parameter(name, form, "path") for name in in_path]
    found: Json = {
        "operationId": call.name,
        "summary": call.says,
        "description": f"Needs: {call.needs}.",
        "security": [{"session": []}] if call.needs == "human" else [{"token": []}, {"session": []}],
        "responses": _responses(call, way),
    }
    rest = [name for name in form["properties"] if name not in in_path]
    if way.method == GET:
        parameters += [_parameter(name, form, "query") for name in rest]
    else:
        parameters += [_parameter(name, form, "query") for name in way.query]
        rest = [name for name in rest if name not in way.query]
        parameters += [_KEY] if call.keyed and call.changes else []
        # Required only with a session. OpenAPI cannot express that, so it is optional if a token may be used instead.
        parameters.append({**_FORM, "required": call.needs == "human"})
        body = {**form, "properties": {name: form["properties"][name] for name in rest}}
        body["required"] = [name for name in form.get("required", ()) if name in rest]
        content = {"application/octet-stream": {}} if way.streamed else {"application/json": {"schema": body}}
        found["requestBody"] = {"required": bool(body["required"]), "content": content}
    return {**found, "parameters": parameters} if parameters else found


def _parameter(name: str, form: Json, where: str) -> Json:
    required = where == "path" or name in form.get("required", ())
    return {"name": name, "in": where, "required": required, "schema": form["properties"][name]}


def _responses(call: Call[Any], way: Way) -> Json:
    gives = _given(call)
    content = {"application/json": {"schema": _named(gives)}}
    found: Json = {str(way.status): {"description": "Done.", "content": content}}
    if call.spools:
        waits = {"application/json": {"schema": {"$ref": "#/components/schemas/Spooled"}}}
        found["202"] = {"description": "Spooled while the database is down, and not accepted.", "content": waits}
    if way.marked or "mark" in gives.get("properties", ()):
        found["304"] = {"description": "As it was."}
    return found | {status: _problem(status) for status in _PROBLEMS}


def _problem(status: str) -> Json:
    return {"$ref": f"#/components/responses/Problem{status}"}


def _said(text: str) -> Json:
    return {"description": text, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


def _given(call: Call[Any]) -> Json:
    return schema(get_type_hints(call.answer)["return"])


@cache
def _shown() -> dict[str, Json]:
    """The schema of every value in an answer, by name: a review is in many answers, and described once."""
    found = dict[str, Json]()
    for call in CALLS.values():
        _gather(_given(call), found)
    return {name: {**one, "properties": _named_all(one["properties"])} for name, one in found.items()}


def _gather(said: Any, found: dict[str, Json]) -> None:
    if isinstance(said, list):
        for one in said:
            _gather(one, found)
    elif isinstance(said, dict):
        if "properties" in said and "title" in said:
            known = found.setdefault(said["title"], said)
            if known != said:
                raise ValueError(f"two different values are called {said['title']}")
        for one in said.values():
            _gather(one, found)


def _named(said: Any) -> Any:
    """The schema with every named value replaced by a reference."""
    if isinstance(said, list):
        return [_named(one) for one in said]
    if not isinstance(said, dict):
        return said
    if "properties" in said and "title" in said:
        return {"$ref": f"#/components/schemas/{said['title']}"}
    return {name: _named(one) for name, one in said.items()}


def _named_all(properties: Json) -> Json:
    return {name: _named(one) for name, one in properties.items()}


def _other(name: str) -> Json:
    says, media_type, is_open = _OTHERS[name]
    codes = ("421", "503") if is_open else ("401", "403", "421", "429", "503", *(("422",) if name == "feed" else ()))
    found: Json = {
        "operationId": name,
        "summary": says,
        "security": [] if is_open else [{"token": []}, {"session": []}],
        "responses": {"200": {"description": says, "content": {media_type: {}}}}
        | {code: _problem(code) for code in codes},
    }
    return {**found, "parameters": [_LAST, _SESSION]} if name == "feed" else found


def _retired(name: str, way: Way) -> Json:
    """The operation of a path that is gone and only names its replacement."""
    taken = {"type": "string"}
    return {
        "operationId": name,
        "summary": _RETIRED[name],
        "deprecated": True,
        "security": [],
        "parameters": [{"name": one, "in": "path", "required": True, "schema": taken} for one in _NAMES(way.path)],
        "responses": {code: _problem(code) for code in (*_GONE, "421", "503")},
    }


_RETIRED = {"old_validation": "Votes of the system before, which count for nothing; it says what to do instead."}
#: Description, media type, and whether it needs no credential.
_OTHERS: dict[str, tuple[str, str, bool]] = {
    "feed": (
        "Server-sent events in CloudEvents envelopes: changes of reviews as the caller sees them, and of sessions.",
        "text/event-stream",
        False,
    ),
    "prometheus": (
        "How busy the server is; for a program's token that is for reading alone, or a human.",
        "text/plain",
        False,
    ),
    "openapi": ("This description.", "application/json", True),
    "health": ("Whether the server is alive.", "application/json", True),
    "ready": ("Whether it can answer from its store.", "application/json", True),
}
_SESSION: Json = {
    "name": "session",
    "in": "query",
    "required": False,
    "description": "A session to follow, or `*` for all: its status comes first and whenever it changes.",
    "schema": {"type": "string"},
}
_LAST: Json = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 80},
    "description": "The id of the last event that arrived; what came after it is told first.",
}
_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 200},
    "description": "The same key with the same request gives the same answer, and nothing is done twice.",
}
_FORM: Json = {
    "name": "X-Foureyes-Form",
    "in": "header",
    "schema": {"type": "string", "maxLength": 64},
    "description": "With a session, the `form` that `me` gives it: no other page knows that. With a token, nothing.",
}
_SPOOLED: Json = {
    "type": "object",
    "properties": {
        "spooled": {"const": True},
        "accepted": {"const": False},
        "position": {"type": "integer"},
        "key": {"type": "string"},
        "sentence": {"type": "string"},
        "next_step": {"type": "string"},
    },
    "required": ["spooled", "accepted", "position", "key", "sentence", "next_step"],
}
_PROBLEM: Json = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "next_step": {"type": "string"},
        "fields": {
            "type": "object",
            "description": "The particulars as data: `field` is the argument that is wrong, `allowed` what it may be, "
            "`add` what to add to the same call (a text in angle brackets stands for your own words), `remove` what to "
            "leave out, `repeat` that the same call goes through after `next_call`.",
        },
        "next_call": {
            "type": "object",
            "description": "The call to make first or instead.",
            "properties": {
                "call": {"type": "string"},
                "method": {"type": "string"},
                "path": {"type": "string"},
                "arguments": {"type": "object"},
            },
        },
    },
    "required": ["type", "title", "status", "detail", "code", "next_step"],
}
