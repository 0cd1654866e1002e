"""The independent checker: it reads only encoded events, has its own state, and names the violated invariant.

It never imports the program. The simulator tells it which policies exist, which bytes are what, who was authenticated,
which bytes were served and what was shown; everything else it works out from the log.
"""

from tests.sim.checker.check import Checker
from tests.sim.checker.shapes import Delivered, Policy, Shown, Violation, Work, parse_policy

__all__ = ["Checker", "Delivered", "Policy", "Shown", "Violation", "Work", "parse_policy"]
