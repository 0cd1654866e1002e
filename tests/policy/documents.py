"""Older documents that are read beside the shipped ones: when a human is asked, and the full reviewer matrix."""

from textwrap import dedent

from foureyes.core.peer_data import MATRIX

ESCALATION = dedent(
    """\
    # When a human is asked

    auto_escalate:
      - condition: reviewer_rejects
        and: creator_disagrees
        reason: "They do not agree at all"

      - condition: revision_count > 3
        reason: "To and fro"

      - condition: review_time > 2_hours
        reason: "Too slow"

      - condition: |
          creator_confidence - reviewer_confidence > 40
        reason: "One of them is wrong"

      - condition: review_type in [security_change, breaking_change]
        and: reviewer_confidence < 90
        reason: "Dangerous, and not sure"

      - condition: review_type == architecture_decision
        and: multiple_valid_options
        reason: "A matter of taste"

    manual_escalate:
      allowed_by: [creator, reviewer]
      requires_reason: true

    human_response_timeout: 48_hours
    timeout_action: conservative_default  # the reviewer's side
    """
)

ROW = """\
{creator}:
  primary_reviewer: {primary}
  rationale: |
    Why the first one looks,
    in two lines.

  backup_reviewer: {backup}
  rationale: |
    Why the other one does.

  escalate_to: {escalate}
  escalate_when:
    - "They cannot agree"
    - "It touches everything"
"""
SECOND = "  rationale: |\n    Why the other one does.\n"
ROWS = [
    ROW.format(creator=one.creator, primary=one.primary, backup=one.backup, escalate=one.escalate) for one in MATRIX
]
#: The matrix as circulated, with one key twice in every row, and without the duplicates.
TWICE = "# Who reviews whom\n\n" + "\n".join(ROWS)
ONCE = TWICE.replace(SECOND, "")
