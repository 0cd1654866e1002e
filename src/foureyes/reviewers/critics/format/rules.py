"""The rules of the format critic: what breaks a file, and what only looks unfinished."""

from __future__ import annotations

from foureyes.reviewers.critics.critic import Rule

_BROKEN = "Whoever reads this file, program or person, fails at it."


def _parse(kind: str, called: str) -> Rule:
    return Rule(
        id=f"format.parse.{kind}",
        title=f"This is not valid {called}",
        why=_BROKEN,
        fix=f"Mend it until a {called} parser accepts it.",
        category="format",
    )


JSON = _parse("json", "JSON")
YAML = _parse("yaml", "YAML")
TOML = _parse("toml", "TOML")
XML = _parse("xml", "XML")
CSV = _parse("csv", "CSV")
PYTHON = _parse("python", "Python")
SHELL = _parse("shell", "shell")
DOCKERFILE = _parse("dockerfile", "Dockerfile")
ENTITIES = Rule(
    id="format.xml-entities",
    title="The XML declares entities of its own",
    why="Entities can read files and grow without end where they are expanded; the file was not parsed any further.",
    fix="Write the text out instead.",
    category="format",
)
CONFLICT = Rule(
    id="format.conflict",
    title="A merge conflict was left in the file",
    why=_BROKEN,
    fix="Decide for one side and remove the markers.",
    severity="critical",
    category="format",
)
NOTHING = Rule(
    id="format.nothing",
    title="There is nothing in this work",
    why="An empty answer is no answer.",
    fix="Hand in what was asked for.",
    category="format",
)


def _note(name: str, title: str, why: str, fix: str) -> Rule:
    return Rule(id=f"format.{name}", title=title, why=why, fix=fix, severity="minor", category="format")


EMPTY = _note("empty", "The file is empty", "It may have been lost on the way.", "Fill it or remove it.")
ENCODING = _note(
    "encoding", "The text is not valid UTF-8", "Programs read it differently or not at all.", "Save it as UTF-8."
)
LINK_OUT = _note(
    "link-out",
    "A symbolic link leads out of the work",
    "Whoever follows it reads or writes what is no part of this version, and on another machine is something else.",
    "Point it at a file of the work, or leave it out; nobody here followed it.",
)
LINE_ENDS = _note(
    "line-ends", "Line ends are mixed", "Every tool shows other lines as changed.", "Use one kind of line end."
)
LONG_LINE = _note(
    "long-line", "A line is too long for a person to review", "Nobody reads it.", "Break it, or say how it is made."
)
TRUNCATED = _note(
    "truncated", "The text seems to be cut off", "Something that was written is missing.", "Hand in the whole text."
)
FENCE = _note("fence", "A code block is opened and not closed", "The rest is shown as code.", "Close the block.")
CHATTER = _note(
    "chatter", "A model's own words were left in the text", "It speaks about itself.", "Remove the sentence."
)
PLACEHOLDER = _note(
    "placeholder", "A placeholder was left in the text", "What belongs here is missing.", "Write what belongs here."
)
DUPLICATE = _note(
    "duplicate-key", "A key stands twice in one object", "One of the two is silently lost.", "Keep one of them."
)
RAGGED = _note("ragged", "A row has another number of fields", "Columns are shifted.", "Give every row as many fields.")

RULES = (
    *(JSON, YAML, TOML, XML, CSV, PYTHON, SHELL, DOCKERFILE, ENTITIES, CONFLICT, NOTHING),
    *(EMPTY, ENCODING, LINK_OUT, LINE_ENDS, LONG_LINE, TRUNCATED, FENCE, CHATTER, PLACEHOLDER, DUPLICATE, RAGGED),
)
