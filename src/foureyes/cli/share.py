"""Open a review on a server with the bytes that were reviewed here; nothing else of the local review is sent."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from foureyes.app.plain import marked
from foureyes.app.reviewers import Change
from foureyes.app.work import work_of_change
from foureyes.cli.answer import Json, Line
from foureyes.cli.calling import no_of
from foureyes.cli.parts import Asking, Heard, Parts
from foureyes.cli.telling import counted
from foureyes.core.values import WorkPart
from foureyes.home.lock import running
from foureyes.home.token import AGENT_VARIABLE, token_of
from foureyes.home.trouble import Trouble

#: If the work has more bytes than this, its files are uploaded one by one before the request.
INLINE_BYTES_MAX = 1024 * 1024
_GOOD = (200, 201)
_SPOOLED = 202


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What was sent, and the review it became on the server."""

    lines: tuple[Line, ...]
    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """The server and the token for sharing, checked before the round begins."""

    parts: Parts
    token: str
    server: str
    address: str

    @classmethod
    def begun(cls, parts: Parts, server: str) -> Sharing:
        """Find the server and the token; raises Trouble if one of them is missing."""
        found = running(parts.settings.home)
        at_work = found.address if found is not None and found.is_server else ""
        if not server and not at_work:
            raise Trouble(
                f"There is no server to share it with: none is at work in the data folder {parts.settings.home}.",
                "Start one in another terminal (foureyes up), or name one with --server URL.",
                usage=True,
            )
        try:
            token = token_of(os.environ)
        except Trouble as error:
            raise Trouble(
                "No token says in whose name the work is shared.",
                "Set FOUREYES_TOKEN: a human makes a token with `foureyes agents add NAME`, on the page that it opens.",
                usage=True,
            ) from error
        return cls(parts=parts, token=token, server=server, address=(server or at_work).rstrip("/"))

    def send(self, change: Change) -> Shared:
        """Open a new review there with exactly these bytes; the base is a claim that the server checks itself."""
        work, before, old = work_of_change(change)
        size = sum(map(len, work.blobs.values())) + sum(map(len, old.values()))
        ahead = size > INLINE_BYTES_MAX
        if ahead:
            for digest, content in {**old, **work.blobs}.items():
                self._ask("put_blob", {"digest": digest, "base64": base64.b64encode(content).decode()})
        data: dict[str, Any] = {
            "kind": change.kind,
            "title": change.title or "untitled",
            "note": change.note,
            "files": list(_files(work.parts, work.blobs, ahead=ahead)),
            "key": secrets.token_urlsafe(18),
        }
        if before:
            data["base_files"] = list(_files(before, old, ahead=ahead))
        if change.base:
            data["base"] = change.base
        heard = self._ask("open_review", data)
        review = str(heard.data.get("review", ""))
        claim = f"; base {change.base[:12]}, a claim that the server checks itself" if change.base else ""
        bytes_sent = sum(map(len, work.blobs.values()))
        sent = f"{counted(len(work.parts), 'file')}, {bytes_sent:,} bytes, the title and the note"
        lines = (
            Line(f"Shared as review {marked(review)} at {self.address}: {sent}{claim}.", "good"),
            Line(f"Its version there is {work.digest[:12]}. What was found and dismissed here stays here.", "dim"),
        )
        return Shared(
            lines=lines,
            data={"review": review, "server": self.address, "digest": work.digest, "files": len(work.parts)},
        )

    def _ask(self, call: str, data: Mapping[str, Any]) -> Heard:
        agent = os.environ.get(AGENT_VARIABLE, "")
        heard = self.parts.ask(Asking(call=call, data=data, token=self.token, server=self.server, agent=agent))
        if heard.status == _SPOOLED:
            raise Trouble("The server's database is down; it keeps the work until it is back.", "Look there later.")
        if heard.status not in _GOOD:
            raise no_of(heard.status, heard.data)
        return heard


def _files(parts: Iterable[WorkPart], blobs: Mapping[str, bytes], *, ahead: bool) -> Iterable[dict[str, str]]:
    """Each file as the request names it: by its digest if its bytes were uploaded before."""
    for one in parts:
        content = blobs.get(one.digest, b"")
        named = {"path": one.name, "mode": one.mode}
        if ahead and one.digest in blobs:
            yield {**named, "digest": one.digest}
        else:
            yield {**named, "base64": base64.b64encode(content).decode()}
