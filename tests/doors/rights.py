"""The permissions, written by hand, one row per call; the reference page is made from it and every cell is played.

A cell is `ok` or the code of the refusal. One word stands for all states; nine stand for the states in their order.
"""

from __future__ import annotations

from tests.doors.seed_rights import SEED_RIGHTS
from tests.doors.states import STATES

#: The principals: name, description and the credential of the worlds that they use.
PRINCIPALS: dict[str, tuple[str, str]] = {
    "author": ("the agent who made the work", "dev"),
    "reviewer": ("the agent who holds a seat in the review", "ann"),
    "other": ("an agent who has nothing to do with it yet", "eve"),
    "program": ("a program with a token of its kind", "robot"),
    "service": ("a service with a token of its kind", "dsf"),
    "vouched": ("an agent a service vouches for and acts for", "dweller"),
    "human": ("a human who signed in less than five minutes ago", "hugo"),
    "human_before": ("the same human, signed in an hour ago", "hugo-old"),
    "small": ("an agent whose token is for signals alone", "small"),
    "revoked": ("a token that was taken back", "revoked"),
    "expired": ("a token whose time is over", "expired"),
    "person": ("somebody at a terminal who has not signed in: nothing proves a human", "person"),
    "nobody": ("no credential", "nobody"),
}
#: Description of each state of the review.
STATES_SAID: dict[str, str] = {
    "open": "reviewers are asked, and there is room for more",
    "taken": "every seat is taken, and nobody has reported",
    "blind": "another reviewer's report is in, the reviewer's own is not",
    "asked": "all have reported, and the author owes answers",
    "revised": "the author has answered with a new version",
    "ruling": "a human's decision is asked for",
    "vetoed": "the reviewer's seat has a veto and has used it",
    "cleared": "it may go live",
    "closed": "the author has taken it back",
}
#: Callers without a valid credential: the same at every call.
SHUT_OUT = {"revoked expired person nobody": "credential_needed"}
TOKENS = "author reviewer other program service vouched small"
HUMANS = "human human_before"
ANYONE_WITH_READ = {f"author reviewer other program service vouched {HUMANS}": "ok", "small": "not_eligible"}
_NOT_HOLDER = "not_the_holder " * 7 + "review_ended review_ended"
_NOT_FREE = "no_free_seat " * 7 + "review_ended review_ended"
_NO_HAND = "author_may_not " * 7 + "review_ended review_ended"
_JOINS = "ok no_free_seat ok ok ok ok no_free_seat review_ended review_ended"
_OTHERS = f"other program service vouched {HUMANS}"
_JOINING = f"other program vouched {HUMANS}"

RIGHTS: dict[str, dict[str, str]] = {
    # Calls of the author.
    "open_review": {f"author reviewer other service vouched {HUMANS}": "ok", "program small": "not_eligible"},
    "open_reviews": {f"author reviewer other service vouched {HUMANS}": "ok", "program small": "not_eligible"},
    "send_file": {f"author reviewer other service vouched {HUMANS}": "ok", "program small": "not_eligible"},
    "put_blob": {f"author reviewer other service vouched {HUMANS}": "ok", "program small": "not_eligible"},
    "revise": {
        "author": "ok ok ok ok ok ruling_pending ok ok review_ended",
        f"reviewer other service vouched {HUMANS}": "not_the_author",
        "program small": "not_eligible",
    },
    "answer_finding": {
        "author": "unknown_finding unknown_finding unknown_finding ok not_open ok ok review_ended review_ended",
        f"reviewer other service vouched {HUMANS}": "not_the_author",
        "program small": "not_eligible",
    },
    "withdraw": {
        "author": "ok ok ok ok ok ok ok review_ended review_ended",
        f"reviewer other service vouched {HUMANS}": "not_the_author",
        "program small": "not_eligible",
    },
    # Calls of the reviewers.
    "take_seat": {
        "author": _NO_HAND,
        "reviewer": "ok duplicate duplicate ok ok ok ok review_ended review_ended",
        _JOINING: _JOINS,
        "service": _NOT_FREE,
        "small": "not_eligible",
    },
    "renew_seat": {
        "reviewer": "lease_ended ok ok lease_ended lease_ended lease_ended lease_ended review_ended review_ended",
        f"author {_OTHERS}": _NOT_HOLDER,
        "small": "not_eligible",
    },
    "leave_seat": {
        "reviewer": "ok ok ok ok ok ok ok review_ended review_ended",
        f"author {_OTHERS}": _NOT_HOLDER,
        "small": "not_eligible",
    },
    "report": {
        "author": _NO_HAND,
        "reviewer": "ok ok ok ok ok ok veto_stands review_ended review_ended",
        _JOINING: _JOINS,
        "service": _NOT_FREE,
        "small": "not_eligible",
    },
    "report_inconclusive": {
        "reviewer": "ok ok ok unknown_request ok unknown_request unknown_request review_ended review_ended",
        f"author {_OTHERS}": _NOT_HOLDER,
        "small": "not_eligible",
    },
    "keep_report": {
        "reviewer": "nothing_to_keep nothing_to_keep nothing_to_keep nothing_to_keep ok nothing_to_keep "
        "nothing_to_keep review_ended review_ended",
        f"author {_OTHERS}": _NOT_HOLDER,
        "small": "not_eligible",
    },
    "settle_finding": {
        # Findings of a withdrawn review can still be settled, so that objections to its bytes can be lifted.
        "reviewer": "unknown_finding unknown_finding unknown_finding ok ok ok ok review_ended unknown_finding",
        f"author {_OTHERS}": "not_the_holder " * 7 + "review_ended not_the_holder",
        "small": "not_eligible",
    },
    # No stage of these styles has a seat that verifies.
    "verify_finding": {
        f"author reviewer {HUMANS}": _NOT_FREE,
        "other program service vouched": _NOT_HOLDER,
        "small": "not_eligible",
    },
    # Calls that several parties may make.
    "escalate": {
        f"author {HUMANS}": "ok ok ok ok ok ruling_pending ok review_ended ok",
        "reviewer": "report_first report_first report_first ok ok ruling_pending ok review_ended review_ended",
        "other program service vouched": "not_involved " * 7 + "review_ended review_ended",
        "small": "not_eligible",
    },
    "report_escape": {f"author reviewer {_OTHERS}": "not_ended " * 7 + "ok not_ended", "small": "not_eligible"},
    "add_note": ANYONE_WITH_READ,
    # A human's alone; no token opens these, whatever it is for.
    "rule": {
        TOKENS: "sign_in_needed",
        HUMANS: "unknown_request " * 5 + "ok unknown_request unknown_request unknown_request",
    },
    "override": {
        TOKENS: "sign_in_needed",
        "human": "ok ok ok ok ok ok ok review_ended ok",
        "human_before": "ok ok ok ok ok ok sign_in_needed review_ended ok",
    },
    "waive": {
        TOKENS: "sign_in_needed",
        HUMANS: "unknown_finding unknown_finding unknown_finding ok ok ok ok unknown_finding unknown_finding",
    },
    "reopen": {TOKENS: "sign_in_needed", HUMANS: "not_ended " * 7 + "ok ok"},
    # Reads; what each caller is shown is tested elsewhere.
    "read_review": ANYONE_WITH_READ,
    "read_work": ANYONE_WITH_READ,
    "wait": ANYONE_WITH_READ,
    "list_reviews": ANYONE_WITH_READ,
    "list_content": ANYONE_WITH_READ,
    "list_sessions": ANYONE_WITH_READ,
    "inbox": ANYONE_WITH_READ,
    "explain": ANYONE_WITH_READ,
    "preview": ANYONE_WITH_READ,
    "audit": ANYONE_WITH_READ,
    "decisions": ANYONE_WITH_READ,
    "list_lessons": ANYONE_WITH_READ,
    "metrics": ANYONE_WITH_READ,
    "policy": ANYONE_WITH_READ,
    "gate": ANYONE_WITH_READ,
    "me": ANYONE_WITH_READ,
    # Calls that concern all reviews. A refused attempt is recorded too.
    "attest_base": {f"program service {HUMANS}": "ok", "author reviewer other vouched small": "not_eligible"},
    "record_live": {f"program service {HUMANS}": "ok", "author reviewer other vouched small": "not_eligible"},
    "activate_policy": {TOKENS: "sign_in_needed", HUMANS: "ok"},
    "enable_skip": {TOKENS: "sign_in_needed", HUMANS: "not_eligible"},
    "disable_skip": {TOKENS: "sign_in_needed", HUMANS: "not_open"},
    "track_records": {TOKENS: "sign_in_needed", HUMANS: "ok"},
    # About accounts.
    "enrol": {f"service {HUMANS}": "ok", "author reviewer other program vouched small": "not_eligible"},
    "enrol_many": {f"service {HUMANS}": "ok", "author reviewer other program vouched small": "not_eligible"},
    "remove_account": {f"service {HUMANS}": "ok", "author reviewer other program vouched small": "not_eligible"},
    "issue_token": {TOKENS: "sign_in_needed", HUMANS: "ok"},
    "revoke_token": {TOKENS: "sign_in_needed", HUMANS: "ok"},
    "list_accounts": {TOKENS: "sign_in_needed", HUMANS: "ok"},
    # The calls of the seeds.
    **SEED_RIGHTS,
}

#: Paths that are not calls: the same in every state.
PLACES: dict[str, dict[str, str]] = {
    "feed": ANYONE_WITH_READ,
    # The load of the server reveals what others do: for humans, and for tokens that can only read.
    "prometheus": {"author reviewer other program service vouched small": "not_eligible", HUMANS: "ok"},
    "openapi": {f"{TOKENS} {HUMANS} revoked expired person nobody": "ok"},
    "health": {f"{TOKENS} {HUMANS} revoked expired person nobody": "ok"},
    "ready": {f"{TOKENS} {HUMANS} revoked expired person nobody": "ok"},
    "old_validation": {f"{TOKENS} {HUMANS} revoked expired person nobody": "gone"},
}


def place_row(place: str, who: str) -> str:
    """The answer for this principal at a path that is not a call."""
    named = {name: words for names, words in {**SHUT_OUT, **PLACES[place]}.items() for name in names.split()}
    return named[who]


def row(call: str, who: str) -> tuple[str, ...]:
    """The answers for this principal and call in each state."""
    found = [words for names, words in {**RIGHTS[call], **SHUT_OUT}.items() if who in names.split()]
    if len(found) != 1:
        raise LookupError(f"{call} has {len(found)} rows for {who}")
    words = tuple(found[0].split())
    cells = words * len(STATES) if len(words) == 1 else words
    if len(cells) != len(STATES):
        raise LookupError(f"{call} has {len(cells)} cells for {who}")
    return cells
