"""The bases that a gate may compare work with, built from the settings of this installation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.bases import Bases
from foureyes.bootstrap.proving import prove_apart
from foureyes.config import Settings
from foureyes.home.mirror_settings import mirrors_in

if TYPE_CHECKING:
    from foureyes.git.mirrors import Mirrors


def bases(settings: Settings, *, local: bool) -> Bases:
    """The bases a gate can compare with; a `local` one believes what was read on this machine, for this machine."""
    return Bases(
        repositories=mirrors(settings), local=local, prove=partial(prove_apart, seconds=settings.proof_seconds)
    )


def mirrors(settings: Settings) -> Mirrors | None:
    """The repositories that are read here; git is not called yet."""
    named = mirrors_in(settings.repositories)
    if not named:
        return None
    from pathlib import Path

    from foureyes.git.mirrors import Mirror, Mirrors

    return Mirrors(tuple(Mirror(name=one.name, path=Path(one.path), protected=one.protected) for one in named))
