"""A bare SQLite writer in its own process, in a safe or an unsafe mode, to check that the harness tells them apart.

`python -m tests.crash.bare FOLDER JOURNAL SYNCHRONOUS` inserts some rows, and marks each one after its COMMIT.
"""

import sqlite3
import sys
from pathlib import Path

from tests.crash.marks import marking

ROWS = 12


def main(folder: Path, journal: str, synchronous: str) -> None:
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("CREATE TABLE IF NOT EXISTS kept (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    mark = marking(folder)
    for number in range(1, ROWS + 1):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO kept VALUES (?, ?)", (number, f"row {number} " * 300))
        connection.execute("COMMIT")
        mark(str(number))
    connection.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
