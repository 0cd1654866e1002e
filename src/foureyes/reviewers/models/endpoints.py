"""The endpoints of models: provider, name, key and address, read from the environment; a key is never shown."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

#: A server with an OpenAI-compatible API, named by FOUREYES_MODEL_URL.
ENDPOINT = "endpoint"
CONTEXT = "FOUREYES_MODEL_CONTEXT"
URL_CHARS_MAX = 2_000
#: Room for an answer: enough for what people read, though not for fifty findings at full length.
ANSWER_TOKENS_MAX = 16_000
SMALL_BELOW = 32_768
CONTEXT_MIN = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A known provider, and the variables that hold its key, its address and the model to use."""

    name: str
    called: str
    keys: tuple[str, ...]
    url: str
    model: str
    default: str
    host: str
    #: The module that must be importable to call it.
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
    #: The size of the context in tokens; 0 if unknown, which is treated like that of the other models.
    context: int = 0

    @property
    def is_small(self) -> bool:
        """True if prompt and answer have to be kept short for it."""
        return 0 < self.context < SMALL_BELOW

    @property
    def answer_tokens(self) -> int:
        """The most tokens in an answer."""
        return self.context // 4 if self.is_small else ANSWER_TOKENS_MAX

    @property
    def id(self) -> str:
        """The name by which a policy refers to it."""
        return f"{self.provider.name}:{self.name}"

    @property
    def family(self) -> str:
        """The model family, for judging independence; empty if unknown, which never counts as another family."""
        bare = self.name.rpartition("/")[2].lower()
        return next((family for start, family in _FAMILIES if bare.startswith(start)), "")

    @property
    def host(self) -> str:
        """The host that receives what is sent."""
        return (urlsplit(self.url).hostname or "") if self.url else self.provider.host

    @property
    def sends(self) -> str:
        """Who outside this machine receives the work, in words; empty if it stays here."""
        return "" if is_loopback(self.host) else self.receiver

    @property
    def receiver(self) -> str:
        """Who receives the work, in words. An address on this machine is often a gateway to another host."""
        if is_loopback(self.host):
            return f"the endpoint at {self.host} on this machine, and whoever it hands on to, the model {self.name}"
        plain = ", unencrypted" if urlsplit(self.url).scheme == "http" else ""
        known = self.provider.called if self.host == self.provider.host else "the endpoint"
        return f"{known} ({self.host}{plain}), the model {self.name}"


def is_loopback(host: str) -> bool:
    """True if what is sent to this host stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def key_in(provider: Provider, environ: Mapping[str, str]) -> str:
    """Return the first key that is set for this provider."""
    return next((value for name in provider.keys if (value := environ.get(name, "").strip())), "")


def wrong_url(url: str) -> str:
    """Return what is wrong with an address; empty if nothing is."""
    try:
        parts = urlsplit(url)
        port_is_bad = parts.port == 0
    except ValueError:
        return "is no address"
    if len(url) > URL_CHARS_MAX or parts.scheme not in ("http", "https") or not parts.hostname or port_is_bad:
        return "is no address that begins with http:// or https://"
    return "has a password in it; put it into the key instead" if parts.username or parts.password else ""
