"""The grounds that a verdict against the work may name."""

from __future__ import annotations

#: More than one approach is valid, so a human chooses.
SEVERAL_VALID_OPTIONS = "several_valid_options"
REJECT_GROUNDS = ("fundamental_flaw", "would_break_system", "security_risk", "better_to_start_over")
NAMED_GROUNDS = (*REJECT_GROUNDS, SEVERAL_VALID_OPTIONS)
