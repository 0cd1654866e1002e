"""Where is a model, by which name, with which key? Read from the environment; a key is never shown."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

#: A server that speaks OpenAI's wire, named by FOUREYES_MODEL_URL.
ENDPOINT = "endpoint"
CONTEXT = "FOUREYES_MODEL_CONTEXT"
URL_CHARS_MAX = 2_000
#: Room for an answer; fifty findings at full length do not fit, what anybody reads does.
ANSWER_TOKENS_MAX = 16_000
SMALL_BELOW = 32_768
CONTEXT_MIN = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider we know: who it is, which variables name its key, its address and the model to use."""

    name: str
    called: str
    keys: tuple[str, ...]
    url: str
    model: str
    default: str
    host: str
    #: What must be importable to speak to it.
    module: str


ANTHROPIC = Provider(
    name="anthropic",
    called="Anthropic",
    keys=("ANTHROPIC_API_KEY",),
    url="ANTHROPIC_BASE_URL",
    model="FOUREYES_ANTHROPIC_MODEL",
    default="claude-sonnet-5-5",
    host="api.anthropic.com",
    module="anthropic",
)
OPENAI = Provider(
    name="openai",
    called="OpenAI",
    keys=("OPENAI_API_KEY",),
    url="OPENAI_BASE_URL",
    model="FOUREYES_OPENAI_MODEL",
    default="gpt-6.1-terra",
    host="api.openai.com",
    module="openai",
)
GOOGLE = Provider(
    name="google",
    called="Google",
    keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    url="GOOGLE_GEMINI_BASE_URL",
    model="FOUREYES_GOOGLE_MODEL",
    default="gemini-3.8-flash",
    host="generativelanguage.googleapis.com",
    module="google.genai",
)
OWN = Provider(
    name=ENDPOINT,
    called="your own endpoint",
    keys=("FOUREYES_MODEL_KEY",),
    url="FOUREYES_MODEL_URL",
    model="FOUREYES_MODEL",
    default="",
    host="",
    module="openai",
)
PROVIDERS = {one.name: one for one in (ANTHROPIC, OPENAI, GOOGLE, OWN)}

_FAMILIES = (
    *(("claude", "claude"), ("gpt", "gpt"), ("chatgpt", "gpt"), ("o1", "gpt"), ("o3", "gpt"), ("o4", "gpt")),
    *(("gemini", "gemini"), ("gemma", "gemini"), ("llama", "llama"), ("qwen", "qwen"), ("qwq", "qwen")),
    *(("mistral", "mistral"), ("mixtral", "mistral"), ("codestral", "mistral"), ("devstral", "mistral")),
    *(("deepseek", "deepseek"), ("grok", "grok"), ("phi", "phi"), ("smollm", "smollm"), ("glm", "glm")),
    *(("kimi", "kimi"), ("command", "command")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model that can be asked."""

    provider: Provider
    name: str
    key: str = field(default="", repr=False)
    url: str = ""
    #: How many tokens it holds at once; 0 is unknown, and then it is taken to hold what the others do.
    context: int = 0

    @property
    def is_small(self) -> bool:
        """Whether prompt and answer have to be kept short for it."""
        return 0 < self.context < SMALL_BELOW

    @property
    def answer_tokens(self) -> int:
        """Room for an answer."""
        return self.context // 4 if self.is_small else ANSWER_TOKENS_MAX

    @property
    def id(self) -> str:
        """How a policy names it."""
        return f"{self.provider.name}:{self.name}"

    @property
    def family(self) -> str:
        """Which models think alike; empty is unknown, and unknown is never another family."""
        bare = self.name.rpartition("/")[2].lower()
        return next((family for start, family in _FAMILIES if bare.startswith(start)), "")

    @property
    def host(self) -> str:
        """The machine that receives what is sent."""
        return (urlsplit(self.url).hostname or "") if self.url else self.provider.host

    @property
    def sends(self) -> str:
        """Who outside this machine receives the work, in words; empty where it stays here."""
        return "" if is_loopback(self.host) else self.receiver

    @property
    def receiver(self) -> str:
        """Who receives the work, in words. An address on this machine is often a gateway to somewhere else."""
        if is_loopback(self.host):
            return f"the endpoint at {self.host} on this machine, and whoever it hands on to, the model {self.name}"
        plain = ", unencrypted" if urlsplit(self.url).scheme == "http" else ""
        known = self.provider.called if self.host == self.provider.host else "the endpoint"
        return f"{known} ({self.host}{plain}), the model {self.name}"


def is_loopback(host: str) -> bool:
    """Whether what is sent there stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def key_in(provider: Provider, environ: Mapping[str, str]) -> str:
    """The first key that is set for this provider."""
    return next((value for name in provider.keys if (value := environ.get(name, "").strip())), "")


def wrong_url(url: str) -> str:
    """What is wrong with an address; empty when nothing is."""
    try:
        parts = urlsplit(url)
        port_is_bad = parts.port == 0
    except ValueError:
        return "is no address"
    if len(url) > URL_CHARS_MAX or parts.scheme not in ("http", "https") or not parts.hostname or port_is_bad:
        return "is no address that begins with http:// or https://"
    return "has a password in it; put it into the key instead" if parts.username or parts.password else ""
