"""The parts of `foureyes review` on this machine: the work from git, the available reviewers, and the store."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from foureyes.app.reviewers import AtHand, Change
from foureyes.app.reviewing.outcome import Options
from foureyes.app.reviewing.rounds import Chosen, Rounds
from foureyes.app.reviewing.rulebook import RuleEntry, read_measured
from foureyes.core.local import local_author
from foureyes.core.values import Who, WhoKind
from foureyes.home import retired
from foureyes.home.questions import Questions
from foureyes.home.trouble import Trouble
from foureyes.home.where import place, repository
from foureyes.policy.load import load, load_text
from foureyes.policy.policy import Policy

if TYPE_CHECKING:
    from datetime import datetime

    from foureyes.app.gate import Gate
    from foureyes.app.ports import Directory, Store
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.cli.parts import Wanted

STDIN_BYTES_MAX = 20 * 1024 * 1024
#: The variables that agents set for the commands they run, and their model families.
FAMILIES = (("CLAUDECODE", "claude"), ("CODEX_SANDBOX", "gpt"), ("GEMINI_CLI", "gemini"))


@dataclass(frozen=True)
class LocalDesk:
    """What a round needs from this machine."""

    assembly: Assembly
    environ: Mapping[str, str]
    #: Where the work comes from that each policy judges, by the policy's digest.
    _places: dict[str, str] = field(default_factory=dict)

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        """The store, created if needed; one of an earlier release gets the rows that it lacks."""
        from foureyes.app.projections.beside_log import fill

        async with self.assembly.new_store() as store:
            await fill(store)
            yield store

    def looking(self) -> AbstractAsyncContextManager[Store]:
        """Open the store for reading."""
        return self.assembly.store()

    def gate(self, store: Store, policy: Policy, directory: Directory) -> Gate:
        """The gate on this store, for this machine."""
        return self.assembly.gate(store, policy, directory, tells=False)

    def policy_for(self, change: Change, options: Options) -> Chosen:
        """The policy at the base of the work; without one, the user's own, else the built-in one."""
        chosen = self._chosen(change, options)
        whose = "the policy of" if change.policy is not None else f"your policy ({chosen.came_from}) for"
        self._places[chosen.policy.digest] = f"{whose} {_origin(change)}"
        return chosen

    def _chosen(self, change: Change, options: Options) -> Chosen:
        if change.policy is not None:
            name, text = change.policy
            where = f"{name} at {change.base[:12]}" if change.base else name
            read: Callable[[str], bytes] = change.at_base or _nothing_beside
            beside: set[str] = set()

            def noted(other: str) -> bytes:
                beside.add(PurePosixPath(other).as_posix())
                return read(other)

            policy = load_text(name, text, noted).policy
            return _styled(Chosen(policy=policy, came_from=where, beside=frozenset(beside)), options.style)
        mine = os.path.exists(self.assembly.settings.policy)
        own = self.own_policy()
        where = self.assembly.settings.policy if mine else "built in"
        return _styled(Chosen(policy=own, came_from=where), options.style)

    def own_policy(self) -> Policy:
        """The policy for work that has none of its own."""
        return load(Path(self.assembly.settings.policy)).policy

    def at_hand(self, policy: Policy, options: Options) -> AtHand:
        """The reviewers available here."""
        from foureyes.reviewers.at_hand import Search
        from foureyes.reviewers.program import Seconds

        settings = self.assembly.settings
        search = Search(
            environ=self.environ,
            here=Path.cwd(),
            where=self._places.get(policy.digest, ""),
            today=self.assembly.now().date(),
            seconds=Seconds(a_file=settings.critic_file_seconds, a_work=settings.critic_work_seconds),
            retired=frozenset(filter(self._may_retire, retired.retired(self._home))),
        )
        return search.at_hand(policy, options)

    def _may_retire(self, rule: str) -> bool:
        """True if the rule may be retired: a critical rule stays in use, whatever the list of retired rules says."""
        known = self.rulebook().get(rule)
        return known is None or known.severity != "critical"

    def rulebook(self) -> Mapping[str, RuleEntry]:
        """Every rule of every critic, by its id; the critics are imported at the first access."""
        return _Rulebook()

    def here(self) -> str:
        """The name of the current repository, or else of the folder."""
        return place()

    def repository(self) -> str:
        """The name of the repository that dismissals apply to."""
        return repository()

    def moment(self) -> datetime:
        """The time, in UTC."""
        return self.assembly.now()

    def today(self) -> str:
        """The date in UTC, as the log writes it."""
        return self.assembly.now().date().isoformat()

    def questions(self) -> Questions:
        """The questions of this run, which no other run on this machine asks meanwhile."""
        return Questions(self._home)

    @property
    def _home(self) -> str:
        return self.assembly.settings.home


class _Rulebook(Mapping[str, "RuleEntry"]):
    """The rules of all critics, loaded on access: most reviews find nothing, and critics run in another process."""

    def __getitem__(self, rule: str) -> RuleEntry:
        return _rules()[rule]

    def __iter__(self) -> Iterator[str]:
        return iter(_rules())

    def __len__(self) -> int:
        return len(_rules())


@cache
def _rules() -> dict[str, RuleEntry]:
    from foureyes.reviewers.at_hand import rules

    measured = read_measured(_measured_text())
    return {
        rule.id: RuleEntry(
            id=rule.id,
            critic=name,
            title=rule.title,
            why=rule.why,
            fix=rule.fix,
            severity=rule.severity,
            category=rule.category,
            measured=measured.get(rule.id),
        )
        for name, rule in rules()
    }


def _origin(change: Change) -> str:
    """Where a work is from: its repository, else what distinguishes it from other works."""
    from foureyes.git.base import Base

    if isinstance(change.at_base, Base):
        return f"the repository {os.path.realpath(change.at_base.here.place)}"
    return f"work {change.place} in {Path.cwd()}"


def _styled(chosen: Chosen, style: str) -> Chosen:
    """The policy; refused if it does not have the review style that was asked for."""
    if style and chosen.policy.rules.protocol(style) is None:
        names = ", ".join(one.name for one in chosen.policy.rules.protocols)
        raise Trouble(f"There is no review style called {style!r}.", f"Styles: {names}.", usage=True)
    return chosen


def rounds(assembly: Assembly, environ: Mapping[str, str]) -> Rounds:
    """Reviews on this machine, in the name of the user who runs this."""
    from foureyes.reviewers.boundary import redacted

    user = pwd.getpwuid(os.getuid()).pw_name
    author = Who(
        name=local_author(user),
        operator=user,
        model_family=next((family for name, family in FAMILIES if environ.get(name)), ""),
        session=f"{user}-{os.getsid(0)}",
    )
    person = Who(name=user, kind=WhoKind.PERSON, operator=user)
    desk = LocalDesk(assembly, environ)
    return Rounds(desk=desk, author=author, person=person, redact=lambda text, path: redacted(text, path)[0])


def read_change(wanted: Wanted) -> Change:
    """Read the work that a command line names."""
    from foureyes.git import loose, reading
    from foureyes.git.base import under_policy

    here = Path.cwd()
    if wanted.what == "-":
        change = under_policy(loose.read_stdin(_stdin(), kind=wanted.kind), here)
    elif wanted.staged:
        change = reading.read_staged(here)
    elif wanted.worktree:
        change = reading.read_worktree(here)
    elif not wanted.what:
        change = reading.read_default(here)
    elif os.path.lexists(wanted.what):
        _check_meant(here, wanted.what)
        change = loose.read_paths([Path(wanted.what)], kind=wanted.kind)
    else:
        change = reading.read_range(here, wanted.what)
    return _called(change, wanted)


def _check_meant(here: Path, word: str) -> None:
    """Refuse a word that names both a file and commits."""
    from foureyes.git.reading import names_commits

    if not word.startswith(("/", "./", "../")) and names_commits(here, word):
        text = f"{word!r} names both a file and commits here."
        raise Trouble(text, f"For the file say ./{word}; for the commits, their ids: git rev-parse {word}", usage=True)


def _called(change: Change, wanted: Wanted) -> Change:
    """The work with secrets removed from the title and note, which all reviewers see and the log keeps."""
    from dataclasses import replace

    from foureyes.reviewers.boundary import redacted

    title, kind = wanted.title or change.title, wanted.kind or change.kind
    called = replace(change, title=title, kind=kind, named=redacted(wanted.named)[0] if wanted.named else "")
    title, note = (redacted(text)[0] if text else "" for text in (called.title, called.note))
    if (title, note) == (called.title, called.note):
        return called
    from foureyes.reviewers.critics.secrets.critic import withheld

    # Reviewers cannot see what was removed, so they must be told that something was.
    return replace(called, title=title, note=note, withheld=withheld(called))


def _stdin() -> bytes:
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise Trouble(f"What comes in is larger than {STDIN_BYTES_MAX} bytes.", "Split it.")
    return data


def _nothing_beside(name: str) -> bytes:
    raise FileNotFoundError(name)


def _measured_text() -> bytes:
    try:
        return (resources.files("foureyes.reviewers.critics") / "measured.json").read_bytes()
    except FileNotFoundError:
        return b"{}"
