"""Policies: read a policy file, and turn it into the rules that reviews are judged by.

Modules that read files are imported on demand: `check` uses stored policies, and does not need YAML.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from foureyes.policy.policy import Command, Mode, Model, Policy, Program, Role, Run, Target, policy_text, read_policy

if TYPE_CHECKING:
    from foureyes.policy.build import Loaded
    from foureyes.policy.load import FILE_NAME, SHIPPED, load_text, shipped
    from foureyes.policy.nodes import PolicyErrors, Problem
    from foureyes.policy.notifying import Notify

_FROM_FILES = {
    "FILE_NAME": "load",
    "SHIPPED": "load",
    "Loaded": "build",
    "Notify": "notifying",
    "PolicyErrors": "nodes",
    "Problem": "nodes",
    "load_text": "load",
    "shipped": "load",
}

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
    "Run",
    "Target",
    "load_text",
    "policy_text",
    "read_policy",
    "shipped",
]


def __getattr__(name: str) -> Any:
    if name not in _FROM_FILES:
        raise AttributeError(name)
    return getattr(import_module(f"foureyes.policy.{_FROM_FILES[name]}"), name)
