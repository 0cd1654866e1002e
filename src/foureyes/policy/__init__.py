"""How does a file become the rules that reviews are judged by?"""

from foureyes.policy.build import Loaded
from foureyes.policy.load import FILE_NAME, SHIPPED, load, load_text, shipped
from foureyes.policy.nodes import PolicyErrors, Problem
from foureyes.policy.people import Notify
from foureyes.policy.policy import Command, Mode, Model, Policy, Program, Role, Target, policy_text, read_policy

__all__ = [
    "FILE_NAME",
    "SHIPPED",
    "Command",
    "Loaded",
    "Mode",
    "Model",
    "Notify",
    "Policy",
    "PolicyErrors",
    "Problem",
    "Program",
    "Role",
    "Target",
    "load",
    "load_text",
    "policy_text",
    "read_policy",
    "shipped",
]
