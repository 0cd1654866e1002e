"""The critic of configuration files: finds what is opened to everybody and rights beyond what is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from foureyes.app.reviewers import LINK_MODE, SUBMODULE_MODE, Change, File, Unread
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, judged
from foureyes.reviewers.critics.exposure.jsons import read_json
from foureyes.reviewers.critics.exposure.kinds import kind_of
from foureyes.reviewers.critics.exposure.lost import with_lost
from foureyes.reviewers.critics.exposure.tree import Node, UnreadableError
from foureyes.reviewers.critics.exposure.yamls import read_yaml

#: People neither write nor read larger configuration files.
BYTES_MAX = 2 * 1024 * 1024
#: Above this, further findings in one file do not help.
HITS_MAX = 2_000

_PACKAGE = "foureyes.reviewers.critics.exposure."
#: For each kind: the module and the function that judges it, by how it is read first.
_DOCUMENTS = {
    "kubernetes": ("kubernetes", "judge_kubernetes"),
    "compose": ("compose", "judge_compose"),
    "cloudformation": ("cloudformation", "judge_cloudformation"),
    "plan": ("terraform", "judge_plan"),
    "github": ("workflows", "judge_github"),
    "gitlab": ("workflows", "judge_gitlab"),
}
_TEXTS = {
    "terraform": ("terraform", "judge_terraform"),
    "dockerfile": ("dockerfile", "judge_dockerfile"),
    "sudoers": ("hosts", "judge_sudoers"),
    "systemd": ("hosts", "judge_systemd"),
    "sshd": ("hosts", "judge_sshd"),
    "nginx": ("webservers", "judge_nginx"),
    "apache": ("webservers", "judge_apache"),
    "caddy": ("webservers", "judge_caddy"),
    "haproxy": ("webservers", "judge_haproxy"),
    "redis": ("databases", "judge_redis"),
    "mongo": ("databases", "judge_mongo"),
    "postgres": ("databases", "judge_postgres"),
    "packages": ("packages", "judge_packages"),
    "exports": ("shares", "judge_exports"),
    "daemon": ("shares", "judge_daemon"),
}
_MODULES = (
    "kubernetes", "compose", "dockerfile", "terraform", "workflows", "hosts", "webservers", "databases", "packages",
    "shares",
)  # fmt: skip
_NAMES = {
    "kubernetes": "Kubernetes", "compose": "compose", "cloudformation": "CloudFormation", "plan": "Terraform plan",
    "github": "GitHub workflow", "gitlab": "GitLab pipeline", "terraform": "Terraform", "dockerfile": "Dockerfile",
    "exports": "NFS exports", "daemon": "Docker daemon",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exposure:
    """The critic of configuration files."""

    @property
    def name(self) -> str:
        return "exposure"

    @property
    def scope(self) -> str:
        return "security"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return all rules of all platforms; this imports every module, so it is only used to list them."""
        found: list[Rule] = []
        for module in _MODULES:
            found += import_module(_PACKAGE + module).RULES
        return tuple(dict.fromkeys(found))

    def look(self, change: Change) -> Judged:
        """Judge every configuration file; for other files only the name and a few words are checked."""
        hits: list[Hit] = []
        unread: list[Unread] = []
        seen: dict[str, int] = {}
        for file in change.files:
            kind = _kind(file)
            if not kind:
                continue
            try:
                found = _compared(file, kind)
            except UnreadableError as error:
                unread.append(Unread(path=file.path, why=f"{_called(kind)} file {error}"))
            else:
                seen[kind] = seen.get(kind, 0) + 1
                hits += found
                if len(found) == HITS_MAX:
                    unread.append(Unread(path=file.path, why=f"has {HITS_MAX} findings or more; no more are listed"))
        looked_at = ", ".join(f"{count} {_called(kind)} file{'s' * (count > 1)}" for kind, count in seen.items())
        return judged(hits, unread=unread, looked_at=looked_at)


CRITIC = Exposure()


def _called(kind: str) -> str:
    return _NAMES.get(kind, kind)


def _kind(file: File) -> str:
    if file.content is None or file.mode in (LINK_MODE, SUBMODULE_MODE):
        return ""
    return kind_of(file.path, file.text or "")


def _compared(file: File, kind: str) -> list[Hit]:
    """Return the hits of a file; the old version of the file tells which of them the change caused."""
    hits = _judge(file, kind)
    if not hits or file.before is None or not file.changed:
        return hits
    old = File(path=file.was or file.path, content=file.before)
    try:
        return with_lost(file, hits, _judge(old, kind)) if _kind(old) == kind else hits
    except UnreadableError:
        return hits


def _judge(file: File, kind: str) -> list[Hit]:
    if len(file.content or b"") > BYTES_MAX:
        raise UnreadableError(f"is larger than {BYTES_MAX // 1024 // 1024} MiB")
    if file.text is None:
        raise UnreadableError("is not text in UTF-8")
    if kind in _TEXTS:
        judge = _named(_TEXTS[kind])
        return _limited(judge(file.path, file.text))
    documents = _documents(file.path, file.text)
    return _limited(_named(_DOCUMENTS[kind])(file.path, documents))


def _named(where: tuple[str, str]) -> Callable[..., Iterator[Hit]]:
    judge: Callable[..., Iterator[Hit]] = getattr(import_module(_PACKAGE + where[0]), where[1])
    return judge


def _limited(hits: Iterator[Hit]) -> list[Hit]:
    found: list[Hit] = []
    for one in hits:
        found.append(one)
        if len(found) >= HITS_MAX:
            break
    return found


def _documents(path: str, text: str) -> list[Node]:
    if path.lower().endswith(".json") or text.lstrip()[:1] == "{":
        return [read_json(text)]
    try:
        return read_yaml(text)
    except UnreadableError:
        if "{{" in text:
            raise UnreadableError("is a template; only what it becomes can be judged") from None
        raise
