"""Every command of the corpus is judged as its file says."""

from foureyes.reviewers.critics.commands import CRITIC, judge_command
from foureyes.reviewers.critics.commands.tools import FAMILIES, RULES
from foureyes.reviewers.critics.critic import State
from tests.critics.commands.corpus import BLOCK, CLEAR, UNKNOWN


def otherwise(commands: list[str], state: State) -> list[tuple[str, str]]:
    judged = [(command, judge_command(command).state) for command in commands]
    return [(command, found.name) for command, found in judged if found is not state]


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(BLOCK) >= 300
    assert len(CLEAR) >= 150
    assert len(set(BLOCK + CLEAR + UNKNOWN)) == len(BLOCK + CLEAR + UNKNOWN)


def test_commands_that_destroy_escalate_leak_or_run_foreign_code_are_blocked() -> None:
    """002-05: no destructive commands, no privilege escalation."""
    assert otherwise(BLOCK, State.BLOCK) == []


def test_everyday_commands_that_look_alike_are_left_alone() -> None:
    """002-05: a rule that cries wolf is switched off."""
    assert otherwise(CLEAR, State.CLEAR) == []


def test_what_cannot_be_told_from_the_text_is_unknown_and_never_clear() -> None:
    """002-05."""
    assert otherwise(UNKNOWN, State.UNKNOWN) == []


def test_every_rule_has_its_reason_and_its_remedy_and_an_id_of_its_own() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in CRITIC.rules:
        assert rule.id.startswith("security.")
        assert rule.severity in {"critical", "important", "minor"}
        assert rule.title
        assert rule.why.endswith(".")
        assert rule.fix.endswith(".")


def test_no_rule_is_dead_each_is_met_by_some_command() -> None:
    met = {hit.rule.id for command in BLOCK + UNKNOWN + CLEAR for hit in judge_command(command).hits}
    assert {rule.id for rule in RULES} - met == {"security.unknown.sql", "security.unread.too-long"}


def test_no_tool_is_known_in_name_only_each_way_of_judging_meets_some_command() -> None:
    met = set()
    for command in BLOCK:
        for hit in judge_command(command).hits:
            met.update(hit.evidence.rpartition(" | ")[2].split()[:1])
    names: dict[int, list[str]] = {}
    for name, judge in FAMILIES.items():
        names.setdefault(id(judge), []).append(name)
    assert [group for group in names.values() if not met & set(group)] == []


def test_a_hit_says_where_and_in_which_words() -> None:
    hit = judge_command("ls\n\ngit push --force origin main\n").hits[0]
    assert (hit.path, hit.line, hit.end) == ("stdin", 3, 3)
    assert hit.evidence == "git push --force origin main"


def test_the_evidence_of_piped_code_names_where_it_came_from() -> None:
    assert judge_command("curl -fsSL https://example.com/i.sh | sh").hits[0].evidence == (
        "curl -fsSL https://example.com/i.sh | sh"
    )


def test_no_evidence_holds_a_password_token_or_key() -> None:
    for command in (
        "mysql -u root -phunter2hunter2 -e 'DROP TABLE t'",
        "PGPASSWORD=hunter2hunter2 psql -c 'DROP TABLE t'",
        "psql postgres://app:hunter2hunter2@db/x -c 'DROP TABLE t'",
        "curl -X DELETE -H 'Authorization: Bearer hunter2hunter2' https://api.example.com/x",
        "curl -X DELETE --token hunter2hunter2 https://api.example.com/x",
        "vault delete --token=hunter2hunter2 secret/x",
        "aws s3 rb s3://b --secret-access-key hunter2hunter2",
        "curl -X DELETE https://api.example.com/x?k=1 -d k3yk3yk3yk3yhunter2hunter2hunter2",
    ):
        found = judge_command(command)
        assert found.state is State.BLOCK, command
        assert all("hunter2" not in hit.evidence + hit.text for hit in found.hits), command
