"""Cases drawn by schemathesis, sent to the application in process, and its checks of the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import requests
import schemathesis
from schemathesis import Case, GenerationMode, Response
from schemathesis.checks import CHECKS, CheckFunction, load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation

from foureyes.http.openapi import described
from tests.doors.fuzz import CURSORS, WAITED
from tests.doors.requests import REQUESTS
from tests.doors.states import SESSION, Facts
from tests.doors.worlds import World
from tests.http.web import HOST, Answer

#: An author, a seated reviewer, a human at a browser, a program, and a caller without a credential.
CALLERS = ("dev", "ann", "hugo", "robot", "nobody")
#: Number of cases for one copy of a world, before it is replaced by a fresh copy.
FRESH_EVERY = 200
#: The checks made of each answer.
NAMES = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
#: Draw the same requests on every machine, and keep no example database on the disk.
CONFIG = {
    "generation": {"deterministic": True, "database": "none", "with-security-parameters": False},
    "cache": {"enabled": False},
}


@cache
def schema() -> Any:
    """The API description, as schemathesis reads it."""
    return schemathesis.openapi.from_dict(described(), config=SchemathesisConfig.from_dict(CONFIG))


@cache
def operations() -> tuple[Any, ...]:
    """All operations of the description."""
    return tuple(one.ok() for one in schema().get_all_operations())


def corners(operation: Any) -> Iterator[Case[Any]]:
    """Each field at its limits and just beyond them, one at a time; always the same cases."""
    config = schema().config.generation_for(operation=operation, phase="coverage")
    modes = list(GenerationMode)
    yield from schema().iter_coverage_cases(operation, generation_modes=modes, generation_config=config)


def drawn(operation: Any, mode: GenerationMode, facts: Facts) -> Any:
    """Draw a valid or an invalid case; names in the path exist."""
    known = names_there(facts)
    in_path = {one.name: known[one.name] for one in operation.path_parameters if one.name in known}
    return operation.as_strategy(generation_mode=mode, path_parameters=in_path or None)


@dataclass
class Sender:
    """Sends cases to a world as one caller after the other, and collects failures."""

    made: World
    facts: Facts
    callers: tuple[str, ...] = CALLERS

    def __post_init__(self) -> None:
        load_all_checks()
        self.sent, self.wrong = 0, list[str]()
        self.statuses = Counter[int]()
        self._checks = cast("list[CheckFunction]", CHECKS.get_by_names(NAMES))
        self._world = self.made.copy()
        self._callers = cycle(self.callers)

    async def send(self, case: Case[Any]) -> None:
        """Send a case and check its answer."""
        self.sent += 1
        if self.sent % FRESH_EVERY == 0:
            self._world = self.made.copy()
        self._fitted(case)
        caller = next(self._callers)
        prepared = requests.Request(**case.as_transport_kwargs(base_url=f"http://{HOST}")).prepare()
        before = self._world.acts
        answer = await self._answered(prepared, caller)
        self.statuses[answer.status] += 1
        said = f"{caller}: {prepared.method} {prepared.url} {prepared.body!r}"
        try:
            case.validate_response(_response(prepared, answer), checks=self._checks)
        except FailureGroup as found:
            self.wrong.append(f"{said[:1_000]}: {found}")
        if answer.status >= 400 and self._world.acts != before:
            self.wrong.append(f"{said[:1_000]}: refused, and written")

    def _fitted(self, case: Case[Any]) -> None:
        """Fill in names of this world; what is invalid in the case stays invalid."""
        if self.sent % 10:
            _leave_out_keys(case)
        known = names_there(self.facts) | {"cursor": CURSORS[self.sent % len(CURSORS)]}
        if self.sent % 2:
            known |= REQUESTS.get(str(case.operation.definition.raw["operationId"]), _nothing)(self.facts)
        components = case.meta.components if case.meta else {}
        for where, values in (
            (ParameterLocation.PATH, case.path_parameters),
            (ParameterLocation.QUERY, case.query),
            (ParameterLocation.BODY, case.body),
        ):
            if not isinstance(values, dict):
                continue
            for name in WAITED & (values.keys() | _named(case, where)):
                # Do not wait as long as the limits allow; values that are refused stay.
                values[name] = 0 if str(values.get(name, 0)).isdigit() else values[name]
            if where in components and components[where].mode.is_positive:
                values |= {name: value for name, value in known.items() if name in values}

    async def _answered(self, prepared: requests.PreparedRequest, caller: str) -> Answer:
        place = urlsplit(str(prepared.url))
        named = {name.lower(): str(value) for name, value in prepared.headers.items()} | self._world.headers[caller]
        try:
            return await self._world.request(
                str(prepared.method), unquote(place.path), named, _bytes(prepared.body), query=place.query
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
            return Answer(status=500, headers={}, body=repr(error).encode())


def names_there(facts: Facts) -> dict[str, Any]:
    """The names of a world, by the fields that take them."""
    return {
        **dict.fromkeys(("review", "reviewId", "content_id"), facts.review),
        "finding": facts.finding,
        "feedback_item_id": f"{facts.review}:{facts.finding}",
        "seat": facts.seat,
        "request": facts.request,
        "stage": facts.stage,
        "digest": facts.digest,
        "session": SESSION,
        "name": "robot",
        "token": "t-robot",
        "revision": facts.revision,
    }


def _nothing(_: Facts) -> dict[str, Any]:
    return {}


def _named(case: Case[Any], where: ParameterLocation) -> set[str]:
    return {one.name for one in case.operation.query} if where is ParameterLocation.QUERY else set()


def _leave_out_keys(case: Case[Any]) -> None:
    """Drop most idempotency keys: with the same key everywhere only the first request would be evaluated."""
    case.headers.pop("Idempotency-Key", None)
    if isinstance(case.body, dict):
        case.body.pop("key", None)


def _response(prepared: requests.PreparedRequest, answer: Answer) -> Response:
    headers = {name: [value] for name, value in answer.headers.items()}
    return Response(
        status_code=answer.status,
        headers=headers,
        content=answer.body,
        request=prepared,
        elapsed=0.0,
        verify=False,
        encoding="utf-8",
    )


def _bytes(body: object) -> bytes:
    return body.encode() if isinstance(body, str) else bytes(body) if isinstance(body, bytes) else b""
