"""Calls that take a password as a positional argument, which has no name of its own."""

from __future__ import annotations

import re

from foureyes.reviewers.critics.critic import Rule
from foureyes.reviewers.critics.secrets import rules

_TEXT = r"[bBuUrR]{0,2}[\"'][^\"'\n]{1,120}[\"']"
_GIVEN = r"[bBuUrR]{0,2}[\"'](?P<v>[^\"'\s\n]{3,128})[\"']"
_NEXT = r"\s{0,20},\s{0,20}"

Place = tuple[tuple[str, ...], re.Pattern[str], Rule, float, float]

#: Needles that must be in the text, the pattern with the secret as `v`, the rule, and the score of a word and of a
#: random value.
CALLS: tuple[Place, ...] = (
    # user:password, encoded for the header of a request.
    (
        ("b64", "base64", "Base64", "btoa", "Buffer.from", "EncodeToString"),
        re.compile(
            r"(?:b64encode|b64_encode|base64_encode|btoa|Buffer\.from|EncodeToString|encodeToString|Base64\.\w{4,20}"
            r"|encode64)\([^\n\"']{0,20}[\"'][\w.@+-]{1,64}:(?P<v>[^\"'\s:]{3,128})[\"']"
        ),
        rules.HEADER,
        0.45,
        0.75,
    ),
    (
        ("auth=(", "auth = (", "asicAuth", "basic_auth", "asic_auth"),
        re.compile(rf"(?:\bauth\s?=\s?\(|[bB]asic_?[aA]uth\w{{0,12}}\()\s{{0,20}}{_TEXT}{_NEXT}{_GIVEN}\s{{0,20}}\)"),
        rules.HEADER,
        0.45,
        0.75,
    ),
    (
        (".login(", ".Login("),
        re.compile(rf"\.[lL]ogin\(\s{{0,20}}{_TEXT}{_NEXT}{_GIVEN}\s{{0,20}}\)"),
        rules.PASSWORD,
        0.4,
        0.7,
    ),
    # The connection to a database: address, user, password.
    (
        ("getConnection(", "mysqli", "mysql_connect", "PDO(", "PlainAuth("),
        re.compile(
            rf"(?:getConnection|mysqli(?:_connect)?|mysql_p?connect|\bPDO|PlainAuth)\(\s{{0,20}}"
            rf"(?:{_TEXT}|[\w.$]{{1,60}}){_NEXT}(?:{_TEXT}|[\w.$]{{1,60}}){_NEXT}{_GIVEN}"
        ),
        rules.PASSWORD,
        0.45,
        0.75,
    ),
    # The key that signs a token or a message is the second argument.
    (
        ("jwt.", "JWT.", "createHmac", "hmac.new"),
        re.compile(
            rf"(?:(?:jwt|JWT)\.(?:sign|verify|encode|decode)|createHmac|hmac\.new)\(\s{{0,20}}"
            rf"(?:[bB]?[\"'][\w-]{{1,40}}[\"']|[\w.$]{{1,60}}|\{{[^{{}}\n]{{0,200}}\}}){_NEXT}{_GIVEN}"
        ),
        rules.TOKEN,
        0.2,
        0.75,
    ),
)
