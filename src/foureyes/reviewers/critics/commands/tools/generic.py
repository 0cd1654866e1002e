"""Judge command-line tools whose arguments are a noun and a verb, as nearly all of them are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.commands.model import HOLE, Call, Found, Judge, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.critic import Rule

#: Verbs whose effect the tool itself cannot undo.
ENDS = words(
    "delete del destroy remove rm purge terminate drop wipe erase nuke deregister unregister uninstall prune "
    "truncate revoke reset flush deprovision decommission obliterate shred unpublish undeploy teardown expunge "
    "annihilate deleteall removeall unset userdel rmi rmr dropall bulkdelete massdelete cleanup unprovision"
)
#: Verbs that take something out of service; only tools that run services use them.
STOPS = words("disable deactivate detach disassociate unsubscribe suspend unbind dissociate drain evict")
_READS = words(
    "list ls get describe show info view head status help version login logout validate lint diff explain watch "
    "wait tail fetch pull download cat read inspect whoami ping stats create add new init exists"
)
#: Words in front of the verb that do not change its meaning.
_ADVERBS = words("batch bulk admin force mass hard async safe permanently soft do begin start all")
_SPLIT = re.compile(r"[-_/.]|(?<=[a-z])(?=[A-Z])")
#: `-h` means help only in short commands such as `tool -h`; in a long one it means a host.
HELP_WORDS_MAX = 3
_HARMLESS_OBJECTS = words("tag tags label labels cache")
_DRY = words(
    "--dry-run --dryrun --dry_run --dry --no-act --simulate --just-print --what-if --whatif --noop --plan --check "
    "--preview-only --plan-only --list-only"
)
#: `service-instance-delete`, `bucket-delete`: some tools put the verb last, always in their first two words.
_VERB_LAST_WORDS_MAX = 2
#: Options that never take a value.
_FLAGS = words("force yes quiet verbose debug all recursive no-wait async wait json confirm no-input help")
_ENDS_LAST = words("delete destroy remove purge wipe erase terminate undefine drop")
_SURE = words("delete destroy purge wipe erase nuke terminate obliterate decommission deprovision dropall deleteall")
WORDS_MAX = 7

UNKNOWN_TOOL = rule(
    "destructive.tool",
    "A tool is told to delete something",
    "Whatever this tool calls delete, destroy, purge or wipe is gone afterwards, and nothing here says it can "
    "be brought back.",
    "Let a person run it, or show first what it would delete (a listing, a dry run).",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cli:
    """How the commands of one tool are built, where it differs from the others."""

    rule: Rule
    #: Short and long options in front of the verb that take the next word as their value.
    takes: str = ""
    long_takes: Collection[str] = ()
    #: Further verbs that delete something in this tool.
    ends: frozenset[str] = frozenset()
    #: Words that are harmless in this tool, although they delete something in others.
    spares: frozenset[str] = frozenset()
    stops: bool = True
    #: How many words always come before the verb.
    skip: int = 0
    #: Judges what this tool does beyond nouns and verbs.
    more: Callable[[Call], Iterator[Found]] | None = None


def cli(spec: Cli) -> Judge:
    """Return the judge of a tool with verbs."""

    def judge(call: Call) -> Iterator[Found]:
        if is_dry(call):
            return
        deed = verb(call, spec)
        if deed:
            yield Found(
                rule=spec.rule, text=f"`{call.name} … {deed}`: {spec.rule.title[0].lower()}{spec.rule.title[1:]}."
            )
        elif spec.more is not None:
            yield from spec.more(call)

    return judge


def verb(call: Call, spec: Cli) -> str:
    """Return the word that deletes or stops something; empty if the first verb only reads or creates."""
    takes = {*spec.long_takes, *_trailing(call.args)}
    words = options(call.args, spec.takes, takes).operands[spec.skip : WORDS_MAX]
    for at, word in enumerate(words):
        if word in spec.spares or HOLE in word:
            continue
        if word in spec.ends:
            return word
        first, rest = head(word)
        if first in spec.spares:
            continue
        if first in _READS and not word.startswith(("/", ".")):
            return ""
        if (first in ENDS or first in spec.ends or (spec.stops and first in STOPS)) and not _is_harmless(rest):
            return word
        if at < _VERB_LAST_WORDS_MAX and rest and rest[-1] in _ENDS_LAST and "." not in word:
            return word
    return ""


def _trailing(args: tuple[str, ...]) -> set[str]:
    """Return the long options after noun and verb: the word after each is its value, even if it looks like a verb."""
    seen, found = 0, set()
    for word in args:
        if word.startswith("--") and seen >= _VERB_LAST_WORDS_MAX and word[2:] not in _FLAGS:
            found.add(word[2:])
        seen += not word.startswith("-")
    return found


def _is_harmless(rest: list[str]) -> bool:
    """True if the object is a label or a cache: `remove-image-tag` is harmless, `delete-cache-cluster` is not."""
    thing = next((word for at, word in enumerate(rest) if rest[at + 1 : at + 2] in ([], ["from"], ["for"])), "")
    return thing in _HARMLESS_OBJECTS


def head(word: str) -> tuple[str, list[str]]:
    """Split a word such as `batch-delete-image`, `delete_vhost` or `apps:destroy` into the verb and the rest."""
    last = word.rpartition(":")[2] if ":" in word and "//" not in word else word
    parts = [part.lower() for part in _SPLIT.split(last) if part]
    while len(parts) > 1 and parts[0] in _ADVERBS:
        parts = parts[1:]
    return (parts[0], parts[1:]) if parts else ("", [])


def is_dry(call: Call) -> bool:
    """True if the tool was asked to report what it would do, without doing it."""
    for word in call.args:
        name, equals, value = word.partition("=")
        if name in _DRY and value.lower() not in ("false", "none", "0", "no") and (equals or name != "--plan"):
            return True
    return False


def only_explains(call: Call) -> bool:
    """True for `--help` and `--version`, which change nothing."""
    if "--" in call.args:
        return False
    return any(word == "--help" for word in call.args) or (
        call.args[-1:] in (("--version",), ("-h",)) and len(call.args) <= HELP_WORDS_MAX
    )


def unknown_tool(call: Call) -> Iterator[Found]:
    """Judge an unknown tool whose own arguments say that it destroys something."""
    if call.own or is_dry(call) or "." in call.name or not re.fullmatch(r"[a-z][\w+-]*", call.name):
        return
    words = [word for word in call.args if not word.startswith("-")][:3]
    for word in words:
        first, rest = head(word)
        if first in _READS:
            return
        if first in _SURE and not _is_harmless(rest) and re.fullmatch(r"[A-Za-z:_-]+", word):
            yield Found(rule=UNKNOWN_TOOL)
            return


def is_risky(words: tuple[str, ...]) -> bool:
    """True if the arguments of an unknown program look destructive."""
    for at, word in enumerate(words):
        if re.fullmatch(r"-[a-zA-Z]*[rR][a-zA-Z]*f[a-zA-Z]*|-[a-zA-Z]*f[a-zA-Z]*[rR][a-zA-Z]*", word):
            return True
        if word in ("--force", "--hard", "-delete", "--delete", "--purge", "--recursive", "--no-preserve-root"):
            return True
        if word in ("/", "/*", "~", "~/") or head(word)[0] in _SURE:
            return True
        if word in ("-c", "-e") and HOLE in "".join(words[at + 1 : at + 2]):
            return True
    return False
