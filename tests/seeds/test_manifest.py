"""The manifest holds every requirement, and the build notices an unproven one."""

from itertools import groupby
from pathlib import Path

import pytest

from tests.doors_used import RECORD, door_of, problem
from tests.seeds.audit import FOUND, NO_BREAK, NOT_FOUND, PACKAGE, Trial, break_problems, control, outcome
from tests.seeds.breaks import BREAKS
from tests.seeds.manifest import ALL_ROWS, ROOT, ROWS, ids_in, naming_below, problems, rows_with_tests, table
from tests.seeds.playing import Played, playing_below
from tests.seeds.shapes import AREAS, Break, Row

SIZES = {"000": 24, "001": 83, "002": 25, "003": 14, "004": 35, "D": 25}
SIZES |= {"A": 9, "B": 30, "C": 10, "O": 8, "P": 14, "X": 11, "Y": 25}
#: The rows of part 4 are numbered by the user who reported them.
USED = (range(1, 19), range(20, 33), range(40, 45), range(50, 61))
#: Tests below tests/use that use no door themselves: they check tables and texts, or a fixture or some of
#: their runs use it for them.
INSIDE_USE = {
    "test_u03_old_stores.py::test_a_server_fills_the_rows_of_a_golden_log",
    "test_u25_threads.py::test_a_message_goes_to_its_thread_of_discord_and_its_topic_of_telegram",
    "test_u30_help.py::test_every_example_that_the_help_prints_is_read_by_its_own_command",
    "test_u30_help.py::test_every_field_has_a_meaning_and_an_example_that_the_call_takes",
    "test_u30_help.py::test_the_help_and_the_reference_say_the_same_of_every_field",
    "test_u41_by_role.py::test_every_call_that_a_refusal_names_is_listed",
    "test_u42_every_tool.py::test_every_tool_that_takes_something_has_a_mistake_here",
    "test_u42_misfits.py::test_a_wrong_field_is_named_over_mcp",
    "test_u42_misfits.py::test_every_wrong_field_of_every_call_is_named_and_put_right",
    "test_u42_misfits.py::test_nearly_every_call_has_cases",
    "test_u44_consent_and_budget.py::test_those_who_are_asked_first_leave_an_equal_part_to_those_who_come_later",
    "test_u57_sizes.py::test_installing_shows_progress",
    "test_u58_restore_drill.py::test_what_stands_in_the_way_of_a_drill_is_told_with_the_way_out",
    "test_u60_false_stops.py::test_a_file_that_was_broken_before_is_not_held_against_a_line_beside_it",
    "test_u60_false_stops.py::test_what_is_dangerous_beside_it_still_does",
    "test_u60_false_stops.py::test_what_is_harmless_does_not_stop_the_work",
}
RULE = "def is_open(reviewers: int) -> bool:\n    return reviewers >= 2\n"
TEST = """from foureyes.rule import is_open

def test_one_is_too_few() -> None:
    '000-10'
    assert not is_open(1)
"""


def test_every_requirement_is_proven_or_has_the_area_that_brings_it() -> None:
    """No unknown id, no row listed twice, no unknown area, no core row without a test."""
    found = problems(ALL_ROWS, naming_below(ROOT), playing_below(ROOT))
    assert not found, "\n".join(found)


def test_the_manifest_holds_every_row_in_order() -> None:
    """Each seed's rows and each letter's decisions are counted through without a gap."""
    groups = {name: [row.id for row in rows] for name, rows in groupby(ALL_ROWS, key=_group)}
    used = groups.pop("U")
    assert groups == {name: [_id(name, number) for number in range(1, size + 1)] for name, size in SIZES.items()}
    assert used == [f"U-{number}" if number > 9 else f"U-0{number}" for part in USED for number in part]
    assert len(ROWS) == 313 + len(used)


def test_every_break_fits_its_file() -> None:
    """A break's text occurs exactly once in its file, changes it, and leaves it compiling."""
    found = break_problems(BREAKS, ROOT / PACKAGE)
    assert not found, "\n".join(found)
    assert set(BREAKS) <= set(ROWS)


def test_every_proven_row_can_be_disabled() -> None:
    """The audit draws from all proven rows, so each needs its break."""
    without = [row for row in rows_with_tests(ALL_ROWS, naming_below(ROOT)) if row not in BREAKS]
    assert not without, f"no break for {', '.join(without)}"


def test_an_unknown_id_fails_the_build(tmp_path: Path) -> None:
    """A test that names a row nobody wrote down is a typing error or a lost requirement."""
    naming = _fake_tests(tmp_path, 'def test_it() -> None:\n    """Proves 000-01 and 000-99."""\n')
    play = _play("tests/deep/test_fake.py::test_it")
    assert problems([Row("000-01", "a")], naming, play) == [
        "000-99 is no row, but tests/deep/test_fake.py::test_it names it"
    ]


def test_a_core_row_without_a_test_fails_the_build(tmp_path: Path) -> None:
    """A row without an area must be named by a test; one with an area may wait."""
    naming = _fake_tests(tmp_path, 'def test_it() -> None:\n    """Says nothing."""\n')
    rows = [Row("000-01", "the rule"), Row("000-22", "the paths", area="doors")]
    assert problems(rows, naming, {}) == ["000-01 has no test: the rule"]


def test_a_duplicate_and_an_unknown_area_fail_the_build() -> None:
    """Two rows of one id hide each other, and a misspelt area would wait for ever."""
    rows = [Row("D-01", "a", area=AREAS[0]), Row("D-01", "b", area="stores")]
    assert problems(rows, {}, {}) == ["D-01 is listed 2 times", "D-01 waits for the unknown area 'stores'"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("000-01, 001-34; (A1) B30/C10 and D-25.", ("000-01", "001-34", "A1", "B30", "C10", "D-25")),
        ("A1, then A1 again", ("A1",)),
        ("I1 I31 S1 S23 T1 T31 F1 spec.2-F1 E1", ()),
        ("2000-01-02, BA1, A1b, A-only, B-only, 1000-01", ()),
        ("A1…A3 001-22…25 B1-B4", ("A1…A3", "001-22…25", "B1-B4")),
        ("005-01 D-26 Y26", ("005-01", "D-26", "Y26")),
    ],
)
def test_ids_are_read_and_nothing_else_is(text: str, named: tuple[str, ...]) -> None:
    """Invariants, holes, threats and faults are no rows; a range or a wrong number is kept, to be reported."""
    assert ids_in(text) == named


def test_only_tests_that_are_sure_to_run_prove_something(tmp_path: Path) -> None:
    """Helpers, skipped tests and expected failures do not count; methods and async tests do."""
    naming = _fake_tests(
        tmp_path,
        'def helper() -> None:\n    """A1"""\n'
        '@pytest.mark.skipif(True, reason="")\ndef test_skipped() -> None:\n    """A2"""\n'
        '@pytest.mark.xfail\ndef test_failing() -> None:\n    """A3"""\n'
        'async def test_async() -> None:\n    """A4"""\n'
        'class TestThese:\n    def test_method(self) -> None:\n        """A5"""\n',
    )
    file = "tests/deep/test_fake.py"
    assert naming == {"A4": (f"{file}::test_async",), "A5": (f"{file}::TestThese::test_method",)}


def test_the_table_says_what_is_proven_and_what_is_to_come() -> None:
    """Five states: proven at a door, tested inside only, missing, to come, and to come with its core part tested."""
    rows = [Row("A1", "a"), Row("A2", "b"), Row("A3", "c", area="store"), Row("A4", "d", area="doors"), Row("A5", "e")]
    lines = list(table(rows, {"A1": ("t", "u"), "A4": ("t",), "A5": ("v",)}, _play("t")))
    words = [" ".join(line.split()) for line in lines]
    assert words[1:6] == [
        "A1 proven http, mcp server 2 a",
        "A2 MISSING 0 b",
        "A3 to come: store 0 c",
        "A4 core part tested, doors to come http, mcp server 1 d",
        "A5 tested inside, not yet proven at a door 1 e",
    ]
    assert words[-1] == "all 5 1 1 1 1 1"


def test_a_row_of_a_seed_that_no_test_plays_through_a_door_fails_the_build() -> None:
    """A decision may be proven inside; a row that a user stands before may not."""
    rows = [Row("U-20", "the rule"), Row("A1", "a")]
    naming = {"U-20": ("t",), "A1": ("t",)}
    assert problems(rows, naming, {}) == ["U-20 is tested, but no test plays it through a door: the rule"]
    assert problems(rows, naming, _play("t")) == []


def test_claims_are_read_from_tests_and_modules(tmp_path: Path) -> None:
    """The claim of a test is its own, else that of its module; starting a server without a claim proves nothing."""
    marked = "@pytest.mark.door('page', policy='chains')\ndef test_page(): pass\ndef test_other(): pass\n"
    module = "pytestmark = [pytest.mark.timeout(9), pytest.mark.door('http', policy=('server', 'peer'))]\n"
    sources = {
        "seeds/test_a.py": marked,
        "seeds/test_b.py": module + marked,
        "use/test_c.py": "from tests.use.served import served\ndef test_c(): pass\n",
    }
    for name, source in sources.items():
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).write_text(source, encoding="utf-8")
    page, http = Played(("page",), ("chains",)), Played(("http",), ("server", "peer"))
    assert playing_below(tmp_path) == {
        "tests/seeds/test_a.py::test_page": page,
        "tests/seeds/test_b.py::test_page": page,
        "tests/seeds/test_b.py::test_other": http,
    }


def test_a_claim_that_is_not_true_is_a_problem_of_the_test() -> None:
    """Whoever claims a door must have gone through it, under the policy that is named."""
    RECORD.note(door_of("/review/story", {"content-type": "application/json"}), "server")
    assert problem(("http",), ("server",)) == ""
    assert "never went through it" in problem(("http", "mcp"), ("server",))
    assert "it has used server" in problem(("http",), ("chains",))
    assert "window is no door" in problem(("window",), ("server",))
    assert problem((), ("server",)) == problem(("http",), ()) == "name at least one door and the policy"
    RECORD.note(door_of("/mcp/review-server", {}), "server")
    RECORD.note(door_of("/", {"content-type": "text/html; charset=utf-8"}), "server")
    assert problem(("http", "mcp", "page"), ("server",)) == ""


def test_what_a_parameter_names_must_be_true_of_the_run_with_it() -> None:
    """A test that is played at one door after the other claims both, and each of its runs shows one."""
    RECORD.note("mcp", "peer-with-more")
    here, every = frozenset({"mcp"}), frozenset({"http", "mcp"})
    assert problem(("http", "mcp"), ("peer-with-more",), here, every) == ""
    assert "the door page" in problem(("mcp", "page"), ("peer-with-more",), here, every)
    assert "the policy team" in problem(("mcp",), ("peer-with-more", "team"), here, every)
    assert "the door http" in problem(("http", "mcp"), ("peer-with-more",), frozenset({"http"}), every)


def test_every_test_that_is_named_beside_a_user_claims_its_doors() -> None:
    """Below tests/use nothing is guessed: a test that names a row says through which doors, or is listed here."""
    named = {test for tests in naming_below(ROOT).values() for test in tests if test.startswith("tests/use/")}
    assert {test.removeprefix("tests/use/") for test in named - set(playing_below(ROOT))} == INSIDE_USE


def test_the_audit_finds_a_disabled_rule_and_tells_a_survivor(tmp_path: Path) -> None:
    """The tests run against the mutated copy: a lost rule is found, a harmless edit is not."""
    root = _fake_repository(tmp_path)
    assert control([_trial("2", "1")], root) == ""
    assert outcome(_trial(">= 2", ">= 1"), root) == FOUND
    assert outcome(_trial(">= 2", ">= 3"), root) == NOT_FOUND
    assert (root / PACKAGE / "rule.py").read_text(encoding="utf-8") == RULE


def test_the_audit_does_not_take_a_crash_for_a_finding(tmp_path: Path) -> None:
    """An undefined name, a text that is not there and a missing break are errors of the audit."""
    root = _fake_repository(tmp_path)
    assert outcome(_trial(">= 2", ">= two"), root).startswith("ERROR the break crashes the code")
    assert outcome(_trial("> 5", "> 6"), root) == "ERROR 000-10: '> 5' occurs 0 times in rule.py"
    assert "does not compile" in outcome(_trial(">= 2", ">="), root)
    assert outcome(Trial(row="000-10", breaks=(), tests=()), root) == NO_BREAK


def test_the_audit_notices_a_failing_control(tmp_path: Path) -> None:
    """Tests that fail before anything is disabled would find every break."""
    root = _fake_repository(tmp_path)
    (root / PACKAGE / "rule.py").write_text(RULE.replace("2", "0"), encoding="utf-8")
    assert control([_trial("2", "1")], root).startswith("the unchanged copy fails: pytest ended with 1")


def test_the_audit_notices_that_another_package_was_judged(tmp_path: Path) -> None:
    """A run that imports the real package instead of the mutated copy says nothing about the break."""
    root = _fake_repository(tmp_path)
    real = f"import sys\nsys.path.insert(0, {str(ROOT / 'src')!r})\nimport foureyes\n"
    (root / "tests" / "conftest.py").write_text(real, encoding="utf-8")
    (root / "tests" / "test_rule.py").write_text("def test_one_is_too_few(): pass\n", encoding="utf-8")
    assert outcome(_trial(">= 2", ">= 1"), root).startswith("ERROR the copy was not imported")


def _play(*tests: str) -> dict[str, Played]:
    return dict.fromkeys(tests, Played(("http", "mcp"), ("server",)))


def _group(row: Row) -> str:
    return row.id[:3] if row.id.startswith("00") else row.id[0]


def _id(group: str, number: int) -> str:
    return f"{group}-{number:02}" if group in {"D", "000", "001", "002", "003", "004"} else f"{group}{number}"


def _fake_tests(root: Path, source: str) -> dict[str, tuple[str, ...]]:
    file = root / "tests" / "deep" / "test_fake.py"
    file.parent.mkdir(parents=True)
    file.write_text(source, encoding="utf-8")
    return naming_below(root)


def _fake_repository(root: Path) -> Path:
    for name, source in {f"{PACKAGE}/__init__.py": "", f"{PACKAGE}/rule.py": RULE, "tests/test_rule.py": TEST}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source, encoding="utf-8")
    return root


def _trial(old: str, new: str) -> Trial:
    edit = Break(file="rule.py", old=old, new=new)
    return Trial(row="000-10", breaks=(edit,), tests=("tests/test_rule.py::test_one_is_too_few",))
