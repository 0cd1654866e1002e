"""Made-up secrets of every kind, put together from pieces so that no scanner mistakes this file for a leak."""

import base64
import json
import random
import string
import zlib
from collections.abc import Callable
from urllib.parse import quote

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def drawn(chance: random.Random, size: int, letters: str = LETTERS) -> str:
    """Letters by chance, always with a digit and a letter among them."""
    return "".join(chance.choice(letters) for _ in range(size - 2)) + "a7"


def checked(chance: random.Random, prefix: str) -> str:
    """A token that ends with its own checksum, as GitHub and npm make them."""
    body, number, tail = drawn(chance, 30), 0, ""
    number = zlib.crc32(body.encode())
    while number:
        number, rest = divmod(number, 62)
        tail = BASE62[rest] + tail
    return prefix + "_" + body + tail.rjust(6, "0")


def jwt(chance: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return ".".join((part({"alg": "HS256", "typ": "JWT"}), part({"sub": drawn(chance, 9)}), drawn(chance, 43)))


def pem(chance: random.Random, kind: str = "RSA ") -> str:
    body = "\n".join(drawn(chance, 64) for _ in range(6))
    return f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{body}\n-----END {kind}PRIVATE" + " KEY-----"


#: By the name of the rule, how to make one.
PROVIDERS: dict[str, Callable[[random.Random], str]] = {
    "aws-key": lambda c: "AK" + "IA" + drawn(c, 14, string.ascii_uppercase + string.digits).upper() + "Q7",
    "gcp-key": lambda c: "AI" + "za" + drawn(c, 35),
    "azure-key": lambda c: drawn(c, 1) and drawn(c, 3) + "8Q" + "~" + drawn(c, 31),
    "github-token": lambda c: checked(c, "gh" + "p"),
    "gitlab-token": lambda c: "gl" + "pat-" + drawn(c, 20),
    "slack-token": lambda c: "xo" + "xb-" + drawn(c, 12, string.digits) + "-" + drawn(c, 24),
    "stripe-key": lambda c: "sk" + "_live_" + drawn(c, 24),
    "openai-key": lambda c: "sk" + "-proj-" + drawn(c, 48),
    "anthropic-key": lambda c: "sk" + "-ant-" + "api03-" + drawn(c, 93),
    "model-provider-key": lambda c: "gs" + "k_" + drawn(c, 52),
    "npm-token": lambda c: checked(c, "np" + "m"),
    "pypi-token": lambda c: "py" + "pi-AgEIcHlwaS5vcmc" + drawn(c, 80),
    "registry-token": lambda c: "dc" + "kr_pat_" + drawn(c, 27),
    "twilio-key": lambda c: "S" + "K" + drawn(c, 32, HEX),
    "mail-key": lambda c: "S" + "G." + drawn(c, 22) + "." + drawn(c, 43),
    "telegram-token": lambda c: "8" + drawn(c, 10, string.digits)[:-2] + ":A" + "A" + drawn(c, 33),
    "discord-token": lambda c: "M" + drawn(c, 23) + "." + drawn(c, 6) + "." + drawn(c, 27),
    "hosting-token": lambda c: "do" + "p_v1_" + drawn(c, 64, HEX),
    "shop-token": lambda c: "sh" + "pat_" + drawn(c, 32, HEX),
    "saas-token": lambda c: "li" + "n_api_" + drawn(c, 40),
    "vault-token": lambda c: "hv" + "s." + drawn(c, 90),
    "jwt": jwt,
    "private-key": pem,
}


def one_of_each(seed: int) -> dict[str, str]:
    """One secret of every kind, different for every seed."""
    chance = random.Random(seed)
    return {name: make(chance) for name, make in PROVIDERS.items()}


def forms(value: str) -> tuple[str, ...]:
    """The forms of a secret that no output may contain: the value and its usual encodings."""
    raw = value.encode()
    shifted = [base64.b64encode(b"\0" * n + raw).decode()[4:-4] for n in range(3)]
    return (value, raw.hex(), quote(value, safe=""), base64.b64encode(raw).decode(), *shifted)
