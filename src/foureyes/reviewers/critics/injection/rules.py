"""The rules of the injection critic: hidden text, look-alikes, and instructions to the reader."""

from __future__ import annotations

from foureyes.reviewers.critics.critic import Rule

BIDI = Rule(
    id="injection.hidden.bidi",
    title="Invisible characters change the order in which this line is shown",
    why="What a reviewer sees is not what a compiler or a model reads (CVE-2021-42574, trojan source).",
    fix="Remove the character; write text that runs right to left without overrides.",
    severity="critical",
)
INVISIBLE = Rule(
    id="injection.hidden.invisible",
    title="There are characters here that nobody can see",
    why="They make two names that look alike different, break up words that a search would find, or carry text.",
    fix="Remove the characters, or write them as escapes where a program needs them.",
    severity="critical",
)
TAGS = Rule(
    id="injection.hidden.tags",
    title="Unicode tag characters spell out an invisible text",
    why="People see nothing, a model reads every letter.",
    fix="Remove the characters.",
    severity="critical",
)
SELECTORS = Rule(
    id="injection.hidden.selectors",
    title="Variation selectors stand where there is nothing to vary",
    why="Each one can carry a byte that nobody sees.",
    fix="Remove the characters.",
    severity="critical",
)
CONTROL = Rule(
    id="injection.hidden.control",
    title="Control characters make a terminal show something else than what is there",
    why="An escape sequence, a backspace or a lone carriage return overwrites or hides text where it is printed.",
    fix="Remove the character, or write it as an escape of the language.",
)
LINE_END = Rule(
    id="injection.hidden.line-end",
    title="This character ends a line for some programs and not for others",
    why="What looks like a comment can be code, or the other way round.",
    fix="Use a line feed, or write the character as an escape.",
)
SPACE = Rule(
    id="injection.hidden.space",
    title="This looks like a space and is another character",
    why="It breaks commands and names that were copied, and makes two strings that look alike different.",
    fix="Use an ordinary space, or write the character as an escape.",
    severity="minor",
)
SOFT_HYPHEN = Rule(
    id="injection.hidden.soft-hyphen",
    title="A soft hyphen splits a word invisibly",
    why="It is not shown, and a search for the word does not find it.",
    fix="Remove it, or write it as an escape or `&shy;`.",
)
PRIVATE = Rule(
    id="injection.hidden.private",
    title="Private-use characters mean something to one font only",
    why="Without that font they are empty boxes or nothing, and can carry text that a reviewer does not see.",
    fix="Write them as escapes, or use a character that everybody's font has.",
    severity="minor",
)
MIXED = Rule(
    id="injection.homoglyph.mixed",
    title="One word mixes letters of several alphabets that look alike",
    why="It looks like a name that is known and is another one (CVE-2021-42694).",
    fix="Write the word with the letters of one alphabet.",
    severity="critical",
)
LOOKALIKE = Rule(
    id="injection.homoglyph.lookalike",
    title="A word is written with look-alikes of ordinary letters",
    why="It reads like a word that is known, but programs take it for another one or quietly change it into it.",
    fix="Write it with ordinary letters.",
)
DOMAIN = Rule(
    id="injection.homoglyph.domain",
    title="An address looks like another one",
    why="Letters of another alphabet lead to somebody else's server.",
    fix="Write the address in ordinary letters and check whose it is.",
    severity="critical",
)
OVERRIDE = Rule(
    id="injection.instruction.override",
    title="The text tells its reader to set aside the instructions it was given",
    why="An agent or a model that reads this work may obey it instead of its task.",
    fix="Remove the sentence; where a work is about such sentences, have a person look at it.",
    severity="critical",
)
VERDICT = Rule(
    id="injection.instruction.verdict",
    title="The text tells its reviewer how to judge",
    why="A work does not decide about itself.",
    fix="Remove the sentence; say what was tested instead.",
    severity="critical",
)
ROLE = Rule(
    id="injection.instruction.role",
    title="The text gives its reader another role or speaks in somebody else's name",
    why="Role markers and claims of authority are how a work tries to pass for the one who gives the task.",
    fix="Remove it; where a program needs such markers, have a person look at it.",
)
SECRET = Rule(
    id="injection.instruction.secret",
    title="The text asks its reader to hand over what it must keep",
    why="A model that reads this may give away instructions, keys or files of the machine it runs on.",
    fix="Remove the sentence.",
    severity="critical",
)
OUTPUT = Rule(
    id="injection.instruction.output",
    title="The text tells its reader what to put into its answer",
    why="A model that reads this may write it into its review, its code or its summary.",
    fix="Remove the sentence, or say to whom it is addressed.",
)
ENCODED = Rule(
    id="injection.instruction.encoded",
    title="Instructions to the reader are written in disguise",
    why="Encoded, spelled out or translated text passes people by, and a model reads it all the same.",
    fix="Remove it.",
    severity="critical",
)
CONCEALED = Rule(
    id="injection.instruction.concealed",
    title="Instructions to the reader stand where people do not see them",
    why="A comment, an image's description or a hidden element is not shown, and a model reads it all the same.",
    fix="Remove it.",
    severity="critical",
)
FLOOD = Rule(
    id="injection.instruction.flood",
    title="Repeated words or questions push everything else out of a reader's sight",
    why="A model that is drowned in text, or shown a conversation to go on with, forgets what it was told before.",
    fix="Remove what is repeated; answer questions where they are asked.",
    severity="minor",
)
MARKUP = Rule(
    id="injection.hidden.markup",
    title="Text is hidden by its style",
    why="White on white, size zero or display none: people do not see it, a model reads it all the same.",
    fix="Remove the hidden text.",
)

RULES = (
    BIDI,
    INVISIBLE,
    TAGS,
    SELECTORS,
    CONTROL,
    LINE_END,
    SPACE,
    SOFT_HYPHEN,
    PRIVATE,
    MARKUP,
    MIXED,
    LOOKALIKE,
    DOMAIN,
    OVERRIDE,
    VERDICT,
    ROLE,
    SECRET,
    OUTPUT,
    ENCODED,
    CONCEALED,
    FLOOD,
)
