"""Which part of the program does this command line ask for?"""

import sys
from collections.abc import Sequence

from foureyes import __version__

EXIT_OK = 0
EXIT_INTERNAL = 1
EXIT_USAGE = 64

HELP = """\
foureyes: nothing goes live until others have reviewed exactly that version.

usage: foureyes [--version | --help]

The commands are not built yet; today the package holds the pure core only."""


def main(argv: Sequence[str] | None = None, *, platform: str = sys.platform) -> int:
    if platform == "win32":
        return _complain("foureyes runs on Linux and macOS; Windows is not supported.", EXIT_INTERNAL)
    match list(sys.argv[1:] if argv is None else argv):
        case ["--version"]:
            print(f"foureyes {__version__}")
        case [] | ["--help" | "-h"]:
            print(HELP)
        case ["--version" | "--help" | "-h", extra, *_] | [extra, *_]:
            return _complain(f"foureyes does not know {extra!r}; `foureyes --help` shows what it knows.", EXIT_USAGE)
    return EXIT_OK


def _complain(sentence: str, code: int) -> int:
    print(sentence, file=sys.stderr)
    return code
