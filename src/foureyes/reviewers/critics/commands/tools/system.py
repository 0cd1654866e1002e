"""Judge commands that stop the machine or its services, switch off protection, or remove logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import HOLE, Call, Family, Found, each, rule
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.places import SCRATCH

HALT = rule(
    "destructive.halt",
    "The machine is stopped or restarted",
    "Everybody's work on it ends, and a machine far away may not come back.",
    "Let an administrator do it in a maintenance window.",
)
SERVICES = rule(
    "destructive.services",
    "A service is stopped, disabled or masked",
    "Whoever uses it is cut off, and a disabled one does not come back after a restart.",
    "Reload or restart it (`systemctl restart`), or let an administrator disable it.",
)
KILLS = rule(
    "destructive.kill",
    "Processes are killed wholesale",
    "A kill by pattern or of everything takes programs nobody meant, without a chance to save.",
    "Stop one process by its id, with the normal signal first.",
)
BOMB = rule(
    "destructive.fork-bomb",
    "A process that multiplies without end",
    "The machine stops answering within seconds.",
    "Remove it.",
    "critical",
)
PROTECTION = rule(
    "privilege.protection-off",
    "A protection of the machine is switched off",
    "Firewall, SELinux, AppArmor and kernel settings are there for attacks nobody has seen yet.",
    "Add the one exception that is needed, and leave the rest on.",
)
TRACES = rule(
    "privilege.traces",
    "Traces of what happened are removed",
    "Nobody can find out afterwards what was done, by whom.",
    "Leave logs and histories alone; rotate them by the machine's own means.",
)
JOBS = rule(
    "destructive.jobs",
    "Scheduled jobs are removed or replaced",
    "All jobs of that user are gone at once; crontab keeps no copy.",
    "Save `crontab -l` first, and change one line in a file under review.",
)
KERNEL = rule(
    "privilege.kernel",
    "The running kernel is changed",
    "A module or a kernel setting has every right there is.",
    "Put it into the machine's reviewed configuration.",
)


#: A shorter pattern matches programs by accident.
SURE_NAME_CHARS_MIN = 4


def _halt(call: Call) -> Iterator[Found]:
    if call.name == "shutdown" and {"-c", "--help", "-k"} & set(call.args):
        return
    if call.name in ("init", "telinit") and not set(call.args) & {"0", "1", "6", "s", "S"}:
        return
    yield Found(rule=HALT)


_UNITS = re.compile(
    r"(?:sshd?|network\w*|systemd-\w+|dbus\w*|firewalld|ufw|iptables|nftables|auditd|rsyslog|docker|containerd|kubelet|cron[d]?|postgres\w*|mysql\w*|mariadb|mongod?|redis\w*|nginx|apache2|httpd|haproxy|fail2ban|apparmor|chronyd?|ntpd?|crio|etcd|vault|consul|kafka|rabbitmq\w*|elasticsearch|traefik)(?:\.service|\.socket)?(?:@.*)?$"
)


_FOREIGN_UNIT = re.compile(rf"/tmp/|/var/tmp/|/dev/shm/|{re.escape(SCRATCH)}")  # noqa: S108 - looked for, not written to


def _systemctl(call: Call) -> Iterator[Found]:
    opts = options(call.args, "tpHMno", ("type", "state", "host", "machine", "property"))
    if opts.has("user") or not opts.operands:
        return
    deed, units = opts.operands[0], opts.operands[1:]
    if deed in ("poweroff", "reboot", "halt", "kexec", "rescue", "emergency", "suspend", "hibernate") or (
        deed == "isolate"
    ):
        yield Found(rule=HALT)
    elif (
        deed in ("mask", "disable", "kill")
        or (deed == "stop" and any(_UNITS.match(unit) or "*" in unit for unit in units))
        or deed in ("set-default", "revert")
    ):
        yield Found(rule=SERVICES)
    elif deed in ("link", "enable", "start") and any(
        _FOREIGN_UNIT.match(unit) or (deed == "link" and unit.startswith(HOLE)) for unit in units
    ):
        yield Found(rule=SERVICES, severity="critical", text="The system runs a unit from a folder anybody can write.")


def _service(call: Call) -> Iterator[Found]:
    words = [word for word in call.args if not word.startswith("-")]
    if len(words) > 1 and words[1] in ("stop", "disable") and _UNITS.match(words[0]):
        yield Found(rule=SERVICES)


def _rc(call: Call) -> Iterator[Found]:
    words = set(call.args)
    if (call.name == "launchctl" and words & {"unload", "bootout", "remove", "disable", "kill"}) or (
        call.name
        in (
            "chkconfig",
            "update-rc.d",
            "rc-update",
            "sc",
            "pm2",
            "supervisorctl",
            "initctl",
            "sv",
            "net-stop",
            "nssm",
        )
        and (
            words & {"off", "remove", "disable", "del", "delete", "--del", "stop-all", "shutdown"}
            or (words & {"stop"} and "all" in words)
            or (call.name == "pm2" and "kill" in words)
            or (call.name == "initctl" and "stop" in words and any(_UNITS.match(word) for word in words))
        )
    ):
        yield Found(rule=SERVICES)


def _kill(call: Call) -> Iterator[Found]:
    words = list(call.args)
    if {"-1"} & set(words[1:]) or words[-1:] == ["1"] or (words[:1] == ["--"] and "-1" in words):
        yield Found(rule=KILLS, text="This signal goes to every process there is.")
    elif words[:2] in (["-s", "9"], ["-s", "KILL"]) and "-1" in words:
        yield Found(rule=KILLS)


def _pkill(call: Call) -> Iterator[Found]:
    plain = [word for word in call.args if not re.fullmatch(r"-(?:SIG)?[A-Z]{2,}\d*", word)]
    opts = options(plain, "gGPstuUsF", ("signal", "user", "parent"))
    hard = opts.has("9") or {"-KILL", "-SIGKILL", "--signal=KILL"} & set(call.args)
    if (
        call.name == "killall5"
        or hard
        or opts.has("u", "U", "user")
        or (opts.has("f") and any(len(word) < SURE_NAME_CHARS_MIN or HOLE in word for word in opts.operands))
    ):
        yield Found(rule=KILLS)


def _selinux(call: Call) -> Iterator[Found]:
    if {"0", "permissive", "Permissive", "disable", "--disable"} & set(call.args) or call.name in (
        "aa-disable",
        "aa-teardown",
        "aa-complain",
    ):
        yield Found(rule=PROTECTION)


def _sysctl(call: Call) -> Iterator[Found]:
    given = [word for word in call.args if "=" in word]
    harsh = (
        "kernel.randomize_va_space=0",
        "kernel.kptr_restrict=0",
        "kernel.yama",
        "kernel.core_pattern",
        "kernel.sysrq",
        "kernel.panic",
        "net.ipv4.ip_forward",
        "fs.protected",
        "kernel.modprobe",
    )
    if any(word.replace(" ", "").startswith(harsh) for word in given):
        yield Found(rule=KERNEL)


def _module(call: Call) -> Iterator[Found]:
    opts = options(call.args, "Cd")
    if (call.name in ("rmmod", "insmod", "kexec") and call.args) or (
        call.name == "modprobe" and opts.operands and not opts.has("n", "dry-run", "show-depends", "D")
    ):
        yield Found(rule=KERNEL)


def _crontab(call: Call) -> Iterator[Found]:
    opts = options(call.args, "u")
    piped = call.stdin.text if call.stdin.fed and ("-" in opts.operands or not opts.operands) else None
    if opts.has("r") or "/dev/null" in opts.operands:
        yield Found(rule=JOBS)
    elif piped and piped.strip() and HOLE not in piped and not opts.has("l"):
        yield Found(rule=JOBS, text="All jobs of this user are replaced by what is piped in.")


def _history(call: Call) -> Iterator[Found]:
    if (
        (call.name == "history" and {"-c", "-w", "-d"} & set(call.args) - {"-w"})
        or (call.name == "journalctl" and any(word.startswith(("--vacuum", "--rotate")) for word in call.args))
        or (call.name == "auditctl" and ({"-D", "-e"} & set(call.args)))
        or (call.name == "wevtutil" and {"cl", "clear-log"} & set(call.args))
        or (call.name == "dmesg" and {"-C", "--clear", "-c"} & set(call.args))
        or (call.name == "unset" and {"HISTFILE", "HISTSIZE", "HISTFILESIZE"} & set(call.args))
        or (call.name == "set" and call.args[:2] == ("+o", "history"))
    ):
        yield Found(rule=TRACES)


def _registry(call: Call) -> Iterator[Found]:
    if call.name == "reg" and call.args[:1] and call.args[0].lower() == "delete":
        yield Found(rule=SERVICES, text="Keys of the registry are deleted.")
    elif call.name == "bcdedit" and any(word.lower() in ("/delete", "/set") for word in call.args):
        yield Found(rule=HALT)
    elif call.name == "cipher" and any(word.lower().startswith("/w") for word in call.args):
        yield Found(rule=TRACES)
    elif call.name in ("nvram", "efibootmgr", "csrutil", "spctl", "grub-install", "bootctl") and {
        "-c",
        "-B",
        "-b",
        "disable",
        "--master-disable",
        "-d",
        "remove",
    } & set(call.args):
        yield Found(rule=PROTECTION)
    elif (call.name in ("grub-install", "grub2-install") and any(word.startswith("/dev/") for word in call.args)) or (
        call.name == "update-initramfs" and "-d" in call.args
    ):
        yield Found(rule=HALT, text="What the machine starts from is replaced or deleted.")


def _settings(call: Call) -> Iterator[Found]:
    if any(word.startswith(("-set", "--set", "-create", "-remove", "-delete")) for word in call.args):
        yield Found(rule=PROTECTION, text="A setting of the whole machine is changed.")


FAMILY = Family(
    rules=(HALT, SERVICES, KILLS, BOMB, PROTECTION, TRACES, JOBS, KERNEL),
    tools={
        **each("shutdown reboot halt poweroff init telinit restart-computer stop-computer", _halt),
        "systemctl": _systemctl,
        **each("service rc-service invoke-rc.d", _service),
        **each(
            "launchctl chkconfig update-rc.d rc-update sc pm2 supervisorctl initctl sv nssm",
            _rc,
        ),
        "kill": _kill,
        **each("pkill killall killall5 skill taskkill", _pkill),
        **each("setenforce aa-disable aa-teardown aa-complain auditpol set-mppreference", _selinux),
        "sysctl": _sysctl,
        **each("modprobe rmmod insmod kexec", _module),
        **each("systemsetup networksetup scutil dscl", _settings),
        "crontab": _crontab,
        **each("history journalctl auditctl wevtutil dmesg unset set", _history),
        **each(
            "reg bcdedit cipher nvram efibootmgr csrutil spctl grub-install grub2-install update-initramfs bootctl",
            _registry,
        ),
    },
)
