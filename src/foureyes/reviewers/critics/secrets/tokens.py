"""Find credentials of providers by their shape; some shapes include a checksum.

A shape is searched for only if its `needle`, a piece of plain text that every such credential contains, is there.
Every repetition in a pattern has a limit, so the time is linear in the length of the text.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.secrets.found import Found, TooMany, letters_of
from foureyes.reviewers.critics.secrets.rules import JWT, PROVIDERS
from foureyes.reviewers.critics.secrets.values import is_dummy

#: A text with more credentials is a list of credentials; reporting the rest adds nothing.
FOUND_MAX = 5_000

#: The maximum number of beginnings of a long credential: after each one, the pattern reads up to its full length.
STARTS_MAX = 10_000
_SHORT_REACH = 50

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The shape of one kind of credential. The group `v`, or the whole match, is the secret."""

    rule: Rule
    needle: str
    letters: frozenset[str]
    body: str
    known: str
    score: float = 0.9
    #: Returns the score of a value that has the shape.
    check: Callable[[str, float], float] | None = None
    #: How far the pattern may read from one beginning.
    reach: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern, compiled on first use: most works need none of them."""
        return _compiled(self.body)


def tokens(text: str) -> Iterator[Found]:
    """Yield every provider credential in the text; raise TooMany."""
    left, letters = FOUND_MAX, letters_of(text)
    for shape in SHAPES:
        if not shape.letters <= letters or shape.needle not in text:
            continue
        if shape.reach > _SHORT_REACH and text.count(shape.needle) > STARTS_MAX:
            raise TooMany("beginnings of credentials")
        pattern = shape.pattern
        group = "v" if "v" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            start, end = match.span(group)
            value = match.group(group)
            if is_dummy(value.removeprefix(shape.known)):
                continue
            score = shape.check(value, shape.score) if shape.check else shape.score
            if score > 0:
                yield Found(start=start, end=end, rule=shape.rule, score=score, known=shape.known)
                left -= 1
            if left <= 0:
                raise TooMany("credentials")


@cache
def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(body)


def _crc(value: str, score: float) -> float:
    """Check the checksum at the end of GitHub and npm tokens; a token with a valid one is certainly real."""
    body = value.split("_", 1)[-1]
    number, letters = zlib.crc32(body[:-6].encode("ascii", "replace")), ""
    while number:
        number, rest = divmod(number, 62)
        letters = _BASE62[rest] + letters
    return 1.0 if letters.rjust(6, "0") == body[-6:] else score


def _jwt(value: str, score: float) -> float:
    """Raise the score if the first part is a valid header of a token."""
    head = value.split(".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError, binascii.Error):
        return score
    return 0.85 if isinstance(header, dict) and "alg" in header else score


def _mixed(value: str, score: float) -> float:
    """Require both digits and letters, because the shape alone also fits names."""
    return score if re.search(r"[0-9]", value) and re.search(r"[A-Za-z]", value) else 0.0


#: The middle of every older key is its maker's name in base64; split here, so that it is not reported itself.
_OPENAI = "T3Blbk" + "FJ"
_BEFORE = r"(?<![A-Za-z0-9_])"
_AFTER = r"(?![A-Za-z0-9])"


def _shape(
    name: str,
    needle: str,
    body: str,
    *,
    known: str | None = None,
    score: float = 0.9,
    check: Callable[[str, float], float] | None = None,
) -> Shape:
    rule = JWT if name == "jwt" else PROVIDERS[name]
    return Shape(
        rule=rule,
        needle=needle,
        letters=frozenset(needle),
        body=_BEFORE + body + _AFTER,
        known=needle if known is None else known,
        score=score,
        check=check,
        reach=max(int(limit) for limit in re.findall(r"([0-9]+)\}", body)),
    )


SHAPES: tuple[Shape, ...] = (
    _shape("aws-key", "AKIA", r"AKIA[A-Z0-9]{16}", check=_mixed),
    _shape("aws-key", "ASIA", r"ASIA[A-Z0-9]{16}", check=_mixed),
    _shape("aws-key", "ABSK", r"ABSK[A-Za-z0-9+/]{109,260}={0,2}"),
    _shape("gcp-key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    _shape("gcp-key", "GOCSPX-", r"GOCSPX-[0-9A-Za-z_-]{28}"),
    _shape("gcp-key", "ya29.", r"ya29\.[0-9A-Za-z_-]{30,512}"),
    _shape("gcp-key", "1//0", r"1//0[0-9A-Za-z_-]{60,120}"),
    _shape("azure-key", "AccountKey=", r"AccountKey=(?P<v>[A-Za-z0-9+/]{80,88}={0,2})"),
    _shape("azure-key", "SharedAccessKey=", r"SharedAccessKey=(?P<v>[A-Za-z0-9+/]{40,64}={0,2})"),
    _shape("azure-key", "sig=", r"sig=(?P<v>[A-Za-z0-9+/%]{43,80}(?:=|%3D))"),
    _shape("azure-key", "Q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", known=""),
    *(_shape("github-token", f"gh{k}_", rf"gh{k}_[A-Za-z0-9]{{36,251}}", check=_crc) for k in "pousr"),
    _shape("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{36,244}"),
    *(
        _shape("gitlab-token", f"gl{k}-", rf"gl{k}-[A-Za-z0-9_-]{{20,300}}(?:\.[a-z0-9.]{{2,20}})?")
        for k in ("pat", "dt", "rt", "cbt", "ptt", "ft", "soat", "agent", "oas", "imt", "ffct")
    ),
    _shape("gitlab-token", "GR1348941", r"GR1348941[A-Za-z0-9_-]{20}"),
    _shape("slack-token", "xox", r"xox[abeoprs](?:\.xox[bp])?-[0-9A-Za-z-]{10,250}", check=_mixed),
    _shape("slack-token", "xapp-", r"xapp-[0-9]-[A-Z0-9]{5,20}-[0-9]{5,20}-[a-z0-9]{20,80}"),
    _shape(
        "slack-token",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<v>[A-Za-z0-9]{6,15}/[A-Za-z0-9]{6,15}/[A-Za-z0-9]{15,64})",
        known="",
    ),
    *(_shape("stripe-key", f"{k}_live_", rf"{k}_live_[0-9A-Za-z]{{16,247}}") for k in ("sk", "rk")),
    *(_shape("stripe-key", f"{k}_test_", rf"{k}_test_[0-9A-Za-z]{{16,247}}", score=0.6) for k in ("sk", "rk")),
    _shape("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,64}={0,2}"),
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{24,200}"),
    _shape("openai-key", _OPENAI, rf"sk-[A-Za-z0-9_-]{{20,120}}{_OPENAI}[A-Za-z0-9_-]{{20,120}}", known="sk-"),
    _shape("openai-key", "sk-", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,250}", check=_mixed),
    _shape("openai-key", "sk-", r"sk-[A-Za-z0-9]{32,64}", check=_mixed),
    _shape("model-provider-key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    _shape("model-provider-key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}"),
    _shape("model-provider-key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    _shape("model-provider-key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    _shape("model-provider-key", "r8_", r"r8_[A-Za-z0-9]{37}"),
    _shape("model-provider-key", "hf_", r"hf_[A-Za-z0-9]{34,40}"),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}", check=_crc),
    _shape("npm-token", "_authToken", r"_authToken\s{0,3}=\s{0,3}(?P<v>[A-Za-z0-9._~+/=-]{16,512})", known=""),
    _shape("pypi-token", "pypi-", r"pypi-A[A-Za-z0-9_-]{50,500}"),
    _shape("registry-token", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _shape("registry-token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,64}"),
    _shape("registry-token", "AKCp", r"AKCp[A-Za-z0-9]{60,80}"),
    _shape("registry-token", "cio", r"cio[A-Za-z0-9]{32}", check=_mixed, score=0.6),
    _shape("registry-token", "oy2", r"oy2[a-z0-9]{43}", check=_mixed, score=0.7),
    _shape("twilio-key", "SK", r"SK[0-9a-z]{32}", check=_mixed, score=0.7),
    _shape("mail-key", "SG.", r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    _shape("mail-key", "key-", r"key-[0-9a-z]{32}", check=_mixed, score=0.7),
    _shape("mail-key", "-us", r"[0-9a-z]{32}-us[0-9]{1,2}", known="", check=_mixed),
    _shape("mail-key", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _shape("telegram-token", ":AA", r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}", known=""),
    _shape("discord-token", ".", r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}", known=""),
    _shape("discord-token", "/webhooks/", r"api/webhooks/(?P<v>[0-9]{17,20}/[A-Za-z0-9_-]{60,80})", known=""),
    *(_shape("hosting-token", f"do{k}_v1_", rf"do{k}_v1_[a-f0-9]{{64}}") for k in "opr"),
    _shape("hosting-token", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,80}"),
    _shape("hosting-token", "FlyV1 ", r"FlyV1 fm[12][a-z]?_[A-Za-z0-9+/=,_-]{60,900}"),
    _shape("hosting-token", "LTAI", r"LTAI[A-Za-z0-9]{12,20}", check=_mixed, score=0.7),
    _shape("hosting-token", "AKID", r"AKID[A-Za-z0-9]{28,40}", check=_mixed, score=0.7),
    _shape("hosting-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}", known=""),
    _shape("hosting-token", "pul-", r"pul-[0-9a-f]{40}"),
    _shape("hosting-token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    _shape("hosting-token", "sbp_", r"sbp_[0-9a-f]{40}"),
    _shape("hosting-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}"),
    *(_shape("shop-token", f"shp{k}_", rf"shp{k}_[a-fA-F0-9]{{32}}") for k in ("at", "ca", "pa", "ss")),
    _shape("shop-token", "sq0", r"sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,43}"),
    _shape("shop-token", "EAAA", r"EAAA[A-Za-z0-9_-]{60}"),
    _shape("saas-token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{100,250}"),
    _shape("saas-token", "lin_api_", r"lin_api_[A-Za-z0-9]{32,48}"),
    _shape("saas-token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}"),
    _shape("saas-token", "secret_", r"secret_[A-Za-z0-9]{43}", check=_mixed),
    _shape("saas-token", "figd_", r"figd_[A-Za-z0-9_-]{38,50}"),
    _shape("saas-token", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _shape("saas-token", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _shape("saas-token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    _shape("saas-token", "glc_", r"glc_[A-Za-z0-9+/]{32,400}={0,2}"),
    _shape("saas-token", "sntrys_", r"sntrys_[A-Za-z0-9+/=_]{60,400}"),
    _shape("saas-token", "sntryu_", r"sntryu_[0-9a-f]{64}"),
    _shape("saas-token", "EAAC", r"EAAC[0-9A-Za-z]{60,300}"),
    _shape("saas-token", "AAAAAAAAAAAAAAAAAAAAA", r"AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{50,120}", known="AA"),
    _shape("saas-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _shape("saas-token", "sl.", r"sl\.(?:u\.)?[A-Za-z0-9_-]{130,1400}"),
    _shape("vault-token", "hv", r"hv[sbr]\.[A-Za-z0-9_-]{24,300}", known="hv", check=_mixed),
    _shape("vault-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _shape("vault-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9_-]{200,2000}={0,2}"),
    _shape("vault-token", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _shape(
        "jwt",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{10,1500}",
        score=0.6,
        check=_jwt,
    ),
)
