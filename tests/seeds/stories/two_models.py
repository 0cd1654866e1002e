"""Models at an OpenAI-compatible endpoint that raise the findings the work asks for.

Started with `python -m tests.seeds.stories.two_models RECORD`. A line of the work such as
`# sonnet.spec critical Password hashed with MD5` is a finding of that model in that stage, and `both.` one of every
model. A model is known by the name it is asked by, and the stage by the side that it is asked to take.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.agents.scripted_model import Handler, serve

ROW = re.compile(r"^ *(\d+) [+ ] \| (.*)$", re.MULTILINE)
PATH = re.compile(r"^path: (\S+)", re.MULTILINE)
ORDER = re.compile(r"# (\w+)\.(spec|quality|peer) (critical|important|minor) (.+)")
SIDE = re.compile(r"Your side: the (spec|quality) reviewer")
#: The side of a model outside a panel.
PEER = "peer"
SURE = 90


class Panel(Handler):
    """Answers by the name of the model and the text of the work."""

    def turn(self, spoken: int, body: Any) -> dict[str, Any]:
        del spoken
        return {"answer": answer_to(str(body.get("model", "")), "\n".join(texts(body)))}


def answer_to(model: str, asked: str) -> dict[str, Any]:
    """The answer of this model to a prompt, with every requested list filled in."""
    path, stage = PATH.search(asked), stage_of(asked)
    rows = [(int(number), text, ORDER.search(text)) for number, text in ROW.findall(asked)]
    found = [
        finding(path[1] if path else "", number, text, order[3], order[4])
        for number, text, order in rows
        if order and order[1] in (model, "both") and order[2] == stage
    ]
    grave = any(one["severity"] != "minor" for one in found)
    return {
        "findings": found,
        "examined": [{"path": path[1] if path else "", "line": 1, "what": "every line", "why": "there are no others"}],
        "settled": [{"number": one, "resolved": not found, "note": "I looked."} for one in owed("settled", asked)],
        "checked": [],
        "checklist": [{"number": one, "note": "seen", "passed": True} for one in owed("checklist", asked)],
        "answers": [{"number": one, "answer": "Yes."} for one in owed("answers", asked)],
        "strengths": [],
        "summary": "Each line was read against what was asked for.",
        "confidence": SURE,
        "verdict": "concerns" if grave else "approve",
    }


def finding(path: str, line: int, evidence: str, severity: str, text: str) -> dict[str, Any]:
    """One finding at one line."""
    return {
        "path": path,
        "line": line,
        "end_line": line,
        "evidence": evidence,
        "text": text,
        "severity": severity,
        "category": "security",
        "rule": "",
        "suggestion": "",
    }


def owed(name: str, asked: str) -> range:
    """The numbers of what the prompt wants an answer to."""
    many = re.search(name + r" \(numbers 1 to (\d+)\)", asked)
    return range(1, int(many[1]) + 1) if many else range(0)


def texts(value: Any) -> list[str]:
    """Every text of a request."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in texts(one)]


def calls(record: Path) -> list[tuple[str, str, str]]:
    """Model, stage and prompt of each request so far, in the order they came."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    bodies = [json.loads(line)["body"] for line in lines]
    asked = [(str(body["model"]), "\n".join(texts(body))) for body in bodies if body and "model" in body]
    return [(model, stage_of(text), text) for model, text in asked]


def stage_of(prompt: str) -> str:
    """The stage of a panel that the prompt is about."""
    found = SIDE.search(prompt)
    return found[1] if found else PEER


if __name__ == "__main__":
    Panel.record = Path(sys.argv[1])
    serve(Panel)
