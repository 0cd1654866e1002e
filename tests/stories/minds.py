"""A scripted reviewer that objects to lines with a bad word and to nothing else.

Command-line agents embed this source, so it uses only the standard library.
"""

import re

#: The bad words with their findings; the finding of the first one is the summary.
BAD = {
    "md5": "Password hashed with MD5",
    "rm -rf": "It deletes the disk.",
    "swallow": "Errors are swallowed",
}
ROW = re.compile(r"^ *(\d+) [+ ] \| (.*)$")


def answer_to(asked: str) -> dict[str, object]:
    """The answer to a prompt, with every requested list filled in."""
    found: list[tuple[str, int, str, str]] = []
    first = path = ""
    for line in asked.splitlines():
        if line.startswith("path: "):
            path = line.removeprefix("path: ")
            first = first or path
        row = ROW.match(line)
        word = next((one for one in BAD if row and one in row[2]), "")
        if word and not found:
            found.append((path, int(row[1]) if row else 0, row[2] if row else "", word))
    return {
        "findings": [_finding(*one) for one in found],
        "examined": [{"path": first, "line": 1, "what": "every line", "why": "there are no others"}],
        "settled": [{"number": one, "resolved": not found, "note": "I looked."} for one in _owed("settled", asked)],
        "checked": [],
        "checklist": [{"number": one, "note": "seen", "passed": True} for one in _owed("checklist", asked)],
        "answers": [{"number": one, "answer": "Yes."} for one in _owed("answers", asked)],
        "strengths": [],
        "summary": BAD[found[0][3]] if found else "In order.",
        "confidence": 95,
        "verdict": ("reject" if found[0][3] == "rm -rf" else "concerns") if found else "approve",
    }


def _finding(path: str, line: int, text: str, word: str) -> dict[str, object]:
    return {
        "path": path,
        "line": line,
        "end_line": line,
        "evidence": text,
        "text": BAD[word],
        "severity": "critical",
        "category": "security",
        "rule": "",
        "suggestion": "",
    }


def _owed(name: str, asked: str) -> range:
    many = re.search(name + r" \(numbers 1 to (\d+)\)", asked)
    return range(1, int(many[1]) + 1) if many else range(0)
