"""Helpers that put a work before a critic."""

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import Critic, Hit, Judged, State


def work(*, kind: str = "code", note: str = "", **files: str | bytes) -> Change:
    """A work of new files; the first `__` of a name is its dot: `a__py` is `a.py`."""
    return Change(title="a change", kind=kind, note=note, files=tuple(file(*item) for item in files.items()))


def file(name: str, content: str | bytes, *, mode: str = "100644") -> File:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    lines = data.count(b"\n") + 1
    return File(path=name.replace("__", ".", 1), mode=mode, content=data, changed=((1, lines),))


def of(path: str, content: str | bytes, *, kind: str = "code") -> Change:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    whole = ((1, data.count(b"\n") + 1),)
    return Change(title="a change", kind=kind, files=(File(path=path, content=data, changed=whole),))


def look(critic: Critic, path: str, content: str | bytes, *, kind: str = "code") -> Judged:
    return critic.look(of(path, content, kind=kind))


def rules_of(judged: Judged, *, least: State = State.CLEAR) -> set[str]:
    return {hit.rule.id for hit in judged.hits if hit.state >= least}


def hits_of(judged: Judged, rule: str) -> list[Hit]:
    return [hit for hit in judged.hits if hit.rule.id == rule]
