"""Judge git commands that lose unpushed work or rewrite history that others have."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from foureyes.reviewers.critics.commands.model import HOLE, Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import Options, options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli

LOSES = rule(
    "destructive.git-loses-work",
    "Uncommitted work is thrown away",
    "Changes that were never committed are gone; git keeps no copy of them.",
    "Run `git stash` (or commit to a branch) first, then take it back when it was not needed.",
)
REWRITES = rule(
    "destructive.git-rewrites-history",
    "Published history is rewritten or deleted",
    "Commits of others disappear from the shared branch, and their clones break.",
    "Push a new commit (`git revert`), or `--force-with-lease` to a branch that is yours alone.",
)
FORGETS = rule(
    "destructive.git-forgets",
    "The last reference to commits is deleted",
    "What only this branch, stash, reflog or tag held can be collected and lost.",
    "Check with `git log` that it is merged, use `git branch -d`, keep the reflog.",
)

#: Branches that others work from.
SHARED = words("main master trunk develop development production prod release staging stable default")
_GLOBAL_LONG = words("git-dir work-tree namespace exec-path super-prefix config-env attr-source")


def _judge(call: Call) -> Iterator[Found]:
    words = options(call.args, "Cc", _GLOBAL_LONG, stop=True).operands
    if not words:
        return
    args = words[1:]
    known = _COMMANDS.get(words[0])
    if known is not None and not {"-h", "--help"} & set(args):
        yield from known(args)


def _push(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "o", ("push-option", "receive-pack", "exec", "repo", "recurse-submodules"))
    if opts.has("n", "dry-run"):
        return
    refs = opts.operands[1:]
    if "f" in opts.short or _long(opts, "force") or "mirror" in opts.long or _long(opts, "prune"):
        yield Found(rule=REWRITES)
    elif opts.has("d") or _long(opts, "delete") or any(ref.startswith(":") and len(ref) > 1 for ref in refs):
        yield Found(rule=REWRITES, text="This deletes a branch or tag that others can see.")
    elif any(ref.startswith("+") for ref in refs):
        yield Found(rule=REWRITES)
    elif any(name.startswith("force-w") for name in opts.long) and any(_target(ref) in SHARED for ref in refs):
        # A lease protects against overwriting what was not fetched, not against rewriting a branch others build on.
        yield Found(rule=REWRITES, text="Even with a lease this rewrites a branch that others work from.")


def _target(ref: str) -> str:
    return ref.rpartition(":")[2].removeprefix("refs/heads/").partition("-")[0].partition("/")[0]


def _long(opts: Options, name: str) -> bool:
    """True if the long option was given in full or abbreviated."""
    return any(name.startswith(one) and len(one) >= 3 for one in opts.long)  # noqa: PLR2004 - `--fo` is already ambiguous


def _reset(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args)
    if any(_long(opts, name) for name in ("hard", "merge")):
        yield Found(rule=LOSES)


def _clean(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "e", ("exclude",))
    if not opts.has("n", "dry-run") and (opts.has("f") or _long(opts, "force")):
        yield Found(rule=LOSES, text="Files that git does not track are deleted; git keeps no copy of them.")


def _checkout(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "bB", ("orphan", "conflict", "pathspec-from-file"))
    if opts.has("b", "orphan") or (opts.has("t", "track", "detach", "guess") and "f" not in opts.short):
        return
    paths = args[args.index("--") + 1 :] if "--" in args else ()
    if (
        "f" in opts.short
        or _long(opts, "force")
        or "pathspec-from-file" in opts.long
        or paths
        or opts.has("ours", "theirs")
        or _is_path(opts.operands)
    ):
        yield Found(rule=LOSES)
    elif opts.has("B"):
        yield Found(rule=FORGETS)


def _is_path(words: tuple[str, ...]) -> bool:
    """True for `git checkout .` and `git checkout HEAD file`, which overwrite files; a single name is a branch."""
    if any(word in (".", "*", ":/", "./") or word.startswith(("./", ":/")) for word in words):
        return True
    return len(words) > 1 and not any(HOLE in word for word in words)


def _switch(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "cC", ("create", "force-create", "orphan", "conflict"))
    if "f" in opts.short or _long(opts, "force") or opts.has("discard-changes"):
        yield Found(rule=LOSES)
    elif opts.has("C") or "force-create" in opts.long:
        yield Found(rule=FORGETS)


def _restore(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "s", ("source", "pathspec-from-file"))
    staged_only = opts.has("S", "staged") and not opts.has("W", "worktree")
    if (opts.operands or "pathspec-from-file" in opts.long) and not staged_only and not opts.has("p", "patch"):
        yield Found(rule=LOSES)


def _stash(args: tuple[str, ...]) -> Iterator[Found]:
    if args[:1] in (("drop",), ("clear",)):
        yield Found(rule=FORGETS, text="Stashed work is thrown away.")


def _branch(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "u", ("sort", "format", "points-at", "set-upstream-to"))
    deletes = opts.has("d") or _long(opts, "delete")
    if opts.has("D") or (deletes and (opts.has("f") or _long(opts, "force"))):
        yield Found(rule=FORGETS)
    elif opts.has("M", "C") or ((opts.has("f") or _long(opts, "force")) and opts.operands):
        yield Found(rule=FORGETS, text="A branch is moved away from the commits it held.")


def _tag(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "mFun", ("message", "file", "sort", "format"))
    if opts.has("d") or _long(opts, "delete") or ((opts.has("f") or _long(opts, "force")) and opts.operands):
        yield Found(rule=FORGETS, text="A tag is deleted or moved; releases may point to it.")


def _reflog(args: tuple[str, ...]) -> Iterator[Found]:
    if args[:1] in (("expire",), ("delete",), ("drop",)) and "--dry-run" not in args and "-n" not in args:
        yield Found(rule=FORGETS)


def _gc(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args)
    if (opts.long.get("prune") or "").lower() in ("now", "all") or ("aggressive" in opts.long and "prune" in opts.long):
        yield Found(rule=FORGETS)


def _worktree(args: tuple[str, ...]) -> Iterator[Found]:
    if args[:1] == ("remove",) and options(args).has("f", "force"):
        yield Found(rule=LOSES)


def _update_ref(args: tuple[str, ...]) -> Iterator[Found]:
    if {"-d", "--stdin"} & set(args):
        yield Found(rule=FORGETS)


def _always(rule_: Callable[[], Found]) -> Callable[[tuple[str, ...]], Iterator[Found]]:
    def judge(args: tuple[str, ...]) -> Iterator[Found]:
        if not {"--dry-run", "-n", "--analyze"} & set(args):
            yield rule_()

    return judge


def _remote(args: tuple[str, ...]) -> Iterator[Found]:
    if args[:1] in (("remove",), ("rm",)):
        yield Found(rule=FORGETS, text="A remote and all its branches known here are removed.")


def _rm(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args, "", ("pathspec-from-file",))
    if not opts.has("cached", "n", "dry-run") and (
        opts.has("f", "force") or "." in opts.operands or "*" in opts.operands
    ):
        yield Found(rule=LOSES)


def _submodule(args: tuple[str, ...]) -> Iterator[Found]:
    if args[:1] == ("deinit",) and options(args).has("f", "force", "all"):
        yield Found(rule=LOSES)


def _lfs(args: tuple[str, ...]) -> Iterator[Found]:
    if (args[:1] == ("migrate",) and args[1:2] in (("import",), ("export",))) or (
        args[:1] == ("prune",) and "--dry-run" not in args
    ):
        yield Found(rule=REWRITES)


def _config(args: tuple[str, ...]) -> Iterator[Found]:
    """Judge `core.hooksPath`: in a world-writable folder anybody can replace the hooks; /dev/null disables them."""
    words = options(args, "f", ("file", "type")).operands
    at = next((at for at, word in enumerate(words) if word.lower() == "core.hookspath"), None)
    if at is not None and "".join(words[at + 1 : at + 2]).startswith(("/tmp/", "/var/tmp/", "/dev/")):  # noqa: S108
        yield Found(rule=FORGETS, text="Git's checks are switched off, or replaced by what anybody can write.")


def _read_tree(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(args)
    if opts.has("u") and opts.has("reset"):
        yield Found(rule=LOSES)


_REWRITE = _always(lambda: Found(rule=REWRITES))
_FORGET = _always(lambda: Found(rule=FORGETS))
_COMMANDS: dict[str, Callable[[tuple[str, ...]], Iterator[Found]]] = {
    "push": _push,
    "reset": _reset,
    "clean": _clean,
    "checkout": _checkout,
    "switch": _switch,
    "restore": _restore,
    "stash": _stash,
    "branch": _branch,
    "tag": _tag,
    "reflog": _reflog,
    "gc": _gc,
    "prune": _FORGET,
    "filter-branch": _REWRITE,
    "filter-repo": _REWRITE,
    "worktree": _worktree,
    "update-ref": _update_ref,
    "remote": _remote,
    "rm": _rm,
    "submodule": _submodule,
    "lfs": _lfs,
    "read-tree": _read_tree,
    "config": _config,
    "checkout-index": lambda args: iter([Found(rule=LOSES)] if options(args).has("f") else []),
    "replace": lambda args: iter([Found(rule=REWRITES)] if "-d" not in args and args else []),
    "svn": lambda args: iter([Found(rule=LOSES)] if args[:1] == ("reset",) else []),
}
_OTHER = Cli(rule=LOSES, ends=words("revert strip obliterate abandon undo"), stops=False)


def _svn(call: Call) -> Iterator[Found]:
    yield from cli(_OTHER)(call)


FAMILY = Family(
    rules=(LOSES, REWRITES, FORGETS),
    tools={
        "git": _judge,
        **each(
            "bfg git-filter-repo git-filter-branch",
            lambda call: iter([Found(rule=REWRITES)] if call.args else []),
        ),
        **each("hg svn jj sl", _svn),
    },
)
