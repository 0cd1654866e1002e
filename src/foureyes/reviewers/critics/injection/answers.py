"""Detect sentences that tell their reader what to put into its answer or its code."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCK_MAX = 1200
_ANSWER = r"(?:response|answer|reply|output|message|summary|completion|review|report|text|content|translation)s?"
_CODE = (
    r"(?:code(?:base)?|solution|algorithm|implementation|program|script|answer|response|project|application|function|"
    r"software|system|framework|logic|development)s?"
)
_POINTS = r"(?:following|subsequent|below|next|given|provided|presented|mentioned|ensuing|succeeding)"
_PIECE = r"(?:code|snippet|script|lines?|block|section|excerpt|fragment|segment)s?\b"
ANCHORS = (
    *(
        f"your {one}"
        for one in ("response", "answer", "reply", "output", "message", "summary", "completion", "review", "report")
    ),
    *(
        f"{one} code"
        for one in ("following", "subsequent", "below", "next", "given", "provided", "ensuing", "succeeding")
    ),
    "following snippet",
    "following script",
    "following line",
    "code below",
)
#: An order about the answer: a verb at the beginning, with the reader's answer as its object.
_ORDER = re.compile(
    r"^(?:(?:please|also|now|then|next|and|finally|additionally|furthermore|always|make sure to|be sure to|ensure "
    r"(?:that )?(?:you|to))"
    r",? )*(?P<verb>[a-z]+)\b(?:(?! (?:for|about|on|regarding) your)(?:[^.!?]|[.!?](?!\s))){0,200}?"
    rf"\byour (?:\w+ )?{_ANSWER}\b"
)
_IN_ANSWER = re.compile(
    rf"^(?:please |also |and )?(?:in|within|throughout|at the (?:end|beginning|start) of|before|after|as part of|"
    rf"along with|while writing) your (?:\w+ )?{_ANSWER}\b,? (?:please )?(?:[a-z]+)"
)
_YOUR_MUST = re.compile(rf"\byour (?:\w+ )?{_ANSWER} (?:must|should|shall|needs? to|has to|have to|ought to)\b")
#: First words that make a sentence no order: subjects, times, reasons, thanks.
_NO_ORDER = _words(
    "we i you he she it they this that these those there here the a an our my your his her its their if when while "
    "once as "
    "for with in on at by from to of about after before since until because although though but or so thank thanks "
    "thanking looking hope hoping regarding re per see view check click read reply respond call contact visit what who "
    "whom which why how where is are was were do does did can could will would should may might must have has had be "
    "been "
    "let hi hello dear no not any all some each every both either neither also just only even still awaiting await "
    "appreciate confirm submit receive received got get subject yes great sorry"
)
#: Words about answers between programs: there, "your response" speaks to a programmer, not to a model.
_MACHINE = re.compile(
    r"\b(?:http|https|header|status code|json|body|endpoint|api|server|client|request|schema|xml|csv|field|null|"
    r"file|stdout|disk)\b"
)
_LETTER = re.compile(r"\b(?:thank|thanks|forward to|appreciate|regards|await|sincerely|best|we|i|i'm|we're)\b")

_TAKE_CODE = re.compile(
    rf"\b{_POINTS}\b[^.!?]{{0,20}}?{_PIECE}[^.!?]{{0,80}}?\byour (?:\w+ )?{_CODE}\b"
    rf"|\byour (?:\w+ )?{_CODE}\b[^.!?]{{0,90}}?\b{_POINTS}\b[^.!?]{{0,20}}?{_PIECE}"
    rf"|\b(?:the|this|that) {_PIECE}[^.!?]{{0,20}}?\bbelow\b[^.!?]{{0,60}}?\byour (?:\w+ )?{_CODE}\b"
    rf"|\b(?:the code|code) (?:you|that you|being)\b[^.!?]{{0,60}}?\b{_POINTS}\b[^.!?]{{0,20}}?{_PIECE}"
    rf"|\b{_POINTS}\b[^.!?]{{0,20}}?{_PIECE}[^.!?]{{0,60}}?\b(?:the )?code (?:you|that you|being)\b"
)
_TAKE_BARE = re.compile(
    rf"^(?:please |kindly |to \w+,? |don'?t hesitate to |feel free to |consider |ensure |make sure )?"
    rf"[a-z]+\b[^.!?]{{0,60}}?\bthe {_POINTS} code (?:block|snippet|section|excerpt|fragment|segment)\b"
)
#: What the following code uses: the network, other programs, the machine.
_REACHES = re.compile(
    r"\b(?:requests|httpx|aiohttp|urllib\d?|urlopen|http\.client|socket|smtplib|yagmail|ftplib|paramiko|telnetlib|"
    r"mqtt|wget|curl|"
    r"subprocess|os\.system|popen|os\.environ|getenv|psutil|shutil\.rmtree|ctypes|winreg|platform\.|pexpect|fabric|"
    r"boto3?|"
    r"cookies?|keylog\w*|scapy|nmap|exec|eval|powershell|xmlrpc|netifaces|pyautogui|imaplib|twilio|slack|telegram|"
    r"websockets?)\b"
    r"|/etc/(?:passwd|shadow)|\bdd if=|\brm -rf|\bmkfs|base64 -d|/dev/(?:sd|random|null)"
)


def weight(sentence: str, follows: str) -> float:
    """Return how much a sentence tells its reader what to answer; `follows` is the text after it."""
    return max(_of_answer(sentence), _of_code(sentence, follows))


def _of_answer(sentence: str) -> float:
    order = _ORDER.match(sentence)
    if order is not None and (order["verb"] in _NO_ORDER or order["verb"].endswith("ly")):
        order = None
    if order is None and not _IN_ANSWER.match(sentence) and not _YOUR_MUST.search(sentence):
        return 0
    return 2 - (1 if _MACHINE.search(sentence) else 0) - (1 if _LETTER.search(sentence) else 0)


def _of_code(sentence: str, follows: str) -> float:
    named = _TAKE_CODE.search(sentence) or _TAKE_BARE.match(sentence)
    if named is None or sentence.split(" ", 1)[0] in ("if", "i", "we", "it", "when"):
        return 0
    return 2 if _REACHES.search(follows) else 0.5
