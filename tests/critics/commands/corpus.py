r"""Commands that must be blocked, left alone or called unknown, one per line; `\n` stands for a new line."""

from pathlib import Path

HERE = Path(__file__).parent


def commands(name: str) -> list[str]:
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    return [line.replace("\\n", "\n") for line in text.splitlines() if line]


BLOCK = commands("block")
CLEAR = commands("clear")
UNKNOWN = commands("unknown")
