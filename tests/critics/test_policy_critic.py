"""Work that changes the policy is judged by the old policy, and weakening it needs a human."""

import json

import pytest

from foureyes.app.reviewers import Change, File, Unread
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.policy import CRITIC

STRICT = b"version: 1\nkinds: {default: resolve}\nresolve: {min_reviewers: 3}\n"
WEAK = b"version: 1\nkinds: {default: resolve}\nresolve: {min_reviewers: 2}\n"


def hits(before: bytes | None, after: bytes | None, **fields: object) -> list[tuple[str, State]]:
    mode = "100644" if after is not None else "000000"
    file = File(path="foureyes.yaml", mode=mode, content=after, before=before, changed=((1, 9),), **fields)  # type: ignore[arg-type]
    found = CRITIC.look(Change(title="t", kind="code", files=(file,)))
    return [(one.rule.id.rpartition(".")[2], one.state) for one in found.hits]


def test_a_weaker_policy_takes_a_human() -> None:
    """D-07."""
    assert hits(STRICT, WEAK) == [("weakened", State.BLOCK)]


def test_a_stricter_one_is_only_noted() -> None:
    """D-07."""
    assert hits(WEAK, STRICT) == [("changed", State.CLEAR)]


def test_taking_the_policy_away_weakens_it() -> None:
    """D-07: then the built-in one holds."""
    assert hits(STRICT, None) == [("weakened", State.BLOCK)]


@pytest.mark.parametrize("text", [b"", b"version: 2\n", b"\xff\xfe", b"kinds: [", b"x" * 10_000])
def test_one_that_cannot_be_read_is_stopped(text: bytes) -> None:
    assert hits(STRICT, text) == [("broken", State.BLOCK)]


def test_mending_an_unreadable_one_takes_a_human_too() -> None:
    """Nobody can say that it got no weaker."""
    assert hits(b"kinds: [", STRICT) == [("weakened", State.BLOCK)]


def test_other_files_are_none_of_its_business() -> None:
    change = Change(title="t", kind="code", files=(File(path="sub/foureyes.yaml", content=WEAK, before=STRICT),))
    assert CRITIC.look(change).hits == ()


def test_moving_it_elsewhere_takes_it_away() -> None:
    """D-07."""
    file = File(path="old.yaml", was="foureyes.yaml", content=STRICT, before=STRICT)
    assert [one.rule.id for one in CRITIC.look(Change(title="t", kind="code", files=(file,))).hits] == [
        "security.policy.weakened"
    ]


def test_the_first_policy_of_a_repository_is_noted() -> None:
    """It weakens nothing that anybody wrote, and which style judges is for it to say."""
    assert hits(None, WEAK) == [("changed", State.CLEAR)]
    assert hits(None, SOLO) == [("changed", State.CLEAR)]


SOLO = b"version: 1\nkinds: {default: solo}\n"
CHAIN = b"""version: 1
kinds: {default: {chain: quick}}
reviewers: {seldon: {program: format}}
chains: {quick: {layers: [{agent: seldon, scope: format}]}}
"""


@pytest.mark.parametrize(
    "more",
    [
        b"ignore: ['src/**']\n",
        b"enabled: false\n",
        b"solo: {programs: [format, security, injection, factual]}\n",
        b"solo: {coverage: 50}\n",
    ],
)
def test_a_first_policy_that_demands_less_than_the_built_in_one_is_stopped(more: bytes) -> None:
    """D-07: until then the built-in one judged."""
    assert hits(None, SOLO + more) == [("first", State.BLOCK)]


def test_a_first_policy_in_which_programs_judge_alone_is_stopped() -> None:
    assert hits(None, CHAIN) == [("first", State.BLOCK)]
    assert hits(None, CHAIN.replace(b"program: format", b"command: codex")) == [("changed", State.CLEAR)]


def test_another_file_that_becomes_the_policy_is_a_first_one() -> None:
    text = SOLO + b"ignore: ['src/**']\n"
    assert hits(text, text, was="old.yaml") == [("first", State.BLOCK)]


RUN = SOLO + b"reviewers: {tests: {run: make test}}\n"


@pytest.mark.parametrize("before", [None, SOLO, RUN.replace(b"make", b"just")])
def test_a_command_that_a_policy_will_run_is_stopped_for_a_human(before: bytes | None) -> None:
    """The machine of every reviewer runs it."""
    assert ("runs", State.BLOCK) in hits(before, RUN)
    assert ("runs", State.BLOCK) not in hits(RUN, RUN + b"# the same\n")


POLICY = b"version: 1\nkinds: {default: {chain: strict}}\nchains: {file: ./config/chains.json}\n"
CHAINS = "config/chains.json"


def chains(*agents: str) -> bytes:
    layers = [{"agent": one, "scope": "security" if one == "hardin" else "format"} for one in agents]
    return json.dumps({"chains": {"strict": {"description": "d", "layers": layers}}}).encode()


def beside(*files: File, at_base: bytes | None = None, policy: bytes = POLICY, unread: str = "") -> list[str]:
    """The rules met where the policy of the base names a file."""

    def read(name: str) -> bytes:
        if at_base is None or name.removeprefix("./") != CHAINS:
            raise FileNotFoundError(name)
        return at_base

    change = Change(
        title="t",
        kind="code",
        files=files,
        policy=("foureyes.yaml", policy),
        at_base=read,
        unread=(Unread(path=unread, why="too large"),) if unread else (),
    )
    return [one.rule.id.rpartition(".")[2] for one in CRITIC.look(change).hits]


BOTH, FEWER = chains("seldon", "hardin"), chains("seldon")


def test_a_file_that_the_policy_names_is_compared_like_the_policy() -> None:
    """D-07: a chain is the policy, wherever it is written."""
    assert beside(File(path=CHAINS, content=FEWER, before=BOTH), at_base=BOTH) == ["weakened"]
    assert beside(File(path=CHAINS, content=BOTH, before=FEWER), at_base=FEWER) == ["changed"]
    assert beside(File(path="other.json", content=FEWER, before=BOTH), at_base=BOTH) == []


@pytest.mark.parametrize(
    "file",
    [
        File(path=CHAINS, mode="000000", content=None, before=BOTH),
        File(path="moved.json", was=CHAINS, content=BOTH, before=BOTH),
        File(path=CHAINS, mode="120000", content=b"/dev/null", before=BOTH),
    ],
)
def test_a_named_file_that_is_gone_is_not_read_from_the_base(file: File) -> None:
    assert beside(file, at_base=BOTH) == ["broken"]


def test_the_old_policy_is_read_from_the_base_alone() -> None:
    """D-07: else a change of both files would compare the new one with itself."""
    policy = File(path="foureyes.yaml", content=POLICY + b"# more\n", before=POLICY)
    assert beside(policy, File(path=CHAINS, content=FEWER, before=BOTH), at_base=BOTH) == ["weakened"]


@pytest.mark.parametrize("path", ["foureyes.yaml", CHAINS])
def test_a_policy_too_large_to_read_is_stopped(path: str) -> None:
    assert beside(File(path="a.py", content=b""), at_base=BOTH, unread=path) == ["broken"]
