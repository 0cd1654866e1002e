"""Read a policy in tests: from text, with the files it names given in memory."""

from collections.abc import Mapping
from textwrap import dedent

import pytest

from foureyes.policy import Loaded, PolicyErrors, load_text
from foureyes.policy.load import Read
from foureyes.policy.nodes import Problem


def beside(files: Mapping[str, str]) -> Read:
    """A reader of in-memory files that a policy can name."""

    def read(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(name)
        return files[name].encode()

    return read


def loaded(text: str, name: str = "foureyes.yaml", **files: str) -> Loaded:
    """Read a policy; a file it names is given as a keyword, `__` for a slash and `_json` for its end."""
    named = {
        key.replace("__", "/").replace("_json", ".json").replace("_yaml", ".yaml"): one for key, one in files.items()
    }
    return load_text(name, dedent(text).encode(), beside(named))


def refused(text: str, name: str = "foureyes.yaml", **files: str) -> tuple[Problem, ...]:
    """Read a policy that must be refused; each problem says where it is and what is allowed."""
    with pytest.raises(PolicyErrors) as caught:
        loaded(text, name, **files)
    for one in caught.value.problems:
        assert one.file
        assert one.line >= 1
        assert one.wrong
        assert one.allowed
        assert str(one) == f"{one.file}:{one.line}: {one.wrong}; {one.allowed}"
    return caught.value.problems


def minimal(rest: str) -> str:
    """A file with its first line and one more section, which begins on line 2."""
    return "version: 1\n" + dedent(rest)
