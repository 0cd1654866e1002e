"""Agreement of foureyes path patterns with CODEOWNERS, on public patterns whose answers are known.

    python -m bench.globs FOLDER

The folder holds `codeowners_patterns.json`: a list of `{name, pattern, paths: {path: true or false}}`.
"""

import json
import sys
from pathlib import Path

from foureyes.core.risk import matches

FILE = "codeowners_patterns.json"


def main(folder: Path) -> int:
    """Print every disagreement and how many answers agree."""
    asked, wrong = 0, 0
    for row in json.loads((folder / FILE).read_text(encoding="utf-8")):
        for path, expected in row["paths"].items():
            asked += 1
            if matches(row["pattern"], path) is not expected:
                wrong += 1
                print(f"{row['name']}: {row['pattern']} and {path}: {not expected}, CODEOWNERS says {expected}")
    print(f"{asked - wrong} of {asked} answers agree with CODEOWNERS")
    return 1 if wrong or not asked else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
