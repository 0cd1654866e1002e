"""The risk comes from the bytes; a label can only add."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.risk import (
    FILES_MAX,
    LINE_CHARS_MAX,
    LINES_MAX,
    REASONS_MAX,
    FileChange,
    matches,
    protocols_for,
    risk_of,
)
from foureyes.core.rules import KindRule, PathRule, RiskRule, Rules
from foureyes.core.values import Risk, RiskLevel

RULES = Rules(
    digest="d",
    protocols=(),
    kinds=(
        KindRule(kind="story", protocols=("resolve",)),
        KindRule(kind="security_change", protocols=("peer", "chain:security")),
        KindRule(kind="database_migration", protocols=("peer", "chain:infrastructure")),
    ),
    default=("solo",),
    paths=(
        PathRule(pattern="migrations/**", kind="database_migration"),
        PathRule(pattern="auth/**", kind="security_change"),
    ),
    risks=(
        RiskRule(level=RiskLevel.MEDIUM, protocols=("screen",)),
        RiskRule(level=RiskLevel.HIGH, protocols=("peer", "panel")),
    ),
)


def one(path: str, added: str = "", removed: str = "", mode: str = "", *, binary: bool = False) -> Risk:
    change = FileChange(
        path=path, mode=mode, added=tuple(added.split("\n")), removed=tuple(removed.split("\n")), binary=binary
    )
    return risk_of([change])


@pytest.mark.parametrize(
    "path",
    [
        "foureyes.yaml",
        ".github/workflows/ci.yml",
        ".github/CODEOWNERS",
        "hooks/pre-push",
        ".husky/pre-commit",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        "Dockerfile",
        "infra/main.tf",
        "db/migrations/0001_init.py",
        "config/critic-chains.json",
        "AGENTS.md",
        "docs/../CLAUDE.md",
        ".claude/settings.json",
        ".env",
        "server.pem",
        "src/auth/login.py",
        "src/AuthService.java",
        "src/userPermissions.ts",
        "lib/JWTVerifier.go",
        "app/crypto_utils.py",
        "security/rules.md",
    ],
)
def test_guarded_ground_is_high_risk_whatever_the_lines_say(path: str) -> None:
    """S8, D-19, D-07: secrets, pipelines, deployment, permissions, migrations, policy, agents' orders."""
    risk = one(path, added="a word")
    assert (risk.level, risk.trivial) == (RiskLevel.HIGH, False)


@pytest.mark.parametrize("path", ["src/author.py", "src/tokenizer.py", "src/hooks/useList.ts", "lib/keyboard.c"])
def test_similar_names_are_not_guarded_ground(path: str) -> None:
    """D-19, D-09: a gate that cries wolf is switched off."""
    assert one(path, added="x = 1").level is RiskLevel.MEDIUM


@pytest.mark.parametrize(
    "line",
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        'password = "x"',
        '"api_key": "x"',
        "rm -rf /tmp/x",
        "DROP TABLE users;",
        "eval(text)",
        "subprocess.run(cmd, shell=True)",
        "pickle.loads(data)",
        "sudo make install",
        "chmod 777 x",
        "requests.get(url, verify=False)",
        "digest = hashlib.new(name)",
        "curl https://x | sh",
        'bind("0.0.0.0")',
    ],
)
def test_dangerous_lines_are_high_risk_wherever_they_stand(line: str) -> None:
    """S8, D-19: added or removed, in code or in a document."""
    assert one("src/a.py", added=line).level is RiskLevel.HIGH
    assert one("src/a.py", removed=line).level is RiskLevel.HIGH
    change = FileChange(path="README.md", added=(line,))
    assert risk_of([change], proof="only prose differs").level is RiskLevel.HIGH


def test_what_nobody_can_read_is_high_risk() -> None:
    """D-15, D-19: binaries, links, submodules, endless lines, huge changes."""
    assert one("a.bin", binary=True).reasons == ("a.bin: binary",)
    assert one("a", mode="120000").level is RiskLevel.HIGH
    assert one("a", mode="160000").level is RiskLevel.HIGH
    assert one("README.md", added="x" * LINE_CHARS_MAX).level is RiskLevel.MEDIUM
    assert one("README.md", added="x" * (LINE_CHARS_MAX + 1)).level is RiskLevel.HIGH
    lines = ("x",) * LINES_MAX
    assert risk_of([FileChange(path="README.md", added=lines)]).level is RiskLevel.MEDIUM
    assert risk_of([FileChange(path="README.md", added=lines, removed=("y",))]).level is RiskLevel.HIGH
    files = [FileChange(path=f"{n}.md", added=("x",)) for n in range(FILES_MAX)]
    assert risk_of([*files, *files[:5]]).level is RiskLevel.MEDIUM
    assert risk_of([*files, FileChange(path="x.md", added=("x",))]).level is RiskLevel.HIGH


def test_the_reasons_are_said_once_and_have_a_limit() -> None:
    """D-08: why it is high, in words."""
    assert one("src/a.py", added="eval(a)\neval(b)").reasons == ("src/a.py: running commands",)
    many = [FileChange(path=f"auth/{n}.py", added=("x",)) for n in range(50)]
    assert len(risk_of(many).reasons) == REASONS_MAX


def test_ordinary_code_is_medium_risk() -> None:
    """D-19."""
    assert one("src/a.py", added="x = 1") == Risk(level=RiskLevel.MEDIUM)


def test_no_line_is_harmless_by_its_looks() -> None:
    """U-02, S8: prose, comments and white space are medium risk until a program proves what they are."""
    assert risk_of([]) == Risk(level=RiskLevel.MEDIUM)
    assert risk_of([FileChange(path="README.md")]) == Risk(level=RiskLevel.MEDIUM)
    assert one("README.md", added="A typo less.", removed="A tpyo less.") == Risk(level=RiskLevel.MEDIUM)
    assert one("a.py", added="# A comment.") == Risk(level=RiskLevel.MEDIUM)


def test_a_proof_makes_a_change_trivial_and_is_its_reason() -> None:
    """U-02, 001-04: only of a change that is there, and never of what is dangerous by its place or its lines."""
    prose = FileChange(path="README.md", added=("A typo less.",), removed=("A tpyo less.",))
    proof = "Proven: only prose differs in README.md"
    assert risk_of([prose], proof=proof) == Risk(level=RiskLevel.LOW, trivial=True, reasons=(proof,))
    assert risk_of([], proof=proof) == Risk(level=RiskLevel.MEDIUM)
    for path in ("AGENTS.md", "auth/README.md", "migrations/a.py"):
        risk = risk_of([prose, FileChange(path=path, added=("a word",))], proof=proof)
        assert (risk.level, risk.trivial) == (RiskLevel.HIGH, False)


def test_the_protocols_of_kind_paths_risk_and_caller_add_up_in_order() -> None:
    """Y19, S16, D-19: each once; an unknown name stays, so that it fails closed later."""
    high = Risk(level=RiskLevel.HIGH)
    assert protocols_for(RULES, "story", ["auth/login.py", "x"], high, ["mine", "resolve"]) == (
        "resolve",
        "peer",
        "chain:security",
        "screen",
        "panel",
        "mine",
    )


def test_risk_rules_hold_at_their_level_and_above() -> None:
    """D-19."""
    found = [protocols_for(RULES, "story", [], Risk(level=level)) for level in RiskLevel]
    assert found == [("resolve",), ("resolve", "screen"), ("resolve", "screen", "peer", "panel")]


def test_an_unknown_kind_gets_the_default_and_every_matching_path_counts() -> None:
    """Y19."""
    low = Risk(level=RiskLevel.LOW)
    assert protocols_for(RULES, "poem", [], low) == ("solo",)
    assert protocols_for(RULES, "poem", ["auth/a", "migrations/1.sql"], low) == (
        "solo",
        "peer",
        "chain:infrastructure",
        "chain:security",
    )


PATHS = st.lists(st.sampled_from(["auth/a.py", "migrations/1.sql", "src/a.py", "docs/b.md"]), max_size=3)


@given(
    kind=st.sampled_from(["story", "security_change", "poem"]),
    paths=PATHS,
    level=st.sampled_from(list(RiskLevel)),
    asked=st.lists(st.sampled_from(["resolve", "solo", "panel", "nonsense"]), max_size=3),
)
def test_asking_for_a_protocol_never_takes_one_away(
    kind: str, paths: list[str], level: RiskLevel, asked: list[str]
) -> None:
    """S8, S16, Y19: nor does touching fewer guarded paths add one."""
    least = protocols_for(RULES, kind, paths, Risk(level=level))
    assert protocols_for(RULES, kind, paths, Risk(level=level), asked)[: len(least)] == least
    assert set(protocols_for(RULES, kind, paths[1:], Risk(level=level))) <= set(least)


LINES = st.lists(st.sampled_from(["hello", "# note", "x = 1", "eval(x)", "", "  y"]), max_size=3).map(tuple)
CHANGES = st.builds(
    FileChange,
    path=st.sampled_from(["README.md", "src/a.py", "auth/a.py"]),
    added=LINES,
    removed=LINES,
    binary=st.booleans(),
)


@given(changes=st.lists(CHANGES, max_size=4), more=CHANGES)
def test_more_changes_never_lower_the_risk(changes: list[FileChange], more: FileChange) -> None:
    """S8: nothing dangerous hides among harmless changes."""
    before, now = risk_of(changes), risk_of([*changes, more])
    assert now.level >= before.level or not changes or before.level is RiskLevel.MEDIUM
    assert not now.trivial or before.trivial or not changes
    assert before.level is not RiskLevel.HIGH or now.level is RiskLevel.HIGH


def test_the_glob_of_path_rules_is_the_one_everybody_uses() -> None:
    """D-19: one matcher for all policies."""
    assert matches("auth/**", "auth/x")
