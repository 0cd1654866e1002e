"""The edits that disable the rules behind the rows that the doors prove."""

from tests.seeds.shapes import Break

CHECKING = "app/calls/seed_001_checking.py"
PEER = "app/calls/seed_001.py"
PEER_SHOWN = "app/calls/seed_001_shown.py"
FIGURES = "app/calls/seed_001_metrics.py"
WORDS = "app/calls/seed_words.py"
PATHS = "http/seed_routes.py"


def _one(file: str, old: str, new: str) -> tuple[Break, ...]:
    return (Break(file=file, old=old, new=new),)


BREAKS_DOORS: dict[str, tuple[Break, ...]] = {
    "000-22": _one(PATHS, '_ITEM = "/feedback/{feedback_item_id}"', '_ITEM = "/items/{feedback_item_id}"'),
    "000-23": _one("http/others.py", '{"deprecation": VOTING_ENDED, "link"', '{"link"'),
    "001-02": _one(PEER, "await waited(office, caller, review, form.wait,", "await waited(office, caller, review, 45,"),
    "001-06": _one(WORDS, "        return IN_PROGRESS", "        return PENDING"),
    "001-11": _one(PEER, "check_basics(form.self_check, files)", "check_basics((), files)"),
    "001-34": _one(CHECKING, "Needless(needs_review=False, reason=reason)", 'Needless(needs_review=False, reason="")'),
    "001-35": _one(PEER, "f\"{words.INVALID}: {', '.join(one for one, _, _ in faults)}\"", "words.INVALID"),
    "001-36": _one(PEER, "return words.not_found(review)", "return refusal"),
    "001-37": _one(PEER_SHOWN, "questions=review.questions,", "questions=(),"),
    "001-38": _one(WORDS, "return AGAIN if review.resubmissions else PENDING", "return PENDING"),
    "001-39": _one(PEER_SHOWN, "creator_argument=ruling.argument or None if ruling else None", "creator_argument=None"),
    "001-40": _one(FIGURES, "(not asked.kind or asked.kind == one.type)", "bool(one.type)"),
    "001-41": _one("mcp/near.py", 'raise NotThere(f"Unknown tool: {name[:200]}")', 'raise NotThere("No")'),
    "001-42": _one("mcp/server.py", 'name="review-server", version="1.0.0"', 'name="review-server", version="1"'),
    "001-43": _one(WORDS, '    "api_endpoint_change",\n', ""),
    "001-44": _one(FIGURES, "avg_review_time_minutes=_minutes(said),", "avg_review_time_minutes=0.0,"),
    "002-16": _one("app/calls/seed_002.py", "protocols=(chain,) if chain else (),", "protocols=(),"),
    "003-07": _one(
        "app/calls/seed_003_results.py", "place = Place(path=issue.file) if issue.file else None", "place = None"
    ),
    "002-21": _one("app/calls/records.py", 'row["type"] in _DECIDING and', 'row["type"] == _FAILED and'),
    "003-04": _one("web/sessions.py", '"review": ("trigger_review",', '"review": ("pause_session",'),
    "003-06": _one("app/calls/seed_003_asked.py", "targets=asked.targets,", "targets=(),"),
    "004-05": _one(WORDS, 'return f"Fix attempt {number}/{most}: {issues}"', 'return f"Fix attempt {number}/{most}"'),
    "004-07": _one(WORDS, 'return f"{done} (max)" if done >= most else str(done)', "return str(done)"),
    "D-13": _one("app/calls/shown.py", "notes=review.noted,", "notes=(),"),
    "A6": _one("app/calls/whole.py", "    await note(office, caller, (seen,))", "    await note(office, caller, ())"),
    "B6": _one(
        "app/calls/seed_001_patterns.py",
        "avg_confidence=one.trust / TRUST_MAX,",
        "avg_confidence=one.confidence_sum / max(1, one.successes) / TRUST_MAX,",
    ),
    "B11": _one("core/checks.py", "found = VERDICTS.get(word.strip().lower()", "found = VERDICTS.get(word.strip()"),
    "B19": _one(PEER_SHOWN, "return review.report_request(seat.id) is not None", "return False"),
    "B20": _one(PEER, "if said not in (None, number):", "if said == 0:"),
    "D-04": _one("core/checks.py", "    if normal(actor.name) in makers:", "    if normal(actor.name) in ():"),
    "C7": _one(PATHS, 'also=("/seldon/validate",), query', "query"),
}
