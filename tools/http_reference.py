"""Write the HTTP reference from the registry of calls, so that it is never out of date.

Usage: python -m tools.http_reference
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from foureyes.app.calls.field_words import Explained, explained
from foureyes.app.calls.registry import CALLS
from foureyes.app.limits import Limits, Share
from foureyes.app.work import PARTS_MAX
from foureyes.codec import Json
from foureyes.codec.sizes import VALUES_MAX
from foureyes.core.refusals import Code
from foureyes.http.openapi import described
from foureyes.http.problems import STATUS, UNDERSTOOD
from foureyes.http.routes import OTHERS, WAYS

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
PAGE, DESCRIPTION = REFERENCE / "http.md", REFERENCE / "openapi.json"
HEAD = f"""# The HTTP API

Made by `python -m tools.http_reference` from the registry of calls. The same for programs is
[openapi.json](openapi.json) (OpenAPI 3.1); a running server gives it at `/api/v1/openapi.json`.
[Who may do what](who-may-do-what.md) says who is answered in which state.

- **Who calls** is what the credential says: `Authorization: Bearer TOKEN` of an enrolled account, or a human's session.
  A service that acts for one of its agents names it in `Foureyes-Agent`. A name in a body must be the credential's.
- **A session** (the cookie `foureyes_session`) sends the header `X-Foureyes-Form` with all but a `GET`, so no page of
  others can use it. Its value is the field `form` in the session's own answer to `GET /api/v1/me`: the SHA-256 of
  `form:` and the cookie's value, in hex. Without it the answer is 403 `sign_in_needed`. A token needs none.
- **Bodies** are one JSON object in UTF-8; a field that is unknown or there twice is refused. More than 4 MiB or more
  than {VALUES_MAX:,} values (each number, text, list and object is one, however long) is 413 `too_large`. A work of
  {PARTS_MAX:,} files fits; send a batch that does not as several. Address and headers have 64 KiB, else it is 431.
- **Bytes** of a large file (up to 20 MiB) are sent ahead, bare, with `PUT /api/v1/blobs/SHA256`; a file of a work then
  names them by `digest`. Bytes that are not what they are called leave nothing.
- **Repeating** is harmless: the same `Idempotency-Key` with the same request gives the same answer.
- **A no** is `application/problem+json` with a stable `code`, what is wrong, and the `next_step`. `fields` and
  `next_call` are the same for programs: `fields.field` is the argument that is wrong, `fields.allowed` the values it
  may have, `fields.add` what to add to the same call (`<…>` stands for your own words), `fields.remove` what to leave
  out, `next_call` the call to make first or instead; with `fields.repeat` the same call goes through after it.
- **A mark** names exactly what this viewer sees. It is the `ETag` of a review, of a list and of the inbox; with
  `If-None-Match` an answer that is as it was is not sent again. What is hidden from a viewer never changes their mark.
- **Waiting**: `GET /api/v1/reviews/REVIEW/wait?mark=…&seconds=…` answers when the mark changes, after at most 45 s.
- **The live feed**, `GET /api/v1/feed`, is a stream of server-sent events. Each is a CloudEvents envelope:
  `foureyes.review.updated` with the review and the caller's new mark, sent only when that mark changed;
  `foureyes.feed.reset` when what was missed cannot be told: look at everything again. `Last-Event-ID` goes on behind
  the last event that arrived, on the same server. An id is made of what this viewer was told and says nothing else.
  Every 15 s without news a comment comes. The feed ends when the credential does.
  With `?session=NAME`, or `?session=*` for all, it begins with `foureyes.session.updated` for each session that has not
  ended (`status` is RUNNING or PAUSED) and tells that again whenever the status changes (also ENDED); then only reviews
  of these sessions are told, each with its `session`.

## What figures tell

A sum that moves when somebody reports would tell a blind reviewer of it. So everybody gets the sums of what every list
shows (how many reviews were opened, and how they ended) and of their own work; all the rest is for a signed-in human
who owes no report. `GET /metrics`, in the text Prometheus reads, counts requests by call (a report is one) and tells
[how the work is going](../howto/operate.md): it is for the same humans, and for a program or service whose token is for
`read` and nothing else. The trail of everything is for humans; that of one review is shown to each as far as they see
the review.

## Limits

Counted by account and, for all accounts of one operator together, by operator, in each server. Who is over them gets
429 with `Retry-After`. Requests of one account beyond those answered at once wait behind each other, not before others.

"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    DESCRIPTION.write_text(description(), encoding="utf-8")


def description() -> str:
    """The description for programs."""
    return json.dumps(described(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def page() -> str:
    """The page for people."""
    return HEAD + "\n".join([*_limits(), *_calls(), *_others(), *_codes()]) + "\n"


def _limits() -> Iterator[str]:
    limits = Limits()
    yield from ("| | an account | an operator |", "|---|---|---|")
    for one in fields(Share):
        mine, ours = getattr(limits.account, one.name), getattr(limits.operator, one.name)
        yield f"| {one.name.replace('_', ' ')} | {mine:,} | {ours:,} |"
    yield ""


def _calls() -> Iterator[str]:
    yield from ("## Calls", "", "| call | needs | asks |", "|---|---|---|")
    for name, way in sorted(WAYS.items(), key=lambda one: (one[1].paths[0], one[1].method)):
        call = CALLS[name]
        yield f"| [`{way.method} {way.paths[0]}`](#{name}) | {call.needs} | {_first(call.says)} |"
    yield ""
    for name in sorted(WAYS):
        yield from _call(name)


def _call(name: str) -> Iterator[str]:
    call, way = CALLS[name], WAYS[name]
    places = ", ".join(f"`{way.method} {path}`" for path in way.paths)
    yield from (f"### {name}", "", f"{_first(call.says)}", "", f"{places}, {way.status}", "")
    rows = tuple(explained(call.form))
    if way.streamed:
        yield from ("The body is the bytes themselves.", "")
    elif rows:
        yield from ("| field | is | | means | for example |", "|---|---|---|---|---|")
        yield from map(_field, rows)
        yield ""


def _field(row: Explained) -> str:
    needed = "needed" if row.needed else ""
    default = row.schema.get("default")
    known = f"`{json.dumps(default)}` if left out" if default not in (None, "") else ""
    words = "" if "`" in _kind(row.schema) or not row.allowed else f": {', '.join(f'`{one}`' for one in row.allowed)}"
    example = json.dumps(row.example, ensure_ascii=False).replace("|", "\\|")
    return f"| `{row.place}` | {_kind(row.schema)} | {needed or known} | {row.meaning}{words} | `{example}` |"


def _kind(said: Json) -> str:
    if "anyOf" in said:
        return " or ".join(_kind(one) for one in said["anyOf"])
    if "enum" in said:
        return ", ".join(f"`{one}`" for one in said["enum"])
    if said.get("type") == "array":
        return f"list of {_kind(said['items'])}" if "items" in said else "list"
    return str(said.get("title") or said.get("type") or "any JSON value")


def _others() -> Iterator[str]:
    paths = described()["paths"]
    yield from ("## Beside the calls", "", "| | is |", "|---|---|")
    for way in OTHERS.values():
        yield f"| `{way.method} {way.path}` | {paths[way.path][way.method.lower()]['summary']} |"
    yield ""


def _codes() -> Iterator[str]:
    yield from ("## Codes", "", "| status | code |", "|---|---|")
    by_status = dict[int, list[str]]()
    for code in Code:
        by_status.setdefault(STATUS.get(code, UNDERSTOOD), []).append(code.value)
    by_status[429] = ["limit_reached"]
    for status, codes in sorted((_AT_THE_DOOR | by_status).items()):
        found = {*codes, *_AT_THE_DOOR.get(status, ())}
        yield f"| {status} | {', '.join(f'`{one}`' for one in sorted(found))} |"


#: Statuses that the door itself answers, before a call is known.
_AT_THE_DOOR: dict[int, list[str]] = {
    401: ["credential_needed"],
    403: ["wrong_origin"],
    404: ["no_such_place"],
    405: ["wrong_method"],
    410: ["gone"],
    413: ["too_large"],
    421: ["wrong_host"],
    431: ["too_large"],
    503: ["damaged", "unavailable"],
    507: ["disk_full"],
}


def _first(says: str) -> str:
    return says.partition("\n")[0]


if __name__ == "__main__":
    main()
