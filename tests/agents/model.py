"""Run a scripted model in a process beside a test."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedModel:
    """A running model: its address and the requests it received."""

    url: str
    record: Path

    def requests(self) -> list[dict[str, Any]]:
        """Every request it received, in order."""
        if not self.record.exists():
            return []
        return [json.loads(line) for line in self.record.read_text(encoding="utf-8").splitlines()]

    def received(self) -> str:
        """Everything it received, as one text."""
        return "\n".join(json.dumps(one, ensure_ascii=False) for one in self.requests())


@contextmanager
def scripted_model(folder: Path, turns: Sequence[dict[str, Any]]) -> Iterator[ScriptedModel]:
    """Run a scripted model in its own process until the block ends."""
    script, record = folder / "script.json", folder / "requests.jsonl"
    script.write_text(json.dumps({"turns": list(turns)}), encoding="utf-8")
    command = [sys.executable, "-m", "tests.agents.scripted_model", str(script), str(record)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield ScriptedModel(url=process.stdout.readline().strip(), record=record)
        finally:
            process.kill()
