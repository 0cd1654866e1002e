"""The simulated bytes as real files, whose digests and risk the program computes itself."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from foureyes.app.work import Work, work_of
from foureyes.core.values import ChangeKind, Risk, RiskLevel
from tests.sim.agents import Agents
from tests.sim.lying import SORTS, claimed_files, stated
from tests.sim.works import GUARDED, LINES, Bytes, make

#: Markup that a page would render; bad bytes have it at their flaw.
FLAW = "<b>this burns</b>"
#: The share of submissions with a lie about their base, and the sorts of lies that are files.
LIES_SHARE = 0.3
CLAIMED = tuple(one for one in SORTS if one not in ("absent", "a commit", "a target"))
_NUMBER = re.compile(rb"work (\d{5}) ").match


class RealBytes(Bytes):
    """Bytes about which a real gate has only the author's claim, because no repository is configured."""

    @property
    def known(self) -> bool:
        return False


@dataclass(slots=True)
class Shelves:
    """Every work with its files; the number in the first line of a file names its work."""

    files: dict[str, Mapping[str, bytes]] = field(default_factory=dict)
    lines: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)

    def make(
        self, rng: random.Random, number: int, after: Bytes | None, *, good: bool, same_text: bool = False
    ) -> Bytes:
        """Make new bytes as the simulator does, and write their files."""
        drawn = make(rng, number, after=after, good=good, same_text=same_text)
        lines = self._lines(drawn, number, after)
        files = {path: _written(drawn, number, path, lines[path]) for path in drawn.paths}
        work = work_of(files)
        risk = _risk(drawn)
        real = replace(drawn, digest=work.digest, parts=work.parts, risk=risk, change=ChangeKind.CONTENT)
        found = RealBytes(**{one.name: getattr(real, one.name) for one in fields(real)})
        self.files[found.digest], self.lines[found.digest], self.numbers[number] = files, lines, found.digest
        return found

    def blobs(self, digest: str) -> Mapping[str, bytes]:
        """The blobs of a work by their digests; empty if the work is unknown."""
        return work_of(self.files[digest]).blobs if digest in self.files else {}

    def claim(self, rng: random.Random, digest: str) -> tuple[str, Work] | None:
        """A lying author's claim about a work: the sort of the lie, and the claimed base files."""
        files = self.files.get(digest)
        if files is None or rng.random() >= LIES_SHARE:
            return None
        sort, path = rng.choice(CLAIMED), rng.choice(sorted(files))
        return sort, stated(files if sort == "same" else claimed_files(rng, sort, path, files[path]))

    def digest_of(self, content: bytes) -> str:
        """The digest of the work a file belongs to."""
        found = _NUMBER(content)
        return self.numbers.get(int(found[1]), "") if found else ""

    def _lines(self, drawn: Bytes, number: int, after: Bytes | None) -> dict[str, list[str]]:
        """The lines of a work: the changed ones are new, the rest is unchanged."""
        old = self.lines.get(after.digest, {}) if after else {}
        found = {}
        for path in drawn.paths:
            lines = list(old.get(path, ())) or [_line(number, path, one) for one in range(1, LINES + 1)]
            for change in drawn.changed:
                if change.path == path:
                    new = (_line(number, path, one) for one in range(change.start, change.end + 1))
                    lines[change.start - 1 : change.end] = new
            found[path] = lines
        return found


@dataclass(slots=True)
class RealAgents(Agents):
    """Agents whose works are files."""

    shelves: Shelves = field(default_factory=Shelves)

    def work(self, *, after: Bytes | None = None, good: bool = False, same_text: bool = False) -> Bytes:
        self.made += 1
        drawn = self.shelves.make(self.rng, self.made, after, good=good, same_text=same_text)
        # The gate must find common text itself here, so the checker is told of no family.
        found = replace(drawn, family="")
        self.world.make_known(found)
        return found


def _line(number: int, path: str, line: int) -> str:
    return f"line {line} of {path} in its version {number}"


def _written(drawn: Bytes, number: int, path: str, lines: list[str]) -> bytes:
    flaw = drawn.flaw.start if drawn.bad and path == drawn.paths[0] else 0
    shown = (FLAW if one == flaw else line for one, line in enumerate(lines, start=1))
    return "\n".join([f"work {number:05d} has this in {path}", *list(shown)[1:], FLAW if flaw else "", ""]).encode()


def _risk(drawn: Bytes) -> Risk:
    """The risk that the program must compute."""
    if any(path in GUARDED for path in drawn.paths):
        return Risk(level=RiskLevel.HIGH)
    trivial = not drawn.bad and all(path.endswith(".md") for path in drawn.paths)
    return Risk(level=RiskLevel.LOW, trivial=True) if trivial else Risk(level=RiskLevel.MEDIUM)
