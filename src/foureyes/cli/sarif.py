"""A round's findings as SARIF 2.1.0 for code scanners, with only the rules that have findings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import quote

from foureyes import __version__
from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Dismissed, Found, Outcome
from foureyes.app.reviewing.rulebook import RuleEntry
from foureyes.cli import telling
from foureyes.cli.answer import Json
from foureyes.core.values import Severity

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://pypi.org/project/foureyes/"
#: GitHub accepts at most this many results from one run.
RESULTS_MAX = 25_000
#: The rule id of findings that name no rule.
OPINION = "reviewer.finding"
RULE_CHARS_MAX = 200
_LEVELS = {"critical": "error", "important": "warning", "minor": "note"}
_GRAVITY = {"critical": "9.0", "important": "6.0", "minor": "3.0"}
_ROOT = "%SRCROOT%"


def sarif(outcome: Outcome, rules: Iterable[RuleEntry]) -> str:
    """The SARIF document, in ASCII."""
    gone = {one.found.id for one in outcome.dismissed}
    open_ones = ((one, None) for one in outcome.found if one.id not in gone)
    results = [*open_ones, *((one.found, one) for one in outcome.dismissed)][:RESULTS_MAX]
    declared = _declared([one for one, _ in results], rules)
    index = {str(one["id"]): place for place, one in enumerate(declared)}
    run: dict[str, Json] = {
        "tool": {
            "driver": {"name": "foureyes", "version": __version__, "informationUri": HOME, "rules": declared},
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(outcome)],
        "automationDetails": {"id": "foureyes/review/"},
        "results": _results(results, index),
        "properties": {"result": outcome.result.value, "review": _clean(outcome.review), "digest": outcome.digest},
    }
    document: dict[str, Json] = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return f"{json.dumps(document, indent=2, ensure_ascii=True)}\n"


def _declared(found: Iterable[Found], rules: Iterable[RuleEntry]) -> list[dict[str, Json]]:
    fired = {_rule_of(one) for one in found}
    declared = {one.id: _rule(one) for one in rules if one.id in fired}
    for name in fired:
        declared.setdefault(name, {"id": name, "shortDescription": {"text": name}})
    return [declared[name] for name in sorted(declared)]


def _rule(rule: RuleEntry) -> dict[str, Json]:
    return {
        "id": rule.id,
        "shortDescription": {"text": _clean(rule.title)},
        "fullDescription": {"text": _clean(rule.why)},
        "help": {"text": _clean(rule.fix)},
        "defaultConfiguration": {"level": _LEVELS.get(rule.severity, "warning")},
        "properties": {
            "tags": [rule.category, rule.critic],
            "security-severity": _GRAVITY.get(rule.severity, _GRAVITY["important"]),
        },
    }


def _results(results: list[tuple[Found, Dismissed | None]], index: dict[str, int]) -> list[Json]:
    """All results; if any of them is suppressed, each says whether it is."""
    any_dismissed = any(dismissed for _, dismissed in results)
    times: dict[str, int] = {}
    made: list[Json] = []
    for found, dismissed in results:
        times[found.fingerprint] = times.get(found.fingerprint, 0) + 1
        result = _result(found, index, times[found.fingerprint])
        if any_dismissed:
            result["suppressions"] = _suppressions(dismissed)
        made.append(result)
    return made


def _suppressions(dismissed: Dismissed | None) -> list[Json]:
    if dismissed is None:
        return []
    why = _clean(f"{dismissed.because} ({dismissed.by}, unproven)")
    return [{"kind": "external", "status": "accepted", "justification": why}]


def _result(found: Found, index: dict[str, int], time: int) -> dict[str, Json]:
    name = _rule_of(found)
    text = _clean(". ".join(one.rstrip(".") for one in (found.text, found.suggestion) if one) + ".")
    result: dict[str, Json] = {
        "ruleId": name,
        "ruleIndex": index[name],
        "level": _level(found),
        "message": {"text": text},
        "properties": {
            "finding": _clean(found.id),
            "severity": found.severity.name.lower(),
            "blocking": found.blocking,
            "raisedBy": [_clean(one) for one in found.raised_by],
        },
    }
    if found.path:
        result["locations"] = [_location(found)]
    if found.fingerprint:
        # GitHub matches alerts by this fingerprint, so an alert stays the same while its lines move.
        result["partialFingerprints"] = {
            "foureyesFingerprint/v1": found.fingerprint,
            "primaryLocationLineHash": f"{found.fingerprint}:{time}",
        }
    return result


def _location(found: Found) -> Json:
    uri = quote(found.path, errors="replace")
    artifact: dict[str, Json] = {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": _ROOT}
    place: dict[str, Json] = {"artifactLocation": artifact}
    if found.line > 0:
        place["region"] = {"startLine": found.line, "endLine": max(found.line, found.end)}
    return {"physicalLocation": place}


def _invocation(outcome: Outcome) -> Json:
    """Whether the run finished, with a notification for everything that was not reviewed."""
    said = [f"{one.reviewer} could not say: {one.reason}" for one in outcome.looked if not one.answered]
    said += [f"{one.who} did not look: {one.why}" for one in outcome.not_looked]
    said += [f"{one.path} was not read: {one.why}" for one in outcome.unread]
    notes: list[Json] = [{"level": "warning", "message": {"text": _clean(one)}} for one in said]
    done = outcome.nothing or (any(one.answered for one in outcome.looked) and not outcome.interrupted)
    return {
        "executionSuccessful": done,
        "exitCode": telling.exit_code(outcome),
        "toolExecutionNotifications": notes,
    }


def _level(found: Found) -> str:
    if found.blocking:
        return "error"
    return "note" if found.severity is Severity.MINOR else "warning"


def _rule_of(found: Found) -> str:
    return _clean(found.rule)[:RULE_CHARS_MAX] or OPINION


def _clean(text: str) -> str:
    """Cleaned text in which `[words](target)` does not become a link."""
    return marked(text).replace("](", "] (")
