"""Finds the agents that are installed and logged in, and why others are not; starts no program and calls no one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from foureyes.app.reviewers import Missing
from foureyes.reviewers.agents import programs
from foureyes.reviewers.agents.asking import Agent
from foureyes.reviewers.agents.claude import Claude
from foureyes.reviewers.agents.cli import Cli
from foureyes.reviewers.agents.codex import Codex
from foureyes.reviewers.agents.gemini import Gemini
from foureyes.reviewers.agents.reviewer import AgentReviewer

CLIS: tuple[Cli, ...] = (Claude(), Codex(), Gemini())


def at_hand(
    environ: Mapping[str, str], here: Path | None = None
) -> tuple[tuple[AgentReviewer, ...], tuple[Missing, ...]]:
    """Return the agents that are installed and logged in, and why others are not; `here` is where the work is."""
    ground = programs.own_ground(here or Path.cwd())
    path = programs.safe_path(environ, ground)
    found = [_look_for(cli, environ, path, ground) for cli in CLIS]
    reviewers = tuple(one for one in found if isinstance(one, AgentReviewer))
    return reviewers, tuple(one for one in found if isinstance(one, Missing))


def _look_for(cli: Cli, environ: Mapping[str, str], path: tuple[Path, ...], ground: Path) -> AgentReviewer | Missing:
    program = programs.find(cli.name, path, ground)
    if program is None:
        return Missing(name=cli.name, why=f"{cli.called} is not installed", next_step=cli.install)
    login = cli.login(environ)
    if login is None:
        return Missing(name=cli.name, why=f"{cli.called} is not logged in", next_step=cli.log_in)
    agent = Agent(cli=cli, program=program, login=login, path=path, environ=environ)
    return AgentReviewer(agent=agent)
