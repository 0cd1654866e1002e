"""The exit codes, the same for every command."""

from __future__ import annotations

#: Cleared, or nothing blocks.
OK = 0
#: Something went wrong inside the program.
INTERNAL = 1
#: Blocked: the answer is no.
BLOCKED = 2
#: A person or a reviewer still owes an answer.
PENDING = 3
#: No answer could be given; the output says why.
INCONCLUSIVE = 4
#: The command was not understood.
USAGE = 64
#: Stopped with Ctrl-C, as shells report it (128 + SIGINT).
INTERRUPTED = 130
