"""Weighted traits of sentences that speak to their reader: overrides, verdicts, roles and requests for secrets.

Traits are listed, never whole sentences. A trait counts once. One alone rarely suffices: it takes an order and
something that only the reader of this work can obey: its instructions, its verdict, its secrets.
"""

from __future__ import annotations

import re

from foureyes.reviewers.critics.injection import abroad, rules
from foureyes.reviewers.critics.injection.orders import ORDERS as _AGENTS
from foureyes.reviewers.critics.injection.trait import MODEL_ANCHORS, Feature
from foureyes.reviewers.critics.injection.trait import feature as _feature

_SETS_ASIDE = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|neglect|bypass|overrul(?:e|ing)|discard|override|overriding|"
    r"set aside|pay no (?:attention|heed) to|do(?: not|n'?t) (?:follow|obey|listen to|adhere to|comply with)|"
    r"stop (?:following|obeying)|regardless of|no longer (?:follow|obey|bound by))"
)
_ASIDE_ANCHORS = (
    "ignor|disregard|forget|neglect|bypass|overr|discard|set aside|pay no |not follow|n't follow|nt follow|not obey|"
    "n't obey|not listen|n't listen|not adhere|not comply|stop following|stop obeying|regardless of|no longer"
)
#: Up to three plain words in between; in code there would be brackets and quotes.
_FEW = r"(?:\s+[\w'-]+,?){0,3}?\s+"
_PLAIN = r"[^.!?=()\[\]{}|<>\"_]"
_EARLIER = (
    r"(?:previous(?:ly)?|prior|preceding|above|earlier|foregoing|former|original|initial|existing|current|system|all|"
    r"any|every|your|other|these|those|hidden|developer)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|directions?|directives?|guidelines?|guidance|system messages?|programming|safeguards?|"
    r"guardrails?|safety (?:rules|measures|filters?))"
)
_RULES = r"(?:rules?|tasks?|commands?|polic(?:y|ies)|constraints?|restrictions?|orders?|training|requests?|limits)"
_READER = (
    r"(?:(?:ai|llm|automated|code|security)[- ](?:reviewers?|review|agents?|assistants?|models?|tools?|bots?|"
    r"auditors?)|"
    r"reviewers?|assistants?|language models?|llms?|chatbots?|chatgpt|gpt-?\d?|claude|gemini|copilot|codex|"
    r"review(?:er)? (?:bot|agent)s?|coding agents?)"
)
_THING = (
    r"(?:\w+\s+){0,2}?(?:pull request|merge request|pr|mr|change(?:s|set)?|commit|patch|diff|code|file|submission|"
    r"work|plan|"
    r"document|artifact|revision|content|request|it)"
)
_APPROVES = r"(?:approve|accept|merge|pass|lgtm|sign[- ]?off(?: on)?|clear|green-?light|rubber-?stamp|wave through)"
_FLAWS = r"(?:issues?|problems?|findings?|concerns?|vulnerabilit(?:y|ies)|bugs?|warnings?|violations?|risks?)"
_GOOD = r"(?:approved?|lgtm|pass(?:ed)?|safe|clean|no (?:issues|problems|findings)|accepted|looks good|cleared|secure)"
_PRIVATE = (
    r"(?:system prompt|(?:initial|hidden|original|secret) (?:instructions?|prompt)|secret(?:s\b| keys?| phrase| word|"
    r" code)|"
    r"passwords?|passphrase|api[- _]?keys?|access tokens?|credentials|private keys?|ssh keys?|pin code|"
    r"env(?:ironment)? (?:variables?|vars)|e-?mail address|phone number|home address|"
    r"~?/?\.(?:env|npmrc|netrc|pypirc)\b(?! (?:example|template))|\.ssh/\w{1,40}\b(?!\.pub)|\bid_(?:rsa|"
    r"ed25519)\b(?!\.pub)|"
    r"\.aws/credentials|/etc/shadow|"
    r"user'?s? (?:\w+ ){0,3}(?:name|address|city|residence|initials|birth\w*|email|password|age|born|live))"
)
_PRIVATE_ANCHORS = (
    "system prompt|instruction|secret|password|passphrase|api key|api-key|api_key|apikey|access token|credential|"
    "private key|ssh key|environment var|env var|pin code|e-mail address|email address|phone number|home address|"
    "user's |users |the user |.env|.npmrc|.netrc|.pypirc|.ssh/|id_rsa|id_ed25519|.aws/|/etc/shadow"
)

FEATURES = (
    _feature(
        "sets aside its instructions",
        3,
        rf"\b{_SETS_ASIDE}(?:\s+[\w'-]+,?){{0,4}}?\s+{_EARLIER}{_FEW}{_ORDERS}\b",
        rf"\b{_SETS_ASIDE}{_FEW}{_ORDERS} (?:above|before|so far|given|you (?:were|have been|got|received))",
        rule=rules.OVERRIDE,
        anchors=_ASIDE_ANCHORS,
    ),
    _feature(
        "sets aside its rules",
        2,
        rf"\b{_SETS_ASIDE}\s+(?:[\w'-]+\s+){{0,2}}?(?:previous|prior|preceding|earlier|your|system){_FEW}{_RULES}\b",
        r"\b(?:forget|ignore|disregard) (?:everything|all|anything|what(?:ever)?)(?: that)? (?:above|before|said|"
        r"you)\b",
        r"\b(?:ignore|disregard) the (?:above|preceding|foregoing|actual|real)\b",
        r"\b(?:new|updated|real|actual) (?:instructions?|orders|directives?) ?(?:for you ?)?:",
        rule=rules.OVERRIDE,
        anchors=f"{_ASIDE_ANCHORS}|"
        "new instruction|updated instruction|real instruction|actual instruction|new directive",
    ),
    Feature(
        name="sets aside its instructions, in another language",
        weight=3,
        pattern=re.compile(
            rf"{abroad.SETS_ASIDE}{_PLAIN}{{0,60}}?{abroad.ORDERS}|{abroad.ORDERS}{_PLAIN}{{0,40}}?{abroad.SETS_ASIDE}"
        ),
        rule=rules.OVERRIDE,
        anchors=abroad.ORDER_ANCHORS,
    ),
    _feature(
        "asks to approve this",
        2,
        rf"(?:^|[,:;\-(\"'>]\s*|\b(?:please|must|just|simply|always|then) ){_APPROVES} (?:this|these|my) {_THING}\b",
        r"\b(?:approve|merge) (?:it |this |everything )?(?:immediately|without|as[- ]is|unconditionally)\b",
        rf"\bmark (?:\S+ ){{1,4}}?as (?:{_GOOD}|reviewed|resolved|an? false positive)\b",
        rule=rules.VERDICT,
        anchors="approve|accept|merge|pass |lgtm|"
        "sign off|sign-off|signoff|green-light|greenlight|rubber|wave through|mark ",
    ),
    _feature(
        "speaks of approving",
        1,
        rf"\b{_APPROVES} (?:the|all|any|every|this|these) {_THING}\b",
        r"\b(?:should|must|needs to) be (?:approved|merged|accepted|passed|cleared)\b|\blgtm\b",
    ),
    _feature(
        "dictates the verdict",
        2.5,
        rf"\b(?:respond|reply|answer)(?: only| just)? with\b[^.!?]{{0,40}}?\b{_GOOD}\b",
        rf"\b(?:say|conclude|state|report|claim|confirm)(?: only)? that\b[^.!?]{{0,60}}?\b(?:is|are) (?:\w+ "
        rf")?{_GOOD}\b",
        rf"\b(?:output|return|print|write|emit|say) (?:only|exactly|just) [^.!?]{{0,20}}?\b{_GOOD}\b",
        rf"\byour (?:verdict|decision|rating|conclusion) ?(?:is|=|:) ?[\"'`]?{_GOOD}\b",
        r"\b(?:verdict|rating|assessment|your decision)\s+(?:must|should|shall|has to|needs to|is to) be\b",
        rf"\b(?:respond|report|reply|answer)(?: \w+)? (?:no|zero|0) {_FLAWS}\b",
        rule=rules.VERDICT,
        anchors="approve|lgtm|no issue|no problem|no finding|looks good|verdict|assessment|your decision|respond with|"
        "respond only|reply with|reply only|answer with|answer only|conclude that|state that|report that|say that|"
        "claim that|"
        "confirm that|exactly |report no|report zero|return only|output only|print only|say only",
    ),
    _feature(
        "asks for silence about flaws",
        1.5,
        r"\b(?:do not|don'?t|never|must not|no need to|refrain from|skip|"
        r"(?<!merge )(?<!merging )(?<!approve )without)\s+(?:\w+\s+)?"
        r"(?:report|flag|mention|raise|review|reject|block|comment on|scan|inspect|audit|criticis|object)(?:ing)?\b",
        rf"\b(?:report|raise|list|find|flag) (?:no|zero|0)\b[^.!?]{{0,20}}?{_FLAWS}",
        rule=rules.VERDICT,
        anchors="not report|n't report|not flag|n't flag|not mention|n't mention|not review|n't review|need to review|"
        "not reject|n't reject|not block|n't block|never flag|never report|not scan|n't scan|not audit|not inspect",
    ),
    Feature(
        name="asks to approve this, in another language",
        weight=3,
        pattern=re.compile(
            rf"{abroad.APPROVES}{_PLAIN}{{0,40}}?{abroad.CHANGES}|{abroad.CHANGES}{_PLAIN}{{0,30}}?{abroad.APPROVES}"
        ),
        rule=rules.VERDICT,
        anchors=abroad.APPROVE_ANCHORS,
    ),
    _feature(
        "gives another role",
        2,
        r"\byou(?: are|'re) (?:now|no longer) (?:an? |the |my |in \w+ mode|free|unrestricted|called|acting|operating|"
        r"bound|playing|dan\b|restricted)",
        r"(?:^|[.!?:,]\s+|\bplease |\bnow )(?:act|behave|respond|answer) as (?:(?:if|though) you|my |"
        r"an? (?!proxy|server|client|wrapper|bridge|gateway|cache|barrier|router|filter|drop|fallback|"
        r"no-?op|placeholder))",
        r"\byour new (?:role|job|persona|identity|instructions?|goal|purpose|task)\b",
        r"\byour (?:real|true|actual) (?:task|instructions?|goal|objective|mission)\b",
        r"^\W{0,6}system ?: ?you (?:are|must|will|shall)\b",
        r"\b(?:god|jailbreak|dan|unrestricted) mode\b",
        r"\b(?:enter|enable|activate|switch to)[^.!?]{0,12}? developer mode\b",
        r"<\s*(?:god|admin|developer|debug|system|root|super ?user|sudo)[ _-]?(?:mode|override|access)\s*>",
        r"(?:\[|<|\*\*|#|^)\s*system (?:override|message|notice|update|alert|mode)\b\s*[:\]>*-]",
        r"\byou (?:will|must|shall) now (?:act|be|behave|play|respond|do|ignore)\b",
        rule=rules.ROLE,
        anchors="you are now |you're now |"
        "you are no longer |act as |behave as |respond as |answer as |your new |your real |your true |"
        "your actual |system: you|system : you|god mode|"
        "jailbreak|dan mode|unrestricted mode|developer mode|<god|<admin|<developer|<debug|<system|<root|<super|<sudo|"
        "system override|system message|system notice|system update|system alert|now act|now behave|now respond|now "
        "ignore",
    ),
    _feature(
        "imagines another world",
        1,
        r"\b(?:pretend|imagine|suppose|hypothetical\w*|role-?play|parallel (?:world|universe)|let'?s (?:say|"
        r"imagine))\b",
        r"\bfrom now on,? you\b",
        anchors="pretend|imagine|parallel |let's say|lets say|hypothetical",
    ),
    _feature(
        "claims authority",
        1.5,
        r"\bas your (?:creator|developer|admin\w*|owner|boss|supervisor|operator|programmer|author|master)\b",
        r"\bi(?:'m| am) (?:the |your |an? |actually )*(?:\w+ )?(?:admin\w*|developer|owner|creator|ceo|cto|police|"
        r"officer|"
        r"detective|doctor|maintainer|security (?:team|engineer|researcher)|anthropic|openai|programmer|auditor)\b",
        r"\b(?:already|previously|pre-?|been) ?(?:been )?(?:reviewed|approved|audited|cleared|verified|"
        r"authori[sz]ed) by\b",
        r"\b(?:security|compliance|legal|platform) team (?:has|have) (?:already )?(?:reviewed|approved|cleared|"
        r"signed)\b",
        r"\bfor (?:an|my|the|our) (?:investigation|emergency|security (?:test|audit|check))\b",
        rule=rules.ROLE,
        anchors="as your |i am |i'm |"
        "approved by|reviewed by|audited by|cleared by|verified by|ized by|security team ha",
    ),
    _feature(
        "asks to reveal",
        2,
        rf"\b(?:reveal|disclose|leak|exfiltrate|divulge|recite|repeat|spell(?: out)?|tell (?:me|us)|give (?:me|us)|"
        rf"(?:can|could|would) you (?:\w+ )?(?:tell|give|share|show|print|spell|translate|encode|"
        rf"write))\b[^.!?\n]{{0,60}}?{_PRIVATE}",
        r"\bwhat(?:'s| is| was| are| were) your (?:\w+ ){0,2}?(?:key|password|prompt|instructions?|secret|code|"
        r"keyword|rules)\b",
        r"\bwhat (?:would|could|might) your (?:\w+ ){0,2}?(?:password|passphrase|prompt|instructions?|"
        r"secret|keyword) be\b",
        rule=rules.SECRET,
        anchors=f"{_PRIVATE_ANCHORS}|what is your|what's your|what are your|what was your|what were your|"
        f"what would your|"
        "what could your|what might your",
    ),
    _feature(
        "asks to hand over",
        1,
        rf"\b(?:print|output|show|display|send|post|upload|forward|e-?mail|write|provide|encode|include|transmit|"
        rf"append|copy|i need to know|need to know)\b[^.!?\n]{{0,60}}?{_PRIVATE}",
        rule=rules.SECRET,
        anchors=_PRIVATE_ANCHORS,
    ),
    _feature(
        "means the reader's own instructions",
        1.5,
        r"\byour (?:\w+ ){0,2}?(?:system prompt|instructions?|prompt|guidelines)\b",
        r"\b(?:above|previous|earlier) (?:text|conversation|messages)\b|\bthe system prompt\b",
    ),
    _feature(
        "sends it away",
        1.5,
        r"\b(?:send|post|upload|forward|e-?mail|exfiltrate|transmit|submit|curl|append|encode|"
        r"include)\b(?:[^.!?\n\]]|[.!?](?!\s)){0,80}?"
        r"(?:https?://|\bwebhook|\b[\w.]{1,64}@[\w-]{1,64}\.|\battacker|\bexternal (?:server|url|site)|as (?:an? "
        r")?(?:query|url) param)",
    ),
    _feature(
        "speaks to a reviewer or model",
        1,
        rf"\b(?:note|message|attention|instructions?|important|notice|memo|dear|hey|hi|hello|any|all) (?:\w+ "
        rf"){{0,2}}?{_READER}\b",
        rf"^\W{{0,6}}(?:\w+ )?{_READER}\b\s*[:,]|\b{_READER}\s+(?:must|should|shall|reading|please|is to|are to)\b",
        r"\bif you(?:'re| are) (?:an? )?(?:ai|llm|language model|bot|agent|assistant|automated|reviewing)\b",
        r"\byou(?:'re| are) an? (?:ai|llm|language model)\b",
        anchors=MODEL_ANCHORS,
    ),
    _feature(
        "hides itself",
        1.5,
        r"\b(?:do not|don'?t|never|without) (?:\w+ )?(?:tell|mention|reveal|disclose|inform|alert|notify)(?:ing)?\b"
        r"[^.!?]{0,40}?\b(?:this (?:message|instruction|note|comment)|these instructions|the user|anyone|human|"
        r"author)\b",
        rule=rules.OVERRIDE,
        anchors="not tell|n't tell|not mention|n't mention|never mention|never tell|without telling|without mentioning|"
        "not reveal|n't reveal|not inform|n't inform|without informing|not disclose|n't disclose",
    ),
    *_AGENTS,
)
