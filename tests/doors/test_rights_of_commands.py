"""The command line has the permissions of the same table, and no call that is for humans."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any, cast, get_type_hints
from urllib.parse import urlsplit

import pytest

from foureyes.app.calls.bodies import schema
from foureyes.app.calls.call import Call, Need
from foureyes.app.calls.registry import CALLS
from foureyes.app.credentials import AGENT_HEADER
from foureyes.bootstrap.asking import request_of
from foureyes.bootstrap.assembly import Assembly
from foureyes.cli.calling import OFFERED, spelt
from foureyes.cli.parts import Asking, Heard
from foureyes.codec import Json
from foureyes.home.token import AGENT_VARIABLE, VARIABLE
from foureyes.http.routes import WAYS
from tests.cli.desk import Desk
from tests.conftest import EFFORT
from tests.doors.requests import REQUESTS
from tests.doors.rights import PRINCIPALS, row
from tests.doors.states import STATES, Facts, found_in
from tests.doors.worlds import World

#: Principals with a token; a session is not one, and refusals without a valid token have their own exit code.
WITH_TOKEN = ("author", "reviewer", "other", "program", "service", "vouched", "small", "revoked", "expired")
#: Every state of every call in the long run, else one of each in turn.
COLUMNS = {
    name: tuple(STATES) if EFFORT == "all" else (tuple(STATES)[number % len(STATES)],)
    for number, name in enumerate(OFFERED)
}
#: The result of an invalid token: the settings are wrong.
NOBODY = (64, "trouble", "credential_needed")


class Here(Desk):
    """A user at a command line whose server is in this process."""

    world: World

    def assembly(self, flags: dict[str, str | None] | None = None) -> Assembly:
        found = super().assembly(flags)
        found.ask = self._ask  # type: ignore[method-assign]
        return found

    def _ask(self, asking: Asking) -> Heard:
        method, path, body = request_of(asking.call, asking.data)
        headers = {"authorization": f"Bearer {asking.token}"} | ({AGENT_HEADER: asking.agent} if asking.agent else {})
        parts = urlsplit(path)
        answer = asyncio.run(self.world.request(method, parts.path, headers, body or b"", query=parts.query))
        return Heard(status=answer.status, data=answer.data)


def form_of(call: Call[Any]) -> Json:
    """The parameters of a call as JSON Schema."""
    return schema(cast("Any", call.form))


def _takes_text(shape: Json) -> bool:
    return any(one.get("type") == "string" for one in (shape, *shape.get("anyOf", ())))


def typed(call: str, facts: Facts) -> list[str]:
    """The command line of the best request of a call in a state."""
    body = dict(REQUESTS[call](facts))
    if "content" in body and WAYS[call].streamed:
        body["base64"] = base64.b64encode(body.pop("content")).decode()
    is_text = {name: _takes_text(shape) for name, shape in form_of(CALLS[call])["properties"].items()}
    words = (f"--{spelt(name)}={one if is_text[name] else json.dumps(one)}" for name, one in body.items())
    return ["call", spelt(call), *words, "--json"]


def test_every_call_is_a_command_or_is_a_humans() -> None:
    """A new call is a command by itself; each word that is typed means one call, and each option one field."""
    for_humans = {name for name, call in CALLS.items() if call.needs is Need.HUMAN}
    assert {call.name for call in OFFERED.values()} == CALLS.keys() - for_humans
    assert {spelt(name) for name in CALLS} == {spelt(name) for name in for_humans} | OFFERED.keys()
    own = {"body", "server", "token-file", "home", "database", "json", "debug", "help"}
    for call in OFFERED.values():
        fields = form_of(call)["properties"]
        options = {spelt(field) for field in fields}
        assert len(options) == len(fields)
        assert not options & own, call.name
        named = {one.strip("{}") for one in WAYS[call.name].path.split("/") if one.startswith("{")}
        assert named <= set(form_of(call).get("required", ())), call.name


def test_no_answer_has_a_field_of_the_command_lines_own() -> None:
    """`exit` and `error` stand beside the answer."""
    for name in OFFERED:
        found = schema(get_type_hints(OFFERED[name].answer)["return"])
        for shape in found.get("anyOf", [found]):
            assert not {"exit", "error"} & shape["properties"].keys(), name


@pytest.mark.parametrize("name", OFFERED)
def test_each_may_use_the_commands_that_the_table_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T1, T10, T24: the same at this door as at the others."""
    call, desk = OFFERED[name].name, Here(tmp_path / "home")
    for state in COLUMNS[name]:
        made, facts = asyncio.run(found_in(state))
        desk.world = made.copy()
        for who in WITH_TOKEN:
            headers = made.headers[PRINCIPALS[who][1]]
            monkeypatch.setenv(VARIABLE, headers["authorization"].removeprefix("Bearer "))
            monkeypatch.setenv(AGENT_VARIABLE, headers.get(AGENT_HEADER, ""))
            before, ran = desk.world.acts, desk.run(*typed(call, facts))
            wanted = row(call, who)[tuple(STATES).index(state)]
            if wanted == NOBODY[-1]:
                assert (ran.code, ran.data["error"]) == NOBODY[:2], (who, state)
            elif wanted == "ok":
                assert "error" not in ran.data, (who, state, ran.data)
            else:
                assert (ran.code, ran.data["error"]) == (2, wanted), (who, state, ran.data)
            if desk.world.acts > before:
                desk.world = made.copy()
