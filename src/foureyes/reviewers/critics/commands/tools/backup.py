"""Judge commands of backup and copy tools that delete the copies needed for a restore."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.files import SYNC
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli, is_dry

BACKUP = rule(
    "destructive.backup",
    "Backups are deleted",
    "Nobody notices until the day they are needed; then there is nothing to restore from.",
    "List what would go with `--dry-run`, keep an append-only copy elsewhere, and let a person prune.",
)

_TAKES = "rpfooHvit"
_LONG = words(
    "repo repository password-file config cache-dir limit-upload tag host path namespace kubecontext kubeconfig stanza"
)


def _restic(call: Call) -> Iterator[Found]:
    opts = options(call.args, "rpo", _LONG)
    words = opts.operands
    if is_dry(call) or opts.has("n"):
        return
    deed = words[0] if words else ""
    if (
        deed in ("forget", "prune", "purge", "rewrite")
        or (deed in ("key", "keys") and words[1:2] in (("remove",), ("delete",), ("rm",)))
        or (
            (deed == "unlock" and opts.has("remove-all"))
            or (deed == "repair" and words[1:2] in (("snapshots",), ("index",)) and opts.has("forget"))
        )
        or deed == "rebuild-index"
    ):
        yield Found(rule=BACKUP)


def _borg(call: Call) -> Iterator[Found]:
    opts = options(call.args, "raP", _LONG)
    if is_dry(call) or opts.has("n"):
        return
    deed = next(iter(opts.operands), "")
    if (
        deed in ("delete", "prune", "compact", "rdelete", "repo-delete", "recreate", "break-lock", "undelete-purge")
        or (deed == "check" and opts.has("repair"))
        or (deed == "config" and opts.has("delete"))
    ):
        yield Found(rule=BACKUP)


def _rclone(call: Call) -> Iterator[Found]:
    opts = options(
        call.args, "v", ("config", "transfers", "checkers", "bwlimit", "log-file", "exclude", "include", "filter")
    )
    if opts.has("n") or is_dry(call):
        return
    deed = next(iter(opts.operands), "")
    if deed in ("sync", "bisync"):
        yield Found(rule=SYNC)
    elif deed in ("purge", "delete", "deletefile", "rmdirs", "rmdir", "cleanup", "move", "moveto", "dedupe"):
        yield Found(rule=BACKUP)
    elif any(name.startswith("delete-") for name in opts.long):
        yield Found(rule=SYNC)


_VELERO = Cli(rule=BACKUP, takes="n", long_takes=_LONG, spares=words("client"))
_OTHER = Cli(
    rule=BACKUP,
    takes=_TAKES,
    long_takes=_LONG,
    ends=words(
        "expire forget prune purge delete-snapshot remove-all-but-n-full remove-older-than "
        "remove-all-inc-of-but-n-full obliterate"
    ),
)


def _duplicity(call: Call) -> Iterator[Found]:
    words = [word for word in call.args if not word.startswith("-")]
    if words[:1] and words[0].startswith(("remove-", "cleanup")) and not is_dry(call):
        yield Found(rule=BACKUP)


def _snapshots(call: Call) -> Iterator[Found]:
    ends = ("--delete", "--purge", "--expire", "--remove", "--nuke")
    asked = any(word.startswith(ends) for word in call.args) or (
        call.name == "tarsnap" and options(call.args, "fX").has("d")
    )
    if asked and not is_dry(call):
        yield Found(rule=BACKUP)
    else:
        yield from cli(_OTHER)(call)


def _etcd(call: Call) -> Iterator[Found]:
    words = options(call.args, "", ("endpoints", "cacert", "cert", "key", "user")).operands
    if words[:1] in (("del",), ("rm",), ("rmdir",), ("defrag",)) or words[:2] in (
        ("member", "remove"),
        ("snapshot", "restore"),
        ("user", "delete"),
        ("role", "delete"),
        ("auth", "disable"),
    ):
        yield Found(rule=BACKUP, text="Keys of the cluster's own store are deleted.")


def _tmutil(call: Call) -> Iterator[Found]:
    if call.args[:1] and call.args[0].startswith(("delete", "disable", "thin")):
        yield Found(rule=BACKUP)


FAMILY = Family(
    rules=(BACKUP,),
    tools={
        **each("restic rustic", _restic),
        "borg": _borg,
        "borgmatic": _borg,
        "rclone": _rclone,
        "velero": cli(_VELERO),
        **each("duplicity duply", _duplicity),
        "etcdctl": _etcd,
        "tmutil": _tmutil,
        **each(
            "kopia bup duplicacy duplicati-cli tarsnap rdiff-backup pgbackrest barman wal-g wal-e snapper timeshift "
            "proxmox-backup-client bareos vssadmin wbadmin stash k10tools plakar zrepl sanoid rsnapshot",
            _snapshots,
        ),
    },
)
