"""Judge firewall, network and tunnel commands that open this machine to others or cut it off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.places import GRAVE, place
from foureyes.reviewers.critics.commands.tools.system import PROTECTION, SERVICES

TUNNEL = rule(
    "exposure.tunnel",
    "Something on this machine is opened to the internet",
    "A tunnel goes around every firewall: whoever learns its address reaches what was meant for this machine alone.",
    "Deploy it where access is controlled, or share it over a private network with named people.",
)


def _firewall(call: Call) -> Iterator[Found]:
    opts = options(call.args, "tsdpiojm")
    words = call.args
    lowered = {word.lower() for word in words}
    if call.name.startswith(("iptables", "ip6tables", "ebtables", "arptables")):
        off = opts.has("F", "X", "flush", "Z", "D", "delete") or ("-P" in words and "ACCEPT" in words)
        if _shuts_out(words):
            yield Found(rule=SERVICES, text="Whoever administers this machine over the network is shut out.")
    elif call.name == "ufw":
        opened = words[:3] in (("default", "allow", "incoming"), ("allow", "from", "any")) and "port" not in words
        off = bool({"disable", "reset", "delete"} & lowered) or opened
    elif call.name == "nft":
        off = bool({"flush", "delete", "destroy"} & set(words[:2]))
    elif call.name == "firewall-cmd":
        ends = ("--remove-", "--panic", "--complete-reload", "--delete-", "--reset-to-defaults")
        off = any(word.startswith(ends) for word in words)
    elif call.name == "pfctl":
        off = bool({"-d", "-F"} & set(words))
    else:
        off = bool({"off", "delete", "reset", "disable"} & lowered)
    if off:
        yield Found(rule=PROTECTION)


def _shuts_out(words: tuple[str, ...]) -> bool:
    """True if all incoming traffic, or all traffic for ssh, is dropped."""
    given = " ".join(words)
    if "DROP" not in words and "REJECT" not in words:
        return False
    policy = re.search(r"(?:^| )(?:-P|--policy) INPUT ", given) is not None
    rest = re.sub(r"(?:^| )-[AI] INPUT(?: \d+)?|-j \w+|-p tcp|-m \w+|--dport (?:22|ssh)\b", "", given).strip()
    return policy or ("INPUT" in words and {"-A", "-I"} & set(words) != set() and not rest)


def _network(call: Call) -> Iterator[Found]:
    ends = {"del", "delete", "flush", "down"} | ({"off"} if call.name == "nmcli" else set())
    if ends & set(call.args[:6]) or call.name == "ifdown":
        yield Found(
            rule=SERVICES, text="The network of this machine is changed; a remote one may not be reachable any more."
        )


def _tunnels(call: Call) -> Iterator[Found]:
    """Judge programs whose purpose is to give a port of this machine an address on the internet."""
    words = options(call.args, "", ("config", "region", "log", "authtoken")).operands
    opens = {
        "ngrok": ("http", "https", "tcp", "tls", "start"),
        "cloudflared": ("tunnel",),
        "tailscale": ("funnel",),
        "bore": ("local",),
        "zrok": ("share",),
        "expose": ("share",),
    }.get(call.name, ())
    quick = call.name != "cloudflared" or any(word.startswith(("--url", "--hello-world")) for word in call.args)
    named = bool(words) and words[0] in opens and words[-1] not in ("off", "status", "reset")
    if (named and quick) or (call.name in ("lt", "localtunnel") and options(call.args, "p").has("p", "port")):
        yield Found(rule=TUNNEL)


def _ssh(call: Call) -> Iterator[Found]:
    """Judge `-R`: with an address of its own, it lets everybody who reaches the other machine reach this one."""
    given = options(call.args, "BbcDEeFIiJLlmOopQRSWw", stop=True).value("R") or ""
    if re.match(r"(?:0\.0\.0\.0|\*|\[::\])?:\d+:", given) or given.endswith((":22", ":3306", ":5432", ":6379")):
        yield Found(rule=TUNNEL)


def _serves(call: Call) -> Iterator[Found]:
    """Judge Python's own web server, which serves every file below its folder to any client."""
    opts = options(call.args, "dbp", ("directory", "bind"))
    folder = opts.value("d", "directory") or call.cwd
    if folder and place(folder, call) in GRAVE and opts.value("b", "bind") not in ("127.0.0.1", "localhost", "::1"):
        yield Found(rule=TUNNEL, text="Every file below this folder can be read by whoever reaches the machine.")


#: Options that make a server listen on every address without authentication.
_LISTENS = {
    "dockerd": re.compile(r"(?:-H|--host)[ =]tcp://(?!127\.|localhost|\[::1\])(?!.*--tlsverify)"),
    "redis-server": re.compile(r"--protected-mode no"),
    "mongod": re.compile(r"--noauth|--bind_ip_all(?!.*--auth)"),
    "jupyter": re.compile(r"(?:token|password)=(?: |$)"),
    "jupyter-lab": re.compile(r"(?:token|password)=(?: |$)"),
    "x11vnc": re.compile(r"-nopw"),
    "ttyd": re.compile(r"^(?!.*(?:-c|--credential|-i lo|127\.0\.0\.1))"),
    "etcd": re.compile(r"--listen-client-urls[ =]http://0\.0\.0\.0"),
}


def _listens(call: Call) -> Iterator[Found]:
    if _LISTENS[call.name].search(" ".join(call.args)):
        yield Found(rule=TUNNEL, text="It listens for everybody and asks nobody who they are.")


FAMILY = Family(
    rules=(TUNNEL,),
    tools={
        **each(
            "iptables ip6tables iptables-legacy iptables-nft ebtables arptables ufw nft firewall-cmd pfctl netsh ipset",
            _firewall,
        ),
        **each("ip ifconfig route nmcli ifdown", _network),
        **each("ngrok cloudflared tailscale bore zrok expose lt localtunnel", _tunnels),
        "ssh": _ssh,
        "http.server": _serves,
        **dict.fromkeys(_LISTENS, _listens),
    },
)
