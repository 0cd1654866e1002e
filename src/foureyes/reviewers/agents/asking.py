"""Runs an agent once: in a scratch home with its login, an environment made by us, and nothing it may write to."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.reviewers import Bounds, Inconclusive
from foureyes.core.values import Failure
from foureyes.reviewers.agents.cli import Cli, Errand, Login, Reply, Schema
from foureyes.reviewers.agents.process import Run, run
from foureyes.reviewers.agents.programs import packaged_version
from foureyes.reviewers.agents.scratch import Scratch

#: A shorter value is no login, and could be part of any sentence.
SECRET_CHARS_MIN = 8
VERSION_SECONDS_MAX = 60.0
VERSION_BYTES_MAX = 1 << 16
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
#: The variables that tell how this machine reaches the network; nothing else of the user's is passed on.
HANDED_ON = (
    *_PROXIES,
    *(one.lower() for one in _PROXIES),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_DIR", "SSL_CERT_FILE"),
)
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent found on this machine, with its login."""

    cli: Cli
    program: Path
    login: Login
    #: The PATH on which it may find the programs it needs itself.
    path: tuple[Path, ...]
    environ: Mapping[str, str] = field(repr=False)

    def errand(self, place: Scratch, system: str, schema: Schema, bounds: Bounds) -> Errand:
        """Prepare a run: the login is copied, readable by this user alone, and removed with the scratch folder."""
        if self.login.content:
            place.put(f"{place.home.name}/{self.login.place}", self.login.content)
        return Errand(
            program=self.program,
            folder=place.folder,
            home=place.home,
            work=place.work,
            system=system,
            schema=schema,
            login=self.login,
            bounds=bounds,
        )

    async def version(self, place: Scratch) -> str:
        """Return its version; raises Inconclusive for one that is too old to be restricted."""
        text = packaged_version(self.program, self.cli.package) or await self._told_version(place)
        found = _VERSION.search(text)
        if found is None:
            raise Inconclusive(Failure.CRASHED, f"{self.cli.called} does not say its version; it may be broken.")
        if tuple(map(int, found.groups())) < self.cli.oldest:
            oldest = ".".join(map(str, self.cli.oldest))
            wrong = f"{self.cli.called} {found[0]} is older than {oldest}: {self.cli.install}"
            raise Inconclusive(Failure.CRASHED, wrong)
        return found[0]

    async def _told_version(self, place: Scratch) -> str:
        order = Run(
            called=self.cli.called,
            argv=(str(self.program), "--version"),
            environ=self._environ(place, {}),
            folder=place.temporary,
            seconds=VERSION_SECONDS_MAX,
            output_bytes=VERSION_BYTES_MAX,
            mark=place.folder.name,
        )
        ended = await run(order)
        return "" if ended.code else ended.out.decode(errors="replace")

    async def ask(self, place: Scratch, errand: Errand, words: str) -> Reply:
        """Run it on the work; raises Inconclusive if it has no answer."""
        command = self.cli.command(errand)
        order = Run(
            called=self.cli.called,
            argv=command.argv,
            environ=self._environ(place, {**command.variables, **self.login.variables}),
            folder=place.work,
            stdin=place.put("prompt.txt", words.encode("utf-8", "replace")),
            seconds=errand.bounds.seconds,
            output_bytes=errand.bounds.output_bytes,
            mark=place.folder.name,
        )
        return self.cli.read(await run(order, self.cli.watch), errand)

    def without_secrets(self, none: Inconclusive) -> Inconclusive:
        """Remove the login from a reason: a command line may repeat it in its last words."""
        text = none.text
        for secret in self.login.variables.values():
            text = text.replace(secret, "…") if len(secret) >= SECRET_CHARS_MIN else text
        return Inconclusive(none.reason, text, found=none.found, cost=none.cost, until=none.until)

    def _environ(self, place: Scratch, more: Mapping[str, str]) -> dict[str, str]:
        """Return all variables it gets; its clock is in UTC, so that the times it prints can be parsed."""
        handed_on = {name: self.environ[name] for name in HANDED_ON if self.environ.get(name)}
        return {
            "PATH": os.pathsep.join(map(str, self.path)),
            "HOME": str(place.home),
            "TMPDIR": str(place.temporary),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "NO_COLOR": "1",
            **handed_on,
            **more,
        }
