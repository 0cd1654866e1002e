"""Output for scripts, code scanners and pull requests: stable formats, in which text of the work is inert."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from foureyes.cli import outcome_data
from foureyes.cli.markdown import CHARS_MAX, code_of, markdown, text_of
from foureyes.cli.sarif import OPINION, RESULTS_MAX, sarif
from tests.cli.colleagues import RULES
from tests.cli.outcomes import BLOCKED, CLEAN, EVERY, EVIL, HOSTILE, KEY, LATER, MANY, NOTE, PIPE
from tests.shape import ROOT

#: The properties that SARIF 2.1.0 allows and requires in each of these objects, from the standard's schema.
ALLOWED: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"$schema", "version", "runs", "properties"}, {"version", "runs"}),
    "run": (
        {"tool", "invocations", "results", "columnKind", "automationDetails", "originalUriBaseIds", "properties"},
        {"tool"},
    ),
    "driver": ({"name", "version", "informationUri", "rules", "properties"}, {"name"}),
    "rule": (
        {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"},
        {"id"},
    ),
    "result": (
        {
            "ruleId",
            "ruleIndex",
            "level",
            "message",
            "locations",
            "partialFingerprints",
            "suppressions",
            "properties",
        },
        {"message"},
    ),
    "invocation": ({"executionSuccessful", "exitCode", "toolExecutionNotifications"}, {"executionSuccessful"}),
    "suppression": ({"kind", "status", "justification"}, {"kind"}),
}
LEVELS = {"none", "note", "warning", "error"}
#: The characters a relative reference may have (RFC 3986).
RELATIVE = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=@/%]+")


def document(name: str) -> Any:
    return json.loads(sarif(EVERY[name], RULES))


def keeps(kind: str, value: dict[str, Any]) -> None:
    allowed, demanded = ALLOWED[kind]
    assert set(value) <= allowed, (kind, set(value) - allowed)
    assert demanded <= set(value), (kind, demanded - set(value))


@pytest.mark.parametrize("name", EVERY)
def test_sarif_keeps_to_the_standard(name: str) -> None:
    log = document(name)
    keeps("log", log)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    keeps("run", run)
    driver = run["tool"]["driver"]
    keeps("driver", driver)
    rules = driver["rules"]
    assert len({one["id"] for one in rules}) == len(rules)
    for rule in rules:
        keeps("rule", rule)
    for result in run["results"]:
        keeps("result", result)
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result["locations"]:
            place = location["physicalLocation"]
            assert RELATIVE.fullmatch(place["artifactLocation"]["uri"])
            assert 1 <= place["region"]["startLine"] <= place["region"]["endLine"]
        for one in result.get("suppressions", []):
            keeps("suppression", one)
            assert (one["kind"], one["status"]) == ("external", "accepted")
    for invocation in run["invocations"]:
        keeps("invocation", invocation)
    assert len({"suppressions" in one for one in run["results"]}) <= 1, "all say it or none"


def test_sarif_declares_the_rules_that_fired_and_no_others() -> None:
    """U-57: kilobytes, not 800 of them."""
    run = document("blocked")["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    fired = {one["ruleId"] for one in run["results"]}
    assert [one["id"] for one in rules] == sorted(fired)
    assert any("defaultConfiguration" in one for one in rules), "with what is known of them"
    assert document("clean")["runs"][0]["tool"]["driver"]["rules"] == []


def test_sarif_says_dismissed_ones_are_suppressed_and_by_whom() -> None:
    """D-10: listed as suppressed, never silently gone."""
    results = json.loads(sarif(LATER, RULES))["runs"][0]["results"]
    (gone,) = [one for one in results if one["suppressions"]]
    assert gone["properties"]["finding"] == "solo.2-F9"
    assert gone["suppressions"][0]["justification"] == "the name is the domain's (eve, unproven)"


def test_sarif_fingerprints_hold_while_lines_move_and_tell_twins_apart() -> None:
    """D-20: one alert per issue across runs."""
    moved = replace(BLOCKED, found=(replace(PIPE, line=99, end=99), PIPE))
    prints = [one["partialFingerprints"] for one in json.loads(sarif(moved, RULES))["runs"][0]["results"]]
    assert [one["foureyesFingerprint/v1"] for one in prints] == ["9f2c1a", "9f2c1a"]
    assert [one["primaryLocationLineHash"] for one in prints] == ["9f2c1a:1", "9f2c1a:2"]


def test_sarif_levels_follow_what_blocks() -> None:
    results = document("blocked")["runs"][0]["results"]
    assert {one["properties"]["finding"]: one["level"] for one in results[:3]} == {
        "solo.2-F3": "note",
        "solo.1-F2": "error",
        "solo.1-F1": "error",
    }
    assert results[0]["ruleId"] == OPINION


def test_sarif_of_a_run_that_nobody_finished_says_so() -> None:
    """D-03: an empty list of results is not taken for clean."""
    run = document("nobody")["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is False
    assert "Codex could not say" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_sarif_has_a_limit_and_takes_findings_without_a_place() -> None:
    whole = replace(KEY, path="", line=0)
    results = json.loads(sarif(replace(BLOCKED, found=(whole,)), RULES))["runs"][0]["results"]
    assert "locations" not in results[0]
    outside = replace(KEY, path="/srv/a:b.py")
    place = json.loads(sarif(replace(BLOCKED, found=(outside,)), RULES))["runs"][0]["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "file:///srv/a%3Ab.py"}
    many = replace(BLOCKED, found=tuple(replace(KEY, ids=(f"F{n}",)) for n in range(RESULTS_MAX + 1)))
    assert len(json.loads(sarif(many, ()))["runs"][0]["results"]) == RESULTS_MAX


@pytest.mark.parametrize("name", ["evil", "long"])
def test_documents_are_harmless_text(name: str) -> None:
    """T31: neither control characters, direction marks, links of strangers, HTML nor mentions."""
    scanned = sarif(EVERY[name], RULES)
    assert scanned.isascii()
    assert "](" not in json.dumps(json.loads(scanned), ensure_ascii=False)
    comment = markdown(EVERY[name])
    assert not set(comment) & {*map(chr, (*range(10), *range(11, 32), *range(0x7F, 0xA0))), "\u202e", "\u2066"}
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", comment)
    assert "<img" not in outside.replace("\\<", "")
    assert not re.search(r"@\w", outside)
    assert not re.search(r"(?<!\\)\]\(", outside)
    assert not re.search(r"https?://\w", outside)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<script>", "\\<script\\>"),
        ("@team #12 GH-3", "@\u200bteam #\u200b12 GH-\u200b3"),
        ("see http://e.example www.e.example", "see http://\u200be.example www.\u200be.example"),
        ("a*b_c`d|e", "a\\*b\\_c\\`d\\|e"),
        ("![x](y)", "\\!\\[x\\]\\(y\\)"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("=====", "\\====="),
        ("&lt;b&gt;", "\\&lt;b\\&gt;"),
        ("$x$", "$\u200bx$\u200b"),
        ("two\nlines", "two␊lines"),
    ],
)
def test_words_of_strangers_stay_words(text: str, wanted: str) -> None:
    assert text_of(text) == wanted


@pytest.mark.parametrize("text", ["`", "a`b", "``", "`a`", "``a", HOSTILE, "x" * 5000])
def test_code_of_strangers_cannot_leave_its_span(text: str) -> None:
    span = code_of(text)
    fence = re.match("`+", span)
    assert fence
    inside = span[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inside)
    assert "\n" not in span
    assert code_of("") == ""


def test_a_comment_has_a_limit_and_folds_the_rest() -> None:
    assert len(markdown(MANY)) < CHARS_MAX
    assert "<details><summary>490 more to fix</summary>" in markdown(MANY)
    huge = replace(NOTE, text="<" * 600, path="<" * 200, suggestion="<" * 600, why="<" * 600)
    wide = tuple(replace(huge, ids=(f"F{n}",), cause=f"c{n % 100}", blocking=n % 2 == 0) for n in range(1000))
    comment = markdown(replace(BLOCKED, found=wide))
    assert CHARS_MAX // 2 < len(comment) <= CHARS_MAX + 10
    assert comment.endswith("\n…\n")


SHAPE = {
    "unjudged",
    "cost",
    "digest",
    "dismissed",
    "files",
    "findings",
    "gate",
    "headline",
    "held_up",
    "ignored",
    "independence",
    "interrupted",
    "kind",
    "late",
    "lines",
    "looked",
    "next",
    "not_looked",
    "nothing",
    "notes",
    "older",
    "policy",
    "report",
    "result",
    "review",
    "revision",
    "revisions_max",
    "settled",
    "answers",
    "shape",
    "state",
    "title",
    "unclear",
    "unread",
    "waits",
}
FINDING = {
    "agreement",
    "blocking",
    "category",
    "cause",
    "end",
    "evidence",
    "fingerprint",
    "id",
    "ids",
    "line",
    "new",
    "path",
    "quote",
    "raised_by",
    "verified_because",
    "rule",
    "severity",
    "standing",
    "suggestion",
    "text",
    "verification",
    "why",
    "why_not_blocking",
}
LOOKED = {
    "cost",
    "findings",
    "kind",
    "looked_at",
    "reason",
    "reviewer",
    "state",
    "summary",
    "unread",
    "until",
}


@pytest.mark.parametrize("name", EVERY)
def test_the_json_shape_is_a_promise(name: str) -> None:
    data: Any = json.loads(json.dumps(outcome_data.data(EVERY[name])))
    assert set(data) == SHAPE
    assert data["shape"] == "foureyes.review/1"
    for one in data["findings"]:
        assert set(one) == FINDING
    for one in data["looked"]:
        assert set(one) == LOOKED
    for one in data["dismissed"]:
        assert set(one) == {"at", "because", "by", "finding", "proven"}
        assert one["proven"] is False


def test_the_reference_names_every_field_of_the_shape() -> None:
    page = (ROOT / "docs" / "reference" / "review-json.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z_]+)` \|", page, flags=re.MULTILINE))
    assert SHAPE | FINDING | LOOKED | {"exit"} <= named


def test_json_says_what_people_read() -> None:
    data: Any = outcome_data.data(BLOCKED)
    assert (data["result"], data["headline"]) == ("blocked", "2 things to fix before this goes live, in 14 places")
    assert data["cost"] == {"usd_micro": 123_000, "tokens": 18_400, "milliseconds": 43_100}
    assert data["findings"][2]["severity"] == "critical"
    unknown: Any = outcome_data.data(CLEAN)
    assert unknown["cost"]["usd_micro"] is None
    hostile: Any = outcome_data.data(EVIL)
    assert json.loads(json.dumps(hostile, ensure_ascii=True))["title"] == HOSTILE
