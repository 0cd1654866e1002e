"""Judge commands of password and key stores that delete, replace or print secrets."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli

SECRETS = rule(
    "destructive.secrets",
    "Secrets or access to them are deleted or replaced",
    "Every service that still uses the old secret, token or key is locked out, and what it encrypted cannot be read.",
    "Add a new version, move the users over, and delete the old one later with a recovery window.",
)

PRINTS = rule(
    "privilege.printed-secret",
    "A private key or password is printed",
    "Whoever sees the terminal, the log or the file it goes to can use it from then on.",
    "Let the program that needs the secret ask the store itself.",
)

#: Paths of the HTTP interface that do the same as the commands below.
_VAULT_PATHS = ("sys/seal", "sys/revoke", "sys/leases/revoke", "sys/step-down", "sys/rekey", "auth/token/revoke")


def _vault(call: Call) -> Iterator[Found]:
    words = options(call.args, "", ("address", "namespace", "mount", "format", "field")).operands
    deed, part = (*words[:2], "", "")[:2]
    harsh = {
        ("secrets", "disable"),
        ("auth", "disable"),
        ("audit", "disable"),
        ("kv", "delete"),
        ("kv", "destroy"),
        ("policy", "delete"),
        ("token", "revoke"),
        ("lease", "revoke"),
        ("namespace", "delete"),
        ("operator", "seal"),
        ("operator", "rekey"),
        ("operator", "step-down"),
        ("operator", "generate-root"),
        ("plugin", "deregister"),
        ("secrets", "move"),
        ("operator", "raft"),
    }
    if (
        ((deed, part) in harsh and not (part == "raft" and words[2:3] not in (("remove-peer",), ("snapshot-restore",))))
        or deed in ("delete", "revoke", "seal", "rekey", "unmount")
        or (deed == "kv" and words[1:3] == ("metadata", "delete"))
        or (deed == "write" and part.startswith(_VAULT_PATHS))
    ):
        yield Found(rule=SECRETS)


_STORE = Cli(
    rule=SECRETS,
    takes="pcet",
    long_takes=words("project config env environment token scope vault account path namespace session profile"),
    ends=words("unset forget rollback suspend deprovision archive"),
)


def _gpg(call: Call) -> Iterator[Found]:
    if any(word.startswith("--export-secret") for word in call.args):
        yield Found(rule=PRINTS)
    if any(word.startswith(("--delete-", "--gen-revoke", "--quick-revoke", "--yes --delete")) for word in call.args):
        yield Found(rule=SECRETS)


def _ssh_keys(call: Call) -> Iterator[Found]:
    opts = options(call.args, "ftbCNPRIVzOsnDEFKJjl")
    if call.name == "ssh-add" and opts.has("D", "d"):
        yield Found(rule=SECRETS, text="Keys are taken out of the agent.")
    elif call.name == "ssh-keygen" and opts.has("R") and not opts.has("F"):
        yield Found(rule=SECRETS, severity="minor", text="A known host is forgotten, so a changed key goes unnoticed.")


def _keychain(call: Call) -> Iterator[Found]:
    deed = call.args[0] if call.args else ""
    if deed.startswith("delete-"):
        yield Found(rule=SECRETS)
    elif deed in ("dump-keychain", "export") or (deed.startswith("find-") and {"-w", "-g"} & set(call.args)):
        yield Found(rule=PRINTS)


FAMILY = Family(
    rules=(SECRETS, PRINTS),
    tools={
        "vault": _vault,
        "bao": _vault,
        **each(
            "doppler op infisical bw bws lpass pass gopass keybase conjur akeyless keyhub teller berglas "
            "chamber-cli 1password dcli keepassxc-cli phase dotenvx envchain step certbot acme cfssl",
            cli(_STORE),
        ),
        **each("gpg gpg2", _gpg),
        **each("ssh-add ssh-keygen", _ssh_keys),
        "security": _keychain,
        "keyctl": cli(Cli(rule=SECRETS, ends=words("clear unlink"))),
        "mosquitto_passwd": lambda call: iter([Found(rule=SECRETS)] if {"-D", "-c"} & set(call.args) else []),
        "secret-tool": cli(Cli(rule=SECRETS, ends=words("clear"))),
    },
)
