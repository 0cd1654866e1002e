"""The `doctor` command: check every reviewer available here, and what they need, with one real call each."""

from __future__ import annotations

import asyncio
import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from urllib.request import urlopen

import click

from foureyes import __version__
from foureyes.app.plain import marked
from foureyes.app.reviewers import Health, Missing
from foureyes.cli import codes
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.errors import expected
from foureyes.cli.fitting import cut, terminal_width, width_of, wrapped
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.cli.telling import counted
from foureyes.home import consents, retired
from foureyes.home.lock import running
from foureyes.home.trouble import Trouble

GIT_SECONDS_MAX = 10
SERVER_SECONDS_MAX = 5
#: Width of the column of names, as wide as the longest of them.
LABEL, LABEL_MAX = 14, 34
DETAILS_MAX = 3
_FIRST_STORE = "The first `foureyes review` makes one for this machine; `foureyes up` makes the server's."


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of one check: `good`, `care` (can be better) or `bad` (must be fixed)."""

    name: str
    tone: str
    says: str
    next_step: str = ""


@click.command()
@answering
def doctor(parts: Parts) -> Answer:
    """Say who can look here, after one real call to each.

    Exit code 0: everything that is here works. 2: something that is here does not, and what mends it.
    """
    checked = [_versions(), _git(), *_stores(parts), _server(parts), _policy(parts), _retired(parts)]
    checked += [_reviewer(one, parts) for one in asyncio.run(parts.health())]
    label = min(LABEL_MAX, max(LABEL, *(width_of(marked(one.name)) + 2 for one in checked)))
    lines = [line for one in checked for line in _lines(one, label)]
    bad = sum(one.tone == "bad" for one in checked)
    alive = [one for one in checked if one.tone == "good"]
    head = f"{bad} of {len(checked)} do not work." if bad else "Everything that is here works."
    data: dict[str, Json] = {
        "checks": [
            {"name": one.name, "state": _STATES[one.tone], "says": one.says, "next_step": one.next_step}
            for one in checked
        ],
        "alive": [one.name for one in alive],
    }
    lines = [Line(f"{'✗' if bad else '✓'} {head}", "bad head" if bad else "good head"), *lines]
    return Answer(code=codes.BLOCKED if bad else codes.OK, lines=tuple(lines), data=data)


_STATES: dict[str, str] = {"good": "works", "care": "missing", "bad": "broken"}


def _lines(one: Checked, label: int) -> list[Line]:
    sign = {"good": "✓", "care": "·", "bad": "✗"}[one.tone]
    width = terminal_width() - label - 4
    texts = list(wrapped(marked(one.says), width)) or [""]
    name = cut(marked(one.name), label - 2)
    first = Line(f"  {sign} ", one.tone, ((f"{name:<{label}}", "strong"), (texts[0], "")))
    rest = [Line(f"{' ' * (label + 4)}{text}") for text in texts[1:]]
    steps = [Line(f"{' ' * (label + 4)}{text}", "care") for text in wrapped(marked(one.next_step), width)]
    return [first, *rest, *steps]


def _versions() -> Checked:
    words = f"{__version__}, Python {platform.python_version()}, {platform.system()}"
    return Checked(name="foureyes", tone="good", says=words)


def _git() -> Checked:
    path = shutil.which("git")
    if path is None:
        step = "Install git; without it only files and stdin can be reviewed."
        return Checked(name="git", tone="bad", says="not installed", next_step=step)
    try:
        done = subprocess.run(  # noqa: S603 - found on the path, asked for its version alone
            [path, "--version"], capture_output=True, text=True, check=False, timeout=GIT_SECONDS_MAX
        )
    except (OSError, subprocess.TimeoutExpired):
        return Checked(name="git", tone="bad", says=f"{path} does not answer", next_step=f"Run: {path} --version")
    works = done.returncode == 0
    return Checked(name="git", tone="good" if works else "bad", says=done.stdout.strip() or done.stderr.strip())


def _stores(parts: Parts) -> list[Checked]:
    """The checks of the store of local reviews and of the server's store, each if it exists."""
    own, shared = _store("local reviews", parts.local), _store("store", parts)
    there = [one for one in (own, shared) if one is not None]
    return there or [Checked(name="store", tone="care", says="none yet", next_step=_FIRST_STORE)]


def _store(name: str, parts: Parts) -> Checked | None:
    try:
        found = parts.schema()
    except Exception as error:  # noqa: BLE001 - a doctor says what is wrong instead of falling over it
        return _broken(name, error)
    if not found.found:
        return None
    where = "PostgreSQL" if parts.settings.is_postgres else parts.settings.database
    if found.found != found.wanted:
        says = f"{where}, schema {found.found}, this program wants {found.wanted}"
        step = f"Run: foureyes upgrade{f' --database {shlex.quote(where)}' if parts.is_local else ''}"
        return Checked(name=name, tone="bad", says=says, next_step=step)
    return Checked(name=name, tone="good", says=f"{where}, schema {found.found}")


def _server(parts: Parts) -> Checked:
    """The check of a server that runs here; it is fine if there is none, because one developer alone needs none."""
    found = running(parts.settings.home)
    if found is None or not found.is_server:
        step = "`foureyes up` starts one, for agents and people that work together."
        return Checked(name="server", tone="care", says="none runs here", next_step=step)
    try:
        with urlopen(f"{found.address}/ready", timeout=SERVER_SECONDS_MAX):  # noqa: S310 - our own lock names it
            return Checked(name="server", tone="good", says=f"{found.in_words()} answers")
    except OSError as error:
        step = f"Look at what process {found.pid} writes to its log, or start it again: foureyes up"
        return Checked(name="server", tone="bad", says=f"{found.in_words()}: {error}", next_step=step)


def _policy(parts: Parts) -> Checked:
    try:
        policy, where = parts.policy_here()
    except Exception as error:  # noqa: BLE001 - likewise
        return _broken("policy", error)
    return Checked(name="policy", tone="good", says=f"{policy.name} ({where})")


def _retired(parts: Parts) -> Checked:
    try:
        gone = retired.retired(parts.settings.home)
    except Trouble as error:
        return _broken("rules", error)
    rules = parts.rules()
    if not gone:
        critics = counted(len({one.critic for one in rules}), "program")
        return Checked(name="rules", tone="good", says=f"{counted(len(rules), 'rule')} of {critics}, all in use")
    step = "`foureyes rules` says why; `foureyes rules restore RULE` puts one back."
    return Checked(name="rules", tone="care", says=f"retired: {', '.join(sorted(gone))}", next_step=step)


def _reviewer(health: Health | Missing, parts: Parts) -> Checked:
    """The check of a reviewer: one that is not available is missing, one that does not answer is broken."""
    if isinstance(health, Missing):
        return Checked(name=health.name, tone="care", says=health.why, next_step=health.next_step)
    tone = "good" if health.alive else "bad"
    words = [health.version, health.says, _consent(health.name, parts)]
    return Checked(name=health.name, tone=tone, says=", ".join(one for one in words if one), next_step=health.next_step)


def _consent(name: str, parts: Parts) -> str:
    try:
        entry = consents.every(parts.settings.home).get(name)
    except Trouble as error:
        return error.sentence
    if entry is None:
        return ""
    return "may receive work" if entry.get("answer") == "yes" else "may not receive work (--ask asks anew)"


def _broken(name: str, error: Exception) -> Checked:
    told = expected(error)
    if told is None:
        raise error
    says = " ".join((told.sentence, *told.details[:DETAILS_MAX]))
    return Checked(name=name, tone="bad", says=says, next_step=told.next_step)
