"""The checks of bandit and ruff that are reported, and their severity."""

from __future__ import annotations

from functools import cache

from foureyes.reviewers.critics.critic import Rule

#: Left out: asserts, imports and calls that are only a reason to look closer, checks that other critics cover (trojan
#: source, control characters), and style.
_BANDIT = (
    "B102 exec used; B103 set bad file permissions; B104 hardcoded bind all interfaces; "
    "B105 hardcoded password string; B106 hardcoded password funcarg; B107 hardcoded password default; "
    "B108 hardcoded tmp directory; B110 try except pass; B112 try except continue; "
    "B113 request without timeout; B201 flask debug true; B202 tarfile unsafe members; B301 pickle; "
    "B302 marshal; B303 md5; B304 ciphers; B305 cipher modes; B306 mktemp q; B307 eval; B308 mark safe; "
    "B310 urllib urlopen; B312 telnetlib; B313 xml bad cElementTree; B314 xml bad ElementTree; "
    "B315 xml bad expatreader; B316 xml bad expatbuilder; B317 xml bad sax; B318 xml bad minidom; "
    "B319 xml bad pulldom; B321 ftplib; B323 unverified context; B324 hashlib insecure functions; "
    "B401 import telnetlib; B402 import ftplib; B411 import xmlrpclib; B412 import httpoxy; "
    "B413 import pycrypto; B415 import pyghmi; B501 request with no cert validation; "
    "B502 ssl with bad version; B503 ssl with bad defaults; B504 ssl with no version; "
    "B505 weak cryptographic key; B506 yaml load; B507 ssh no host key verification; "
    "B508 snmp insecure version; B509 snmp weak cryptography; B601 paramiko calls; "
    "B602 subprocess popen with shell equals true; B604 any other function with shell equals true; "
    "B605 start process with a shell; B606 start process with no shell; B608 hardcoded sql expressions; "
    "B609 linux commands wildcard injection; B610 django extra used; B611 django rawsql used; "
    "B612 logging config insecure listen; B614 pytorch load; B615 huggingface unsafe download; "
    "B701 jinja2 autoescape false; B702 use of mako templates; B703 django mark safe; "
    "B704 markupsafe markup xss"
)
_RUFF = (
    "B002 unary prefix increment decrement; B003 assignment to os environ; B004 unreliable callable check; "
    "B005 strip with multi characters; B006 mutable argument default; B011 assert false; "
    "B012 jump statement in finally; B015 useless comparison; B016 raise literal; B018 useless expression; "
    "B020 loop variable overrides iterator; B021 f string docstring; B022 useless contextlib suppress; "
    "B023 function uses loop variable; B025 duplicate try block exception; "
    "B026 star arg unpacking after keyword arg; B029 except with empty tuple; "
    "B030 except with non exception classes; B031 reuse of groupby generator; "
    "B032 unintentional type annotation; B033 duplicate value; B034 re sub positional args; "
    "B035 static key dict comprehension; B039 mutable contextvar default; E902 io error; F401 unused import; "
    "F402 import shadowed by loop var; F404 late future import; "
    "F406 undefined local with nested import star usage; F407 future feature not defined; "
    "F501 percent format invalid format; F502 percent format expected mapping; "
    "F503 percent format expected sequence; F504 percent format extra named arguments; "
    "F505 percent format missing argument; F506 percent format mixed positional and named; "
    "F507 percent format positional count mismatch; F508 percent format star requires sequence; "
    "F509 percent format unsupported format character; F521 string dot format invalid format; "
    "F522 string dot format extra named arguments; F523 string dot format extra positional arguments; "
    "F524 string dot format missing arguments; F525 string dot format mixing automatic; "
    "F601 multi value repeated key literal; F602 multi value repeated key variable; "
    "F621 expressions in star assignment; F622 multiple starred expressions; F631 assert tuple; "
    "F632 is literal; F633 invalid print syntax; F634 if tuple; F701 break outside loop; "
    "F702 continue outside loop; F704 yield outside function; F706 return outside function; "
    "F707 default except not last; F722 forward annotation syntax error; F811 redefined while unused; "
    "F821 undefined name; F822 undefined export; F823 undefined local; F841 unused variable; "
    "F901 raise not implemented; PLE0100 yield in init; PLE0101 return in init; PLE0115 nonlocal and global; "
    "PLE0116 continue in finally; PLE0117 nonlocal without binding; PLE0118 load before global declaration; "
    "PLE0237 non slot assignment; PLE0241 duplicate bases; PLE0302 unexpected special method signature; "
    "PLE0303 invalid length return type; PLE0304 invalid bool return type; PLE0305 invalid index return type; "
    "PLE0307 invalid str return type; PLE0308 invalid bytes return type; PLE0309 invalid hash return type; "
    "PLE0604 invalid all object; PLE0605 invalid all format; PLE0643 potential index error; "
    "PLE0704 misplaced bare raise; PLE1132 repeated keyword argument; PLE1142 await outside async; "
    "PLE1205 logging too many args; PLE1206 logging too few args; PLE1300 bad string format character; "
    "PLE1307 bad string format type; PLE1310 bad str strip call; PLE1507 invalid envvar value; "
    "PLE1519 singledispatch method; PLE1520 singledispatchmethod function; "
    "PLE1700 yield from in async function"
)
#: Checks for code that cannot work: it does not compile, or fails when it is run.
_BROKEN = ("E9", "F404", "F407", "F50", "F52", "F62", "F63", "F70", "F72", "F821", "F823", "PLE0", "PLE1")
#: Not certain: a program may create the names it exports at run time.
_NOT_BROKEN = frozenset({"PLE0604", "PLE0605", "PLE0643"})
_NAMES = {code: title for item in (_BANDIT + "; " + _RUFF).split("; ") for code, _, title in (item.partition(" "),)}
SYNTAX = "syntax"


def is_passed_on(tool: str, code: str) -> bool:
    """True if a check of a tool is in the lists above; checks newer than these lists are not."""
    return _id(tool, code) in _listed()


def is_broken(code: str) -> bool:
    """True if code with this flaw cannot work."""
    return code == SYNTAX or (code.startswith(_BROKEN) and code not in _NOT_BROKEN)


@cache
def rule_of(tool: str, code: str) -> Rule:
    """Return the rule for a check of a tool."""
    name = _NAMES.get(code) or _NAMES.get(f"B{code[1:]}", "")
    title = f"Python: {name}" if name else "Python does not parse"
    security = tool == "bandit" or code.startswith("S")
    return Rule(
        id=_id(tool, code),
        title=title,
        why="A pattern that attackers use." if security else "Such code fails or does something else than it says.",
        fix=f"See {tool} {code}. If it is intended, dismiss it with a reason.",
        severity="important" if security or is_broken(code) else "minor",
        category="security" if security else "correctness",
    )


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return all rules, without running the tools."""
    bandit = [item.split(" ", 1)[0] for item in _BANDIT.split("; ")]
    ruff = [item.split(" ", 1)[0] for item in _RUFF.split("; ")]
    return (
        *(rule_of("bandit", code) for code in bandit),
        *(rule_of("ruff", f"S{code[1:]}") for code in bandit),
        *(rule_of("ruff", code) for code in ruff),
        rule_of("ruff", SYNTAX),
    )


@cache
def _listed() -> frozenset[str]:
    return frozenset(rule.id for rule in all_rules())


def _id(tool: str, code: str) -> str:
    return f"python.{tool}.{code}"
