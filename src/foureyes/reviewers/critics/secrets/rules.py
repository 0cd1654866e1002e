"""The rules of the secrets critic: which secrets are searched for, why they matter, and what to do."""

from __future__ import annotations

from foureyes.reviewers.critics.critic import Rule

_TAKE_OUT = "take it out of the work and hand it over at run time (environment, secret store)"


def _live(name: str, what: str, where: str) -> Rule:
    """Return the rule for a provider's credential: any reader of the work can use it until it is revoked."""
    return Rule(
        id=f"security.secrets.{name}",
        title=f"{what} is written in plain text",
        why="Whoever can read the work can use it until it is revoked, and git keeps it after it was deleted.",
        fix=f"Revoke it {where}, then {_TAKE_OUT}.",
        severity="critical",
    )


def _plain(name: str, title: str, why: str, fix: str, severity: str = "important") -> Rule:
    return Rule(id=f"security.secrets.{name}", title=title, why=why, fix=fix, severity=severity)


PROVIDERS = {
    name: _live(name, what, where)
    for name, what, where in (
        ("aws-key", "An AWS access key", "in AWS IAM"),
        ("gcp-key", "A Google Cloud credential", "in the Google Cloud console"),
        ("azure-key", "An Azure credential", "in the Azure portal"),
        ("github-token", "A GitHub token", "under Settings, Developer settings"),
        ("gitlab-token", "A GitLab token", "under GitLab, Access tokens"),
        ("slack-token", "A Slack token or webhook", "under api.slack.com, Your apps"),
        ("stripe-key", "A Stripe key", "in the Stripe dashboard"),
        ("openai-key", "An OpenAI key", "under platform.openai.com, API keys"),
        ("anthropic-key", "An Anthropic key", "in the Anthropic console"),
        ("model-provider-key", "A model provider's key", "in the provider's console"),
        ("npm-token", "An npm token", "under npmjs.com, Access tokens"),
        ("pypi-token", "A PyPI token", "under pypi.org, Account settings"),
        ("registry-token", "A package registry's token", "in the registry's settings"),
        ("twilio-key", "A Twilio key", "in the Twilio console"),
        ("mail-key", "A mail service's key", "in the mail service's settings"),
        ("telegram-token", "A Telegram bot's token", "with @BotFather"),
        ("discord-token", "A Discord token or webhook", "in the Discord developer portal"),
        ("hosting-token", "A hosting provider's token", "in the provider's console"),
        ("shop-token", "A shop or payment service's token", "in the service's dashboard"),
        ("saas-token", "A service's token", "in the service's settings"),
        ("vault-token", "A secret store's token", "in the secret store"),
    )
}

PRIVATE_KEY = Rule(
    id="security.secrets.private-key",
    title="A private key is stored unencrypted",
    why="Whoever can read the work can sign, log in or decrypt as its owner.",
    fix="Make a new key pair, withdraw the old one, and keep the private half out of the work or encrypt it "
    "(SOPS, ansible-vault, git-crypt).",
    severity="critical",
)
JWT = _plain(
    "jwt",
    "A signed token (JWT) is written in plain text",
    "Whoever can read the work can act with it until it expires.",
    f"End the session it belongs to, then {_TAKE_OUT}.",
)
URL = _plain(
    "url-password",
    "An address contains a password",
    "Connection strings end up in logs and process lists, and the password with them.",
    f"Change the password, then {_TAKE_OUT}.",
)
HEADER = _plain(
    "header",
    "A request carries a literal credential",
    "Whoever can read the work can send the same request.",
    f"Revoke the credential, then {_TAKE_OUT}.",
)
PASSWORD = _plain(
    "password",
    "A password is written in plain text",
    "Whoever can read the work knows it, and git keeps it after it was deleted.",
    f"Change the password, then {_TAKE_OUT}.",
)
TOKEN = _plain(
    "token",
    "A secret or token is written in plain text",
    "Whoever can read the work can use it, and git keeps it after it was deleted.",
    f"Revoke it, then {_TAKE_OUT}.",
)
KEY = _plain(
    "key",
    "A key is written in plain text",
    "Whoever can read the work can use it, and git keeps it after it was deleted.",
    f"Replace the key, then {_TAKE_OUT}.",
)
SALT = _plain(
    "salt",
    "A salt, nonce or seed is a literal",
    "It should differ every time; a known one makes guessing cheaper.",
    "Draw it at run time from the system's random source.",
    "minor",
)
COMMAND = _plain(
    "command-password",
    "A command line contains a password",
    "Command lines are seen by every process of the machine and kept in histories and logs.",
    "Let the program read it from a file, a prompt or the environment.",
)
SQL = _plain(
    "sql-password",
    "A database password is written in a statement",
    "Statements are logged, and whoever can read the work can log in.",
    "Set the password outside the work, or pass it as a variable of the client.",
)
KUBERNETES = _plain(
    "kubernetes-secret",
    "A Kubernetes Secret is stored unencrypted",
    "Its base64 is no encryption: whoever can read the work can read it.",
    "Encrypt it (SOPS, Sealed Secrets) or fetch it from a secret store (External Secrets).",
)
LOGIN_FILE = _plain(
    "login-file",
    "A file of logins is part of the work",
    "Files like .netrc, .pgpass, .htpasswd or a kubeconfig belong to one person or machine.",
    "Take the file out of the work, change what was in it, and add it to .gitignore.",
)
ENV_FILE = _plain(
    "env-file",
    "An environment file with values is part of the work",
    "Such files hold the secrets of a running system.",
    "Keep a template without values (.env.example), and add the file itself to .gitignore.",
)
ENCODED = _plain(
    "encoded",
    "An encoded text hides a credential",
    "Base64 or hex is no encryption: anybody can undo it.",
    f"Revoke the credential, then {_TAKE_OUT}.",
    "critical",
)
OTHER = _plain(
    "other",
    "Something that looks like a credential is written in plain text",
    "Whoever can read the work can use it, and git keeps it after it was deleted.",
    f"Revoke it, then {_TAKE_OUT}.",
)
GROUPED = _plain(
    "grouped-key",
    "A key in groups is written in plain text",
    "It has the groups of a UUID and letters that no UUID has, so it is a key somebody drew and no identifier.",
    f"Replace the key, then {_TAKE_OUT}; where it is only a name, write it as a true UUID.",
)
UUID = _plain(
    "uuid",
    "Identifiers of a shape that some services use as keys",
    "Most are harmless names of rows and projects; a few services (Heroku, older APIs) log in with one.",
    "Nothing, where it is only an identifier; otherwise treat it as a token.",
    "minor",
)

ALL: tuple[Rule, ...] = (
    *PROVIDERS.values(),
    PRIVATE_KEY,
    JWT,
    URL,
    HEADER,
    PASSWORD,
    TOKEN,
    KEY,
    SALT,
    COMMAND,
    SQL,
    KUBERNETES,
    LOGIN_FILE,
    ENV_FILE,
    ENCODED,
    OTHER,
    GROUPED,
    UUID,
)
