"""Judge tools for disks, volumes and file systems that destroy data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.files import DEVICE
from foureyes.reviewers.critics.commands.tools.generic import ENDS, head, is_dry

FORMAT = rule(
    "destructive.format",
    "A disk, partition or volume is formatted or removed",
    "Every file on it is lost, and often those of others who share the disk.",
    "Let a person do it after `lsblk` and a backup; scripts work on images and files.",
    "critical",
)
MOUNT = rule(
    "destructive.mount",
    "A file system or swap in use is taken away",
    "Programs that read and write there fail or lose data.",
    "Stop what uses it first, and name exactly one mount point.",
)


def _formats(call: Call) -> Iterator[Found]:
    opts = options(call.args, "LtNbO")
    reads = opts.has("V", "version", "n", "no-act") and call.name.startswith("mkfs")
    image = all(re.search(r"\.(?:img|iso|raw|qcow2|vhd|bin)$", word) for word in opts.operands[:1])
    if opts.operands and not reads and not image:
        yield Found(rule=FORMAT)


def _partitions(call: Call) -> Iterator[Found]:
    opts = options(call.args, "ubBCHSos")
    words = {word.lower() for word in opts.operands}
    only_lists = opts.has("l", "list", "d", "dump", "p", "print", "v", "verify", "J", "json", "s") and call.name in (
        "fdisk",
        "sfdisk",
        "gdisk",
        "cfdisk",
    )
    if call.name == "sgdisk":
        only_lists = not opts.has("Z", "z", "d", "o", "zap", "zap-all", "delete", "clear", "n", "new", "G", "R")
    if call.name == "parted":
        only_lists = not words & {"mklabel", "mktable", "mkpart", "rm", "resizepart", "rescue", "name", "set"}
    if opts.operands and not only_lists:
        yield Found(rule=FORMAT)


def _wipefs(call: Call) -> Iterator[Found]:
    opts = options(call.args, "otp", ("offset", "types"))
    if opts.has("a", "all", "o", "offset", "f", "force") and not opts.has("n", "no-act"):
        yield Found(rule=FORMAT)


def _removes(call: Call) -> Iterator[Found]:
    if any(not word.startswith("-") for word in call.args) and not options(call.args).has("t", "test"):
        yield Found(rule=FORMAT)


def _verbs(call: Call) -> Iterator[Found]:
    """Judge tools with a verb among the first words: zfs, zpool, lvm, mdadm, cryptsetup, btrfs, diskutil."""
    if is_dry(call) or (call.name in ("zfs", "zpool") and options(call.args[1:], "o").has("n")):
        return
    words = [word.lstrip("-").lower() for word in call.args[:4]]
    if call.name == "zfs" and words[:1] in (["receive"], ["recv"]) and options(call.args[1:], "ox").has("F"):
        yield Found(rule=FORMAT, text="The target is put back to an older state before it takes in the new one.")
    harsh = ENDS | _HARSH
    if any(word in harsh for word in words) or any(head(word)[0] in ENDS for word in call.args[:4]):
        yield Found(rule=FORMAT)


_HARSH = words(
    "rollback labelclear create luksformat lukserase lukskillslot luksremovekey reencrypt erase zero-superblock "
    "stop fail erasedisk erasevolume partitiondisk reformat secureerase zerodisk randomdisk lvremove vgremove "
    "pvremove lvreduce format sanitize security-erase unmap discard"
)


def _checks(call: Call) -> Iterator[Found]:
    """Judge checks that answer yes to every question, which can delete files, and resizes that cut files off."""
    opts = options(call.args, "bBjlLtECR")
    mends = call.name != "resize2fs" and opts.has("y", "p", "a") and not opts.has("n", "N")
    cuts = call.name == "resize2fs" and (opts.has("M") or len(opts.operands) > 1)
    if opts.operands and (mends or cuts):
        yield Found(rule=FORMAT, severity="important")


def _hdparm(call: Call) -> Iterator[Found]:
    if any(
        word.startswith(("--security-erase", "--security-erase-enhanced", "--trim", "--write-sector", "--fwdownload"))
        for word in call.args
    ):
        yield Found(rule=FORMAT)


def _umount(call: Call) -> Iterator[Found]:
    opts = options(call.args, "tO")
    if (
        call.name == "swapoff"
        or opts.has("a", "all", "f", "force", "l", "lazy")
        or set(opts.operands) & {"/", "/home", "/var", "/boot", "/usr"}
    ):
        yield Found(rule=MOUNT)


def _mount(call: Call) -> Iterator[Found]:
    opts = options(call.args, "otLUO")
    how = opts.value("o") or ""
    over = [word for word in opts.operands[-1:] if re.match(r"/(?:s?bin|usr|lib|etc|boot)(?:/|$)", word)]
    loosens = "remount" in how and bool({"suid", "exec", "dev"} & set(how.split(",")))
    if loosens or ("remount" in how and "/" in opts.operands) or ((opts.has("bind") or "bind" in how) and over):
        yield Found(rule=MOUNT)


FAMILY = Family(
    rules=(FORMAT, MOUNT),
    tools={
        **dict.fromkeys(
            [
                f"mkfs{kind}"
                for kind in (
                    "",
                    ".ext2",
                    ".ext3",
                    ".ext4",
                    ".xfs",
                    ".btrfs",
                    ".vfat",
                    ".fat",
                    ".ntfs",
                    ".f2fs",
                    ".exfat",
                    ".minix",
                    ".bfs",
                    ".cramfs",
                )
            ]
            + ["mke2fs", "mkswap", "newfs", "mkntfs", "mkdosfs", "mkexfatfs", "newfs_apfs", "newfs_hfs"],
            _formats,
        ),
        **each("fdisk sfdisk gdisk cfdisk sgdisk parted", _partitions),
        "wipefs": _wipefs,
        **each(
            "lvremove vgremove pvremove lvreduce vgreduce pvcreate dmsetup-remove blkdiscard",
            _removes,
        ),
        **each(
            "zfs zpool lvm mdadm cryptsetup btrfs diskutil dmsetup nvme hdiutil diskpart",
            _verbs,
        ),
        "hdparm": _hdparm,
        **each("fsck fsck.ext4 fsck.ext3 fsck.xfs fsck.vfat e2fsck resize2fs", _checks),
        "format": lambda call: iter([Found(rule=FORMAT)] if any(":" in word for word in call.args) else []),
        **each("umount swapoff", _umount),
        "mount": _mount,
        "badblocks": lambda call: iter([Found(rule=DEVICE)] if "-w" in call.args else []),
    },
)
