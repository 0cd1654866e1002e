"""A policy contains no characters that its reader cannot see."""

import pytest

from foureyes.policy.nodes import PROBLEMS_MAX
from tests.policy.reading import loaded, refused

ENDS = ["\r", "\x85", "\u2028", "\u2029"]
UNSEEN = [
    *("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u200e", "\u200f"),
    *("\u061c", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u034f", "\u3164", "\U000e0041"),
    *("\x7f", "\x9b"),
]


@pytest.mark.parametrize("end", ENDS)
def test_a_comment_hides_no_policy(end: str) -> None:
    """Editors and diffs show one comment where PyYAML reads three lines, the second of which switches reviews off."""
    (found,) = refused(f"version: 1\n# the usual numbers{end}enabled: false{end}# as in the handbook\n")
    assert (found.file, found.line) == ("foureyes.yaml", 2)
    assert f"not shown, U+{ord(end):04X}" in found.wrong


@pytest.mark.parametrize("character", [*ENDS, *UNSEEN])
def test_what_is_not_shown_is_refused_wherever_it_stands(character: str) -> None:
    said = f"not shown, U+{ord(character):04X}"
    (found,) = refused(f"version: 1\nname: a{character}b\n")
    assert (found.line, said in found.wrong) == (2, True)
    (found,) = refused(f'{{"chains":\n\n{{"x{character}": 1}}}}', "chains.json")
    assert (found.file, found.line, said in found.wrong) == ("chains.json", 3, True)


def test_a_file_that_a_policy_names_hides_nothing_either() -> None:
    chains = '{"chains": {"x": {"layers": [{"agent": "a",\n"scope": "b\u202e"}]}}}'
    found = refused("version: 1\nchains: {file: c.json}\n", c_json=chains)
    assert ("c.json", 2) in {(one.file, one.line) for one in found}


def test_every_line_that_hides_something_is_told_up_to_a_limit() -> None:
    found = refused("version: 1\n# \u200b\u200b\n# seen\n# \u202e\n")
    assert [one.line for one in found] == [2, 4]
    assert len(refused("# \u200b\n" * 1_000)) == PROBLEMS_MAX


def test_what_people_write_is_no_secret() -> None:
    """Files of Windows, with its byte order mark, and names and comments in any language."""
    plain = loaded("version: 1\nname: ours\n").policy
    for text in (
        "version: 1\r\nname: ours\r\n",
        "\ufeffversion: 1\nname: ours\n",
        "version: 1 # déjà vu, 四つの目, čtyři\u00a0oči\nname: ours\n",
    ):
        assert loaded(text).policy == plain
