"""Judge package managers: removals of needed software, publishing, and installs from unchecked sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import is_dry
from foureyes.reviewers.critics.commands.tools.network import REMOTE_CODE
from foureyes.reviewers.critics.critic import State

PUBLISH = rule(
    "destructive.publish",
    "A package is published or taken back",
    "What is public cannot be called back, and what is taken back breaks everybody who depends on it.",
    "Let the release pipeline publish what was reviewed; deprecate instead of unpublishing.",
)
UNINSTALL = rule(
    "destructive.uninstall",
    "Software the machine relies on is removed",
    "Removing packages without asking takes along what depends on them, and purging deletes their data and settings.",
    "Simulate first (`apt-get -s`, `--dry-run`), remove one named package, and let a person confirm.",
)

_VERBS = words("remove purge autoremove uninstall erase rm unmerge autopurge")
_ESSENTIAL = re.compile(
    r"^(?:libc6|libc-bin|glibc|musl|systemd\S*|linux-image\S*|kernel\S*|bash|coreutils|dpkg|apt|rpm|yum|dnf|sudo|openssh-server|grub\S*|init|network-?manager|python3(?:-minimal)?|util-linux|login|passwd|base|filesystem|\*)$"
)


def _system(call: Call) -> Iterator[Found]:
    opts = options(call.args, "ocat", ("option", "config-file", "target-release"))
    if is_dry(call) or opts.has("s", "simulate", "d", "just-print"):
        return
    deed = next(iter(opts.operands), "")
    sure = opts.has("y", "yes", "assume-yes", "force-yes", "assumeyes", "non-interactive", "noconfirm", "force")
    names = opts.operands[1:]
    purges = deed in ("purge", "autopurge", "autoremove") or (opts.has("purge") and deed in _VERBS)
    # apk never asks; flatpak removes everything with --all.
    sure = sure or deed == "del" or (deed in _VERBS and opts.has("all"))
    if purges or (deed in (*_VERBS, "del") and (sure or any(_ESSENTIAL.match(name) for name in names))):
        yield Found(rule=UNINSTALL)
    elif opts.has(
        "allow-downgrades",
        "force-yes",
        "allow-unauthenticated",
        "allow-remove-essential",
        "nogpgcheck",
        "no-gpg-checks",
    ) and deed in ("install", "upgrade", "dist-upgrade"):
        yield Found(rule=REMOTE_CODE, text="Packages are taken without checking who signed them.")


def _letters(call: Call) -> Iterator[Found]:
    """Judge pacman, dpkg, rpm and emerge, whose verb is an option."""
    opts = options(call.args, "bro")
    deed = {"pacman": "R", "yay": "R", "paru": "R", "dpkg": "rP", "rpm": "e", "emerge": "C", "xbps-remove": "R"}.get(
        call.name, ""
    )
    asked = any(letter in opts.short for letter in deed) or opts.has("purge", "remove", "erase", "unmerge", "depclean")
    if asked and not opts.has("p", "print", "test", "pretend", "no-act"):
        yield Found(rule=UNINSTALL)


def _language(call: Call) -> Iterator[Found]:
    """Judge npm, pip, cargo, gem and similar package managers."""
    opts = options(call.args, "Cw", ("prefix", "registry", "workspace", "tag", "manifest-path"))
    words = opts.operands
    deed = words[0] if words else ""
    if is_dry(call):
        return
    if (
        deed in ("unpublish", "yank", "deprecate")
        or (deed == "publish")
        or (deed == "owner" and {"remove", "rm"} & set(words))
        or (call.name == "yarn" and words[:2] == ("npm", "publish"))
        or (call.name == "gem" and deed == "push")
    ):
        yield Found(rule=PUBLISH)
    elif (
        call.name in ("pip", "pip3", "conda", "mamba", "uv", "gem", "micromamba", "pipx")
        and deed in ("uninstall", "remove", "env", "uninstall-all")
        and _is_sure(words, call)
    ) or (
        call.name in ("npm", "yarn", "pnpm", "bun")
        and deed in ("uninstall", "remove", "rm", "un", "r")
        and opts.has("g", "global")
    ):
        yield Found(rule=UNINSTALL)
    elif (
        call.name == "npm"
        and deed in ("access", "token", "team", "org", "dist-tag")
        and {"revoke", "rm", "remove", "delete"} & set(words)
    ):
        yield Found(rule=PUBLISH)
    elif deed in ("install", "add", "i", "get") and any(_is_foreign(word) for word in words[1:]):
        yield Found(
            rule=REMOTE_CODE,
            state=State.BLOCK,
            text="A package is installed straight from an address, past the registry and its checks.",
        )


def _is_sure(words: tuple[str, ...], call: Call) -> bool:
    opts = options(call.args, "rn", ("requirement", "name"))
    if call.name in ("conda", "mamba", "micromamba") and words[:1] == ("env",):
        return words[1:2] == ("remove",)
    return opts.has("y", "yes", "all", "a", "x", "I") or words[0] == "uninstall-all"


def _is_foreign(word: str) -> bool:
    return bool(
        re.match(
            r"http://|https://(?!(?:github|gitlab)\.com/[\w.-]+/[\w.-]+/(?:archive|releases)/)|git\+http:|git\+git:|git://|ftp://",
            word,
        )
    ) and not re.match(
        r"https://(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|download\.pytorch\.org|index\.crates\.io)/",
        word,
    )


def _npx(call: Call) -> Iterator[Found]:
    """Judge tools that run a package at once; a package from an address has passed no registry."""
    if any(_is_foreign(word) for word in options(call.args, "pc", ("package",)).operands[:1]):
        yield Found(rule=REMOTE_CODE)


def _brew(call: Call) -> Iterator[Found]:
    opts = options(call.args)
    if opts.operands[:1] and opts.operands[0] in _VERBS and not opts.has("n", "dry-run"):
        yield Found(rule=UNINSTALL)


def _generations(call: Call) -> Iterator[Found]:
    """Judge the Nix options that delete every generation one could roll back to."""
    opts = options(call.args, "", ("delete-older-than",))
    if opts.has("d", "delete-old", "delete-older-than") and not is_dry(call):
        yield Found(rule=UNINSTALL, text="Nothing is left to roll back to.")


def _twine(call: Call) -> Iterator[Found]:
    if call.args[:1] in (("upload",), ("publish",)):
        yield Found(rule=PUBLISH)


FAMILY = Family(
    rules=(PUBLISH, UNINSTALL),
    tools={
        **each(
            "apt apt-get aptitude yum dnf microdnf zypper apk snap flatpak pkg port opkg xbps swupd choco "
            "winget scoop nix-env tdnf rpm-ostree urpme guix",
            _system,
        ),
        **each("pacman yay paru dpkg rpm emerge xbps-remove", _letters),
        **each(
            "npm yarn pnpm bun pip pip3 pipx cargo gem conda mamba micromamba uv poetry dart composer nuget "
            "hex lerna flit hatch pdm jsr vsce ovsx luarocks mix-hex",
            _language,
        ),
        "brew": _brew,
        "twine": _twine,
        **each("npx bunx pnpx uvx", _npx),
        "nix-collect-garbage": _generations,
    },
)
