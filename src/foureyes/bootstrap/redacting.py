"""The redaction of served answers, with the limits from the settings of this installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.redaction import Redaction
from foureyes.reviewers.cutter import SecretsCutter

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly


def redaction(assembly: Assembly) -> Redaction:
    """What removes secrets from answers; a version may take as long as a critic may take for a whole work."""
    return Redaction(cutter=SecretsCutter(seconds=assembly.settings.critic_work_seconds))
