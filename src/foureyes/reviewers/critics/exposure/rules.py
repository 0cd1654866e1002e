"""Create the rules of the exposure critic, and their hits and notes."""

from __future__ import annotations

from foureyes.reviewers.critics.critic import Hit, Rule, State

PREFIX = "security.exposure."
EVIDENCE_MAX = 160

# Reasons that many rules share: what an attacker gains.
ESCAPE = "Whoever takes over this container can take over the machine it runs on."
GAIN = "Whoever gets in gains more rights than the work needs."
ANYONE = "Anyone on the internet can use it without proving who they are."
REACHABLE = "It can be reached from everywhere, so one guessed or leaked password is enough."
LISTEN_IN = "Whoever is on the way can read or change what is sent."
AT_REST = "Whoever gets hold of the storage or a copy of it reads everything."
OWN_KEY = "With a key of your own you decide who can decrypt, and you can take it back."
TRACE = "Without a record nobody can tell later what happened."
SUPPLY = "What runs can change without anybody having looked at it."
STEADY = "One workload can starve or take down the others."
HARDEN = "A further wall is missing that costs nothing."
CREDENTIALS = "A stolen token or password of this kind works for a long time and from everywhere."


def rule(name: str, title: str, why: str, fix: str, severity: str = "minor") -> Rule:
    """Return a rule named within this critic. Minor rules give notes; all others block."""
    return Rule(id=PREFIX + name, title=title, why=why, fix=fix, severity=severity)


def hit(found: Rule, path: str, line: int, text: str = "", *, fix: str = "", evidence: str = "") -> Hit:
    """Return a hit of a rule; it blocks unless the rule is minor."""
    state = State.CLEAR if found.severity == "minor" else State.BLOCK
    return Hit(
        rule=found, path=path, line=max(line, 1), state=state, text=text, fix=fix, evidence=evidence[:EVIDENCE_MAX]
    )


def note(found: Rule, path: str, line: int, text: str = "", *, fix: str = "") -> Hit:
    """Return a note: the rule applies only because a setting is missing, so it is minor for any rule."""
    return Hit(rule=found, path=path, line=max(line, 1), state=State.CLEAR, text=text, fix=fix, severity="minor")
