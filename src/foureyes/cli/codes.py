"""The exit codes, the same for every command."""

from __future__ import annotations

#: Cleared, or nothing blocks.
OK = 0
#: Something went wrong inside the program.
INTERNAL = 1
#: Blocked: the answer is no.
BLOCKED = 2
#: Somebody still owes an answer.
PENDING = 3
#: Nothing could be said, and why.
INCONCLUSIVE = 4
#: The command was not understood.
USAGE = 64
#: Ended by the person in front of it, as shells say it.
INTERRUPTED = 130
