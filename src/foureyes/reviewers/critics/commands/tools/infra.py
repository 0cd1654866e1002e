"""Judge commands of infrastructure tools that destroy resources, or change them without a reviewed plan."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli, is_dry

DESTROY = rule(
    "destructive.infrastructure",
    "Infrastructure is destroyed",
    "Everything the code describes is deleted, with its data, for everybody who uses it.",
    "Run `plan -destroy` and let a person read it; protect what holds data with `prevent_destroy`.",
    "critical",
)
UNSEEN = rule(
    "destructive.infrastructure-unseen",
    "Infrastructure is changed without anybody reading the plan",
    "A change can delete and make anew what holds data; with automatic approval nobody sees that before it happens.",
    "Save a plan (`plan -out`), let a person read it, apply exactly that plan.",
)
STATE = rule(
    "destructive.infrastructure-state",
    "The record of what exists is edited",
    "The tool forgets or mistakes real machines: the next run makes them twice or deletes the wrong ones.",
    "Use `moved` and `removed` blocks, which are reviewed with the code; keep a copy of the state.",
)


def _terraform(call: Call) -> Iterator[Found]:
    words = [word for word in call.args if not word.startswith("-")]
    flags = {word.lstrip("-").partition("=")[0]: word.partition("=")[2] for word in call.args if word.startswith("-")}
    if words[:1] == ["run-all"] or words[:1] == ["run"]:
        words = words[1:]
    deed, part = (*words[:2], "", "")[:2]
    if "help" in flags:
        return
    if deed in ("destroy", "destroy-all") or (deed in ("apply", "apply-all") and "destroy" in flags):
        yield Found(rule=DESTROY)
    elif deed in ("apply", "apply-all") and (
        ("auto-approve" in flags and flags["auto-approve"] != "false") or "replace" in flags
    ):
        yield Found(rule=UNSEEN)
    elif (
        (deed == "state" and part in ("rm", "push", "mv", "replace-provider"))
        or deed in ("taint", "force-unlock")
        or (deed == "workspace" and part == "delete")
    ):
        yield Found(rule=STATE)


def _pulumi(call: Call) -> Iterator[Found]:
    opts = options(call.args, "sC", ("stack", "cwd"))
    words = opts.operands
    if is_dry(call):
        return
    if words[:1] in (("destroy",), ("down",)):
        yield Found(rule=DESTROY)
    elif words[:1] in (("up",), ("update",), ("refresh",)) and opts.has("y", "yes", "f", "skip-preview"):
        yield Found(rule=UNSEEN)
    elif words[:2] in (("stack", "rm"), ("state", "delete"), ("stack", "import"), ("state", "unprotect")) or words[
        :1
    ] == ("cancel",):
        yield Found(rule=STATE)


def _cdk(call: Call) -> Iterator[Found]:
    opts = options(call.args, "acpo", ("app", "context", "profile", "output", "require-approval"))
    if opts.operands[:1] == ("destroy",):
        yield Found(rule=DESTROY)
    elif opts.operands[:1] == ("deploy",) and opts.long.get("require-approval") == "never":
        yield Found(rule=UNSEEN)
    elif opts.operands[:1] == ("gc",):
        yield Found(rule=STATE)


def _ansible(call: Call) -> Iterator[Found]:
    """Judge `state=absent`, `state=stopped` and modules that stop machines, given on the command line."""
    opts = options(call.args, "maiuefltTMoPBc", ("args", "module-name", "extra-vars"))
    given = (opts.value("a", "args"), opts.value("e", "extra-vars"))
    if opts.has("C", "check"):
        return
    module = (opts.value("m", "module-name") or "").rpartition(".")[2]
    if module in ("reboot", "shutdown") or any("state=stopped" in (one or "") for one in given):
        yield Found(rule=DESTROY, severity="important", text="Every machine of the group stops what it serves.")
    elif any("state=absent" in (one or "") for one in given):
        yield Found(
            rule=DESTROY,
            severity="important",
            text="The module removes what it is pointed at, on every machine of the group.",
        )


def _packer(call: Call) -> Iterator[Found]:
    if "-force" in call.args and not is_dry(call):
        yield Found(rule=DESTROY, severity="important")


_OTHER = Cli(
    rule=DESTROY,
    ends=words("destroy down stop leave force-leave"),
    takes="ceas",
    long_takes=("job", "namespace", "address", "token"),
)

FAMILY = Family(
    rules=(DESTROY, UNSEEN, STATE),
    tools={
        **each("terraform tofu opentofu terragrunt tf terraform-docs cdktf", _terraform),
        "pulumi": _pulumi,
        "cdk": _cdk,
        "sst": cli(_OTHER),
        **each("ansible ansible-playbook", _ansible),
        "packer": _packer,
        **each(
            "nomad consul waypoint boundary knife salt puppet chef spacectl terramate atlantis sops-install "
            "cloudformation rain crossplane-cli",
            cli(_OTHER),
        ),
    },
)
