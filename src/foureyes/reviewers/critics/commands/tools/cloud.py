"""Judge commands of cloud providers that delete resources, open them to the public or grant rights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli, is_dry, verb
from foureyes.reviewers.critics.commands.tools.vaults import SECRETS

CLOUD = rule(
    "destructive.cloud",
    "Something in the cloud is deleted or taken out of service",
    "Machines, databases, buckets and keys that are deleted are gone with their data, for everybody who uses them.",
    "Describe or list it first, use deletion protection and a snapshot, and let the infrastructure code delete "
    "it after a review.",
)
CLOUD_RIGHTS = rule(
    "privilege.cloud",
    "An account gets rights over the cloud",
    "Administrator rights or new keys let whoever holds them do everything, and they outlive this work.",
    "Grant the smallest role that does the job, in reviewed infrastructure code.",
    "critical",
)
CLOUD_OPEN = rule(
    "exposure.cloud",
    "Something in the cloud is opened to everybody",
    "Anybody on the internet can then reach or read it.",
    "Name the addresses or accounts that need it.",
)
BUCKET = rule(
    "destructive.objects",
    "Stored objects or a bucket are deleted",
    "Without versioning a deleted object is gone; a forced bucket deletion takes everything in it.",
    "List what would go (`--dryrun`), switch versioning on, delete by a lifecycle rule.",
)

_AWS_LONG = words(
    "region profile output endpoint-url query ca-bundle cli-read-timeout cli-connect-timeout color cli-binary-format"
)
_AWS = Cli(
    rule=CLOUD,
    long_takes=_AWS_LONG,
    skip=1,
    ends=words(
        "schedule-key-deletion disable-key reset-db-parameter-group release-address release-hosts "
        "delete-message-batch stop-logging stop-configuration-recorder leave-organization close-account"
    ),
    spares=words("reset-image-attribute stop remove-tags remove-tags-from-resource"),
)


def _aws(call: Call) -> Iterator[Found]:
    opts = options(call.args, "", _AWS_LONG)
    words = opts.operands
    service, deed = (*words[:2], "", "")[:2]
    if is_dry(call) or "dry-run" in opts.long or words[-1:] == ("help",):
        return
    if service == "s3":
        yield from _s3(deed, opts.long)
    elif service == "secretsmanager" and re.match(r"(?:put|update|delete|remove)-", deed):
        yield Found(rule=SECRETS)
    elif service == "iam" and re.match(
        r"(?:attach|put)-\w+-policy|create-access-key|create-login-profile|update-(?:assume-role-policy|login-profile)"
        r"|add-user-to-group|create-policy-version|set-default-policy-version|(?:create|update)-saml-provider",
        deed,
    ):
        yield Found(rule=CLOUD_RIGHTS)
    elif _aws_ends(deed, call.args):
        yield Found(rule=CLOUD, text="A protection, the copies or all running tasks are taken away.")
    elif _aws_opens(deed, call.args):
        yield Found(rule=CLOUD_OPEN)
    elif deed == "change-resource-record-sets" and any('"DELETE"' in word for word in call.args):
        yield Found(rule=CLOUD, text="Names of a zone are deleted; what they point to cannot be reached any more.")
    elif verb(replace(call, args=words[:2]), _AWS):
        yield Found(rule=BUCKET if service == "s3api" else CLOUD)


def _aws_opens(deed: str, args: tuple[str, ...]) -> bool:
    """True for rules for every address, public ACLs, policies for everybody, or a removed public-access block."""
    text = "".join(args).replace(" ", "")
    if deed.startswith("authorize-"):
        return "0.0.0.0/0" in text or "::/0" in text
    if deed == "put-public-access-block":
        return "=false" in text.lower() or ":false" in text.lower()
    if re.search(r"--principal(?:=|)\*|--group-names?all|--user-idsall|Group=all|--auth-typeNONE", text):
        return True
    if "--publicly-accessible" in args:
        return True
    everybody = '"Principal":"*"' in text or '"AWS":"*"' in text
    permits = '"Effect":"Allow"' in text and '"Condition"' not in text
    return deed.startswith(("put-", "create-", "add-permission", "set-")) and (
        (everybody and permits) or any(word.startswith("public-") for word in args)
    )


_AWS_OFF = re.compile(r"--no-(?:deletion-protection|disable-api-termination|enable-termination-protection|logging)$")


def _aws_ends(deed: str, args: tuple[str, ...]) -> bool:
    """True for calls that delete without saying so: protection or versioning off, scaled to zero, rows in a batch."""
    text = " ".join(args)
    return (
        any(_AWS_OFF.match(word) for word in args)
        or (deed == "put-bucket-versioning" and "Suspended" in text)
        or (deed == "batch-write-item" and "DeleteRequest" in text)
        or (
            deed.startswith(("update-", "set-")) and re.search(r"--desired-(?:count|capacity)[ =]0\b", text) is not None
        )
    )


def _s3(deed: str, long: dict[str, str]) -> Iterator[Found]:
    if deed in ("rm", "rb") or (deed == "sync" and "delete" in long) or (deed == "mv" and "recursive" in long):
        yield Found(rule=BUCKET)
    elif long.get("acl", "").startswith("public-"):
        yield Found(rule=CLOUD_OPEN)


def _rights(call: Call) -> Iterator[Found]:
    """Judge gcloud and az: role assignments, new keys, lost protection, and firewall rules for everybody."""
    text = " ".join(call.args)
    if "--allow-blob-public-access true" in text or re.search(r"--authorized-networks[ =]\S*0\.0\.0\.0/0", text):
        yield Found(rule=CLOUD_OPEN)
        return
    if re.search(r"--delete-(?:unmatched-destination-objects|destination)(?![ =]false)", text):
        yield Found(rule=BUCKET, text="What the source lacks is deleted at the target.")
        return
    if re.search(r"service-accounts keys create|ad sp create-for-rbac|sp credential|app credential", text):
        yield Found(rule=CLOUD_RIGHTS, text="A new key outlives this work, and whoever holds it can use it.")
        return
    if re.search(r"--no-(?:deletion-protection|enable-deletion-protection)\b", text):
        yield Found(rule=CLOUD, text="The protection against deletion is taken away.")
        return
    grants = re.search(r"add-iam-policy-binding|role assignment create|set-iam-policy", text)
    if grants and ("allUsers" in text or "allAuthenticatedUsers" in text):
        yield Found(rule=CLOUD_OPEN)
    elif grants and re.search(r"roles/(?:owner|editor)|\bOwner\b|Contributor|admin", text, re.IGNORECASE):
        yield Found(rule=CLOUD_RIGHTS)
    elif re.search(
        r"firewall-rules (?:create|update)|nsg rule (?:create|update)|firewall-rule create", text
    ) and _EVERYWHERE.search(text):
        yield Found(rule=CLOUD_OPEN)


_EVERYWHERE = re.compile(
    r"0\.0\.0\.0/0|::/0|--source-address-prefix(?:es)?[ =](?:\*|Internet|Any)(?: |$)"
    r"|--start-ip-address[ =]0\.0\.0\.0(?: |$)",
    re.IGNORECASE,
)

_GCLOUD = Cli(
    rule=CLOUD,
    long_takes=words("project account configuration zone region format filter"),
    more=_rights,
    spares=words("config suspend"),
    ends=words("seek"),
)
_AZ = Cli(
    rule=CLOUD,
    takes="gnos",
    long_takes=("resource-group", "name", "subscription", "output", "query"),
    ends=words("deallocate wipe"),
    more=_rights,
)


def _objects(call: Call) -> Iterator[Found]:
    """Judge gsutil, s3cmd, mc, s5cmd, azcopy, b2 and similar tools: the same verbs under many names."""
    opts = options(call.args, "hou", ("config", "profile", "endpoint-url", "older-than"))
    deed = next((word.lower() for word in opts.operands), "")
    if is_dry(call) or (opts.has("n") and deed == "rsync"):
        return
    if deed in (
        "rm",
        "rb",
        "del",
        "delete",
        "remove",
        "purge",
        "delobj",
        "delete-bucket",
        "delete-file-version",
        "hide-file",
        "undo",
    ) or (
        deed in ("mirror", "sync", "rsync")
        and (
            opts.has(
                "delete", "remove", "delete-removed", "delete-destination", "d", "delete-unmatched-destination-objects"
            )
            or "-d" in call.args
        )
    ):
        yield Found(rule=BUCKET)
    elif {"public-read", "public-read-write", "public", "--acl-public"} & set(call.args) or any(
        word.lower().startswith(("allusers:", "allauthenticatedusers:")) for word in call.args
    ):
        yield Found(rule=CLOUD_OPEN)
    elif deed in ("admin", "ilm", "version", "bucket", "retention", "object") or deed not in (
        "cp",
        "ls",
        "cat",
        "mv",
        "mb",
        "put",
        "get",
    ):
        yield from cli(Cli(rule=BUCKET, takes="hou", spares=words("version")))(call)


_OTHERS = words(
    "oci doctl ibmcloud linode-cli hcloud vultr-cli scw exo ovhcloud aliyun tccli yc openstack nova cinder "
    "neutron glance swift heroku fly flyctl vercel now netlify wrangler railway render surge firebase supabase eb "
    "sam ecs-cli copilot amplify serverless sls cf dokku pscale turso neonctl neon atlas mongocli convox porter "
    "okteto nixops cloudctl civo upctl packet metal equinix gcutil bosh clever scalingo platform upsun koyeb "
    "northflank qovery zeet deta workers-cli cloudflared cloudflare cf-cli flarectl azd aws-nuke cloud-nuke "
    "akamai fastly vercel-cli bunny keycdn stackpath linode do ntl cloudfoundry juju maas"
)
_NOUN_VERB = Cli(
    rule=CLOUD,
    takes="apstonrc",
    long_takes=words(
        "app team token org organization project region profile config context output env environment site scope "
        "account cwd remote"
    ),
    ends=words(
        "ps:stop ps:kill pg:killall maintenance:on rollback schedule-deletion down scale-down rollback-all "
        "undeploy nuke"
    ),
)
_NUKES = words("aws-nuke cloud-nuke gcp-nuke azure-nuke")


def _nuke(call: Call) -> Iterator[Found]:
    if call.name != "aws-nuke" or "--no-dry-run" in call.args:
        yield Found(rule=CLOUD, severity="critical")


FAMILY = Family(
    rules=(CLOUD, CLOUD_RIGHTS, CLOUD_OPEN, BUCKET),
    tools={
        **dict.fromkeys(_OTHERS, cli(_NOUN_VERB)),
        **dict.fromkeys(_NUKES, _nuke),
        **each(
            "gsutil s3cmd mc mcli s5cmd azcopy b2 s4cmd ossutil coscli minio-client rados radosgw-admin",
            _objects,
        ),
        "aws": _aws,
        "awslocal": _aws,
        "gcloud": cli(_GCLOUD),
        "az": cli(_AZ),
    },
)
