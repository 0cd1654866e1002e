"""Judge commands of code hosts, CI systems, monitoring and other services that delete shared things."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli
from foureyes.reviewers.critics.commands.tools.network import HTTP_DELETE

PLATFORM = rule(
    "destructive.platform",
    "Something the team shares on a platform is deleted",
    "Repositories, releases, pipelines, secrets and their history go at once, for everybody.",
    "Archive it, or let its owner delete it on the platform after looking at what depends on it.",
)
SERVICE = rule(
    "destructive.service",
    "Something in a service that others rely on is deleted or switched off",
    "Alerts stay silent, names stop resolving, customers or mails are affected, and nobody is asked.",
    "Show it first, change it in the reviewed configuration, and keep an export.",
)


def _gh(call: Call) -> Iterator[Found]:
    opts = options(
        call.args,
        "RXfFHqtp",
        ("repo", "method", "field", "raw-field", "header", "jq", "template", "hostname", "input", "preview"),
    )
    words = opts.operands
    if words[:1] == ("api",):
        method = (opts.value("X", "method") or "").upper()
        text = " ".join(call.args)
        if method == "DELETE" or (
            "graphql" in words and "mutation" in text and any(deed in text for deed in ("delete", "remove", "archive"))
        ):
            yield Found(rule=HTTP_DELETE)
        return
    deed = words[1] if len(words) > 1 else ""
    part = words[0] if words else ""
    harsh = {
        "delete",
        "delete-asset",
        "remove",
        "disable",
        "transfer",
        "purge",
        "unregister",
        "destroy",
        "revoke",
        "rm",
        "unlink",
        "cancel-all",
    }
    if deed in harsh and part not in ("alias", "extension", "config"):
        yield Found(rule=PLATFORM)
    elif (part, deed) in (("repo", "archive"), ("repo", "rename")):
        yield Found(rule=PLATFORM, text="The repository changes for everybody who uses it.")
    elif (part, deed) == ("repo", "edit") and "visibility" in opts.long:
        yield Found(rule=PLATFORM, text="Who can see the repository changes.")
    elif (part, deed) == ("pr", "merge") and "admin" in opts.long:
        yield Found(rule=PLATFORM, text="The pull request is merged past the checks that protect the branch.")
    elif (
        part in ("repo", "issue", "release", "variable", "secret")
        and words[1:2] in (("deploy-key",), ("label",), ("autolink",))
        and words[2:3] == ("delete",)
    ):
        yield Found(rule=PLATFORM)


_CI = Cli(
    rule=PLATFORM,
    takes="sRptu",
    long_takes=words(
        "server repo token host auth project org team pipeline url user context grpc-web-root-path namespace"
    ),
    ends=words(
        "remove-secret delete-job delete-builds delete-node delete-view delete-credentials unregister "
        "safe-shutdown safe-restart quiet-down restart shutdown disconnect-node offline-node groovy groovysh "
        "destroy-pipeline destroy-team prune-worker disable-job disable-plugin reload-configuration clear-queue "
        "terminate-op rollback"
    ),
)


def _runner(call: Call) -> Iterator[Found]:
    words = options(call.args, "ctun", ("url", "token", "name", "config")).operands
    if words[:1] in (("unregister",), ("reset-token",), ("uninstall",), ("stop",)) or (
        words[:1] == ("verify",) and "--delete" in call.args
    ):
        yield Found(rule=PLATFORM)


_CI_TOOLS = words(
    "glab circleci jenkins-cli jenkins-cli.jar jenkins argocd argo flux tkn drone travis buildkite-agent bk "
    "teamcity woodpecker-cli fly-concourse semaphore sem-cli bitbucket gitea tea forgejo-cli spinnaker spin "
    "codefresh harness appcenter fastlane bitrise codemagic eas sentry-cli octopus octo tfx azure-devops "
    "gcloud-builds concourse act-runner actions-runner config.sh hub lab gitlab gitlab-rake gitlab-backup "
    "nx-cloud earthly dagger"
)
_SERVICES = words(
    "datadog dog datadog-ci ddog newrelic nrdiag pd pagerduty promtool amtool prometheus grafana-cli grafana grr "
    "splunk sensuctl zabbix icingacli nagioscli uptimerobot statuspage betteruptime opsgenie victorops honeycomb "
    "logdna logcli loki sumologic dynatrace dtctl wavefront checkly stripe braintree square paypal plaid lago "
    "sendgrid mailgun postmark mailchimp ses twilio resend customerio launchdarkly ldcli flipt split unleash "
    "growthbook configcat statsig kong deck apigee apigeecli tyk krakend gravitee ambassador haproxyctl "
    "dataplaneapi traefik nginx-controller elb caddy varnishadm pdnsutil pdns_control rndc knotc nsupdate dnsctl "
    "godaddy namecheap gandi porkbun route53 cli53 algolia meilisearch typesense elasticsearch-users "
    "elasticsearch-keystore opensearch-cli opensearch-keystore ecctl solr bin-solr auth0 okta fauna "
    "contentful-cli sanity strapi hasura directus shopify salesforce sf sfdx zendesk jira acli confluence slack "
    "discord linear notion hubspot segment posthog mixpanel keycloak kcadm kcadm.sh tailscale headscale "
    "zerotier-cli twingate ngrok wg-quick snyk sonar-scanner jf jfrog artifactory nexus harbor quay cosign "
    "notation dbt airflow prefect dagster airbyte fivetran databricks mlflow wandb huggingface-cli hf kaggle dvc "
    "modal runpodctl vastai lambda-cli sky ray slurm scancel qdel"
)


def _nsupdate(call: Call) -> Iterator[Found]:
    lines = (call.stdin.text or "").lower().split("\n") if call.stdin.fed else []
    if any(line.strip().startswith(("update delete", "del ", "prereq nxdomain")) for line in lines):
        yield Found(rule=SERVICE)


def _haproxy(call: Call) -> Iterator[Found]:
    if ({"stop", "-sf", "-st"} & set(call.args) and call.name == "haproxy") or (
        call.name == "nginx" and "-s" in call.args and {"stop", "quit"} & set(call.args)
    ):
        yield Found(rule=SERVICE)


def _dns_push(call: Call) -> Iterator[Found]:
    """Judge dnscontrol and octodns, which delete names from the zones that their files lack."""
    pushes = call.name == "dnscontrol" and options(call.args).operands[:1] == ("push",)
    if pushes or "--doit" in call.args:
        yield Found(rule=SERVICE, text="Names that the files lack are deleted from the zones.")


def _splunk(call: Call) -> Iterator[Found]:
    deed = next((word for word in call.args if not word.startswith("-")), "")
    if deed in ("clean", "remove", "delete", "disable", "stop"):
        yield Found(rule=SERVICE)


_SERVICE = Cli(
    rule=SERVICE,
    takes="pskun",
    long_takes=words(
        "profile project api-key token url address host server username password org env environment region output key"
    ),
    ends=words(
        "cancel void refund deletezone delete-zone delete-rrset clear delzone zone-unset tombstone kill unset "
        "archive scancel qdel"
    ),
)


FAMILY = Family(
    rules=(PLATFORM, SERVICE),
    tools={
        **dict.fromkeys(_CI_TOOLS, cli(_CI)),
        **dict.fromkeys(_SERVICES, cli(_SERVICE)),
        "gh": _gh,
        "gitlab-runner": _runner,
        "nsupdate": _nsupdate,
        "haproxy": _haproxy,
        "nginx": _haproxy,
        "splunk": _splunk,
        "dnscontrol": _dns_push,
        "octodns-sync": _dns_push,
    },
)
