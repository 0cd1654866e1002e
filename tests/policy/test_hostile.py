"""Forbidden contents of a policy are refused with their line, before they can do harm."""

import time

import pytest

from foureyes.policy import PolicyErrors, load_text
from foureyes.policy.nodes import FILE_BYTES_MAX, PROBLEMS_MAX
from tests.policy.reading import beside, minimal, refused

BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
)
SECONDS_MAX = 20

# Each begins on line 2; the error is on the given line.
WRONG: list[tuple[str, int, str]] = [
    ("name: &x me\n", 2, "the anchor &x"),
    ("kinds: *all\n", 2, "the alias *all"),
    ("name: !!python/object:os.system me\n", 2, "the tag"),
    ("name: !!str 1\n", 2, "the tag"),
    ("<<: {name: me}\n", 2, "the merge key <<"),
    ("name: me\nname: you\n", 3, "the key 'name' stands here twice"),
    ("kinds:\n  task: solo\n  task: panel\n", 4, "the key 'task' stands here twice"),
    ("kinds:\n  create-core: solo\n  core_creation: peer\n", 4, "the kind create_core stands here twice"),
    ("nmae: me\n", 2, "unknown key 'nmae'"),
    ("1: me\n", 2, "a key is no text"),
    ("? [a]\n: b\n", 2, "a key is no text"),
    ("true: me\n", 2, "a key is no text"),
    ("---\nversion: 1\n", 2, "a second document begins here"),
    ("resolve: {min_reviewers: 0}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: -1}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: True}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: true}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: 1.0}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: '2'}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: null}\n", 2, "min_reviewers must be 1-10"),
    ("resolve: {min_reviewers: 99999999999999999999}\n", 2, "99999999999999999999 is a number to some"),
    ("resolve: {min_reviewers: .nan}\n", 2, ".nan is a number to some readers"),
    ("resolve: {min_reviewers: .inf}\n", 2, ".inf is a number to some readers"),
    ("resolve: {min_reviewers: 0o2}\n", 2, "0o2 is a number to some readers"),
    ("resolve: {min_reviewers: 02}\n", 2, "02 is a number to some readers"),
    ("resolve: {min_reviewers: 0x2}\n", 2, "0x2 is a number to some readers"),
    ("resolve: {min_reviewers: 1:30}\n", 2, "1:30 is a number to some readers"),
    ("resolve: {min_reviewers: 1_0}\n", 2, "1_0 is a number to some readers"),
    ("resolve: {min_reviewers: 1e1}\n", 2, "1e1 is a number to some readers"),
    ("resolve: {blind: off}\n", 2, "off may mean true or false"),
    ("resolve: {blind: 1}\n", 2, "blind is 1"),
    ("resolve: {min_reviewers: 5, seats_max: 4}\n", 2, "seats_max is less than min_reviewers"),
    ("resolve: [min_reviewers]\n", 2, "resolve is a list"),
    ("solo: {quorum: 0}\n", 2, "quorum must be 1-10"),
    ("solo: {quorum: True}\n", 2, "quorum must be 1-10"),
    ("solo: {quorum: 2}\n", 2, "a quorum of 2 can never be met by 1 agents"),
    ("solo: {agents: []}\n", 2, "agents has 0 names"),
    ("session: {reviewers: 0}\n", 2, "reviewers must be 1-10"),
    ("name: 12\n", 2, "name: 12 is no name"),
    ("name: yes\n", 2, "yes may mean true or false"),
    ("name: 2026-01-01\n", 2, "2026-01-01 is a number to some readers"),
    ("name: a/b\n", 2, "'a/b' is no name"),
    ("enabled: 1\n", 2, "enabled must be true or false"),
    ("enabled: 'false'\n", 2, "enabled must be true or false"),
    ("mode: block\n", 2, "mode is 'block'"),
    ("mode: {default: watch, task: 1}\n", 2, "mode is 1"),
    ("kinds:\n  task: []\n", 3, "no style stands here"),
    ("kinds:\n  task: vote\n", 3, "'vote' is no style"),
    ("kinds:\n  task: security\n", 3, "'security' is no style"),
    ("kinds:\n  task: {chain: nowhere}\n", 3, "the chain 'nowhere' is not defined"),
    ("kinds:\n  task: {chain: security, style: solo}\n", 3, "keys and values is no style"),
    ("kinds:\n  '': solo\n", 3, "'' is no kind of work"),
    ("kinds: solo\n", 2, "kinds is 'solo'"),
    ("risks: {extreme: solo}\n", 2, "'extreme' is no risk"),
    ("paths: {'!auth/': task}\n", 2, "'!auth/' is no pattern"),
    ("paths: {'': task}\n", 2, "'' is no pattern"),
    ("paths: {'a/': 7}\n", 2, "'' is no kind of work"),
    ("ignore: ['**']\n", 2, "** ignores everything"),
    ("ignore:\n  - docs/\n  - '*'\n", 4, "* ignores everything"),
    ("ignore: [7]\n", 2, "'' is no pattern"),
    ("budget: {review_usd: 0}\n", 2, "review_usd must be 0.01-10000 or null"),
    ("budget: {review_usd: -1}\n", 2, "review_usd must be 0.01-10000 or null"),
    ("budget: {day_usd: true}\n", 2, "day_usd must be 0.01-100000 or null"),
    ("humans: {leads: [ann, 'ANN ']}\n", 2, "names the same person twice"),
    ("humans: {leads: [7]}\n", 2, "7 is no name"),
    ("targets: {production: 0}\n", 2, "must have a level 1-3"),
    ("targets: {production: true}\n", 2, "must have a level 1-3"),
    ("clearance: {expires_hours: 0}\n", 2, "expires_hours must be 1-8760 or null"),
    ("reviewers: {auditor: codex}\n", 2, "'codex' is nobody who can hold a role"),
    ("reviewers: {auditor: {command: rm -rf /}}\n", 2, "command: 'rm -rf /' is nobody who can hold a role"),
    ("reviewers: {auditor: {model: sonnet}}\n", 2, "model: 'sonnet' is nobody who can hold a role"),
    ("reviewers: {auditor: []}\n", 2, "nobody holds the role auditor"),
    ("reviewers: {human: {command: codex}}\n", 2, "'human' is no name for a role"),
    ("reviewers:\n  a-b: {command: codex}\n  a_b: {command: codex}\n", 4, "'a_b' is no name for a role"),
    ("resolve:\n  ruling: {group: leads}\n", 3, "the group leads is not defined"),
    ("humans: {leads: [ann]}\nsolo:\n  ruling: {needs: 2, group: leads}\n", 4, "2 of a group of 1 can never agree"),
    ("solo: {independence: [horoscope]}\n", 2, "independence does not know 'horoscope'"),
    ("solo: {keeps: [content]}\n", 2, "keeps does not know 'content'"),
    ("solo: {coverage: 0}\n", 2, "coverage must be 1-100"),
    ("solo: {times: {human_hours: 0}}\n", 2, "human_hours must be 1-8760 or null"),
    ("peer: {enabled: false}\n", 2, "peer.enabled: false"),
    ("panel: {}\nreview: {}\n", 3, "panel and review are the same section"),
    ("panel: {parallel_models: [sonnet]}\n", 2, "parallel_models has 1 names"),
    ("panel: {parallel_models: [sonnet, sonnet]}\n", 2, "parallel_models names the same twice"),
    ("panel: {strategy: both}\n", 2, "strategy must be one of parallel, single"),
    ("chains: {file: ../chains.json}\n", 2, "leads out of the policy's folder"),
    ("chains: {file: /etc/chains.json}\n", 2, "leads out of the policy's folder"),
    ("chains: {file: a\\b.json}\n", 2, "leads out of the policy's folder"),
    ("chains: {file: chains.txt}\n", 2, "neither .yaml nor .json"),
    ("chains: {file: nowhere.json}\n", 2, "cannot be read"),
    ("chains: {file: 7}\n", 2, "a section is a file or keys"),
    ("peer: {file: a.yaml, enabled: true}\n", 2, "a section is a file or keys"),
    ("notify: {human: [nonsense-with-a-secret]}\n", 2, "address 1 of human is no address"),
    ("name: \x07\n", 2, "a character that YAML forbids"),
    ('name: "\\ud800"\n', 2, "half a character"),
    ('name: "\\Uffffffff"\n', 2, "this is no YAML"),
    ("name: [a\n", 3, "this is no YAML"),
    ("name: |\n  " + "a" * 9_000 + "\n", 2, "a text of more than"),
    ("version: 1\n", 2, "the key 'version' stands here twice"),
    (
        "peer: {reviewer_matrix: {a-b: {primary: c, backup: d}, a_b: {primary: c, backup: d}}}\n",
        2,
        "the role a_b stands",
    ),
    ("peer: {criteria: {task: {required: [{a: b}, {a: c}]}}}\n", 2, "the criterion a stands here twice"),
    ("peer: {criteria: {task: {required: [{a b: c}]}}}\n", 2, "'a b' is no name for a criterion"),
    ("peer: {criteria: {task: {optional: [{a: b}]}}}\n", 2, "task has no required criteria"),
    ("peer: {escalation: {auto_escalate_to_human: [{review_cycles: '>0'}]}}\n", 2, "review_cycles is '>0'"),
    ("peer: {escalation: {auto_escalate_to_human: [{both_confidence: '<101'}]}}\n", 2, "both_confidence is '<101'"),
    ("peer: {escalation: {auto_escalate_to_human: [{review_type: task}]}}\n", 2, "review_type alone asks nobody"),
    ("targets: {production: 3, Production: 1}\n", 2, "the target Production stands here twice"),
    ("targets: {pr\u043eduction: 3}\n", 2, "'pr\\u043eduction' is no name for a target"),
    ("targets: {production: 4}\n", 2, "the target production must have a level 1-3"),
    ("humans: {'a b': [ann]}\n", 2, "'a b' is no name for a group"),
    ("ignore: [" + ", ".join(f"a{i}/" for i in range(501)) + "]\n", 2, "ignore has more than 500 patterns"),
    (
        "chains:\n" + "".join(f"  c{i}: {{layers: [{{agent: a, scope: s}}]}}\n" for i in range(101)),
        103,
        "more than 100",
    ),
    (
        "chains:\n  steps:\n    - {name: a, critic_chain: security}\n    - {name: a, critic_chain: research}\n",
        5,
        "the step a names another chain",
    ),
    ("chains: {steps: [{name: a}]}\n", 2, "a step has a name and a critic_chain"),
    ("chains: {steps: [{critic_chain: security}]}\n", 2, "a step has a name and a critic_chain"),
]


@pytest.mark.parametrize(("text", "line", "says"), WRONG)
def test_what_is_wrong_is_refused_on_its_line(text: str, line: int, says: str) -> None:
    found = refused(minimal(text))
    assert [one for one in found if one.line == line and says in one.wrong], found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("[]", "a policy is a list"),
        ("solo", "a policy is 'solo'"),
        ("name: me\n", "version is missing"),
        ("version: 2\n", "version must be 1"),
        ("version: true\n", "version must be 1"),
        ("version: '1'\n", "version must be 1"),
        ("%YAML 1.1\n---\nversion: 1\n", "a % line"),
        (BOMB, "the anchor &a"),
        ("[" * 1_000, "levels deep"),
        ("a: " * 10, "this is no YAML"),
        ("version: 1\n" + "".join(f"k{i}: 1\n" for i in range(15_000)), "more than 20000 values"),
        ("#" * (FILE_BYTES_MAX + 1), "more than 262144 bytes"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(text: str, says: str) -> None:
    assert says in refused(text)[0].wrong


def test_bytes_that_are_no_utf_8_are_refused_on_their_line() -> None:
    with pytest.raises(PolicyErrors) as caught:
        load_text("foureyes.yaml", b"version: 1\nname: \xff\n", beside({}))
    assert str(caught.value).startswith("foureyes.yaml:2: a byte that is no UTF-8")


def test_everything_that_is_wrong_is_said_at_once_and_in_order() -> None:
    found = refused(minimal("nmae: me\nsolo: {quorum: 0}\nkinds:\n  task: vote\nresolve: {min_reviewers: True}\n"))
    assert [one.line for one in found] == [2, 3, 5, 6]
    assert found[0].allowed == "did you mean name?"
    assert refused(minimal("reviewer_matrix: {}\n"))[0].allowed == "it belongs to peer"


def test_what_two_readers_could_understand_differently_does_not_hide_the_rest() -> None:
    found = refused(minimal("resolve: {blind: off}\nname: a\nname: b\nsolo: {quorum: 07}\nsession: {reviewers: 0}\n"))
    assert sorted({one.line for one in found}) == [2, 4, 5, 6]
    assert str(found[-1]) == "foureyes.yaml:6: reviewers must be 1-10; it is 0"


def test_a_flood_of_problems_is_cut_off() -> None:
    assert len(refused("version: 1\n" + "".join(f"k{i}: 1\n" for i in range(5_000)))) == PROBLEMS_MAX


def test_a_secret_in_a_wrong_address_is_not_shown() -> None:
    said = "\n".join(map(str, refused(minimal("notify: {human: [nonsense-with-a-secret, [discord://key]]}\n"))))
    assert "secret" not in said
    assert "key" not in said


JSON = '{"chains": {"x": {"layers": [{"agent": "a", "scope": "b"}]}}%s}'


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('{"chains": {},\n"chains": {}}', 2, "the key 'chains' stands here twice"),
        ("{'chains': {}}", 1, "a key is no text in double quotes"),
        ("{chains: {}}", 1, "a key is no text in double quotes"),
        ('{"chains": {"x": NaN}}', 1, "is no JSON value"),
        ('{"chains": {"x": -Infinity}}', 1, "is no JSON value"),
        ('{"chains": {"x": 1e9}}', 1, "too long or has an exponent"),
        ('{"chains": {"x": 12345678901234567890}}', 1, "too long or has an exponent"),
        ('{"chains": {"x": 01}}', 1, "',' is missing here"),
        ('{"chains": {},}', 1, "a key is no text"),
        ('{"chains": {}} # done', 1, "something stands behind the end"),
        ("{\n// chains\n}", 2, "a key is no text"),
        ('{"chains": "\x01"}', 1, "a text is not well formed"),
        ('{"chains": "\\ud800"}', 1, "half a character"),
        ('{"chains": "' + "a" * 9_000 + '"}', 1, "a text of more than"),
        ('{"chains": ' + "[" * 500, 1, "levels deep"),
        ("[" + "1," * 25_000 + "1]", 1, "more than 20000 values"),
        ('{"chains"', 1, "':' is missing here"),
        ('{"chains": ', 1, "is no JSON value"),
        ("", 1, "is no JSON value"),
    ],
)
def test_a_json_file_holds_json_and_nothing_else(text: str, line: int, says: str) -> None:
    found = refused(text, "chains.json")
    assert (found[0].line, found[0].file) == (line, "chains.json")
    assert says in found[0].wrong


@pytest.mark.parametrize(
    "unit", ["[", "{a: ", "- ", "? ", "a,", "'", '"', ":", "#\n", "|\n", "!", "\n", "\\", "{\n", "%a\n"]
)
@pytest.mark.parametrize("name", ["foureyes.yaml", "chains.json"])
def test_a_large_file_of_one_mark_is_refused_soon(unit: str, name: str) -> None:
    text = unit * (FILE_BYTES_MAX // len(unit))
    began = time.perf_counter()
    refused(text, name)
    assert time.perf_counter() - began < SECONDS_MAX
