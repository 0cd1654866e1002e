"""Judge GitHub and GitLab pipelines: script injection, untrusted checkouts, broad permissions, unpinned actions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    CREDENTIALS,
    ESCAPE,
    GAIN,
    LISTEN_IN,
    SUPPLY,
    hit,
    note,
    rule,
)
from foureyes.reviewers.critics.exposure.tree import Node

INJECTION = rule(
    "github.script-injection",
    "Text that anybody can write is put into a script",
    "A title or branch name like `$(command)` then runs with the pipeline's rights.",
    'Hand it over as an environment variable (env: TITLE: ${{ … }}) and use "$TITLE".',
    "critical",
)
PWN = rule(
    "github.untrusted-checkout",
    "A stranger's code is checked out with this project's secrets at hand",
    ANYONE,
    "Use pull_request, or do not check out the head in pull_request_target and workflow_run.",
    "critical",
)
WRITE_ALL = rule(
    "github.write-all",
    "The pipeline's token may change everything",
    GAIN,
    "Name the permissions it needs.",
    "important",
)
NO_PERMISSIONS = rule(
    "github.no-permissions", "The token's rights are not stated", GAIN, "Add permissions: contents: read."
)
UNPINNED = rule(
    "github.unpinned-action", "An action of others is not pinned to a commit", SUPPLY, "Use the full commit id."
)
BRANCH = rule("github.action-branch", "An action follows a branch", SUPPLY, "Use the full commit id.")
UNSECURE = rule(
    "github.unsecure-commands",
    "Old commands that anybody's output can use are switched on",
    GAIN,
    "Remove ACTIONS_ALLOW_UNSECURE_COMMANDS.",
    "important",
)
SELF_HOSTED = rule(
    "github.self-hosted-pull-request",
    "Strangers' pull requests run on your own machines",
    ESCAPE,
    "Use hosted runners for pull requests.",
    "important",
)
SECRETS_INHERIT = rule("github.inherit-secrets", "Every secret is handed on", CREDENTIALS, "Name the secrets it needs.")
ALL_SECRETS = rule(
    "github.all-secrets", "All secrets are put together", CREDENTIALS, "Name the ones it needs.", "important"
)
CURL_SHELL = rule("github.pipe-to-shell", "What is downloaded is run unseen", SUPPLY, "Check it against a hash first.")
PERSIST = rule(
    "github.persisted-credentials", "The token stays in the checkout", CREDENTIALS, "Set persist-credentials: false."
)
GITLAB_INJECTION = rule(
    "gitlab.untrusted-eval",
    "Text that anybody can write is run",
    INJECTION.why,
    "Do not hand it to eval, sh -c or bash -c.",
    "critical",
)
GITLAB_PRIVILEGED = rule(
    "gitlab.docker-in-docker-open", "Docker is spoken to without TLS", LISTEN_IN, "Use port 2376.", "important"
)
GITLAB_LATEST = rule("gitlab.image-tag", "An image has no fixed tag", SUPPLY, "Name a version.")
GITLAB_DEBUG = rule(
    "gitlab.debug-trace", "Every variable is written to the log", CREDENTIALS, "Remove CI_DEBUG_TRACE.", "important"
)
GITLAB_REMOTE = rule("gitlab.remote-include", "The pipeline comes from elsewhere", SUPPLY, "Name a fixed version.")
RULES: tuple[Rule, ...] = (
    INJECTION, PWN, WRITE_ALL, NO_PERMISSIONS, UNPINNED, BRANCH, UNSECURE, SELF_HOSTED, SECRETS_INHERIT, ALL_SECRETS,
    CURL_SHELL, PERSIST, GITLAB_INJECTION, GITLAB_PRIVILEGED, GITLAB_LATEST, GITLAB_DEBUG, GITLAB_REMOTE,
)  # fmt: skip

_EXPRESSION = re.compile(r"\$\{\{(.{0,500}?)\}\}", re.DOTALL)
_UNTRUSTED = re.compile(
    r"github\.(?:head_ref|event\.(?:issue|pull_request|discussion|comment|review|review_comment)\.(?:title|body)"
    r"|event\.pull_request\.head\.(?:ref|label|repo\.default_branch)"
    r"|event\.(?:head_commit|commits[^ ]{0,20})\.(?:message|author\.(?:email|name))|event\.pages[^ ]{0,20}\.page_name"
    r"|event\.workflow_run\.(?:head_branch|head_commit\.(?:message|author\.\w{1,20})|display_title)"
    r"|event\.inputs\.|event\.client_payload)|\binputs\.[\w-]{1,80}"
)
_WRITABLE_BY_INSIDERS = re.compile(r"github\.event\.inputs\.|\binputs\.|client_payload")
_HEAD = re.compile(
    r"github\.(?:head_ref|event\.pull_request\.head\.(?:sha|ref)|event\.workflow_run\.head_(?:sha|branch))|refs/pull/"
)
_PIPE = re.compile(r"\b(?:curl|wget)\b[^|\n;&]{0,300}\|\s{0,5}(?:sudo\s{1,5})?(?:ba|z|da)?sh\b")
_COMMIT = re.compile(r"[0-9a-f]{40}|sha256:[0-9a-f]{64}")
_OWN = ("actions/", "github/", "docker://")
_GITLAB_UNTRUSTED = re.compile(
    r"\$\{?CI_(?:MERGE_REQUEST_(?:TITLE|DESCRIPTION|SOURCE_BRANCH_NAME)|COMMIT_(?:MESSAGE|TITLE|DESCRIPTION|REF_NAME|BRANCH|AUTHOR))"
)
_EVAL = re.compile(r"\b(?:eval|(?:ba|z|da)?sh\s{1,5}-c)\b")


def judge_github(path: str, documents: list[Node]) -> Iterator[Hit]:
    """Yield the hits of a GitHub workflow or composite action."""
    for document in documents:
        if document.get("runs") is not None:
            for one in document.every("runs.steps"):
                for step in one.items:
                    yield from _step(path, step, risky=False)
            continue
        if document.get("jobs") is not None:
            yield from _workflow(path, document)


def _events(document: Node) -> set[str]:
    node = document.get("on") or document.get("true")
    if node is None:
        return set()
    return set(node.map) or {one.text for one in node.items}


def _workflow(path: str, document: Node) -> Iterator[Hit]:
    events = _events(document)
    risky = bool(events & {"pull_request_target", "workflow_run", "issue_comment"})
    yield from _environment(path, document)
    jobs = document.get("jobs")
    top = document.get("permissions")
    yield from _permissions(path, document)
    for job in jobs.map.values() if jobs is not None else []:
        yield from _permissions(path, job)
        yield from _environment(path, job)
        if top is None and job.get("permissions") is None:
            yield hit(NO_PERMISSIONS, path, job.line)
        runner = job.get("runs-on")
        own = runner is not None and any(one.text == "self-hosted" for one in runner.items)
        if own and events & {"pull_request", "pull_request_target"}:
            yield hit(SELF_HOSTED, path, job.at_line("runs-on"))
        secrets = job.get("secrets")
        if secrets is not None and secrets.text == "inherit":
            yield hit(SECRETS_INHERIT, path, job.at_line("secrets"))
        used = job.get("uses")
        if used is not None:
            yield from _uses(path, used)
        steps = job.get("steps")
        for step in steps.items if steps is not None else []:
            yield from _step(path, step, risky=risky)


def _permissions(path: str, holder: Node) -> Iterator[Hit]:
    node = holder.get("permissions")
    if node is not None and node.text == "write-all":
        yield hit(WRITE_ALL, path, holder.at_line("permissions"))


def _environment(path: str, holder: Node) -> Iterator[Hit]:
    node = holder.get("env")
    for key, value in node.map.items() if node is not None else []:
        if key == "ACTIONS_ALLOW_UNSECURE_COMMANDS" and value.yes:
            yield hit(UNSECURE, path, value.line)
        if "toJSON(secrets)" in value.text.replace(" ", ""):
            yield hit(ALL_SECRETS, path, value.line)


def _step(path: str, step: Node, *, risky: bool) -> Iterator[Hit]:
    yield from _environment(path, step)
    used = step.get("uses")
    if used is not None:
        yield from _uses(path, used)
        if used.text.startswith("actions/checkout@"):
            yield from _checkout(path, step, risky=risky)
    scripts = [step.get("run")]
    if used is not None and used.text.startswith("actions/github-script@"):
        scripts.append(step.at("with.script"))
    for script in scripts:
        if script is not None:
            yield from _script(path, step, script, risky=risky)


def _script(path: str, step: Node, script: Node, *, risky: bool) -> Iterator[Hit]:
    first = script.line + (1 if "\n" in script.text else 0)
    for found in _EXPRESSION.finditer(script.text):
        written = _UNTRUSTED.search(found[1])
        if written is None:
            continue
        line = first + script.text.count("\n", 0, found.start())
        insiders = _WRITABLE_BY_INSIDERS.search(written.group())
        make = note if insiders else hit
        yield make(INJECTION, path, line, f"{written.group()[:80]} is put into a script.")
    if _PIPE.search(script.text[:50_000]):
        yield hit(CURL_SHELL, path, step.at_line("run"))
    if risky and re.search(r"\bgh\s+pr\s+checkout\b|refs/pull/", script.text[:50_000]):
        yield hit(PWN, path, step.at_line("run"))


def _uses(path: str, used: Node) -> Iterator[Hit]:
    name, at, version = used.text.partition("@")
    if name.startswith(("./", "docker://")) or not name or "${{" in name:
        return
    if at and version in ("main", "master", "develop", "HEAD"):
        yield hit(BRANCH, path, used.line, evidence=used.text)
    if not _COMMIT.fullmatch(version) and not name.startswith(_OWN):
        yield hit(UNPINNED, path, used.line, evidence=used.text)


def _checkout(path: str, step: Node, *, risky: bool) -> Iterator[Hit]:
    for key in ("ref", "repository"):
        node = step.at(f"with.{key}")
        head = node is not None and (_HEAD.search(node.text) or "head.repo" in node.text)
        if risky and head:
            yield hit(PWN, path, step.at_line(f"with.{key}"))
            return
    keep = step.at("with.persist-credentials")
    if risky and (keep is None or keep.yes):
        yield hit(PERSIST, path, step.line)


def judge_gitlab(path: str, documents: list[Node]) -> Iterator[Hit]:
    """Yield the hits of a GitLab pipeline."""
    for document in documents:
        for key, job in document.map.items():
            if key == "include":
                yield from _includes(path, job)
            yield from _gitlab_job(path, job if key != "variables" else document)
        yield from _gitlab_image(path, document)


def _includes(path: str, node: Node) -> Iterator[Hit]:
    for one in node.items:
        remote = one.get("remote")
        said = remote.text if remote is not None else one.text
        if said.startswith(("http://", "https://")):
            yield hit(GITLAB_REMOTE, path, one.line)


def _gitlab_image(path: str, job: Node) -> Iterator[Hit]:
    image = job.get("image")
    name = (image.get("name") or image) if image is not None else None
    if name is None or "$" in name.text or "@" in name.text or not name.text:
        return
    if name.text.rpartition("/")[2].partition(":")[2] in ("", "latest"):
        yield hit(GITLAB_LATEST, path, job.at_line("image"))


def _gitlab_job(path: str, job: Node) -> Iterator[Hit]:
    yield from _gitlab_image(path, job)
    variables = job.get("variables")
    for key, value in variables.map.items() if variables is not None else []:
        if key in ("CI_DEBUG_TRACE", "CI_DEBUG_SERVICES") and value.yes:
            yield hit(GITLAB_DEBUG, path, value.line)
        if key == "DOCKER_HOST" and value.text.startswith("tcp://") and value.text.endswith(":2375"):
            yield hit(GITLAB_PRIVILEGED, path, value.line)
    for key in ("script", "before_script", "after_script"):
        node = job.get(key)
        for one in node.items if node is not None else []:
            said = one.text[:20_000]
            if _GITLAB_UNTRUSTED.search(said) and _EVAL.search(said):
                yield hit(GITLAB_INJECTION, path, one.line)
