"""The permissions of the seeds' own calls, written by hand like the rest of the table, of which they are a part."""

from __future__ import annotations

HUMANS = "human human_before"
_TOKENS = "author reviewer other program service vouched small"
_READERS = {f"author reviewer other program service vouched {HUMANS}": "ok", "small": "not_eligible"}
_AUTHORS = {f"author reviewer other service vouched {HUMANS}": "ok", "program small": "not_eligible"}
_NOT_AUTHOR = f"reviewer other service vouched {HUMANS}"
_JOINING = f"other program vouched {HUMANS}"
_OTHERS = f"other program service vouched {HUMANS}"


def _content(words: str) -> str:
    """Cells of the states in which the review is of content; for these calls no other review exists."""
    cells = (words.split() * 6 if " " not in words else words.split())[:6]
    states = dict(zip(("open", "blind", "asked", "revised", "ruling", "closed"), cells, strict=True))
    order = ("open", "taken", "blind", "asked", "revised", "ruling", "vetoed", "cleared", "closed")
    return " ".join(states.get(state, "review_missing") for state in order)


def _ended(word: str) -> str:
    """Cells that are the same in every state in which the review is open."""
    return f"{word} " * 7 + "review_ended review_ended"


def _in_session(word: str) -> str:
    """Cells of the only review that belongs to a session."""
    return f"review_missing {word} " + "review_missing " * 7


SEED_RIGHTS: dict[str, dict[str, str]] = {
    # Feedback first.
    "submit_content": _AUTHORS,
    "read_content": {name: _content(word) if word == "ok" else word for name, word in _READERS.items()},
    "can_graduate": {name: _content(word) if word == "ok" else word for name, word in _READERS.items()},
    "give_feedback": {
        "author": _content("author_may_not author_may_not author_may_not author_may_not author_may_not review_ended"),
        f"reviewer {_JOINING}": _content("ok ok ok ok ok review_ended"),
        "service": _content("no_free_seat no_free_seat no_free_seat no_free_seat no_free_seat review_ended"),
        "small": "not_eligible",
    },
    "revise_content": {
        "author": _content("ok ok ok ok ruling_pending review_ended"),
        _NOT_AUTHOR: _content("not_the_author"),
        "program small": "not_eligible",
    },
    "withdraw_content": {
        "author": _content("ok ok ok ok ok review_ended"),
        _NOT_AUTHOR: _content("not_the_author"),
        "program small": "not_eligible",
    },
    "confirm_content": {
        "reviewer": _content("nothing_to_keep nothing_to_keep nothing_to_keep ok nothing_to_keep review_ended"),
        f"author {_OTHERS}": _content("unknown_seat unknown_seat unknown_seat unknown_seat unknown_seat review_ended"),
        "small": "not_eligible",
    },
    "read_feedback": {
        f"author reviewer {HUMANS}": _content("unknown_finding unknown_finding ok ok ok unknown_finding"),
        "other program service vouched": _content("unknown_finding"),
        "small": "not_eligible",
    },
    "respond_feedback": {
        "author": _content("unknown_finding unknown_finding ok not_open ok review_ended"),
        _NOT_AUTHOR: _content("not_the_author"),
        "program small": "not_eligible",
    },
    "resolve_feedback": {
        "reviewer": _content("unknown_finding unknown_finding ok ok ok unknown_finding"),
        f"author {_OTHERS}": _content("not_the_holder"),
        "small": "not_eligible",
    },
    # Peers.
    "check_review_required": _READERS,
    "request_review": _AUTHORS,
    "submit_review": {
        "author": _ended("author_may_not"),
        "reviewer": "no_verdicts_here ok no_verdicts_here no_verdicts_here no_verdicts_here no_verdicts_here "
        "veto_stands review_ended review_ended",
        _JOINING: "no_verdicts_here no_free_seat no_verdicts_here no_verdicts_here no_verdicts_here no_verdicts_here "
        "no_free_seat review_ended review_ended",
        "service": _ended("no_free_seat"),
        "small": "not_eligible",
    },
    "get_review": _READERS,
    "request_re_review": {
        "author": "ok ok ok ok ok ruling_pending ok ok review_ended",
        _NOT_AUTHOR: "not_the_author",
        "program small": "not_eligible",
    },
    "escalate_review": {
        f"author {HUMANS}": "ok ok ok ok ok ruling_pending ok review_ended ok",
        "reviewer": "report_first report_first report_first ok ok ruling_pending ok review_ended review_ended",
        "other program service vouched": _ended("not_involved"),
        "small": "not_eligible",
    },
    "get_review_metrics": _READERS,
    # Chains.
    "validate": _AUTHORS,
    "read_validation": _READERS,
    # Sessions.
    "read_session": _READERS,
    "session_issues": _READERS,
    "pause_session": {_TOKENS: "sign_in_needed", HUMANS: "ok"},
    "resume_session": {_TOKENS: "sign_in_needed", HUMANS: "not_open"},
    # Members of the session only: a service is not one.
    "end_session": {f"author {HUMANS}": "ok", "reviewer other program service vouched small": "not_eligible"},
    "signal": {f"author reviewer other service vouched small {HUMANS}": "ok", "program": "not_eligible"},
    "trigger_review": {_TOKENS: "sign_in_needed", HUMANS: "ok"},
    "review_requests": _READERS,
    "submit_result": {
        "author": _in_session("author_may_not"),
        "reviewer": _in_session("ok"),
        _OTHERS: _in_session("no_free_seat"),
        "small": "not_eligible",
    },
    "read_clarifications": _READERS,
    "clarify": {
        "author": _in_session("same_digest"),
        f"{_NOT_AUTHOR} small": _in_session("not_the_author"),
        "program": "not_eligible",
    },
    # Panels; no panel judges in any of these states.
    "read_task": {name: "review_missing" if word == "ok" else word for name, word in _READERS.items()},
    # Imports.
    "move_in": {f"service {HUMANS}": "ok", "author reviewer other program vouched small": "not_eligible"},
}
